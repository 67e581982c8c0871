// ---- Backward.

__device__ __forceinline__ u8 *delta_at(const Scratch &s, u32 t, u32 sample_tile, u32 tile_of_warp, u32 gate) {
    const u32 row = tile_of_warp * GATES + gate, pass = row / GRADIENT_ROWS, in_pass = row % GRADIENT_ROWS;
    return s.deltas + (u64)t * DELTA_BYTES +
           (u64)(((sample_tile * ROW_PASSES + pass) * PAIRS + own_pair()) * GRADIENT_ROWS + in_pass) * FRAGMENT_BYTES;
}

__device__ __forceinline__ u8 *input_delta_at(const Scratch &s, u32 t, u32 sample_tile, u32 tile) {
    return s.input_deltas + (u64)t * STATE_BYTES + (u64)(sample_tile * UNIT_TILES + tile) * FRAGMENT_BYTES;
}

// c += W_r' e(t) of a unit tile.
__device__ __forceinline__ void add_errors(float (&c)[OWN_EIGHTS][4], const Scratch &s, u32 step, u32 tile) {
    u32 a[1][PARTS][4], b[OWN_EIGHTS][PARTS][2];
#pragma unroll
    for (int part = 0; part < PARTS; part++) get(a[0][part], s.readout_transposed + tile * FRAGMENT_BYTES + part * 512);
#pragma unroll
    for (int n = 0; n < OWN_EIGHTS; n++) {
        u32 from[4];
        get(from, s.errors_right + (u64)step * ERROR_FRAGMENT_BYTES + (own_half() * OWN_EIGHTS + n) * 512);
        b[n][0][0] = from[0], b[n][0][1] = from[1], b[n][1][0] = from[2], b[n][1][1] = from[3];
    }
    add_products<3, 1, OWN_EIGHTS, OWN_EIGHTS>((float(&)[1][OWN_EIGHTS][4])c, 0, a, b);
}

// What the deltas of 16 samples are made from.
struct Saved {
    u32 state[PARTS][4];
    float4 kept[2][KEPT ? KEPT : 1], cell[2];

    __device__ __forceinline__ void load(const Scratch &s, u32 t, u32 j, u32 tile) {
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            if (CELL != LSTM) get_once(state[part], state_at(s, CELL == GRU ? t - 1 : t, j, tile) + part * 512);
#pragma unroll
        for (int m = 0; m < 2; m++) {
#pragma unroll
            for (int g = 0; g < KEPT; g++) kept[m][g] = get_once((const float4 *)kept_at(s, t, tile, g) + (2 * j + m) * 32);
            cell[m] = make_float4(0, 0, 0, 0);
            if (CELL == LSTM && t > 1) cell[m] = get_once((const float4 *)kept_at(s, t - 1, tile, 4) + (2 * j + m) * 32);
        }
    }
};

// Asks for what the deltas of time step t are made from.
__device__ __forceinline__ void bring_saved_near(const Scratch &s, u32 t) {
    const u32 tile = own_pair() * TILES + lane();
    if (own_half() || lane() >= TILES) return;
    if (KEPT) bring_near(kept_at(s, t, tile, 0), KEPT * BATCH * 64);
    if (CELL == LSTM && t > 1) bring_near(kept_at(s, t - 1, tile, 4), BATCH * 64);
    if (CELL != LSTM)
        for (int j = 0; j < SAMPLE_TILES; j++) bring_near(state_at(s, CELL == GRU ? t - 1 : t, j, tile), FRAGMENT_BYTES);
}

