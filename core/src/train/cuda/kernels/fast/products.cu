// ---- Products of 64 samples (or, for the gradient, 64 units) with everything. Sums of the n-th 8 columns are c[4 n ..].
// `forward` and `readout` want the right factor with the inner dimension contiguous, the others with the other one. `deltas`
// takes its left factor from shared memory, `outer` and `readout` take it transposed.

// Sums (64 units x components).
#if COMPONENTS <= 8
__device__ __forceinline__ void group_readout(float (&c)[4], u64 a, u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3},%4,%5,add,1,1,1,0; }"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(a), "l"(b));
}
#else
__device__ __forceinline__ void group_readout(float (&c)[8], u64 a, u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7},%8,%9,add,1,1,1,0; }"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7])
                 : "l"(a), "l"(b));
}
#endif

#if HIDDEN <= 64
template <int ADD> __device__ __forceinline__ void group_forward(float (&c)[40], const u32 (&a)[4], u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, %45, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n80k16.f32.f16.f16 {" NAMES_40 "},"
                 "{%40,%41,%42,%43},%44,add,1,1,0; }"
                 : SUMS_40(c)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(ADD));
}

template <int ADD> __device__ __forceinline__ void group_errors(float (&c)[32], const u32 (&a)[4], u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, %37, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" NAMES_32 "},"
                 "{%32,%33,%34,%35},%36,add,1,1,1; }"
                 : SUMS_32(c)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(ADD));
}

__device__ __forceinline__ void group_outer(float (&c)[32], u64 a, u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" NAMES_32 "},"
                 "%32,%33,add,1,1,1,1; }"
                 : SUMS_32(c)
                 : "l"(a), "l"(b));
}

__device__ __forceinline__ void group_deltas(float (&c)[32], u64 a, u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" NAMES_32 "},"
                 "%32,%33,add,1,1,0,1; }"
                 : SUMS_32(c)
                 : "l"(a), "l"(b));
}
#else
template <int ADD> __device__ __forceinline__ void group_forward(float (&c)[72], const u32 (&a)[4], u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, %77, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n144k16.f32.f16.f16 {" NAMES_72 "},"
                 "{%72,%73,%74,%75},%76,add,1,1,0; }"
                 : SUMS_72(c)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(ADD));
}

template <int ADD> __device__ __forceinline__ void group_errors(float (&c)[64], const u32 (&a)[4], u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, %69, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" NAMES_64 "},"
                 "{%64,%65,%66,%67},%68,add,1,1,1; }"
                 : SUMS_64(c)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(ADD));
}

__device__ __forceinline__ void group_outer(float (&c)[64], u64 a, u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" NAMES_64 "},"
                 "%64,%65,add,1,1,1,1; }"
                 : SUMS_64(c)
                 : "l"(a), "l"(b));
}

__device__ __forceinline__ void group_deltas(float (&c)[64], u64 a, u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" NAMES_64 "},"
                 "%64,%65,add,1,1,0,1; }"
                 : SUMS_64(c)
                 : "l"(a), "l"(b));
}
#endif

// One term of c = states * (W_hh, W_r)': 2 is that of the low parts of weights, 1 that of the low parts of states, 0 the
// large one. The first overwrites what was there; the last is large, so that large sums are rounded as seldom as can be.
__device__ __forceinline__ void multiply_states(float (&c)[WEIGHT_ROWS / 2], const u32 (&states)[DEPTH][4], const Shared &shared,
                                                int term) {
    u32 weights = address(shared.weights[term == 2]);
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        u64 b = describe(weights + k / 4 * WEIGHT_PANEL_BYTES + k % 4 * 32, 16, 1024, SWIZZLE_128);
        if (term == 2 && k == 0)
            group_forward<0>(c, states[k], b);
        else
            group_forward<1>(c, states[k], b);
    }
}

// c = (errors, deltas) * (W_r, W_hh); the deltas are a tile.
__device__ __forceinline__ void multiply_deltas(float (&c)[UNITS / 2], const u32 (&errors)[4], u32 deltas, const Shared &shared) {
#pragma unroll
    for (int part = 1; part >= 0; part--) {
        u32 weights = address(shared.weights[part]);
        u64 readout = describe(weights + DEPTH * 2048, WEIGHT_PANEL_BYTES, 1024, SWIZZLE_128);
        if (part == 1)
            group_errors<0>(c, errors, readout);
        else
            group_errors<1>(c, errors, readout);
#pragma unroll
        for (int k = 0; k < DEPTH; k++)
            group_deltas(c, describe(deltas + k / 4 * PANEL_BYTES + k % 4 * 32, 16, 1024, SWIZZLE_128),
                         describe(weights + k * 2048, WEIGHT_PANEL_BYTES, 1024, SWIZZLE_128));
    }
}

// gradient += deltas' * states.
__device__ __forceinline__ void multiply_outer(float (&gradient)[PANELS][UNITS / 2], u32 deltas, u32 states) {
#pragma unroll
    for (int m = 0; m < PANELS; m++)
#pragma unroll
        for (int k = 0; k < BATCH / 16; k++)
            group_outer(gradient[m], describe(deltas + m * PANEL_BYTES + k * 2048, PANEL_BYTES, 1024, SWIZZLE_128),
                        describe(states + k * 2048, PANEL_BYTES, 1024, SWIZZLE_128));
}

// gradient of W_r += states' * errors.
__device__ __forceinline__ void multiply_readout(Outer &gradient, u32 states, u32 errors) {
#pragma unroll
    for (int m = 0; m < PANELS; m++)
#pragma unroll
        for (int k = 0; k < BATCH / 16; k++)
            group_readout(gradient.sum[m], describe(states + m * PANEL_BYTES + k * 2048, PANEL_BYTES, 1024, SWIZZLE_128),
                          describe(errors + k * 512, 256, 128, NO_SWIZZLE));
}
