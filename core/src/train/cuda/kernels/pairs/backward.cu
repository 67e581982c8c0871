// ---- Backward.

// The errors of an output step, from its state's tile, times scale, as a tile (sample, component); their sums.
__device__ __forceinline__ void read_out(Shared &shared, u32 tile, u32 buffer, const u32 *targets, float2 *sums, u32 bit_words,
                                         u32 step, float scale, float inverse) {
    const u32 row = lane() / 4, column = lane() % 4 * 2;
    u32 entries[2];
#pragma unroll
    for (int r = 0; r < 2; r++)
        entries[r] = row + 8 * r < COMPONENTS ? __ldg(&targets[step * COMPONENTS + row + 8 * r]) : 0;
#pragma unroll
    for (int n = warp(); n < 8; n += WARPS) {
        // Tensor cores sum no more than 16 large terms at a time.
        float large[4] = {}, small[2][4] = {};
#pragma unroll
        for (int k = 0; k < DEPTH; k += 2) {
            u32 b[PARTS][4];
#pragma unroll
            for (int part = 0; part < PARTS; part++)
                load_matrices(b[part], tile + part * TILE_BYTES + place(k * 16 + lane() / 8 * 8, n * 8 + (lane() & 7)));
#pragma unroll
            for (int m = 0; m < 2; m++) {
                u32 high[4], low[4];
                fragment(high, shared.readout[0][k + m]);
                float part[4] = {};
                multiply(part, high, b[0][2 * m], b[0][2 * m + 1]);
                fragment(low, shared.readout[1][k + m]);
                multiply(small[0], low, b[0][2 * m], b[0][2 * m + 1]);
                multiply(small[1], high, b[1][2 * m], b[1][2 * m + 1]);
#pragma unroll
                for (int r = 0; r < 4; r++) large[r] += part[r];
            }
        }
        float squared = 0, correct = 0, error[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            u32 entry = entries[r / 2], position = entry & 0x7fffffffu;
            float u = sign_at(shared.bits() + (n * 8 + column + r % 2) * bit_words, position);
            if (entry >> 31) u = -u;
            float output = (large[r] + fmaf(large[r], GIVE_OUTPUT, small[0][r] + small[1][r])) * (inverse / STATE_SCALE);
            bool real = row + r / 2 * 8 < COMPONENTS;
            error[r] = real ? output - u : 0.0f;
            squared = fmaf(error[r], error[r], squared);
            correct += real && (output > 0) == (u > 0) ? 1.0f : 0.0f;
        }
        u32 upper[PARTS], lower[PARTS];
        split(error[0] * scale, error[1] * scale, upper), split(error[2] * scale, error[3] * scale, lower);
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            store_two_matrices_transposed(address(shared.errors[buffer][part]) +
                                              error_place(n * 8 + (lane() & 7), lane() >> 3 & 1), upper[part], lower[part]);
#pragma unroll
        for (int offset = 16; offset; offset >>= 1) {
            squared += __shfl_xor_sync(~0u, squared, offset);
            correct += __shfl_xor_sync(~0u, correct, offset);
        }
        if (lane() == 0) sums[step * 8 + n] = make_float2(squared, correct);
    }
}

// c += one term of W_r' e(t).
__device__ __forceinline__ void add_errors(float (&c)[2][16], const u32 (&readout)[PARTS][4], u32 errors, int term) {
    const u32 readout_part = term == 2 ? 1 : 0, errors_at = errors + (term == 1 ? ERROR_BYTES : 0);
#if WARPGROUP
    multiply_group_n64(c, readout[readout_part], describe(errors_at, 128, 256, NO_SWIZZLE));
#else
#pragma unroll
    for (int n = 0; n < 8; n += 2) {
        u32 b[4];
        load_matrices(b, errors_at + error_blocks(n * 8));
        multiply(c[n / 4] + n % 4 * 4, readout[readout_part], b[0], b[1]);
        multiply(c[n / 4] + n % 4 * 4 + 4, readout[readout_part], b[2], b[3]);
    }
#endif
}