// The deltas of a unit tile's gates at time step t, to global memory; `parts` are those of the gates, by sample tile.
__device__ __forceinline__ void finish_deltas(const float (&c)[OWN_EIGHTS][4], float2 (&carried)[OWN_EIGHTS][2], const Scratch &s, u32 t, u32 input_steps,
                                              u32 tile_of_warp, u32 tiles, float inverse, float (&bias_gradient)[SUMS][2]) {
    const u32 tile = own_pair() * TILES + tile_of_warp;
#pragma unroll
    for (int own = 0; own < OWN_SAMPLE_TILES; own++) {
        const u32 j = own_half() * OWN_SAMPLE_TILES + own;
        Saved saved;
        saved.load(s, t, j, tile);
        u32 parts[SUMS][4][PARTS];
#pragma unroll
        for (int m = 0; m < 2; m++) {
            const int n = 2 * own + m;
            const float4 cell = saved.cell[m];
#pragma unroll
            for (int k = 0; k < 2; k++) {
                float2 kept[KEPT ? KEPT : 1], out[SUMS], now = make_float2(0, 0), from = now;
#pragma unroll
                for (int g = 0; g < KEPT; g++)
                    {
                    float4 x = saved.kept[m][g];
                    kept[g] = k ? make_float2(x.z, x.w) : make_float2(x.x, x.y);
                }
                if (CELL != LSTM) {
                    float2 state = whole(saved.state[0][2 * m + k], saved.state[1][2 * m + k]);
                    state.x *= 1.0f / STATE_SCALE, state.y *= 1.0f / STATE_SCALE;
                    (CELL == ELMAN ? now : from) = state;
                }
                if (CELL == LSTM) from = k ? make_float2(cell.z, cell.w) : make_float2(cell.x, cell.y);
                float2 delta = make_float2(c[n][2 * k] * inverse, c[n][2 * k + 1] * inverse);
                if (CELL == GRU) delta.x += carried[n][k].x, delta.y += carried[n][k].y;
                deltas_of(delta, now, from, kept, carried[n][k], out);
#pragma unroll
                for (int g = 0; g < SUMS; g++) {
                    split(out[g].x, out[g].y, parts[g][2 * m + k]);
                    if (BIAS) bias_gradient[g][k] += out[g].x + out[g].y;
                }
            }
        }
#pragma unroll
        for (int g = 0; g < SUMS; g++)
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                uint4 fragment = make_uint4(parts[g][0][part], parts[g][1][part], parts[g][2][part], parts[g][3][part]);
                if (g == GATES) {
                    if (t <= input_steps) put(input_delta_at(s, t - 1, j, tile) + part * 512, fragment);
                    continue;
                }
                put(delta_at(s, t - 1, j, tile_of_warp, g) + part * 512, fragment);
                if (GATES_IN_TILE == GATES)
                    store_matrices_transposed(tiles + g * STATE_BYTES + part * TILE_BYTES + units_first(tile * 16, j * 16), fragment.x,
                                              fragment.y, fragment.z, fragment.w);
            }
    }
}

// Puts one gate's deltas of this warp's unit tiles and samples, written above, into the tile of deltas.
__device__ __forceinline__ void bring_deltas(const Scratch &s, u32 t, u32 gate, u32 tiles) {
#pragma unroll
    for (int q = 0; q < TILES; q++)
#pragma unroll
        for (int own = 0; own < OWN_SAMPLE_TILES; own++)
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                const u32 j = own_half() * OWN_SAMPLE_TILES + own;
                u32 r[4];
                get_once(r, delta_at(s, t - 1, j, q, gate) + part * 512);
                store_matrices_transposed(tiles + part * TILE_BYTES + units_first((own_pair() * TILES + q) * 16, j * 16), r[0], r[1], r[2],
                                          r[3]);
            }
}

