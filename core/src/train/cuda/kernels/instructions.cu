// What the kernels for tensor cores share: sizes, places in tiles, instructions of tensor cores and bulk copies.
//
// States and deltas lie in shared memory as tiles (sample, unit) of fp16 numbers, in panels of 64 units with the 128-byte
// swizzle, which products can read with units as the inner dimension and with samples.

// The operands of a product with n sums a thread: their names in the instruction, and c[0] to c[n - 1] as sums.
#define NAMES_32 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define NAMES_40 NAMES_32 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define NAMES_64 NAMES_40 ",%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define NAMES_72 NAMES_64 ",%64,%65,%66,%67,%68,%69,%70,%71"
#define SUMS_8(c, i)                                                                                                                 \
    "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), "+f"(c[i + 4]), "+f"(c[i + 5]), "+f"(c[i + 6]), "+f"(c[i + 7])
#define SUMS_32(c) SUMS_8(c, 0), SUMS_8(c, 8), SUMS_8(c, 16), SUMS_8(c, 24)
#define SUMS_40(c) SUMS_32(c), SUMS_8(c, 32)
#define SUMS_64(c) SUMS_40(c), SUMS_8(c, 40), SUMS_8(c, 48), SUMS_8(c, 56)
#define SUMS_72(c) SUMS_64(c), SUMS_8(c, 64)

#define BATCH 64
#ifndef UNITS
#define UNITS (HIDDEN <= 64 ? 64 : 128)
#endif
#define DEPTH (UNITS / 16)
#define PANEL_BYTES (BATCH * 128)
#define TILE_BYTES (BATCH * UNITS * 2)
#define INPUT_AT (HIDDEN * HIDDEN)
#define READOUT_AT (INPUT_AT + HIDDEN * COMPONENTS)
#define COMPONENT_TILES ((COMPONENTS + 7) / 8)
#define ERROR_BYTES (BATCH * 16 * 2)
// Errors enter back-propagation times the first of these; a step that overflows is taken again with smaller ones.
#define FIRST_SCALE 64.0f
#define SMALLEST_SCALE 1e-5f

__device__ __forceinline__ u32 address(const void *pointer) { return (u32)__cvta_generic_to_shared(pointer); }

__device__ __forceinline__ u32 warp() { return threadIdx.x / 32; }
__device__ __forceinline__ u32 lane() { return threadIdx.x % 32; }

__device__ __forceinline__ void load_matrices(u32 (&r)[4], u32 at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ __forceinline__ void load_matrices_transposed(u32 (&r)[4], u32 at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

__device__ __forceinline__ void store_matrices(u32 at, const u32 (&r)[4]) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"(r[0]), "r"(r[1]), "r"(r[2]),
                 "r"(r[3]) : "memory");
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
__device__ __forceinline__ void split(float a, float b, u32 &high, u32 &low) {
    high = pack(a, b);
    float2 taken = unpack(high);
    low = pack(a - taken.x, b - taken.y);
}

// 16 bits of a sample from component 0 of input step t on; those beyond COMPONENTS meet weights of zero.
__device__ __forceinline__ u32 input_bits(const u32 *bits, u32 bit_words, u32 sample, u32 t) {
    u32 position = t * COMPONENTS;
    const u32 *word = bits + sample * bit_words + (position >> 5);
    return __funnelshift_r(word[0], word[1], position & 31);
}

// Bits 0 and 1 as the pair of fp16 numbers they stand for: set is `one`, clear is its negative.
__device__ __forceinline__ u32 signs(u32 first, u32 second, u32 one = 0x3C00u) {
    return (one * 0x10001u ^ 0x80008000u) ^ (first & 1) << 15 ^ (second & 1) << 31;
}

// ---- Places in a tile.

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

// ---- Copies between shared and global memory.

__device__ __forceinline__ void fence_tiles() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ __forceinline__ void store_history(u8 *to, const u8 *from, u32 bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(address(from)), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void load_history(u8 *to, const u8 *from, u32 bytes, u64 *arrived) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(arrived)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
                 "l"(from), "r"(bytes), "r"(address(arrived)) : "memory");
}

__device__ __forceinline__ void wait_for(u64 *arrived, u32 parity) {
    asm volatile("{ .reg .pred done; again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1; @!done bra again; }" ::"r"(
                     address(arrived)), "r"(parity) : "memory");
}

// ---- Products of a warpgroup.

#if WARPGROUP
#define NO_SWIZZLE 0
#define SWIZZLE_128 1
// A descriptor of a tile; strides in bytes.
__device__ __forceinline__ u64 describe(u32 at, u32 leading, u32 stride, u64 swizzle) {
    return (u64)(at >> 4) | (u64)(leading >> 4) << 16 | (u64)(stride >> 4) << 32 | swizzle << 62;
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
