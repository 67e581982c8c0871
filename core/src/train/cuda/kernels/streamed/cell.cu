// ---- What a cell does with its sums, and on the way back with the delta of its state; two samples at a time.

// 1 / below of two numbers by one reciprocal.
__device__ __forceinline__ float2 inverses(float a, float b) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a * b));
    return make_float2(b * r, a * r);
}

__device__ __forceinline__ float2 tanh_of(float2 x) {
    const float high = (float)TO_EXPONENT, low = (float)(TO_EXPONENT - high);
    float p = power_less_one(fabsf(x.x), high, low), q = power_less_one(fabsf(x.y), high, low);
    float2 r = inverses(p + 2.0f, q + 2.0f);
    return make_float2(copysignf(p * r.x, x.x), copysignf(q * r.y, x.y));
}

// By the hardware's power of two: its error of a few parts in 10^8 enters times z (1 - z).
__device__ __forceinline__ float2 sigmoid_of(float2 x) {
    const float factor = (float)(-TO_EXPONENT / 2), largest = 60.0f;
    float2 y = make_float2(x.x * factor, x.y * factor), p;
    asm("min.NaN.f32 %0, %0, %1;" : "+f"(y.x) : "f"(largest));
    asm("min.NaN.f32 %0, %0, %1;" : "+f"(y.y) : "f"(largest));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(p.x) : "f"(y.x));
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(p.y) : "f"(y.y));
    return inverses(p.x + 1.0f, p.y + 1.0f);
}

// Sums that a cell starts from: one for each gate, and the input's part of n.
#define SUMS (CELL == GRU ? 4 : GATES)

__device__ __forceinline__ float2 each(float2 a, float2 b, float2 c) {
    return make_float2(fmaf(a.x, b.x, c.x), fmaf(a.y, b.y, c.y));
}
__device__ __forceinline__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x, a.y * b.y); }
__device__ __forceinline__ float2 less(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 one_less(float2 a) { return make_float2(1.0f - a.x, 1.0f - a.y); }
// 1 - a^2, and a (1 - a).
__device__ __forceinline__ float2 tanh_slope(float2 a) { return make_float2(fmaf(-a.x, a.x, 1.0f), fmaf(-a.y, a.y, 1.0f)); }
__device__ __forceinline__ float2 sigmoid_slope(float2 a) { return make_float2(fmaf(-a.x, a.x, a.x), fmaf(-a.y, a.y, a.y)); }

// The next state; `before` is the state before (GRU) or c (LSTM).
__device__ __forceinline__ float2 next_state(const float2 (&sums)[SUMS], float2 before, float2 (&kept)[KEPT ? KEPT : 1]) {
#if CELL == GRU
    kept[0] = sigmoid_of(sums[0]), kept[1] = sigmoid_of(sums[1]), kept[3] = sums[2];
    kept[2] = tanh_of(each(kept[0], sums[2], sums[3]));
    // n + z (h - n)
    return each(kept[1], less(before, kept[2]), kept[2]);
#elif CELL == LSTM
    kept[0] = sigmoid_of(sums[0]), kept[1] = sigmoid_of(sums[1]), kept[2] = tanh_of(sums[2]), kept[3] = sigmoid_of(sums[3]);
    kept[4] = each(kept[1], before, times(kept[0], kept[2]));
    return times(kept[3], tanh_of(kept[4]));
#else
    return tanh_of(sums[0]);
#endif
}

// The deltas of the gates' sums from that of the state; `carried` is what goes back beside the weights: to the state before
// (GRU), to c (LSTM). `before` as above, `state` the state itself (Elman).
__device__ __forceinline__ void deltas_of(float2 delta, float2 state, float2 before, const float2 (&kept)[KEPT ? KEPT : 1],
                                          float2 &carried, float2 (&out)[SUMS]) {
#if CELL == GRU
    float2 r = kept[0], z = kept[1], n = kept[2];
    out[3] = times(times(delta, one_less(z)), tanh_slope(n));
    out[2] = times(out[3], r);
    out[1] = times(times(delta, less(before, n)), sigmoid_slope(z));
    out[0] = times(times(out[3], kept[3]), sigmoid_slope(r));
    carried = times(delta, z);
#elif CELL == LSTM
    float2 i = kept[0], f = kept[1], g = kept[2], o = kept[3], squashed = tanh_of(kept[4]);
    carried = each(times(delta, o), tanh_slope(squashed), carried);
    out[3] = times(times(delta, squashed), sigmoid_slope(o));
    out[2] = times(times(carried, i), tanh_slope(g));
    out[1] = times(times(carried, before), sigmoid_slope(f));
    out[0] = times(times(carried, g), sigmoid_slope(i));
    carried = times(carried, f);
#else
    out[0] = times(delta, tanh_slope(state));
#endif
}
