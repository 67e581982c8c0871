// ---- The gradient, from the fragments of all time steps.

// The chunks of a product over all time steps and sample tiles: a row pass of deltas and a column pass of states, through a ring of
// which one thread takes care.
struct Chunks {
    u32 row_pass, column_pass, count;

    __device__ __forceinline__ void fill(u32 chunk, u32 where) const {
        if (threadIdx.x != 0 || chunk >= count) return;
        const Scratch &s = shared_memory().scratch;
        const u32 rows = PAIRS * GRADIENT_ROWS * FRAGMENT_BYTES, columns = GRADIENT_COLUMNS * FRAGMENT_BYTES;
        const u32 t = chunk / SAMPLE_TILES + 1, j = chunk % SAMPLE_TILES;
        u32 barrier = address(&shared_memory().gradient_arrived[where]), to = address(tiles_memory()) + where * GRADIENT_SLOT_BYTES;
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(rows + columns) : "memory");
        auto copy = [&](u32 to, const u8 *from, u32 bytes) {
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(to),
                         "l"(from), "r"(bytes), "r"(barrier), "l"(PASS_THROUGH) : "memory");
        };
        copy(to, s.deltas + (u64)t * DELTA_BYTES + (u64)(j * ROW_PASSES + row_pass) * rows, rows);
        copy(to + rows, state_at(s, t, j, column_pass * GRADIENT_COLUMNS), columns);
    }
};

__device__ __noinline__ void recurrent_gradient(u32 steps) {
    Shared &shared = shared_memory();
    const Scratch &s = shared.scratch;
    u32 slot = shared.gradient_ring & 0xffff, parity = shared.gradient_ring >> 16;
#pragma unroll 1
    for (u32 pass = 0; pass < ROW_PASSES * COLUMN_PASSES; pass++) {
        Chunks chunks{pass % ROW_PASSES, pass / ROW_PASSES, (steps - 1) * SAMPLE_TILES};
        u32 where = slot;
        for (u32 i = 0; i + 1 < GRADIENT_SLOTS; i++) chunks.fill(i, where), where = where + 1 == GRADIENT_SLOTS ? 0 : where + 1;
        float c[GRADIENT_ROWS][GRADIENT_COLUMNS][4] = {};
#pragma unroll 1
        for (u32 chunk = 0; chunk < chunks.count; chunk++) {
            wait_at(address(&shared.gradient_arrived[slot]), parity);
            // Everybody is done with the chunk before this one: its slot is filled again.
            __syncthreads();
            chunks.fill(chunk + GRADIENT_SLOTS - 1, slot == 0 ? GRADIENT_SLOTS - 1 : slot - 1);
            const u8 *rows = tiles_memory() + slot * GRADIENT_SLOT_BYTES + own_pair() * GRADIENT_ROWS * FRAGMENT_BYTES;
            const u8 *columns = tiles_memory() + slot * GRADIENT_SLOT_BYTES +
                                (PAIRS * GRADIENT_ROWS + own_half() * GRADIENT_COLUMNS / 2) * FRAGMENT_BYTES;
#pragma unroll
            for (int n = 0; n < GRADIENT_COLUMNS; n += 4) {
                u32 b[4][PARTS][2];
#pragma unroll
                for (int m = 0; m < 4; m += 2) {
                    u32 from[PARTS][4];
#pragma unroll
                    for (int part = 0; part < PARTS; part++)
                        if (part == 0 || GRADIENT_TERMS > 1) get(from[part], columns + (n + m) / 2 * FRAGMENT_BYTES + part * 512);
                    pair_up((u32(&)[2][PARTS][2])b[m], from, 2);
                }
#pragma unroll
                for (int r = 0; r < GRADIENT_ROWS; r++) {
                    u32 a[1][PARTS][4];
#pragma unroll
                    for (int part = 0; part < PARTS; part++)
                        if (part == 0 || GRADIENT_TERMS > 2) get(a[0][part], rows + r * FRAGMENT_BYTES + part * 512);
                    add_products<GRADIENT_TERMS, 1, 4, GRADIENT_COLUMNS>((float(&)[1][GRADIENT_COLUMNS][4])c[r], n, a, b);
                }
            }
            slot = slot + 1 == GRADIENT_SLOTS ? 0 : slot + 1;
            if (slot == 0) parity ^= 1;
        }
        // The slots are filled anew at the start of the next pass.
        __syncthreads();
#pragma unroll
        for (int r = 0; r < GRADIENT_ROWS; r++) {
            const u32 row = chunks.row_pass * GRADIENT_ROWS + r, gate = row % GATES, tile = own_pair() * TILES + row / GATES;
#pragma unroll
            for (int n = 0; n < GRADIENT_COLUMNS; n++)
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    u32 unit = tile * 16 + lane() / 4 + i / 2 * 8;
                    u32 from = ((chunks.column_pass * 2 + own_half()) * GRADIENT_COLUMNS + n) * 8 + lane() % 4 * 2 + i % 2;
                    if (unit < HIDDEN && from < HIDDEN) s.gradient[(gate * HIDDEN + unit) * HIDDEN + from] = c[r][n][i];
                }
        }
    }
    if (threadIdx.x == 0) shared.gradient_ring = slot | parity << 16;
}

