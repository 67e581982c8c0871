// ---- Weights as fragments.

// One lane's fragment of a 16 x 16 matrix given by its elements.
template <class Element> __device__ __forceinline__ void prepare_fragment(u8 *to, float weight_scale, Element element) {
    u32 row = lane() / 4, column = lane() % 4 * 2, r[4][PARTS];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        u32 i = row + k % 2 * 8, j = column + k / 2 * 8;
        split(element(i, j) * weight_scale, element(i, j + 1) * weight_scale, r[k]);
    }
#pragma unroll
    for (int part = 0; part < PARTS; part++)
        ((uint4 *)to)[part * 32 + lane()] = make_uint4(r[0][part], r[1][part], r[2][part], r[3][part]);
}

__device__ __noinline__ void prepare_weights(const float *weights, float weight_scale) {
    const Scratch &s = shared_memory().scratch;
    const u32 all = GATES * UNIT_TILES * UNIT_TILES;
    auto recurrent = [&](u32 gate, u32 unit, u32 from) {
        return unit < HIDDEN && from < HIDDEN ? weights[(gate * HIDDEN + unit) * HIDDEN + from] : 0.0f;
    };
    // [two warps][group][inner tile][row tile]
    for (u32 at = warp(); at < all; at += WARPS) {
        u32 r = at % ROW_TILES, k = at / ROW_TILES % UNIT_TILES, group = at / (ROW_TILES * UNIT_TILES);
        u32 gate = CELL == ELMAN ? 0 : r, tile = CELL == ELMAN ? group * TILES + r : group;
        prepare_fragment(s.forward + (u64)at * FRAGMENT_BYTES, weight_scale,
                         [&](u32 i, u32 j) { return recurrent(gate, tile * 16 + i, k * 16 + j); });
    }
    // [two warps][gate][inner tile][their tile]
    for (u32 at = warp(); at < all; at += WARPS) {
        u32 r = at % TILES, k = at / TILES % UNIT_TILES, gate = at / (TILES * UNIT_TILES) % GATES;
        u32 tile = at / (TILES * UNIT_TILES * GATES) * TILES + r;
        prepare_fragment(s.backward + (u64)at * FRAGMENT_BYTES, weight_scale,
                         [&](u32 i, u32 j) { return recurrent(gate, k * 16 + j, tile * 16 + i); });
    }
    // [unit tile][gate]
    for (u32 at = warp(); at < GATES * UNIT_TILES; at += WARPS) {
        u32 gate = at % GATES, tile = at / GATES;
        prepare_fragment(s.input + at * FRAGMENT_BYTES, weight_scale, [&](u32 i, u32 j) {
            return tile * 16 + i < HIDDEN && j < COMPONENTS
                       ? weights[INPUT_AT + (gate * HIDDEN + tile * 16 + i) * COMPONENTS + j] : 0.0f;
        });
    }
    for (u32 tile = warp(); tile < UNIT_TILES; tile += WARPS) {
        auto readout = [&](u32 component, u32 unit) {
            return component < COMPONENTS && unit < HIDDEN ? weights[READOUT_AT + component * HIDDEN + unit] : 0.0f;
        };
        prepare_fragment(s.readout + tile * FRAGMENT_BYTES, weight_scale, [&](u32 i, u32 j) { return readout(i, tile * 16 + j); });
        prepare_fragment(s.readout_transposed + tile * FRAGMENT_BYTES, weight_scale,
                         [&](u32 i, u32 j) { return readout(j, tile * 16 + i); });
    }
}

// ---- Inputs and targets as bits.

__device__ __forceinline__ void draw(const Launch &launch, u32 index, const Plan &plan, u32 *bits, u32 horizon) {
    const u32 bit_words = launch.bit_words, inputs = plan.input_steps * COMPONENTS;
    draw_bits(bits, bit_words, plan.seed, plan.step, inputs, BATCH);
    __syncthreads();
#if FUNCTION == 2
    // Targets follow the inputs, bit after bit: a sample is one thread's, and its words are written once they are full.
    const u32 *gates = launch.targets + (u64)index * launch.target_stride;
    for (u32 sample = threadIdx.x; sample < BATCH; sample += THREADS) {
        u32 *words = bits + sample * bit_words, position = inputs, word = words[position / 32];
        word &= (1u << position % 32) - 1;
        for (u32 t = 0; t < horizon; t++)
            for (u32 component = 0; component < COMPONENTS; component++) {
                const u32 *gate = gates + gates[component];
                u32 count = gate[0], entry = 0;
                for (u32 q = 0; q < count; q++) {
                    u32 at = t * COMPONENTS + gate[1 + q];
                    u32 from = at / 32 == position / 32 ? word : words[at / 32];
                    entry |= (from >> at % 32 & 1) << q;
                }
                word |= (gate[1 + count + entry / 32] >> entry % 32 & 1) << position % 32;
                if (++position % 32 == 0) words[position / 32 - 1] = word, word = 0;
            }
        words[position / 32] = word;
    }
    __syncthreads();
#endif
}

