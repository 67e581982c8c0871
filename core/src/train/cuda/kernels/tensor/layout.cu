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