// W_uh: deltas times the inputs' bits.
__device__ __noinline__ void input_gradient(u32 bit_words, u32 input_steps) {
    const Scratch &s = shared_memory().scratch;
    const u32 row = lane() / 4, column = lane() % 4 * 2;
#pragma unroll 1
    for (u32 own = own_half(); own < WARP_ROWS; own += 2) {
        const u32 gate = own % GATES, q = own / GATES;
        float c[COMPONENT_TILES][4] = {};
#pragma unroll 1
        for (u32 t = 0; t < input_steps; t++) {
            u32 a[SAMPLE_TILES][PARTS][4];
#pragma unroll
            for (int j = 0; j < SAMPLE_TILES; j++)
#pragma unroll
                for (int part = 0; part < PARTS; part++)
                    get(a[j][part], (CELL == GRU && gate == 2 ? input_delta_at(s, t, j, own_pair() * TILES + q) : delta_at(s, t, j, q, gate)) +
                                        part * 512);
#pragma unroll
            for (int j = 0; j < SAMPLE_TILES; j++) {
                u32 x[4];
#pragma unroll
                for (int i = 0; i < 4; i++) x[i] = input_bits(s.bits, bit_words, j * 16 + column + i % 2 + i / 2 * 8, t) >> row;
#pragma unroll
                for (int n = 0; n < COMPONENT_TILES; n++) {
                    float part_sum[4] = {};
#pragma unroll
                    for (int part = 1; part >= 0; part--)
                        multiply(part_sum, a[j][part], signs(x[0] >> 8 * n, x[1] >> 8 * n, INPUT_ONE),
                                 signs(x[2] >> 8 * n, x[3] >> 8 * n, INPUT_ONE));
#pragma unroll
                    for (int i = 0; i < 4; i++) c[n][i] += part_sum[i];
                }
            }
        }
#pragma unroll
        for (int n = 0; n < COMPONENT_TILES; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                u32 unit = (own_pair() * TILES + q) * 16 + row + i / 2 * 8, component = n * 8 + column + i % 2;
                if (unit < HIDDEN && component < COMPONENTS)
                    s.gradient[INPUT_AT + (gate * HIDDEN + unit) * COMPONENTS + component] = c[n][i];
            }
    }
}

// W_r: errors times states; each of two warps takes 8 of the 16 units of a tile.
__device__ __noinline__ void readout_gradient(u32 input_steps, u32 horizon) {
    const Scratch &s = shared_memory().scratch;
#pragma unroll 1
    for (u32 q = 0; q < TILES; q++) {
        const u32 tile = own_pair() * TILES + q;
        float c[1][1][4] = {};
#pragma unroll 1
        for (u32 t = 0; t < horizon; t++) {
            u32 a[SAMPLE_TILES][1][PARTS][4], b[SAMPLE_TILES][PARTS][4];
#pragma unroll
            for (int j = 0; j < SAMPLE_TILES; j++)
#pragma unroll
                for (int part = 0; part < PARTS; part++) {
                    get(a[j][0][part], s.errors_left + (u64)t * ERROR_FRAGMENT_BYTES + j * FRAGMENT_BYTES + part * 512);
                    get_once(b[j][part], state_at(s, input_steps + t + 1, j, tile) + part * 512);
                }
#pragma unroll
            for (int j = 0; j < SAMPLE_TILES; j++) {
                u32 right[1][PARTS][2];
#pragma unroll
                for (int part = 0; part < PARTS; part++) {
                    right[0][part][0] = own_half() ? b[j][part][1] : b[j][part][0];
                    right[0][part][1] = own_half() ? b[j][part][3] : b[j][part][2];
                }
                add_products<3, 1, 1, 1>(c, 0, a[j], right);
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            u32 component = lane() / 4 + i / 2 * 8, unit = tile * 16 + own_half() * 8 + lane() % 4 * 2 + i % 2;
            if (component < COMPONENTS && unit < HIDDEN) s.gradient[READOUT_AT + component * HIDDEN + unit] = c[0][0][i];
        }
    }
}

// The gradient of the readout's bias from each tile of samples' sums.
__device__ __forceinline__ void readout_bias_gradient(float2 sums) {
    Shared &shared = shared_memory();
#pragma unroll
    for (int k = 0; k < 2; k++) {
        float sum = quad_sum(k ? sums.y : sums.x);
        if (own_pair() < 4 && lane() % 4 == 0) shared.errors[own_half() * 4 + own_pair()][lane() / 4 + 8 * k] = sum;
    }
    __syncthreads();
    if (threadIdx.x < COMPONENTS) {
        float sum = 0;
        for (u32 w = 0; w < 8; w++) sum += shared.errors[w][threadIdx.x];
        shared.scratch.gradient[BIAS_READOUT_AT + threadIdx.x] = sum * STATE_SCALE;
    }
}
