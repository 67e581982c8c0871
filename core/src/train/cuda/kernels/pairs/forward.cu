// ---- Weights.

__device__ __forceinline__ float weight_at(const float *weights, u32 row, u32 column) {
    return UNITS == HIDDEN || row < HIDDEN && column < HIDDEN ? weights[row * HIDDEN + column] : 0.0f;
}

// The fragments of this warp's rows of W_hh, or of its transpose.
template <bool TRANSPOSED>
__device__ __forceinline__ void load_weights(u32 (&fragments)[PARTS][DEPTH][4], const float *weights, float weight_scale) {
    u32 row = warp() * 16 + lane() / 4, column = lane() % 4 * 2;
#pragma unroll
    for (int k = 0; k < DEPTH; k++)
#pragma unroll
        for (int r = 0; r < 4; r++) {
            u32 i = row + r % 2 * 8, j = k * 16 + r / 2 * 8 + column, parts[PARTS];
            float a = TRANSPOSED ? weight_at(weights, j, i) : weight_at(weights, i, j);
            float b = TRANSPOSED ? weight_at(weights, j + 1, i) : weight_at(weights, i, j + 1);
            split(a * weight_scale, b * weight_scale, parts);
#pragma unroll
            for (int part = 0; part < PARTS; part++) fragments[part][k][r] = parts[part];
        }
}

// One lane's fragment of a 16 x 16 matrix given by its elements.
template <class Element>
__device__ __forceinline__ void prepare_fragment(uint4 *high, uint4 *low, float weight_scale, Element element) {
    u32 row = lane() / 4, column = lane() % 4 * 2, r[4][PARTS];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        u32 i = row + k % 2 * 8, j = column + k / 2 * 8;
        split(element(i, j) * weight_scale, element(i, j + 1) * weight_scale, r[k]);
    }
    high[lane()] = make_uint4(r[0][0], r[1][0], r[2][0], r[3][0]);
    low[lane()] = make_uint4(r[0][1], r[1][1], r[2][1], r[3][1]);
}

__device__ __forceinline__ void prepare_small_matrices(Shared &shared, const float *weights, float weight_scale) {
    const float *input = weights + INPUT_AT, *readout = weights + READOUT_AT;
    u32 w = warp();
    auto readout_at = [&](u32 component, u32 unit) {
        return component < COMPONENTS && unit < HIDDEN ? readout[component * HIDDEN + unit] : 0.0f;
    };
    prepare_fragment(shared.input[0][w], shared.input[1][w], weight_scale, [&](u32 i, u32 j) {
        return w * 16 + i < HIDDEN && j < COMPONENTS ? input[(w * 16 + i) * COMPONENTS + j] : 0.0f;
    });
    prepare_fragment(shared.readout_transposed[0][w], shared.readout_transposed[1][w], weight_scale,
                     [&](u32 i, u32 j) { return readout_at(j, w * 16 + i); });
    prepare_fragment(shared.readout[0][w], shared.readout[1][w], weight_scale,
                     [&](u32 i, u32 j) { return readout_at(i, w * 16 + j); });
}

__device__ __forceinline__ void fragment(u32 (&r)[4], const uint4 *from) {
    uint4 x = from[lane()];
    r[0] = x.x, r[1] = x.y, r[2] = x.z, r[3] = x.w;
}

// ---- Inputs.

// c += W_uh u(t) for a half batch.
__device__ __forceinline__ void add_inputs(float (&c)[16], const Shared &shared, u32 bit_words, u32 t, u32 half) {
    u32 a[PARTS][4], column = lane() % 4 * 2;
#pragma unroll
    for (int part = 0; part < PARTS; part++) fragment(a[part], shared.input[part][warp()]);
#pragma unroll
    for (int n = 0; n < 4; n++) {
        u32 x = input_bits(shared.bits(), bit_words, half * 32 + n * 8 + lane() / 4, t) >> column;
#pragma unroll
        for (int part = 1; part >= 0; part--)
            multiply(c + n * 4, a[part], signs(x, x >> 1, INPUT_ONE), signs(x >> 8, x >> 9, INPUT_ONE));
    }
}

// ---- Forward.

