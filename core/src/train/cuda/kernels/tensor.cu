// Tensor cores, from compute capability 9.0: tanh networks of up to 128 units and 16 components without biases, batches
// of 64, signed selections. The host defines HIDDEN, COMPONENTS, TERMS and WARPGROUP.
//
// Products are of fp16 numbers with sums in fp32. With TERMS = 3 each factor is a pair, x = high + low, which holds 22
// bits; low times low is left out. fp16 is narrow: weights enter products times a power of two, so that their low parts are
// no denormal numbers, and errors enter back-propagation unscaled by the batch, times another one. A step that overflows
// is taken again with smaller ones. Weights are kept on the numbers that a pair holds: a gradient is of the weights that are
// stored, not of others half a unit in the last place beside them.
//
// One block trains one network. A warp owns 16 hidden units for the whole batch: its rows of W_hh as fragments in
// registers, its rows of every product, its part of the gradient. States and deltas lie in shared memory as tiles
// (sample, unit) in panels of 64 units with the 128-byte swizzle, which both products can read: with units as the inner
// dimension (forward, deltas) and with samples (gradient).

#define BATCH 64
#define UNITS (HIDDEN <= 64 ? 64 : 128)
#define WARPS (UNITS / 16)
#define THREADS (WARPS * 32)
#define DEPTH (UNITS / 16)
#define PARTS (TERMS == 3 ? 2 : 1)
#define PANEL_BYTES (BATCH * 128)
#define TILE_BYTES (BATCH * UNITS * 2)
#define SLOT_BYTES (TILE_BYTES * PARTS)
#define SLOTS (TERMS == 3 ? 3 : 4)
#define INPUT_AT (HIDDEN * HIDDEN)
#define READOUT_AT (INPUT_AT + HIDDEN * COMPONENTS)
#define COMPONENT_TILES ((COMPONENTS + 7) / 8)
#define ERROR_BYTES (BATCH * 16 * 2)
// Tensor cores round sums towards zero, which over a hundred time steps shrinks what is handed on. So the forward product
// is the sum of two, each with half the roundings, and what a product loses on average is given back to its sums: to states
// of many units by the choice of the float next above 2 log2(e), which is 7e-8 too large, to deltas by one unit in the last
// place.
#define CHAINS (TERMS == 3 ? 2 : 1)
#define TO_EXPONENT (UNITS == 64 ? 2.88539004f : 2.88539028f)
#define GIVE_DELTA (TERMS == 3 ? 1.00000012f : 1.0f)
// For the same reason the gradient leaves the tensor cores' sums after so many time steps.
#define FLUSH_STEPS 12
#define ASIDE (UNITS / 8 + 2)
#define HISTORY_AT (ASIDE * THREADS * 16)
#define WEIGHT_SCALE 64.0f
#define FIRST_SCALE 64.0f
#define SMALLEST_SCALE 1e-5f

struct __align__(1024) Shared {
    u8 states[SLOTS][SLOT_BYTES];
    u8 deltas[2][SLOT_BYTES];
    // Small matrices as ready fragments: one uint4 a lane.
    uint4 readout[PARTS][DEPTH][32];
    uint4 readout_transposed[PARTS][WARPS][32];
    uint4 input[PARTS][WARPS][32];
    u8 errors[2][PARTS][ERROR_BYTES];
    u64 arrived[SLOTS];
    // A bit for each slot: which of its barrier's phases comes next.
    u32 parities;
    Batch batch;

    // The input bits lie behind it: their number is known at the launch.
    __device__ __forceinline__ u32 *bits() { return (u32 *)(this + 1); }
    __device__ __forceinline__ const u32 *bits() const { return (const u32 *)(this + 1); }
};

__device__ __forceinline__ Shared &shared_memory() {
    extern __shared__ __align__(1024) u8 dynamic[];
    return *(Shared *)dynamic;
}

__device__ __forceinline__ u32 address(const void *pointer) { return (u32)__cvta_generic_to_shared(pointer); }

// ---- Instructions.

__device__ __forceinline__ void load_matrices(u32 (&r)[4], u32 at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ __forceinline__ void load_matrices_transposed(u32 (&r)[4], u32 at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ __forceinline__ void store_matrices_transposed(u32 at, u32 a, u32 b, u32 c, u32 d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"(a), "r"(b), "r"(c),
                 "r"(d) : "memory");
}

__device__ __forceinline__ void store_two_matrices_transposed(u32 at, u32 a, u32 b) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(at), "r"(a), "r"(b) : "memory");
}

