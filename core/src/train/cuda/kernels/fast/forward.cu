// ---- Weights.

// Eight weights of a row as they lie in shared memory.
__device__ __forceinline__ void place_weights(Shared &shared, const float *row, u32 i, u32 j, bool real) {
    float w[8];
#pragma unroll
    for (int k = 0; k < 8; k++) w[k] = real && (UNITS == HIDDEN || j + k < HIDDEN) ? row[j + k] : 0.0f;
    uint4 high, low;
    split(w[0], w[1], high.x, low.x), split(w[2], w[3], high.y, low.y);
    split(w[4], w[5], high.z, low.z), split(w[6], w[7], high.w, low.w);
    u32 at = j / 64 * WEIGHT_PANEL_BYTES + i * 128 + ((j % 64 / 8 ^ i & 7) << 4);
    *(uint4 *)(shared.weights[0] + at) = high, *(uint4 *)(shared.weights[1] + at) = low;
}

__device__ __forceinline__ void prepare_weights(Shared &shared, const Scratch &scratch, const float *weights) {
    const float *input = weights + INPUT_AT, *readout = weights + READOUT_AT;
#pragma unroll 4
    for (u32 k = threadIdx.x; k < UNITS * UNITS / 8; k += THREADS) {
        u32 i = k / (UNITS / 8), j = k % (UNITS / 8) * 8;
        place_weights(shared, weights + i * HIDDEN, i, j, UNITS == HIDDEN || i < HIDDEN);
    }
    for (u32 k = threadIdx.x; k < 16 * UNITS / 8; k += THREADS) {
        u32 i = k / (UNITS / 8), j = k % (UNITS / 8) * 8;
        place_weights(shared, readout + i * HIDDEN, UNITS + i, j, i < COMPONENTS);
    }
    // Right factors (16 components x 8 units): high parts, low parts.
    for (u32 n = warp(); n < UNITS / 8; n += THREADS / 32) {
        u32 unit = n * 8 + lane() / 4, column = lane() % 4 * 2;
        auto at = [&](u32 c) { return unit < HIDDEN && c < COMPONENTS ? input[unit * COMPONENTS + c] : 0.0f; };
        uint4 x;
        split(at(column), at(column + 1), x.x, x.z), split(at(column + 8), at(column + 9), x.y, x.w);
        scratch.input[n * 32 + lane()] = x;
    }
}

// ---- Forward.

// c += W_uh u(t).
__device__ __forceinline__ void add_inputs(float (&c)[WEIGHT_ROWS / 2], const Shared &shared, const Scratch &scratch,
                                           u32 bit_words, u32 t) {
    u32 sample = warp() * 16 + lane() / 4, column = lane() % 4 * 2;
    u32 x = input_bits(shared.bits(), bit_words, sample, t) >> column;
    u32 y = input_bits(shared.bits(), bit_words, sample + 8, t) >> column;
    u32 a[4] = {signs(x, x >> 1), signs(y, y >> 1), signs(x >> 8, x >> 9), signs(y >> 8, y >> 9)};
#pragma unroll
    for (int n = 0; n < UNITS / 8; n++) {
        uint4 w = scratch.input[n * 32 + lane()];
        multiply(c + 4 * n, a, w.z, w.w);
        multiply(c + 4 * n, a, w.x, w.y);
    }
}

// What the outputs of a step should be: for each of this lane's components a place among the input bits.
struct Targets {
    u32 entries[COMPONENT_TILES][2];

    __device__ __forceinline__ Targets(const u32 *table, u32 step) {
#pragma unroll
        for (int i = 0; i < 2 * COMPONENT_TILES; i++) {
            u32 component = i / 2 * 8 + lane() % 4 * 2 + i % 2;
            entries[i / 2][i % 2] = __ldg(&table[step * COMPONENTS + (component < COMPONENTS ? component : 0)]);
        }
    }
};

