// The fast mode, for Hopper's warpgroups: tanh networks of up to 128 units and 16 components without biases, batches of 64,
// signed selections. The host defines HIDDEN, COMPONENTS and WARPGROUP.
//
// One warpgroup trains one network, two (of up to 128 units) or four (of up to 64) to a multiprocessor: while one of them
// takes tanh, the tensor cores multiply for another. The batch is the 64 rows of a product, so a warp owns 16 samples and
// all units, and what it has summed is in the layout of the next product's left factor: states and deltas go from step to
// step in registers, and samples need nothing from each other until the gradient. W_hh lies in shared memory with W_r
// below it, and serves as right factor both ways: with its columns as inner dimension forward, where the rows of W_r give
// the outputs, with its rows backward, where those of W_r bring in the errors.
//
// Gradients at trained weights nearly cancel, so that 11 bits are not enough everywhere. Forward, weights and states are
// pairs of fp16 numbers (22 bits, three products); backward, weights are pairs and deltas single numbers (two products);
// the gradient is a sum of products of single numbers. Errors enter unscaled by the batch, times a power of two; a step
// whose deltas overflow is taken again with a smaller one.

#define THREADS 128
#define PANELS (UNITS / 64)
#define WEIGHT_ROWS (UNITS + 16)
#define WEIGHT_PANEL_BYTES (WEIGHT_ROWS * 128)
#define WEIGHT_BYTES (PANELS * WEIGHT_PANEL_BYTES)
#define BLOCKS (UNITS == 64 ? 4 : 2)
// Partial sums of an output step, one a warp.
#define GROUPS 4

struct __align__(1024) Shared {
    // W_hh and W_r, high and low parts.
    u8 weights[2][WEIGHT_BYTES];
    u8 tiles[2][TILE_BYTES];
    u8 errors[ERROR_BYTES];
    u64 arrived[2];
    // A bit for each tile: which of its barrier's phases comes next.
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

// A warp's share of a gradient of (units x components): 16 units of every panel. That of W_uh lies aside from
// step to step.
struct __align__(16) Outer {
    float sum[PANELS][4 * COMPONENT_TILES];

    __device__ __forceinline__ void load(const float4 *aside) {
#pragma unroll
        for (int i = 0; i < PANELS * COMPONENT_TILES; i++) ((float4 *)sum)[i] = __ldcg(aside + i * THREADS);
    }
    __device__ __forceinline__ void store(float4 *aside) const {
#pragma unroll
        for (int i = 0; i < PANELS * COMPONENT_TILES; i++) __stcg(aside + i * THREADS, ((const float4 *)sum)[i]);
    }
};
#define OUTER_PLACES (PANELS * COMPONENT_TILES * THREADS)

// What a block keeps in global memory: W_uh as ready fragments, the gradient of W_uh, the errors of
// every output step as left factors, the states of every time step.
struct Scratch {
    uint4 *input;
    // From this thread's place on.
    float4 *input_gradient;
    uint4 *errors;
    u8 *history;

    __device__ __forceinline__ Scratch(u8 *base, u32 horizon) {
        input = (uint4 *)base;
        input_gradient = (float4 *)(input + UNITS / 8 * 32) + threadIdx.x;
        errors = input + UNITS / 8 * 32 + OUTER_PLACES;
        history = (u8 *)(errors + (u64)horizon * THREADS);
    }
    __device__ __forceinline__ u8 *state(u32 t) const { return history + (u64)(t - 1) * TILE_BYTES; }
};

// This lane's row of a warp's samples, for four matrices of 16 units from `unit`.
__device__ __forceinline__ u32 own_rows(u32 tile, u32 unit) {
    return (tile + place((lane() >> 4) * 8, warp() * 16 + (lane() & 15)) ^ unit % 64 * 2) + unit / 64 * PANEL_BYTES;
}

// Four tanh at once: one reciprocal serves all. The error is 2e-7.
__device__ __forceinline__ void squash(float (&x)[4]) {
    const float largest = 30.0f, factor = (float)TO_EXPONENT;
    float p[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        // What is not a number stays so, and shows in the loss.
        asm("min.NaN.f32 %0, %1, %2;" : "=f"(p[i]) : "f"(x[i] * factor), "f"(largest));
        asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(p[i]));
        p[i] += 1.0f;
    }
    float a = p[0] * p[1], b = p[2] * p[3], r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a * (0.5f * b)));
    float ra = r * b, rb = r * a;
    x[0] = fmaf(-p[1], ra, 1.0f), x[1] = fmaf(-p[0], ra, 1.0f), x[2] = fmaf(-p[3], rb, 1.0f), x[3] = fmaf(-p[2], rb, 1.0f);
}