__device__ __forceinline__ void multiply(float *c, const u32 (&a)[4], u32 b0, u32 b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The products of a pair with a pair, low times low left out.
__device__ __forceinline__ void multiply_pairs(float *c, const u32 (&a)[PARTS][4], const u32 (&b)[PARTS][2]) {
    if (PARTS == 2) {
        multiply(c, a[PARTS - 1], b[0][0], b[0][1]);
        multiply(c, a[0], b[PARTS - 1][0], b[PARTS - 1][1]);
    }
    multiply(c, a[0], b[0][0], b[0][1]);
}

__device__ __forceinline__ u32 pack(float low, float high) {
    u32 r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
}

__device__ __forceinline__ float2 unpack(u32 r) {
    float2 x;
    asm("{ .reg .f16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; }" : "=f"(x.x), "=f"(x.y) : "r"(r));
    return x;
}

// Two numbers as fp16, and what that leaves over.
__device__ __forceinline__ void split(float a, float b, u32 (&parts)[PARTS]) {
    parts[0] = pack(a, b);
    if (PARTS == 2) {
        float2 high = unpack(parts[0]);
        parts[PARTS - 1] = pack(a - high.x, b - high.y);
    }
}

// Both tanh at once, of sums times the inverse of the weights' scale: one reciprocal serves two. (p - 1) / (p + 1) keeps the
// digits of small states, which 1 - 2 / (p + 1) loses. The error is 6e-8, or 5e-4 with one term.
__device__ __forceinline__ void squash(float &a, float &b, float inverse) {
#if TERMS == 1
    asm("tanh.approx.f32 %0, %1;" : "=f"(a) : "f"(a * inverse));
    asm("tanh.approx.f32 %0, %1;" : "=f"(b) : "f"(b * inverse));
#else
    const float largest = 40.0f, factor = TO_EXPONENT * inverse;
    float p, q, r;
    // What is not a number stays so, and shows in the loss.
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(p) : "f"(a * factor), "f"(largest));
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(q) : "f"(b * factor), "f"(largest));
    asm("ex2.approx.f32 %0, %0;" : "+f"(p));
    asm("ex2.approx.f32 %0, %0;" : "+f"(q));
    float above_p = p + 1.0f, above_q = q + 1.0f;
    asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(above_p * above_q));
    a = (p - 1.0f) * (above_q * r), b = (q - 1.0f) * (above_p * r);
#endif
}

// ---- Places in a tile.

__device__ __forceinline__ u32 warp() { return threadIdx.x / 32; }
__device__ __forceinline__ u32 lane() { return threadIdx.x % 32; }

// The byte of eight units from `unit` of a sample.
__device__ __forceinline__ u32 place(u32 unit, u32 sample) {
    return unit / 64 * PANEL_BYTES + sample * 128 + ((unit % 64 / 8 ^ sample & 7) << 4);
}

// Addresses for the four matrices (samples n..n+7, n+8..n+15) x (units u..u+7, u+8..u+15), units first.
__device__ __forceinline__ u32 units_first(u32 unit, u32 sample) {
    return place(unit + (lane() >> 3 & 1) * 8, sample + (lane() >> 4) * 8 + (lane() & 7));
}

// The same four matrices, samples first.
__device__ __forceinline__ u32 samples_first(u32 unit, u32 sample) {
    return place(unit + (lane() >> 4) * 8, sample + (lane() >> 3 & 1) * 8 + (lane() & 7));
}

// The byte of eight components (chunk 0 or 1) of a sample in a tile of errors: blocks of 8 samples x 8 components.
__device__ __forceinline__ u32 error_place(u32 sample, u32 chunk) { return sample / 8 * 256 + chunk * 128 + sample % 8 * 16; }

// Addresses for the four blocks of 16 samples from `sample`, components first.
__device__ __forceinline__ u32 error_blocks(u32 sample) {
    return error_place(sample + (lane() >> 4) * 8 + (lane() & 7), lane() >> 3 & 1);
}

// ---- The large products. Sums of a half batch: those of the n-th 8 samples are c[half][4 n ..], as mma.sync has them.