// The errors of an output step, times scale, as left factor, and their sums. Nothing is kept unless there is such a step
// (`any`); no branch, because products under way would wait at it.
__device__ __forceinline__ void make_errors(const float (&outputs)[8], Shared &shared, const Scratch &scratch,
                                            const Targets &targets, float2 *sums, u32 bit_words, bool any, u32 step, float scale) {
    const u32 row = warp() * 16 + lane() / 4, column = lane() % 4 * 2;
    float squared = 0;
    u32 errors[4] = {}, correct = 0;
#pragma unroll
    for (int n = 0; n < COMPONENT_TILES; n++) {
        float error[4];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            bool real = any && n * 8 + column + k < COMPONENTS;
            u32 entry = targets.entries[n][k], position = entry & 0x7fffffffu;
#pragma unroll
            for (int half = 0; half < 2; half++) {
                float u = sign_at(shared.bits() + (row + half * 8) * bit_words, position), output = outputs[4 * n + 2 * half + k];
                if (entry >> 31) u = -u;
                error[2 * half + k] = real ? output - u : 0.0f;
                squared = fmaf(error[2 * half + k], error[2 * half + k], squared);
                correct += __popc(__ballot_sync(~0u, real && (output > 0) == (u > 0)));
            }
        }
        errors[2 * n] = pack(error[0] * scale, error[1] * scale), errors[2 * n + 1] = pack(error[2] * scale, error[3] * scale);
    }
    if (any) __stcg(&scratch.errors[step * THREADS + threadIdx.x], make_uint4(errors[0], errors[1], errors[2], errors[3]));
#pragma unroll
    for (int offset = 16; offset; offset >>= 1) squared += __shfl_xor_sync(~0u, squared, offset);
    if (any && lane() == 0) sums[step * GROUPS + warp()] = make_float2(squared, correct);
}

// States from their sums, as left factors; high parts also as a tile.
__device__ __forceinline__ void finish_states(const float (&c)[WEIGHT_ROWS / 2], u32 (&high)[DEPTH][4], u32 (&low)[DEPTH][4],
                                              u32 tile) {
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
#pragma unroll
        for (int i = 0; i < 4; i += 2) {
            float x[4] = {c[8 * k + 2 * i], c[8 * k + 2 * i + 1], c[8 * k + 2 * i + 2], c[8 * k + 2 * i + 3]};
            squash(x);
            split(x[0], x[1], high[k][i], low[k][i]), split(x[2], x[3], high[k][i + 1], low[k][i + 1]);
        }
        store_matrices(own_rows(tile, k * 16), high[k]);
    }
}

// Copies the samples of this warp to the history.
__device__ __forceinline__ void keep_states(u8 *to, const u8 *tile) {
#pragma unroll
    for (int panel = 0; panel < PANELS; panel++) {
        u32 at = panel * PANEL_BYTES + warp() * 2048;
        store_history(to + at, tile + at, 2048);
    }
}

// States 1..steps go to the history, errors to their places. The outputs of a state come with the sums of the next one, and
// its errors are made while the one after that is multiplied. Warps need nothing from each other.
__device__ __forceinline__ void forward(Shared &shared, const Scratch &scratch, const u32 *targets, float2 *sums, u32 bit_words,
                                        u32 input_steps, u32 steps, float scale) {
    u32 high[DEPTH][4] = {}, low[DEPTH][4] = {};
    float outputs[8] = {};
    Targets wanted(targets, 0);
    for (u32 t = 1; t <= steps + 2; t++) {
        float c[WEIGHT_ROWS / 2];
        group_begin();
        multiply_states(c, high, shared, 2);
        multiply_states(c, low, shared, 1);
        multiply_states(c, high, shared, 0);
        group_commit();
        // Every step commits a group of copies, if only an empty one, so that counting groups is counting steps.
        fence_tiles();
        __syncwarp();
        if (lane() == 0) {
            if (t > 1 && t <= steps + 1) keep_states(scratch.state(t - 1), shared.tiles[(t - 1) & 1]);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
        make_errors(outputs, shared, scratch, wanted, sums, bit_words, t > input_steps + 2, t - 3 - input_steps, scale);
        wanted = Targets(targets, t > input_steps + 1 && t < steps + 2 ? t - 2 - input_steps : 0);
        // The copy of state t - 1 may be under way, that of t - 2 must have left its tile.
        if (lane() == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        __syncwarp();
        group_wait<0>();
        settle(c);
        if (t <= input_steps) add_inputs(c, shared, scratch, bit_words, t - 1);
#pragma unroll
        for (int i = 0; i < 8; i++) outputs[i] = c[UNITS / 2 + i];
        if (t <= steps) finish_states(c, high, low, address(shared.tiles[t & 1]));
    }
    // Another thread's copies will read them.
    if (lane() == 0) asm volatile("cp.async.bulk.wait_group 0;\nfence.proxy.async;" ::: "memory");
}