__device__ __forceinline__ void store_half(u32 tile, u32 half, const u32 (&parts)[8][PARTS]) {
#pragma unroll
    for (int n = 0; n < 4; n += 2)
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            store_matrices_transposed(tile + part * TILE_BYTES + units_first(warp() * 16, half * 32 + n * 8),
                                      parts[2 * n][part], parts[2 * n + 1][part], parts[2 * n + 2][part],
                                      parts[2 * n + 3][part]);
}

__device__ __forceinline__ void clear(u8 *tile) {
    for (u32 i = threadIdx.x; i < SLOT_BYTES / 16; i += THREADS) ((uint4 *)tile)[i] = make_uint4(0, 0, 0, 0);
}

// The states of a half batch from their sums.
__device__ __forceinline__ void finish_states(const float (&c)[CHAINS][2][16], u32 tile, u32 half, const ToExponent &to_exponent) {
    u32 parts[8][PARTS];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        auto sum = [&](int k) { return (c[0][half][k] + c[1][half][k]) + (c[2][half][k] + c[3][half][k]); };
        float a = sum(2 * i), b = sum(2 * i + 1);
        squash(a, b, to_exponent);
        split(a, b, parts[i]);
    }
    store_half(tile, half, parts);
}

// The sums of the next state.
template <bool TURNED>
__device__ __forceinline__ void multiply_states(float (&c)[CHAINS][2][16], const u32 (&fragments)[PARTS][DEPTH][4], u32 tile) {
    static_assert(CHAINS == 4, "here and in finish_states the sums are written out");
#pragma unroll
    for (int chain = 0; chain < CHAINS; chain++) settle(c[chain][0]), settle(c[chain][1]);
    group_begin();
#pragma unroll
    for (int term = TERMS - 1; term >= 0; term--) {
        multiply_tile<0, DEPTH / 4, TURNED>(c[0], fragments, tile, term);
        multiply_tile<DEPTH / 4, DEPTH / 2, TURNED>(c[1], fragments, tile, term);
        multiply_tile<DEPTH / 2, DEPTH * 3 / 4, TURNED>(c[2], fragments, tile, term);
        multiply_tile<DEPTH * 3 / 4, DEPTH, TURNED>(c[3], fragments, tile, term);
    }
    group_commit();
    group_wait<0>();
#pragma unroll
    for (int chain = 0; chain < CHAINS; chain++) settle(c[chain][0]), settle(c[chain][1]);
}

// States 0..steps; the last SLOTS of them stay in shared memory, the others go to `history`.
__device__ __forceinline__ void forward(Shared &shared, const float *weights, u8 *history, u32 bit_words, u32 input_steps,
                                        u32 steps, float weight_scale) {
    u32 fragments[PARTS][DEPTH][4];
    const ToExponent to_exponent(weight_scale);
    load_weights<false>(fragments, weights, weight_scale);
    clear(shared.states[0]);
    fence_tiles();
    __syncthreads();
    u32 before = 0, now = 1;
    if (threadIdx.x == 0) {
        store_history(history, shared.states[0], SLOT_BYTES);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
    for (u32 t = 1; t <= steps; t++) {
        float c[CHAINS][2][16] = {};
        if (t <= input_steps) {
            add_inputs(c[0][0], shared, bit_words, t - 1, 0);
            add_inputs(c[0][1], shared, bit_words, t - 1, 1);
        }
        u32 from = address(shared.states[before]), to = address(shared.states[now]);
        if (t % 2)
            multiply_states<true>(c, fragments, from);
        else
            multiply_states<false>(c, fragments, from);
        finish_states(c, to, 0, to_exponent);
        finish_states(c, to, 1, to_exponent);
        fence_tiles();
        // The copy of state t - 1 may be under way, that of t - 2 must have left its slot.
        if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        __syncthreads();
        // Every step commits a group, if only an empty one, so that counting groups is counting steps.
        if (threadIdx.x == 0) {
            if (t + SLOTS <= steps) store_history(history + (u64)t * SLOT_BYTES, shared.states[now], SLOT_BYTES);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
        before = now, now = now + 1 == SLOTS ? 0 : now + 1;
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

