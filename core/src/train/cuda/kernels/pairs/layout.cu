// Tensor cores, from compute capability 9.0: tanh networks of up to 128 units and 16 components without biases, batches
// of 64, signed selections. The host defines HIDDEN, COMPONENTS and WARPGROUP.
//
// Products are of fp16 numbers with sums in fp32. Each factor is a pair, x = high + low, which holds 22 bits, and a product
// three products; low times low is left out. fp16 is narrow: weights, states and inputs enter products times powers of two, so
// that their low parts are no denormal numbers, and errors enter back-propagation unscaled by the batch, times another one.
// A step that overflows is taken again with smaller ones. Weights are kept on the numbers that a pair holds: a gradient is of
// the weights that are stored, not of others a unit in the last place beside them.
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
// is the sum of four, each with a quarter of the roundings, and what a product loses on average is given back: the shares of a
// sum below are those that an imitation of the tensor cores, true to the bit, loses in trained networks. The parts of a sum
// that are added first lose most, so every other time step adds them in the opposite order.
#define CHAINS 4
#define GIVE_STATE (DEPTH == 8 ? 5.3e-8 : 3.7e-8)
#define GIVE_OUTPUT 3.3e-8f
#define GIVE_DELTA 1.00000012f
// For the same reason the gradients of W_hh and W_r leave the tensor cores' sums after so many time steps; that of W_uh has
// few terms.
#define FLUSH_STEPS 12
#define ASIDE (UNITS / 8 + 2)
#define HISTORY_AT (ASIDE * THREADS * 16)
#define WEIGHT_SCALE 64.0f
#define STATE_SCALE 4096.0f
// As fp16: the input of a set bit.
#define INPUT_ONE 0x6C00u

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

__device__ __forceinline__ void split(float a, float b, u32 (&parts)[PARTS]) { split(a, b, parts[0], parts[1]); }

// What turns sums into exponents of two, in two parts: one number is too coarse for what is given back.
struct ToExponent {
    float high, low;
    __device__ __forceinline__ ToExponent(float weight_scale) {
        const float nearest = (float)TO_EXPONENT, inverse = 1.0f / (weight_scale * STATE_SCALE);
        high = nearest * inverse, low = (float)(TO_EXPONENT * (1 + GIVE_STATE) - nearest) * inverse;
    }
};

// Both tanh at once, times STATE_SCALE: one reciprocal serves two.
__device__ __forceinline__ void squash(float &a, float &b, const ToExponent &to_exponent) {
    const float share = 1.0f / STATE_SCALE;
    float p = power_less_one(fabsf(a), to_exponent.high, to_exponent.low);
    float q = power_less_one(fabsf(b), to_exponent.high, to_exponent.low);
    float below_p = fmaf(p, share, 2.0f * share), below_q = fmaf(q, share, 2.0f * share), r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(below_p * below_q));
    a = copysignf(p * (below_q * r), a), b = copysignf(q * (below_p * r), b);
}

// ---- Places in a tile.

// Addresses for the four blocks of 16 samples from `sample`, components first.
__device__ __forceinline__ u32 error_blocks(u32 sample) {
    return error_place(sample + (lane() >> 4) * 8 + (lane() & 7), lane() >> 3 & 1);
}

