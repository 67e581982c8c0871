// ---- Backward.

// gradient of W_uh += delta(t) u(t)'.
__device__ __forceinline__ void add_input_gradient(float4 *aside, const Shared &shared, u32 deltas, u32 bit_words, u32 t,
                                                   bool first) {
    Outer gradient = {};
    if (!first) gradient.load(aside);
    u32 row = lane() / 4, column = lane() % 4 * 2;
#pragma unroll
    for (int k = 0; k < BATCH / 16; k++) {
        u32 x[4];
#pragma unroll
        for (int i = 0; i < 4; i++) x[i] = input_bits(shared.bits(), bit_words, k * 16 + column + i % 2 + i / 2 * 8, t) >> row;
#pragma unroll
        for (int m = 0; m < PANELS; m++) {
            u32 a[4];
            load_matrices_transposed(a, deltas + units_first(m * 64 + warp() * 16, k * 16));
#pragma unroll
            for (int n = 0; n < COMPONENT_TILES; n++)
                multiply(gradient.sum[m] + 4 * n, a, signs(x[0] >> 8 * n, x[1] >> 8 * n), signs(x[2] >> 8 * n, x[3] >> 8 * n));
        }
    }
    gradient.store(aside);
}

// Sums become deltas: times the slope of tanh, from the states' tile.
__device__ __forceinline__ void slope_down(float (&c)[UNITS / 2], u32 states) {
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        u32 h[4];
        load_matrices(h, own_rows(states, k * 16));
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float2 x = unpack(h[i]);
            c[8 * k + 2 * i] *= fmaf(-x.x, x.x, 1.0f), c[8 * k + 2 * i + 1] *= fmaf(-x.y, x.y, 1.0f);
        }
    }
}

// Steps without errors give those of another one: a branch here would make products under way wait.
__device__ __forceinline__ uint4 errors_of(const Scratch &scratch, u32 input_steps, u32 t) {
    return __ldcg(&scratch.errors[(t > input_steps ? t - 1 - input_steps : 0) * THREADS + threadIdx.x]);
}

// Errors as a tile (component, sample): blocks of 8 x 8, for each 8 samples those of all components.
__device__ __forceinline__ void store_errors(Shared &shared, const uint4 &errors, u32 mask) {
    u32 block = (warp() * 2 + (lane() >> 3 & 1)) * 2 + (lane() >> 4);
    store_matrices_transposed(address(shared.errors) + block * 128 + (lane() & 7) * 16, errors.x & mask, errors.y & mask,
                              errors.z & mask, errors.w & mask);
}

// One tile holds the states of step t and then, in their place, its deltas; the other one the deltas of step t + 1 and then
// the states of step t - 1.
__device__ __forceinline__ void backward(float (&gradient)[PANELS][UNITS / 2], Outer &readout, Shared &shared, const Scratch &scratch,
                                         u32 bit_words, u32 input_steps, u32 steps, u32 &parities) {
    readout = {};
#pragma unroll
    for (int i = 0; i < PANELS * UNITS / 2; i++) gradient[i / (UNITS / 2)][i % (UNITS / 2)] = 0;
    // After the last step there are no deltas. All warps must have left the tiles of the forward pass.
    __syncthreads();
    uint4 *none = (uint4 *)shared.tiles[(steps + 1) & 1];
    for (u32 i = threadIdx.x; i < TILE_BYTES / 16; i += THREADS) none[i] = make_uint4(0, 0, 0, 0);
    uint4 next = errors_of(scratch, input_steps, steps);
    store_errors(shared, next, ~0u);
    fence_tiles();
    __syncthreads();
    if (threadIdx.x == 0)
        load_history(shared.tiles[steps & 1], scratch.state(steps), TILE_BYTES, &shared.arrived[steps & 1]);
    for (u32 t = steps; t >= 1; t--) {
        const u32 states = address(shared.tiles[t & 1]), later = address(shared.tiles[(t + 1) & 1]);
        // A factor must not change while products are under way: what is loaded meanwhile has registers of its own.
        const u32 mask = t > input_steps ? ~0u : 0u;
        const u32 errors[4] = {next.x & mask, next.y & mask, next.z & mask, next.w & mask};
        // The deltas of step t + 1 and the errors of step t are in their tiles.
        __syncthreads();
        float c[UNITS / 2];
        group_begin();
        multiply_deltas(c, errors, later, shared);
        group_commit();
        next = errors_of(scratch, input_steps, t - 1);
        wait_for(&shared.arrived[t & 1], parities >> (t & 1) & 1);
        parities ^= 1u << (t & 1);
#pragma unroll
        for (int m = 0; m < PANELS; m++) settle(gradient[m]), settle(readout.sum[m]);
        group_begin();
        multiply_outer(gradient, later, states);
        multiply_readout(readout, states, address(shared.errors));
        group_commit();
        group_wait<1>();
        settle(c);
        slope_down(c, states);
        group_wait<0>();
#pragma unroll
        for (int m = 0; m < PANELS; m++) settle(gradient[m]), settle(readout.sum[m]);
        if (t + 1 <= input_steps)
            add_input_gradient(scratch.input_gradient, shared, later, bit_words, t, t + 1 == input_steps);
        // Nobody reads either tile any more.
        __syncthreads();
        if (threadIdx.x == 0 && t > 1)
            load_history(shared.tiles[(t + 1) & 1], scratch.state(t - 1), TILE_BYTES, &shared.arrived[(t + 1) & 1]);
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            u32 deltas[4];
#pragma unroll
            for (int i = 0; i < 4; i++) deltas[i] = pack(c[8 * k + 2 * i], c[8 * k + 2 * i + 1]);
            store_matrices(own_rows(states, k * 16), deltas);
        }
        store_errors(shared, next, t - 1 > input_steps ? ~0u : 0u);
        fence_tiles();
    }
    __syncthreads();
    add_input_gradient(scratch.input_gradient, shared, address(shared.tiles[1]), bit_words, 0, input_steps == 1);
}