// c += the transposed weights of inner tiles k0 to k0 + BACKWARD_TILES times the tile of deltas.
__device__ __forceinline__ void multiply_deltas(float (&c)[TILES][OWN_EIGHTS][4], BackwardStream &stream, u32 tiles, u32 k0) {
    const u32 chunk = stream.next();
#pragma unroll
    for (int i = 0; i < BACKWARD_TILES; i++) {
        const u32 k = k0 + i, at = tiles + (GATES_IN_TILE == GATES ? k / UNIT_TILES * STATE_BYTES : 0);
        u32 b[OWN_EIGHTS][PARTS][2];
        load_columns(b, at, k % UNIT_TILES, own_half() * OWN_EIGHTS);
#pragma unroll
        for (int q = 0; q < TILES; q++) {
            u32 a[1][PARTS][4];
            take(a[0], chunk, i * TILES + q);
            add_products<DELTA_TERMS, 1, OWN_EIGHTS, OWN_EIGHTS>((float(&)[1][OWN_EIGHTS][4])c[q], 0, a, b);
        }
    }
    stream.done();
}

// The sum of a row's four lanes.
__device__ __forceinline__ float quad_sum(float x) {
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}

__device__ __noinline__ void backward(u32 input_steps, u32 steps, float weight_scale) {
    const Scratch &s = shared_memory().scratch;
    const float inverse = 1.0f / weight_scale;
    const u32 tiles = address(tiles_memory());
    BackwardStream stream(s.backward, tiles_memory() + DELTAS_BYTES, steps - 1);
    float c[TILES][OWN_EIGHTS][4] = {}, bias_gradient[TILES][SUMS][2] = {};
    float2 carried[TILES][OWN_EIGHTS][2] = {};
    for (u32 t = steps; t >= 1; t--) {
#pragma unroll
        for (int q = 0; q < TILES; q++) {
            if (t > input_steps) add_errors(c[q], s, t - 1 - input_steps, own_pair() * TILES + q);
            finish_deltas(c[q], carried[q], s, t, input_steps, q, tiles, inverse, bias_gradient[q]);
#pragma unroll
            for (int n = 0; n < OWN_EIGHTS; n++)
#pragma unroll
                for (int i = 0; i < 4; i++) c[q][n][i] = 0;
        }
        if (t == 1) break;
        bring_saved_near(s, t - 1);
#if GATES_IN_TILE == GATES
        sync_half();
#pragma unroll 1
        for (int k = 0; k < BACKWARD_DEPTH; k += BACKWARD_TILES) multiply_deltas(c, stream, tiles, k);
        sync_half();
#else
#pragma unroll 1
        for (int gate = 0; gate < GATES; gate++) {
            // Two tiles take turns: one is multiplied while the other is filled.
            u32 tile = tiles + (gate + t * GATES) % 2 * STATE_BYTES;
            bring_deltas(s, t, gate, tile);
            sync_half();
#pragma unroll 1
            for (int k = 0; k < UNIT_TILES; k += BACKWARD_TILES) multiply_deltas(c, stream, tile, gate * UNIT_TILES + k);
        }
#endif
    }
    stream.close();
#if BIAS
    // The first warp's half of the batch, then the second's.
#pragma unroll
    for (u32 turn = 0; turn < 2; turn++) {
#pragma unroll
        for (int q = 0; q < TILES; q++)
#pragma unroll
            for (int gate = 0; gate < GATES; gate++)
#pragma unroll
                for (int k = 0; k < 2; k++) {
                    u32 row = (own_pair() * TILES + q) * 16 + lane() / 4 + 8 * k;
                    float recurrent = quad_sum(bias_gradient[q][gate][k]) * STATE_SCALE;
                    float in = CELL == GRU && gate == 2 ? quad_sum(bias_gradient[q][SUMS - 1][k]) * STATE_SCALE : recurrent;
                    if (own_half() != turn || lane() % 4 != 0 || row >= HIDDEN) continue;
                    float *to = s.gradient + gate * HIDDEN + row;
                    to[BIAS_INPUT_AT] = turn ? to[BIAS_INPUT_AT] + in : in;
                    to[BIAS_RECURRENT_AT] = turn ? to[BIAS_RECURRENT_AT] + recurrent : recurrent;
                }
        __syncthreads();
    }
#endif
}