// ---- Forward.

// The input bits of 8 samples as a right factor.
__device__ __forceinline__ void input_columns(u32 (&b)[2], const Scratch &s, u32 bit_words, u32 t, u32 eight) {
    u32 bits = input_bits(s.bits, bit_words, eight * 8 + lane() / 4, t) >> lane() % 4 * 2;
    b[0] = signs(bits, bits >> 1, INPUT_ONE), b[1] = signs(bits >> 8, bits >> 9, INPUT_ONE);
}

// The input's weights of a gate of a unit tile.
__device__ __forceinline__ void input_weights(u32 (&a)[PARTS][4], const Scratch &s, u32 tile, u32 gate) {
#pragma unroll
    for (int part = 0; part < PARTS; part++) get(a[part], s.input + (tile * GATES + gate) * FRAGMENT_BYTES + part * 512);
}

// Sums of W_uh u(t) for the row tiles of a group; a GRU's n has its input apart.
__device__ __forceinline__ void add_inputs(float (&c)[ROW_TILES][OWN_EIGHTS][4], const Scratch &s, u32 bit_words, u32 t, u32 group) {
#pragma unroll
    for (int r = 0; r < (CELL == GRU ? 2 : ROW_TILES); r++) {
        u32 a[PARTS][4];
        input_weights(a, s, own_pair() * TILES + (CELL == ELMAN ? r : group), CELL == ELMAN ? 0 : r);
#pragma unroll
        for (int n = 0; n < OWN_EIGHTS; n++) {
            u32 b[2];
            input_columns(b, s, bit_words, t, own_half() * OWN_EIGHTS + n);
            product(c[r][n], a[1], b[0], b[1]), product(c[r][n], a[0], b[0], b[1]);
        }
    }
}

__device__ __forceinline__ u8 *kept_at(const Scratch &s, u32 t, u32 tile, u32 which) {
    return s.kept + (u64)t * KEPT_BYTES + (u64)(tile * KEPT + which) * BATCH * 64;
}

__device__ __forceinline__ u8 *state_at(const Scratch &s, u32 t, u32 sample_tile, u32 tile) {
    return s.states + (u64)t * STATE_BYTES + (u64)(sample_tile * UNIT_TILES + tile) * FRAGMENT_BYTES;
}

