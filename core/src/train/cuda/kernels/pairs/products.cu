// ---- The large products. Sums of a half batch: those of the n-th 8 samples are c[half][4 n ..], as mma.sync has them.

#if WARPGROUP
#if HIDDEN <= 64
__device__ __forceinline__ void multiply_group_n64_transposed(float (&c)[32], const u32 (&a)[4], u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{" NAMES_32 "},"
                 "{%32,%33,%34,%35},%36,add,1,1,1; }"
                 : SUMS_32(c)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
#else
__device__ __forceinline__ void multiply_group_n128_transposed(float (&c)[64], const u32 (&a)[4], u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
                 "{" NAMES_64 "},"
                 "{%64,%65,%66,%67},%68,add,1,1,1; }"
                 : SUMS_64(c)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
#endif

__device__ __forceinline__ void multiply_group_n64(float (&c)[2][16], const u32 (&a)[4], u64 b) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{" NAMES_32 "},"
                 "{%32,%33,%34,%35},%36,add,1,1,0; }"
                 : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[0][4]), "+f"(c[0][5]),
                   "+f"(c[0][6]), "+f"(c[0][7]), "+f"(c[0][8]), "+f"(c[0][9]), "+f"(c[0][10]), "+f"(c[0][11]),
                   "+f"(c[0][12]), "+f"(c[0][13]), "+f"(c[0][14]), "+f"(c[0][15]), "+f"(c[1][0]), "+f"(c[1][1]),
                   "+f"(c[1][2]), "+f"(c[1][3]), "+f"(c[1][4]), "+f"(c[1][5]), "+f"(c[1][6]), "+f"(c[1][7]),
                   "+f"(c[1][8]), "+f"(c[1][9]), "+f"(c[1][10]), "+f"(c[1][11]), "+f"(c[1][12]), "+f"(c[1][13]),
                   "+f"(c[1][14]), "+f"(c[1][15])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#endif

// c += one term of weights (16 units x UNITS) * tile (UNITS x samples), over the given part of the inner dimension, from its
// end if TURNED; 1 and 2 are the terms with a low part. Callers go from the last to the first, so that large sums are rounded
// as seldom as can be.
template <int FROM, int TO, bool TURNED = false>
__device__ __forceinline__ void multiply_tile(float (&c)[2][16], const u32 (&weights)[PARTS][DEPTH][4], u32 tile, int term) {
    const u32 weight_part = term == 2 ? 1 : 0, tile_at = tile + (term == 1 ? TILE_BYTES : 0);
#pragma unroll
    for (int i = FROM; i < TO; i++) {
        const int k = TURNED ? FROM + TO - 1 - i : i;
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
            multiply_group_n64_transposed(c, deltas[term == 2 ? 1 : 0][k], b);
#else
            multiply_group_n128_transposed(c, deltas[term == 2 ? 1 : 0][k], b);
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
                multiply(c + 4 * (n + m), deltas[1][k], b[0][2 * m], b[0][2 * m + 1]);
                multiply(c + 4 * (n + m), deltas[0][k], b[1][2 * m], b[1][2 * m + 1]);
                multiply(c + 4 * (n + m), deltas[0][k], b[0][2 * m], b[0][2 * m + 1]);
            }
        }
#endif
}