#if WARPGROUP
#define NO_SWIZZLE 0
#define SWIZZLE_128 1
// A descriptor of a tile; strides in bytes.
__device__ __forceinline__ u64 describe(u32 at, u32 leading, u32 stride, u64 swizzle) {
    return (u64)(at >> 4) | (u64)(leading >> 4) << 16 | (u64)(stride >> 4) << 32 | swizzle << 62;
}

#if HIDDEN <= 64
__device__ __forceinline__ void multiply_group_n64_transposed(float (&c)[32], const u32 (&a)[4], u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31},"
                 "{%32,%33,%34,%35},%36,add,1,1,1; }"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
                   "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
                   "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
                   "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
#else
__device__ __forceinline__ void multiply_group_n128_transposed(float (&c)[64], const u32 (&a)[4], u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
                 "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
                 "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63},"
                 "{%64,%65,%66,%67},%68,add,1,1,1; }"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
                   "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
                   "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
                   "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]),
                   "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]),
                   "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
                   "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
                   "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
#endif

__device__ __forceinline__ void multiply_group_n64(float (&c)[2][16], const u32 (&a)[4], u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31},"
                 "{%32,%33,%34,%35},%36,add,1,1,0; }"
                 : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[0][4]), "+f"(c[0][5]),
                   "+f"(c[0][6]), "+f"(c[0][7]), "+f"(c[0][8]), "+f"(c[0][9]), "+f"(c[0][10]), "+f"(c[0][11]),
                   "+f"(c[0][12]), "+f"(c[0][13]), "+f"(c[0][14]), "+f"(c[0][15]), "+f"(c[1][0]), "+f"(c[1][1]),
                   "+f"(c[1][2]), "+f"(c[1][3]), "+f"(c[1][4]), "+f"(c[1][5]), "+f"(c[1][6]), "+f"(c[1][7]),
                   "+f"(c[1][8]), "+f"(c[1][9]), "+f"(c[1][10]), "+f"(c[1][11]), "+f"(c[1][12]), "+f"(c[1][13]),
                   "+f"(c[1][14]), "+f"(c[1][15])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ __forceinline__ void group_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void group_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int LEFT> __device__ __forceinline__ void group_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}
template <int N> __device__ __forceinline__ void settle(float (&c)[N]) {
#pragma unroll
    for (int i = 0; i < N; i++) asm volatile("" : "+f"(c[i])::"memory");
}
#else
__device__ __forceinline__ void group_begin() {}
__device__ __forceinline__ void group_commit() {}
template <int LEFT> __device__ __forceinline__ void group_wait() {}
template <int N> __device__ __forceinline__ void settle(float (&c)[N]) {}
#endif

// c += one term of weights (16 units x UNITS) * tile (UNITS x samples), over the given part of the inner dimension; 1 and 2
// are the terms with a low part. Callers go from the last to the first, so that large sums are rounded as seldom as can be.
template <int FROM, int TO>
__device__ __forceinline__ void multiply_tile(float (&c)[2][16], const u32 (&weights)[PARTS][DEPTH][4], u32 tile, int term) {
    const u32 weight_part = term == 2 ? PARTS - 1 : 0, tile_at = tile + (term == 1 ? TILE_BYTES : 0);
#pragma unroll
    for (int k = FROM; k < TO; k++) {
#if WARPGROUP
        multiply_group_n64(c, weights[weight_part][k],
                           describe(tile_at + k / 4 * PANEL_BYTES + k % 4 * 32, 16, 1024, SWIZZLE_128));
#else
#pragma unroll
        for (int n = 0; n < 8; n += 2) {
            u32 b[4];
            load_matrices(b, tile_at + units_first(k * 16, n * 8));
            multiply(c[n / 4] + n % 4 * 4, weights[weight_part][k], b[0], b[1]);
            multiply(c[n / 4] + n % 4 * 4 + 4, weights[weight_part][k], b[2], b[3]);
        }
#endif
    }
}

