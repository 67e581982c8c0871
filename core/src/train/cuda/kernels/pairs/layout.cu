// Tensor cores, from compute capability 9.0: tanh networks of up to 128 units and 16 components without biases, batches
// of 64, signed selections. The host defines HIDDEN, COMPONENTS and WARPGROUP.
//
// Products are of fp16 numbers with sums in fp32. Each factor is a pair, x = high + low, which holds 22 bits, and a product
// three products; low times low is left out. fp16 is narrow: weights enter products times a power of two, so that their low parts are
// no denormal numbers, and errors enter back-propagation unscaled by the batch, times another one. A step that overflows
// is taken again with smaller ones. Weights are kept on the numbers that a pair holds: a gradient is of the weights that are
// stored, not of others half a unit in the last place beside them.
//
// One block trains one network. A warp owns 16 hidden units for the whole batch: its rows of W_hh as fragments in
// registers, its rows of every product, its part of the gradient. States and deltas lie in shared memory as tiles
// (sample, unit) in panels of 64 units with the 128-byte swizzle, which both products can read: with units as the inner
// dimension (forward, deltas) and with samples (gradient).

#define TERMS 3
#define WARPS (UNITS / 16)
#define THREADS (WARPS * 32)
#define PARTS 2
#define SLOT_BYTES (TILE_BYTES * PARTS)
#define SLOTS 3
// Tensor cores round sums towards zero, which over a hundred time steps shrinks what is handed on. So the forward product
// is the sum of two, each with half the roundings, and what a product loses on average is given back to deltas and outputs.
#define CHAINS 2
#define TO_EXPONENT 2.88539008f
#define GIVE_OUTPUT 6e-8f
#define GIVE_DELTA 1.00000012f
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

// The products of a pair with a pair, low times low left out.
__device__ __forceinline__ void multiply_pairs(float *c, const u32 (&a)[PARTS][4], const u32 (&b)[PARTS][2]) {
    multiply(c, a[1], b[0][0], b[0][1]);
    multiply(c, a[0], b[1][0], b[1][1]);
    multiply(c, a[0], b[0][0], b[0][1]);
}

// Two numbers as fp16, and what that leaves over.
__device__ __forceinline__ void split(float a, float b, u32 (&parts)[PARTS]) {
    parts[0] = pack(a, b);
    float2 high = unpack(parts[0]);
    parts[1] = pack(a - high.x, b - high.y);
}

// Both tanh at once, of sums times the inverse of the weights' scale: one reciprocal serves two. (p - 1) / (p + 1) keeps the
// digits of small states, which 1 - 2 / (p + 1) loses. The error is 6e-8.
__device__ __forceinline__ void squash(float &a, float &b, float inverse) {
    const float largest = 40.0f, factor = TO_EXPONENT * inverse;
    float p, q, r;
    // What is not a number stays so, and shows in the loss.
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(p) : "f"(a * factor), "f"(largest));
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(q) : "f"(b * factor), "f"(largest));
    asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(p));
    asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(q));
    float above_p = p + 1.0f, above_q = q + 1.0f;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(above_p * above_q));
    a = (p - 1.0f) * (above_q * r), b = (q - 1.0f) * (above_p * r);
}

// ---- Places in a tile.

// Addresses for the four blocks of 16 samples from `sample`, components first.
__device__ __forceinline__ u32 error_blocks(u32 sample) {
    return error_place(sample + (lane() >> 4) * 8 + (lane() & 7), lane() >> 3 & 1);
}