// The states of a unit tile from its sums, to the tile of states and to global memory.
template <int COUNT>
__device__ __forceinline__ void finish_states(const float (&c)[COUNT][OWN_EIGHTS][4], int first, const Scratch &s, const float *weights,
                                              u32 bit_words, u32 input_steps, u32 t, u32 tile, u32 to, float inverse) {
    const u32 row = tile * 16 + lane() / 4;
    float bias[SUMS][2] = {};
#if BIAS
#pragma unroll
    for (int k = 0; k < 2; k++)
        if (row + 8 * k < HIDDEN)
#pragma unroll
            for (int gate = 0; gate < GATES; gate++) {
                float in = weights[BIAS_INPUT_AT + gate * HIDDEN + row + 8 * k];
                float recurrent = weights[BIAS_RECURRENT_AT + gate * HIDDEN + row + 8 * k];
                bool apart = CELL == GRU && gate == 2;
                bias[gate][k] = apart ? recurrent : in + recurrent;
                if (apart) bias[SUMS - 1][k] = in;
            }
#endif
    // All loads before the first store, which might otherwise be taken to alias them.
    u32 before[OWN_SAMPLE_TILES][PARTS][4] = {};
    float4 cells[OWN_EIGHTS] = {};
    if (t > 1)
#pragma unroll
        for (int own = 0; own < OWN_SAMPLE_TILES; own++) {
            const u32 j = own_half() * OWN_SAMPLE_TILES + own;
#pragma unroll
            for (int part = 0; part < PARTS; part++)
                if (CELL == GRU) get_once(before[own][part], state_at(s, t - 1, j, tile) + part * 512);
#pragma unroll
            for (int m = 0; m < 2; m++)
                if (CELL == LSTM) cells[2 * own + m] = get_once((const float4 *)kept_at(s, t - 1, tile, 4) + (2 * j + m) * 32);
        }
#pragma unroll
    for (int own = 0; own < OWN_SAMPLE_TILES; own++) {
        const u32 j = own_half() * OWN_SAMPLE_TILES + own;
        u32 parts[4][PARTS];
#pragma unroll
        for (int m = 0; m < 2; m++) {
            const int n = 2 * own + m;
            float apart[4] = {};
            if (CELL == GRU && t <= input_steps) {
                u32 a[PARTS][4], b[2];
                input_weights(a, s, tile, 2), input_columns(b, s, bit_words, t - 1, 2 * j + m);
                product(apart, a[1], b[0], b[1]), product(apart, a[0], b[0], b[1]);
            }
            const float4 cell = cells[n];
            float4 keep[KEPT ? KEPT : 1];
#pragma unroll
            for (int k = 0; k < 2; k++) {
                float2 sums[SUMS], kept[KEPT ? KEPT : 1], from = k ? make_float2(cell.z, cell.w) : make_float2(cell.x, cell.y);
#pragma unroll
                for (int g = 0; g < SUMS; g++) {
                    const float *sum = g < GATES ? c[first + (g < GATES ? g : 0)][n] : apart;
                    sums[g] = make_float2(fmaf(sum[2 * k], inverse, bias[g][k]), fmaf(sum[2 * k + 1], inverse, bias[g][k]));
                }
                if (CELL == GRU) {
                    from = whole(before[own][0][2 * m + k], before[own][1][2 * m + k]);
                    from.x *= 1.0f / STATE_SCALE, from.y *= 1.0f / STATE_SCALE;
                }
                float2 state = next_state(sums, from, kept);
                split(state.x * STATE_SCALE, state.y * STATE_SCALE, parts[2 * m + k]);
#pragma unroll
                for (int g = 0; g < KEPT; g++)
                    if (k) keep[g].z = kept[g].x, keep[g].w = kept[g].y;
                    else keep[g].x = kept[g].x, keep[g].y = kept[g].y;
            }
#pragma unroll
            for (int g = 0; g < KEPT; g++) put((float4 *)kept_at(s, t, tile, g) + (2 * j + m) * 32, keep[g]);
        }
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            store_matrices_transposed(to + part * TILE_BYTES + units_first(tile * 16, j * 16), parts[0][part], parts[1][part],
                                      parts[2][part], parts[3][part]);
            put(state_at(s, t, j, tile) + part * 512, make_uint4(parts[0][part], parts[1][part], parts[2][part], parts[3][part]));
        }
    }
}

// The 8x8 matrix of 16-bit numbers whose rows are the other's columns.
__device__ __forceinline__ u32 transposed(u32 x) {
    u32 r;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(x));
    return r;
}

// The errors of an output step from its tile of states, times scale, as fragments; their sums.
__device__ __forceinline__ void read_out(const Scratch &s, const float *weights, u32 tile, const u32 *targets, float2 *sums, u32 bit_words,
                                         u32 inputs, u32 step, float scale, float inverse, float (&bias_gradient)[2]) {
    const u32 row = lane() / 4, column = lane() % 4 * 2;
    // Four of the warps that have the same half of the batch.
    if (own_pair() < 4) {
        const u32 n = own_half() * 4 + own_pair();
        float y[1][1][4] = {};
#pragma unroll 2
        for (int k = 0; k < UNIT_TILES; k += 2) {
            u32 from[PARTS][4];
#pragma unroll
            for (int part = 0; part < PARTS; part++)
                load_matrices(from[part], tile + part * TILE_BYTES + place(k * 16 + lane() / 8 * 8, n * 8 + (lane() & 7)));
#pragma unroll
            for (int m = 0; m < 2; m++) {
                u32 a[1][PARTS][4], b[1][PARTS][2];
#pragma unroll
                for (int part = 0; part < PARTS; part++) {
                    get(a[0][part], s.readout + (k + m) * FRAGMENT_BYTES + part * 512);
                    b[0][part][0] = from[part][2 * m], b[0][part][1] = from[part][2 * m + 1];
                }
                add_products<3, 1, 1, 1>(y, 0, a, b);
            }
        }
        float squared = 0, correct = 0, error[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            u32 component = row + r / 2 * 8;
            bool real = component < COMPONENTS;
            const u32 *words = s.bits + (n * 8 + column + r % 2) * bit_words;
            float u = 0, bias = 0;
            if (real) {
#if FUNCTION == 2
                u = sign_at(words, inputs + step * COMPONENTS + component);
#else
                u32 entry = __ldg(&targets[step * COMPONENTS + component]);
                u = sign_at(words, entry & 0x7fffffffu);
                if (entry >> 31) u = -u;
#endif
                if (BIAS) bias = weights[BIAS_READOUT_AT + component];
            }
            float output = fmaf(y[0][0][r], inverse / STATE_SCALE, bias);
            error[r] = real ? output - u : 0.0f;
            squared = fmaf(error[r], error[r], squared);
            correct += real && (output > 0) == (u > 0) ? 1.0f : 0.0f;
            error[r] *= scale;
            bias_gradient[r / 2] += error[r];
        }
        u32 upper[PARTS], lower[PARTS];
        split(error[0], error[1], upper), split(error[2], error[3], lower);
        ((uint4 *)(s.errors_right + (u64)step * ERROR_FRAGMENT_BYTES))[n * 32 + lane()] =
            make_uint4(transposed(upper[0]), transposed(lower[0]), transposed(upper[1]), transposed(lower[1]));
        // Two tiles of 8 samples make a left factor's fragment: each writes its half.
        uint2 *left = (uint2 *)(s.errors_left + (u64)step * ERROR_FRAGMENT_BYTES + n / 2 * FRAGMENT_BYTES);
#pragma unroll
        for (int part = 0; part < PARTS; part++) left[(part * 32 + lane()) * 2 + n % 2] = make_uint2(upper[part], lower[part]);
#pragma unroll
        for (int offset = 16; offset; offset >>= 1) {
            squared += __shfl_xor_sync(~0u, squared, offset);
            correct += __shfl_xor_sync(~0u, correct, offset);
        }
        if (lane() == 0) sums[step * 8 + n] = make_float2(squared, correct);
    }
}