// c += deltas (16 units x 32 samples of a half batch) * tile' (32 samples x UNITS).
__device__ __forceinline__ void multiply_outer(float (&c)[UNITS / 2], const u32 (&deltas)[PARTS][2][4], u32 tile, u32 half) {
#if WARPGROUP
#pragma unroll
    for (int term = TERMS - 1; term >= 0; term--)
#pragma unroll
        for (int k = 0; k < 2; k++) {
            u64 b = describe(tile + (term == 1 ? TILE_BYTES : 0) + (half * 2 + k) * 2048, PANEL_BYTES, 1024, SWIZZLE_128);
#if HIDDEN <= 64
            multiply_group_n64_transposed(c, deltas[term == 2 ? PARTS - 1 : 0][k], b);
#else
            multiply_group_n128_transposed(c, deltas[term == 2 ? PARTS - 1 : 0][k], b);
#endif
        }
#else
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int n = 0; n < UNITS / 8; n += 2) {
            u32 b[PARTS][4], at = tile + samples_first(n * 8, half * 32 + k * 16);
#pragma unroll
            for (int part = 0; part < PARTS; part++) load_matrices_transposed(b[part], at + part * TILE_BYTES);
#pragma unroll
            for (int m = 0; m < 2; m++) {
                if (PARTS == 2) {
                    multiply(c + 4 * (n + m), deltas[PARTS - 1][k], b[0][2 * m], b[0][2 * m + 1]);
                    multiply(c + 4 * (n + m), deltas[0][k], b[PARTS - 1][2 * m], b[PARTS - 1][2 * m + 1]);
                }
                multiply(c + 4 * (n + m), deltas[0][k], b[0][2 * m], b[0][2 * m + 1]);
            }
        }
#endif
}

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
    if (PARTS == 2) low[lane()] = make_uint4(r[0][PARTS - 1], r[1][PARTS - 1], r[2][PARTS - 1], r[3][PARTS - 1]);
}

__device__ __forceinline__ void prepare_small_matrices(Shared &shared, const float *weights, float weight_scale) {
    const float *input = weights + INPUT_AT, *readout = weights + READOUT_AT;
    u32 w = warp();
    auto readout_at = [&](u32 component, u32 unit) {
        return component < COMPONENTS && unit < HIDDEN ? readout[component * HIDDEN + unit] : 0.0f;
    };
    prepare_fragment(shared.input[0][w], shared.input[PARTS - 1][w], weight_scale, [&](u32 i, u32 j) {
        return w * 16 + i < HIDDEN && j < COMPONENTS ? input[(w * 16 + i) * COMPONENTS + j] : 0.0f;
    });
    prepare_fragment(shared.readout_transposed[0][w], shared.readout_transposed[PARTS - 1][w], weight_scale,
                     [&](u32 i, u32 j) { return readout_at(j, w * 16 + i); });
    prepare_fragment(shared.readout[0][w], shared.readout[PARTS - 1][w], weight_scale,
                     [&](u32 i, u32 j) { return readout_at(i, w * 16 + j); });
}

__device__ __forceinline__ void fragment(u32 (&r)[4], const uint4 *from) {
    uint4 x = from[lane()];
    r[0] = x.x, r[1] = x.y, r[2] = x.z, r[3] = x.w;
}

// ---- Inputs.

// 16 bits of a sample from component 0 of input step t on; those beyond COMPONENTS meet weights of zero.
__device__ __forceinline__ u32 input_bits(const u32 *bits, u32 bit_words, u32 sample, u32 t) {
    u32 position = t * COMPONENTS;
    const u32 *word = bits + sample * bit_words + (position >> 5);
    return __funnelshift_r(word[0], word[1], position & 31);
}

// Bits 0 and 1 as the pair of fp16 numbers they stand for: set is +1, clear is -1.
__device__ __forceinline__ u32 signs(u32 first, u32 second) {
    return 0xBC00BC00u ^ (first & 1) << 15 ^ (second & 1) << 31;
}

// c += W_uh u(t) for a half batch.
__device__ __forceinline__ void add_inputs(float (&c)[16], const Shared &shared, u32 bit_words, u32 t, u32 half) {
    u32 a[PARTS][4], column = lane() % 4 * 2;
#pragma unroll
    for (int part = 0; part < PARTS; part++) fragment(a[part], shared.input[part][warp()]);
#pragma unroll
    for (int n = 0; n < 4; n++) {
        u32 x = input_bits(shared.bits(), bit_words, half * 32 + n * 8 + lane() / 4, t) >> column;
#pragma unroll
        for (int part = PARTS - 1; part >= 0; part--)
            multiply(c + n * 4, a[part], signs(x, x >> 1), signs(x >> 8, x >> 9));
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

__device__ __forceinline__ void fence_tiles() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ __forceinline__ void store_history(u8 *to, const u8 *from) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(address(from)), "r"(SLOT_BYTES)
                 : "memory");
}