// gradient of W_r (16 components x this warp's 16 units) += e(t) h(t)'.
__device__ __forceinline__ void add_readout_gradient(float (&gradient)[8], const Shared &shared, u32 buffer, u32 tile) {
#pragma unroll
    for (int k = 0; k < 4; k++) {
        u32 a[PARTS][4], b[PARTS][4];
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            load_matrices_transposed(a[part], address(shared.errors[buffer][part]) + error_blocks(k * 16));
            load_matrices_transposed(b[part], tile + part * TILE_BYTES + samples_first(warp() * 16, k * 16));
        }
#pragma unroll
        for (int m = 0; m < 2; m++) {
            u32 pair[PARTS][2];
#pragma unroll
            for (int part = 0; part < PARTS; part++) pair[part][0] = b[part][2 * m], pair[part][1] = b[part][2 * m + 1];
            multiply_pairs(gradient + 4 * m, a, pair);
        }
    }
}

// gradient of W_uh (this warp's 16 units x components) += delta(t) u(t)' for a half batch.
__device__ __forceinline__ void add_input_gradient(float (&gradient)[4 * COMPONENT_TILES], const u32 (&deltas)[PARTS][2][4],
                                                   const Shared &shared, u32 bit_words, u32 t, u32 half) {
    u32 row = lane() / 4, column = lane() % 4 * 2;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        u32 sample = half * 32 + k * 16 + column, x[4];
#pragma unroll
        for (int i = 0; i < 4; i++) x[i] = input_bits(shared.bits(), bit_words, sample + i % 2 + i / 2 * 8, t) >> row;
#pragma unroll
        for (int n = 0; n < COMPONENT_TILES; n++)
#pragma unroll
            for (int part = 1; part >= 0; part--)
                multiply(gradient + 4 * n, deltas[part][k], signs(x[0] >> 8 * n, x[1] >> 8 * n, INPUT_ONE),
                         signs(x[2] >> 8 * n, x[3] >> 8 * n, INPUT_ONE));
    }
}

struct Gradient {
    float recurrent[UNITS / 2], readout[8], input[4 * COMPONENT_TILES];
};

// Adds numbers, four to a place, to what this thread has put aside, and clears them.
template <int COUNT> __device__ __forceinline__ void put_aside(float *numbers, float4 *aside, bool first) {
    aside += threadIdx.x;
    float4 sum[COUNT] = {};
    // All loads before the first store, which might otherwise be taken to alias them.
    if (!first)
#pragma unroll
        for (int i = 0; i < COUNT; i++) sum[i] = __ldcg(aside + i * THREADS);
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        float *part = numbers + 4 * i;
        __stcg(aside + i * THREADS, make_float4(sum[i].x + part[0], sum[i].y + part[1], sum[i].z + part[2], sum[i].w + part[3]));
        part[0] = part[1] = part[2] = part[3] = 0;
    }
}

template <int COUNT> __device__ __forceinline__ void take_back(float *numbers, const float4 *aside) {
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        float4 sum = __ldcg(aside + i * THREADS + threadIdx.x);
        numbers[4 * i] += sum.x, numbers[4 * i + 1] += sum.y, numbers[4 * i + 2] += sum.z, numbers[4 * i + 3] += sum.w;
    }
}

