// ---- Whole steps of the optimizer.

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
                                       const Outer &input, float unscale, const Parameters &parameters) {
    const auto optimizer = updating(adam, parameters, unscale, [](float weight) { return weight; });
#pragma unroll
    for (int panel = 0; panel < PANELS; panel++) optimizer.rows(panel * 64 + warp() * 16, gradient[panel]);
#pragma unroll
    for (int i = 0; i < PANELS * COMPONENT_TILES * 4; i++) {
        int m = i / (4 * COMPONENT_TILES), k = i % (4 * COMPONENT_TILES);
        u32 unit = m * 64 + warp() * 16 + lane() / 4 + k / 2 % 2 * 8, component = k / 4 * 8 + lane() % 4 * 2 + k % 2;
        if (unit >= HIDDEN || component >= COMPONENTS) continue;
        optimizer.one(READOUT_AT + component * HIDDEN + unit, readout.sum[m][k]);
        optimizer.one(INPUT_AT + unit * COMPONENTS + component, input.sum[m][k]);
    }
}

__device__ void take_steps(const Launch &launch, u32 index, u32 until) {
    Shared &shared = shared_memory();
    Plan &plan = launch.plans[index];
    const Parameters parameters(launch, index);
    float2 *sums = launch.sums + (u64)blockIdx.x * launch.sums_stride;
    const u32 *targets = launch.targets + (u64)index * launch.target_stride;
    const u32 input_steps = plan.input_steps, bit_words = launch.bit_words;
    const double components = COMPONENTS * BATCH;
    u32 parities = shared.parities;
    while (plan.step < until && plan.status == RUNNING) {
        u32 horizon = horizon_of(plan), steps = input_steps + horizon;
        Scratch scratch(launch.scratch + blockIdx.x * launch.scratch_stride, horizon);
        draw_bits(shared.bits(), bit_words, plan.seed, plan.step, input_steps * COMPONENTS, BATCH);
        prepare_weights(shared, scratch, parameters.weights);
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
            update(shared.batch.adam, gradient, readout, input, (float)unscale, parameters);
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