__device__ __forceinline__ void load_history(u8 *to, const u8 *from, u64 *arrived) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(arrived)), "r"(SLOT_BYTES) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
                 "l"(from), "r"(SLOT_BYTES), "r"(address(arrived)) : "memory");
}

__device__ __forceinline__ void wait_for(u64 *arrived, u32 parity) {
    asm volatile("{ .reg .pred done; again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1; @!done bra again; }" ::"r"(
                     address(arrived)), "r"(parity) : "memory");
}

__device__ __forceinline__ void clear(u8 *tile) {
    for (u32 i = threadIdx.x; i < SLOT_BYTES / 16; i += THREADS) ((uint4 *)tile)[i] = make_uint4(0, 0, 0, 0);
}

// The states of a half batch from their sums.
__device__ __forceinline__ void finish_states(const float (&c)[CHAINS][2][16], u32 tile, u32 half, float inverse) {
    u32 parts[8][PARTS];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float a = c[0][half][2 * i], b = c[0][half][2 * i + 1];
        if (CHAINS == 2) a += c[CHAINS - 1][half][2 * i], b += c[CHAINS - 1][half][2 * i + 1];
        squash(a, b, inverse);
        split(a, b, parts[i]);
    }
    store_half(tile, half, parts);
}

// States 0..steps; the last SLOTS of them stay in shared memory, the others go to `history`.
__device__ __forceinline__ void forward(Shared &shared, const float *weights, u8 *history, u32 bit_words, u32 input_steps,
                                        u32 steps, float weight_scale) {
    u32 fragments[PARTS][DEPTH][4];
    const float inverse = 1.0f / weight_scale;
    load_weights<false>(fragments, weights, weight_scale);
    clear(shared.states[0]);
    fence_tiles();
    __syncthreads();
    u32 before = 0, now = 1;
    if (threadIdx.x == 0) {
        store_history(history, shared.states[0]);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
    for (u32 t = 1; t <= steps; t++) {
        float c[CHAINS][2][16] = {};
        if (t <= input_steps) {
            add_inputs(c[0][0], shared, bit_words, t - 1, 0);
            add_inputs(c[0][1], shared, bit_words, t - 1, 1);
        }
        u32 from = address(shared.states[before]), to = address(shared.states[now]);
#pragma unroll
        for (int chain = 0; chain < CHAINS; chain++) settle(c[chain][0]), settle(c[chain][1]);
        group_begin();
#pragma unroll
        for (int term = TERMS - 1; term >= 0; term--) {
            multiply_tile<0, DEPTH / CHAINS>(c[0], fragments, from, term);
            if (CHAINS == 2) multiply_tile<DEPTH / CHAINS, DEPTH>(c[CHAINS - 1], fragments, from, term);
        }
        group_commit();
        group_wait<0>();
#pragma unroll
        for (int chain = 0; chain < CHAINS; chain++) settle(c[chain][0]), settle(c[chain][1]);
        finish_states(c, to, 0, inverse);
        finish_states(c, to, 1, inverse);
        fence_tiles();
        // The copy of state t - 1 may be under way, that of t - 2 must have left its slot.
        if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        __syncthreads();
        // Every step commits a group, if only an empty one, so that counting groups is counting steps.
        if (threadIdx.x == 0) {
            if (t + SLOTS <= steps) store_history(history + (u64)t * SLOT_BYTES, shared.states[now]);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
        before = now, now = now + 1 == SLOTS ? 0 : now + 1;
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// ---- Backward.

// The errors of state t (output step `step`), times scale, as a tile (sample, component); their sums.
__device__ __forceinline__ void read_out(Shared &shared, u32 tile, u32 buffer, const u32 *targets, float2 *sums, u32 bit_words,
                                         u32 step, float scale, float inverse) {
    const u32 row = lane() / 4, column = lane() % 4 * 2;
    u32 entries[2];
#pragma unroll
    for (int r = 0; r < 2; r++)
        entries[r] = row + 8 * r < COMPONENTS ? __ldg(&targets[step * COMPONENTS + row + 8 * r]) : 0;
#pragma unroll
    for (int n = warp(); n < 8; n += WARPS) {
        // Two sums of large terms and two of small ones.
        float y[4][4] = {};
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
                multiply(y[m], high, b[0][2 * m], b[0][2 * m + 1]);
                if (PARTS == 2) {
                    fragment(low, shared.readout[PARTS - 1][k + m]);
                    multiply(y[2], low, b[0][2 * m], b[0][2 * m + 1]);
                    multiply(y[3], high, b[PARTS - 1][2 * m], b[PARTS - 1][2 * m + 1]);
                }
            }
        }
        float squared = 0, correct = 0, error[4];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            u32 entry = entries[r / 2], position = entry & 0x7fffffffu;
            float u = sign_at(shared.bits() + (n * 8 + column + r % 2) * bit_words, position);
            if (entry >> 31) u = -u;
            float output = (y[0][r] + y[1][r] + (y[2][r] + y[3][r])) * inverse;
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
    const u32 readout_part = term == 2 ? PARTS - 1 : 0, errors_at = errors + (term == 1 ? ERROR_BYTES : 0);
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
            for (int part = PARTS - 1; part >= 0; part--)
                multiply(gradient + 4 * n, deltas[part][k], signs(x[0] >> 8 * n, x[1] >> 8 * n), signs(x[2] >> 8 * n, x[3] >> 8 * n));
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
    const float inverse = 1.0f / weight_scale, give = GIVE_DELTA * inverse;
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
            load_history(shared.states[later], history + (u64)(t + 1 - SLOTS) * SLOT_BYTES, &shared.arrived[later]);
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
        if (TERMS == 3 && t < steps && (steps - t) % FLUSH_STEPS == 0) {
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
                    if (PARTS == 2) {
                        float2 low = unpack(h[PARTS - 1][i]);
                        x.x += low.x, x.y += low.y;
                    }
                    float *sum = c[half] + n * 4 + i * 2;
                    split(sum[0] * give * fmaf(-x.x, x.x, 1.0f), sum[1] * give * fmaf(-x.y, x.y, 1.0f), parts[2 * n + i]);
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
    if (TERMS == 3 && steps > FLUSH_STEPS) {
        take_back<UNITS / 8>(gradient.recurrent, aside);
        take_back<2>(gradient.readout, aside + UNITS / 8 * THREADS);
    }
}

// ---- The optimizer, on the fragments where they are.

__device__ __forceinline__ double sum_of_squares(const Gradient &gradient) {
    float large = 0, small = 0;
#pragma unroll
    for (int i = 0; i < UNITS / 2; i++) large = fmaf(gradient.recurrent[i], gradient.recurrent[i], large);
#pragma unroll
    for (int i = 0; i < 8; i++) small = fmaf(gradient.readout[i], gradient.readout[i], small);
    u32 column = lane() % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4 * COMPONENT_TILES; i++)
        if (i / 4 * 8 + column + i % 2 < COMPONENTS) small = fmaf(gradient.input[i], gradient.input[i], small);
    return (double)large + small;
}

// The nearest number that a pair holds. Those beyond the range of pairs, or so small that what a pair leaves out is nothing
// beside other weights, stay as they are.
__device__ __forceinline__ float held(float weight) {
    if (PARTS == 1 || !(fabsf(weight) > 0.001f && fabsf(weight) < 60000.0f / WEIGHT_SCALE)) return weight;
    u32 parts[PARTS];
    split(weight * WEIGHT_SCALE, 0.0f, parts);
    return (unpack(parts[0]).x + unpack(parts[PARTS - 1]).x) * (1.0f / WEIGHT_SCALE);
}

__device__ __forceinline__ void update(const Adam &adam, const Gradient &gradient, float unscale, float *weights, float *first,
                                       float *second) {
    const u32 row = warp() * 16 + lane() / 4, column = lane() % 4 * 2;
    auto single = [&](u32 at, float value) {
        float w = weights[at], m = first[at], v = second[at];
        adam_update(adam, value * unscale, w, m, v);
        weights[at] = held(w), first[at] = m, second[at] = v;
    };
#if UNITS == HIDDEN
    // Loads of several pairs before the first store, which might otherwise be taken to alias them.
    const int together = 4;
#pragma unroll
    for (int n0 = 0; n0 < UNITS / 8; n0 += together) {
        float2 w[2 * together], m[2 * together], v[2 * together];
#pragma unroll
        for (int i = 0; i < 2 * together; i++) {
            u32 at = ((row + i % 2 * 8) * UNITS + (n0 + i / 2) * 8 + column) / 2;
            w[i] = ((float2 *)weights)[at], m[i] = ((float2 *)first)[at], v[i] = ((float2 *)second)[at];
        }
#pragma unroll
        for (int i = 0; i < 2 * together; i++) {
            u32 at = ((row + i % 2 * 8) * UNITS + (n0 + i / 2) * 8 + column) / 2;
            const float *g = gradient.recurrent + (n0 + i / 2) * 4 + i % 2 * 2;
            adam_update(adam, g[0] * unscale, w[i].x, m[i].x, v[i].x);
            adam_update(adam, g[1] * unscale, w[i].y, m[i].y, v[i].y);
            ((float2 *)weights)[at] = make_float2(held(w[i].x), held(w[i].y)), ((float2 *)first)[at] = m[i], ((float2 *)second)[at] = v[i];
        }
    }
#else
#pragma unroll
    for (int i = 0; i < UNITS / 2; i++) {
        u32 r = row + i / 2 % 2 * 8, c = i / 4 * 8 + column + i % 2;
        if (r < HIDDEN && c < HIDDEN) single(r * HIDDEN + c, gradient.recurrent[i]);
    }
#endif
#pragma unroll
    for (int i = 0; i < 8; i++) {
        u32 component = lane() / 4 + i / 2 % 2 * 8, unit = warp() * 16 + i / 4 * 8 + column + i % 2;
        if (component < COMPONENTS && unit < HIDDEN) single(READOUT_AT + component * HIDDEN + unit, gradient.readout[i]);
    }
#pragma unroll
    for (int i = 0; i < 4 * COMPONENT_TILES; i++) {
        u32 unit = row + i / 2 % 2 * 8, component = i / 4 * 8 + column + i % 2;
        if (component < COMPONENTS && unit < HIDDEN) single(INPUT_AT + unit * COMPONENTS + component, gradient.input[i]);
    }
}

__device__ void take_steps(const Launch &launch, u32 index, u32 until) {
    Shared &shared = shared_memory();
    Plan &plan = launch.plans[index];
    u64 at = (u64)index * launch.parameter_stride;
    float *weights = launch.weights + at, *first = launch.first_moments + at, *second = launch.second_moments + at;
    float2 *sums = launch.sums + (u64)blockIdx.x * launch.sums_stride;
    float4 *aside = (float4 *)(launch.scratch + blockIdx.x * launch.scratch_stride);
    u8 *history = (u8 *)aside + HISTORY_AT;
    const u32 *targets = launch.targets + (u64)index * launch.target_stride;
    const u32 input_steps = plan.input_steps, bit_words = launch.bit_words;
    const double components = COMPONENTS * BATCH;
    u32 parities = shared.parities;
    while (plan.step < until && plan.status == RUNNING) {
        u32 horizon = horizon_of(plan), steps = input_steps + horizon;
        draw_bits(shared.bits(), bit_words, plan.seed, plan.step, input_steps * COMPONENTS, BATCH);
        Gradient gradient;
        float scale = FIRST_SCALE, weight_scale = WEIGHT_SCALE;
        double unscale, norm;
        do {
            prepare_small_matrices(shared, weights, weight_scale);
            forward(shared, weights, history, bit_words, input_steps, steps, weight_scale);
            backward(gradient, shared, weights, history, aside, targets, sums, bit_words, input_steps, steps, parities, scale,
                     weight_scale);
            unscale = 2.0 / (components * horizon * scale);
            norm = sqrt(block_sum(sum_of_squares(gradient), shared.batch.by_warp)) * unscale;
            scale *= 1.0f / 1024, weight_scale = 1.0f;
        } while (!isfinite(norm) && scale > SMALLEST_SCALE);
        measure(shared.batch, sums, 8, horizon, components);
        __syncthreads();
        if (prepare_update(shared.batch, plan, norm))
            update(shared.batch.adam, gradient, (float)unscale, weights, first, second);
        finish_step(launch, index, plan, shared.batch, sums, 8, horizon, components);
    }
    __syncthreads();
    if (threadIdx.x == 0) shared.parities = parities;
}

extern "C" __global__ void __launch_bounds__(THREADS, HIDDEN <= 64 ? 2 : 1) train(Launch launch) {
    Shared &shared = shared_memory();
    if (threadIdx.x == 0) {
        shared.parities = 0;
        for (int slot = 0; slot < SLOTS; slot++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&shared.arrived[slot])) : "memory");
    }
    fence_tiles();
    __syncthreads();
    work_through_queue(launch);
}