__device__ __forceinline__ void backward(Gradient &gradient, Shared &shared, const float *weights, const u8 *history, float4 *aside,
                                         const u32 *targets, float2 *sums, u32 bit_words, u32 input_steps, u32 steps,
                                         u32 &parities, float scale, float weight_scale) {
    u32 fragments[PARTS][DEPTH][4];
    const float inverse = 1.0f / weight_scale, whole = STATE_SCALE * STATE_SCALE, give = GIVE_DELTA * inverse / whole;
    load_weights<true>(fragments, weights, weight_scale);
    gradient = {};
    clear(shared.deltas[(steps + 1) & 1]);
    u32 slot = steps % SLOTS;
    read_out(shared, address(shared.states[slot]), steps & 1, targets, sums, bit_words, steps - 1 - input_steps, scale, inverse);
    fence_tiles();
    __syncthreads();
    for (u32 t = steps; t >= 1; t--) {
        // State t + 1 is no longer needed: its slot takes the next one back in time.
        u32 previous = slot == 0 ? SLOTS - 1 : slot - 1;
        if (threadIdx.x == 0 && t < steps && t + 1 >= SLOTS) {
            u32 later = slot + 1 == SLOTS ? 0 : slot + 1;
            load_history(shared.states[later], history + (u64)(t + 1 - SLOTS) * SLOT_BYTES, SLOT_BYTES, &shared.arrived[later]);
        }
        const u32 state = address(shared.states[slot]), earlier = address(shared.states[previous]);
        const u32 from = address(shared.deltas[(t + 1) & 1]), to = address(shared.deltas[t & 1]);
        const u32 errors = address(shared.errors[t & 1]);
        float c[2][16] = {};
        u32 readout[PARTS][4];
#pragma unroll
        for (int part = 0; part < PARTS; part++) fragment(readout[part], shared.readout_transposed[part][warp()]);
        settle(c[0]), settle(c[1]);
        group_begin();
        // Without errors, in the input phase, their tile is zero.
#pragma unroll
        for (int term = TERMS - 1; term >= 0; term--) {
            add_errors(c, readout, errors, term);
            multiply_tile<0, DEPTH>(c, fragments, from, term);
        }
        group_commit();
        if (t < steps && (steps - t) % FLUSH_STEPS == 0) {
            bool first = steps - t == FLUSH_STEPS;
#pragma unroll
            for (int i = 0; i < UNITS / 8; i += 4) put_aside<4>(gradient.recurrent + 4 * i, aside + i * THREADS, first);
            put_aside<2>(gradient.readout, aside + UNITS / 8 * THREADS, first);
        }
        if (t - 1 + SLOTS <= steps) {
            wait_for(&shared.arrived[previous], parities >> previous & 1);
            parities ^= 1u << previous;
        }
        if (t - 1 > input_steps)
            read_out(shared, earlier, (t - 1) & 1, targets, sums, bit_words, t - 2 - input_steps, scale, inverse);
        else
            for (u32 i = threadIdx.x; i < PARTS * ERROR_BYTES / 16; i += THREADS)
                ((uint4 *)shared.errors[(t - 1) & 1])[i] = make_uint4(0, 0, 0, 0);
#pragma unroll
        for (int half = 0; half < 2; half++) {
            if (half == 0) {
                group_wait<0>();
                settle(c[0]), settle(c[1]);
            }
            u32 parts[8][PARTS], deltas[PARTS][2][4];
#pragma unroll
            for (int n = 0; n < 4; n += 2) {
                u32 h[PARTS][4];
#pragma unroll
                for (int part = 0; part < PARTS; part++)
                    load_matrices_transposed(h[part], state + part * TILE_BYTES + units_first(warp() * 16, half * 32 + n * 8));
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    float2 x = unpack(h[0][i]);
                    float2 low = unpack(h[1][i]);
                    x.x += low.x, x.y += low.y;
                    float *sum = c[half] + n * 4 + i * 2;
                    split(sum[0] * give * fmaf(-x.x, x.x, whole), sum[1] * give * fmaf(-x.y, x.y, whole), parts[2 * n + i]);
#pragma unroll
                    for (int part = 0; part < PARTS; part++) deltas[part][n / 2][i] = parts[2 * n + i][part];
                }
            }
            store_half(to, half, parts);
            group_begin();
            multiply_outer(gradient.recurrent, deltas, earlier, half);
            group_commit();
            if (t <= input_steps) add_input_gradient(gradient.input, deltas, shared, bit_words, t - 1, half);
        }
        if (t > input_steps) add_readout_gradient(gradient.readout, shared, t & 1, state);
        group_wait<0>();
        settle(gradient.recurrent);
        fence_tiles();
        __syncthreads();
        slot = previous;
    }
    if (steps > FLUSH_STEPS) {
        take_back<UNITS / 8>(gradient.recurrent, aside);
        take_back<2>(gradient.readout, aside + UNITS / 8 * THREADS);
    }
}

