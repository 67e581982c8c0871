// ---- What a cell does with its sums, and on the way back with the delta of its state.

#define ELMAN 0
#define GRU 1
#define LSTM 2
#define GATES (CELL == GRU ? 3 : CELL == LSTM ? 4 : 1)
// Sums that a cell starts from: one for each gate, and the input's part of n.
#define SUMS (CELL == GRU ? 4 : GATES)
// Numbers that a cell keeps for the way back, beside its state: r, z, n and the recurrent sum of n; i, f, g, o and c.
#define KEPT (CELL == GRU ? 4 : CELL == LSTM ? 5 : 0)

__device__ __forceinline__ float squash(float x) {
    const float high = (float)TO_EXPONENT, low = (float)(TO_EXPONENT - (double)high);
    float power = power_less_one(fabsf(x), high, low);
    return copysignf(power / (power + 2.0f), x);
}

__device__ __forceinline__ float activate(float x) {
    return ACTIVATION == 0 ? squash(x) : ACTIVATION == 1 ? (x > 0 || x != x ? x : 0.0f) : x;
}

__device__ __forceinline__ float slope(float value) {
    return ACTIVATION == 0 ? 1.0f - value * value : ACTIVATION == 1 ? (value > 0 ? 1.0f : 0.0f) : 1.0f;
}

__device__ __forceinline__ float sigmoid(float x) { return fmaf(0.5f, squash(0.5f * x), 0.5f); }

// The next state; `before` is the state before (GRU) or c (LSTM).
__device__ __forceinline__ float next_state(const float (&sums)[SUMS], float before, float (&kept)[KEPT ? KEPT : 1]) {
#if CELL == GRU
    kept[0] = sigmoid(sums[0]), kept[1] = sigmoid(sums[1]), kept[3] = sums[2];
    kept[2] = squash(fmaf(kept[0], sums[2], sums[3]));
    return fmaf(kept[1], before - kept[2], kept[2]);
#elif CELL == LSTM
    kept[0] = sigmoid(sums[0]), kept[1] = sigmoid(sums[1]), kept[2] = squash(sums[2]), kept[3] = sigmoid(sums[3]);
    kept[4] = fmaf(kept[1], before, kept[0] * kept[2]);
    return kept[3] * squash(kept[4]);
#else
    return activate(sums[0]);
#endif
}

// The deltas of the sums from that of the state; `carried` is what goes back beside the weights: to the state before (GRU), to c
// (LSTM).
__device__ __forceinline__ void deltas_of(float delta, float state, float before, const float (&kept)[KEPT ? KEPT : 1], float &carried,
                                          float (&out)[SUMS]) {
#if CELL == GRU
    float r = kept[0], z = kept[1], n = kept[2];
    out[3] = delta * (1.0f - z) * (1.0f - n * n);
    out[2] = out[3] * r;
    out[1] = delta * (before - n) * z * (1.0f - z);
    out[0] = out[3] * kept[3] * r * (1.0f - r);
    carried = delta * z;
#elif CELL == LSTM
    float i = kept[0], f = kept[1], g = kept[2], o = kept[3], squashed = squash(kept[4]);
    carried = fmaf(delta * o, 1.0f - squashed * squashed, carried);
    out[3] = delta * squashed * o * (1.0f - o);
    out[2] = carried * i * (1.0f - g * g);
    out[1] = carried * before * f * (1.0f - f);
    out[0] = carried * g * i * (1.0f - i);
    carried *= f;
#else
    out[0] = delta * slope(state);
#endif
}
