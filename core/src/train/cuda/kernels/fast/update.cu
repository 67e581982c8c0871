// ---- The optimizer, on the fragments where they are.

__device__ __forceinline__ double sum_of_squares(const float (&gradient)[PANELS][UNITS / 2], const Outer &readout, const Outer &input) {
    float large = 0, small = 0;
#pragma unroll
    for (int i = 0; i < PANELS * UNITS / 2; i++) {
        float g = gradient[i / (UNITS / 2)][i % (UNITS / 2)];
        large = fmaf(g, g, large);
    }
#pragma unroll
    for (int i = 0; i < PANELS * COMPONENT_TILES * 4; i++) {
        int m = i / (4 * COMPONENT_TILES), k = i % (4 * COMPONENT_TILES);
        if (k / 4 * 8 + lane() % 4 * 2 + k % 2 >= COMPONENTS) continue;
        small = fmaf(readout.sum[m][k], readout.sum[m][k], small), small = fmaf(input.sum[m][k], input.sum[m][k], small);
    }
    return (double)large + small;
}

__device__ __forceinline__ void update(const Adam &adam, const float (&gradient)[PANELS][UNITS / 2], const Outer &readout,
                                       const Outer &input, float unscale, float *weights, float *first, float *second) {
    const u32 row = lane() / 4, column = lane() % 4 * 2;
    auto single = [&](u32 at, float value) {
        float w = weights[at], m = first[at], v = second[at];
        adam_update(adam, value * unscale, w, m, v);
        weights[at] = w, first[at] = m, second[at] = v;
    };
#pragma unroll
    for (int panel = 0; panel < PANELS; panel++) {
        const u32 from = panel * 64 + warp() * 16 + row;
#if HIDDEN == 64 || HIDDEN == 128
        // Loads of several pairs before the first store, which might otherwise be taken to alias them.
        const int together = 4;
#pragma unroll
        for (int n0 = 0; n0 < UNITS / 8; n0 += together) {
            float2 w[2 * together], m[2 * together], v[2 * together];
#pragma unroll
            for (int i = 0; i < 2 * together; i++) {
                u32 at = ((from + i % 2 * 8) * UNITS + (n0 + i / 2) * 8 + column) / 2;
                w[i] = ((float2 *)weights)[at], m[i] = ((float2 *)first)[at], v[i] = ((float2 *)second)[at];
            }
#pragma unroll
            for (int i = 0; i < 2 * together; i++) {
                u32 at = ((from + i % 2 * 8) * UNITS + (n0 + i / 2) * 8 + column) / 2;
                const float *g = gradient[panel] + (n0 + i / 2) * 4 + i % 2 * 2;
                adam_update(adam, g[0] * unscale, w[i].x, m[i].x, v[i].x);
                adam_update(adam, g[1] * unscale, w[i].y, m[i].y, v[i].y);
                ((float2 *)weights)[at] = w[i], ((float2 *)first)[at] = m[i], ((float2 *)second)[at] = v[i];
            }
        }
#else
#pragma unroll
        for (int i = 0; i < UNITS / 2; i++) {
            u32 r = from + i / 2 % 2 * 8, c = i / 4 * 8 + column + i % 2;
            if (r < HIDDEN && c < HIDDEN) single(r * HIDDEN + c, gradient[panel][i]);
        }
#endif
    }
#pragma unroll
    for (int i = 0; i < PANELS * COMPONENT_TILES * 4; i++) {
        int m = i / (4 * COMPONENT_TILES), k = i % (4 * COMPONENT_TILES);
        u32 unit = m * 64 + warp() * 16 + row + k / 2 % 2 * 8, component = k / 4 * 8 + column + k % 2;
        if (unit >= HIDDEN || component >= COMPONENTS) continue;
        single(READOUT_AT + component * HIDDEN + unit, readout.sum[m][k]);
        single(INPUT_AT + unit * COMPONENTS + component, input.sum[m][k]);
    }
}

__device__ void take_steps(const Launch &launch, u32 index, u32 until) {
    Shared &shared = shared_memory();
    Plan &plan = launch.plans[index];
    u64 at = (u64)index * launch.parameter_stride;
    float *weights = launch.weights + at, *first = launch.first_moments + at, *second = launch.second_moments + at;
    float2 *sums = launch.sums + (u64)blockIdx.x * launch.sums_stride;
    const u32 *targets = launch.targets + (u64)index * launch.target_stride;
    const u32 input_steps = plan.input_steps, bit_words = launch.bit_words;
    const double components = COMPONENTS * BATCH;
    u32 parities = shared.parities;
    while (plan.step < until && plan.status == RUNNING) {
        u32 horizon = horizon_of(plan), steps = input_steps + horizon;
        Scratch scratch(launch.scratch + blockIdx.x * launch.scratch_stride, horizon);
        draw_bits(shared.bits(), bit_words, plan.seed, plan.step, input_steps * COMPONENTS, BATCH);
        prepare_weights(shared, scratch, weights);
        fence_tiles();
        __syncthreads();
        float gradient[PANELS][UNITS / 2], scale = FIRST_SCALE;
        double unscale, norm;
        Outer readout, input;
        do {
            forward(shared, scratch, targets, sums, bit_words, input_steps, steps, scale);
            backward(gradient, readout, shared, scratch, bit_words, input_steps, steps, parities);
            unscale = 2.0 / (components * horizon * scale);
            input.load(scratch.input_gradient);
            norm = sqrt(block_sum(sum_of_squares(gradient, readout, input), shared.batch.by_warp)) * unscale;
            scale *= 1.0f / 1024;
        } while (!isfinite(norm) && scale > SMALLEST_SCALE);
        measure(shared.batch, sums, GROUPS, horizon, components);
        __syncthreads();
        if (prepare_update(shared.batch, plan, norm))
            update(shared.batch.adam, gradient, readout, input, (float)unscale, weights, first, second);
        finish_step(launch, index, plan, shared.batch, sums, GROUPS, horizon, components);
    }
    __syncthreads();
    if (threadIdx.x == 0) shared.parities = parities;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) train(Launch launch) {
    Shared &shared = shared_memory();
    if (threadIdx.x == 0) {
        shared.parities = 0;
        for (int tile = 0; tile < 2; tile++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&shared.arrived[tile])) : "memory");
    }
    fence_tiles();
    __syncthreads();
    work_through_queue(launch);
}
