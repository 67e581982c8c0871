// The optimizer of the kernels for tensor cores, on the sums of products where they are.

// One network's weights and their moments.
struct Parameters {
    float *weights, *first, *second;

    __device__ __forceinline__ Parameters(const Launch &launch, u32 index) {
        u64 at = (u64)index * launch.parameter_stride;
        weights = launch.weights + at, first = launch.first_moments + at, second = launch.second_moments + at;
    }
};

// An update of all parameters: `kept` is what becomes of a new weight before it is stored.
template <class Kept> struct Update {
    const Adam &adam;
    const Parameters &parameters;
    float unscale;
    Kept kept;

    __device__ __forceinline__ void one(u32 at, float gradient) const {
        float w = parameters.weights[at], m = parameters.first[at], v = parameters.second[at];
        adam_update(adam, gradient * unscale, w, m, v);
        parameters.weights[at] = kept(w), parameters.first[at] = m, parameters.second[at] = v;
    }

    // This lane's share of 16 rows of W_hh.
    __device__ __forceinline__ void rows(u32 from, const float (&gradient)[UNITS / 2]) const {
        const u32 row = from + lane() / 4, column = lane() % 4 * 2;
#if HIDDEN == 64 || HIDDEN == 128
        float2 *weights = (float2 *)parameters.weights, *first = (float2 *)parameters.first, *second = (float2 *)parameters.second;
        // Loads of several pairs before the first store, which might otherwise be taken to alias them.
        const int together = 4;
#pragma unroll
        for (int n0 = 0; n0 < UNITS / 8; n0 += together) {
            float2 w[2 * together], m[2 * together], v[2 * together];
#pragma unroll
            for (int i = 0; i < 2 * together; i++) {
                u32 at = ((row + i % 2 * 8) * UNITS + (n0 + i / 2) * 8 + column) / 2;
                w[i] = weights[at], m[i] = first[at], v[i] = second[at];
            }
#pragma unroll
            for (int i = 0; i < 2 * together; i++) {
                u32 at = ((row + i % 2 * 8) * UNITS + (n0 + i / 2) * 8 + column) / 2;
                const float *g = gradient + (n0 + i / 2) * 4 + i % 2 * 2;
                adam_update(adam, g[0] * unscale, w[i].x, m[i].x, v[i].x);
                adam_update(adam, g[1] * unscale, w[i].y, m[i].y, v[i].y);
                weights[at] = make_float2(kept(w[i].x), kept(w[i].y)), first[at] = m[i], second[at] = v[i];
            }
        }
#else
#pragma unroll
        for (int i = 0; i < UNITS / 2; i++) {
            u32 r = row + i / 2 % 2 * 8, c = i / 4 * 8 + column + i % 2;
            if (r < HIDDEN && c < HIDDEN) one(r * HIDDEN + c, gradient[i]);
        }
#endif
    }
};

template <class Kept> __device__ __forceinline__ Update<Kept> updating(const Adam &adam, const Parameters &parameters, float unscale, Kept kept) {
    return {adam, parameters, unscale, kept};
}