// Right factors from a tile of states or deltas: COUNT tiles of 8 samples from tile n on, the 16 units of inner tile k.
template <int COUNT> __device__ __forceinline__ void load_columns(u32 (&b)[COUNT][PARTS][2], u32 tile, u32 k, int n) {
#pragma unroll
    for (int m = 0; m < COUNT; m += 2) {
        u32 from[PARTS][4];
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            load_matrices(from[part], tile + part * TILE_BYTES + units_first(k * 16, (n + m) * 8));
        pair_up((u32(&)[2][PARTS][2])b[m], from, 1);
    }
}

// States 1..steps and the errors; the sums of this lane's errors.
__device__ __noinline__ float2 forward(const float *weights, const u32 *targets, float2 *sums, u32 bit_words, u32 input_steps, u32 steps,
                                       float scale, float weight_scale) {
    const Scratch &s = shared_memory().scratch;
    float bias_gradient[2] = {};
    const float inverse = 1.0f / weight_scale;
    const u32 tiles = address(tiles_memory());
    ForwardStream stream(s.forward, tiles_memory() + STATES_BYTES, steps - 1);
    for (u32 i = threadIdx.x; i < STATE_BYTES / 16; i += THREADS) ((uint4 *)s.states)[i] = make_uint4(0, 0, 0, 0);
    for (u32 t = 1; t <= steps; t++) {
        const u32 from = tiles + (t - 1) % STATE_BUFFERS * STATE_BYTES, to = tiles + t % STATE_BUFFERS * STATE_BYTES;
#pragma unroll 1
        for (int group = 0; group < GROUPS; group++) {
            float c[ROW_TILES][OWN_EIGHTS][4] = {};
            if (t <= input_steps) add_inputs(c, s, bit_words, t - 1, group);
            // The state before the first is zero.
            if (t > 1)
#pragma unroll 1
                for (int k = 0; k < FORWARD_DEPTH; k++) {
                    const u32 chunk = stream.next();
                    u32 b[OWN_EIGHTS][PARTS][2];
                    load_columns(b, from, k, own_half() * OWN_EIGHTS);
#pragma unroll
                    for (int r = 0; r < ROW_TILES; r++) {
                        u32 a[1][PARTS][4];
                        take(a[0], chunk, r);
                        add_products<3, 1, OWN_EIGHTS, OWN_EIGHTS>((float(&)[1][OWN_EIGHTS][4])c[r], 0, a, b);
                    }
                    stream.done();
                }
            // The states before give way to these.
            if (STATE_BUFFERS == 1) sync_half();
#if CELL == ELMAN
#pragma unroll
            for (int r = 0; r < TILES; r++) finish_states(c, r, s, weights, bit_words, input_steps, t, own_pair() * TILES + r, to, inverse / STATE_SCALE);
#else
            finish_states(c, 0, s, weights, bit_words, input_steps, t, own_pair() * TILES + group, to, inverse / STATE_SCALE);
#endif
        }
        sync_half();
        if (t > input_steps)
            read_out(s, weights, to, targets, sums, bit_words, input_steps * COMPONENTS, t - 1 - input_steps, scale, inverse, bias_gradient);
    }
    stream.close();
    return make_float2(bias_gradient[0], bias_gradient[1]);
}
