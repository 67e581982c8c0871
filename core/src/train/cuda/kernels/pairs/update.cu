// ---- Whole steps of the optimizer.

__device__ __forceinline__ double sum_of_squares(const Gradient &gradient) {
    float large = 0, small = 0;
#pragma unroll
    for (int i = 0; i < UNITS / 2; i++) large = fmaf(gradient.recurrent[i], gradient.recurrent[i], large);
#pragma unroll
    for (int i = 0; i < 8; i++) small = fmaf(gradient.readout[i], gradient.readout[i], small);
    u32 column = lane() % 4 * 2;
#pragma unroll
    for (int i = 0; i < 4 * COMPONENT_TILES; i++)
        if (i / 4 * 8 + column + i % 2 < COMPONENTS) small = fmaf(gradient.input[i], gradient.input[i], small);
    return (double)large + small;
}

// The nearest number that a pair holds. Those beyond the range of pairs, or so small that what a pair leaves out is nothing
// beside other weights, stay as they are.
__device__ __forceinline__ float held(float weight) {
    if (!(fabsf(weight) > 0.001f && fabsf(weight) < 60000.0f / WEIGHT_SCALE)) return weight;
    u32 parts[PARTS];
    split(weight * WEIGHT_SCALE, 0.0f, parts);
    return (unpack(parts[0]).x + unpack(parts[1]).x) * (1.0f / WEIGHT_SCALE);
}

__device__ __forceinline__ void update(const Adam &adam, const Gradient &gradient, float unscale, const Parameters &parameters) {
    const u32 row = lane() / 4, column = lane() % 4 * 2;
    const auto optimizer = updating(adam, parameters, unscale, [](float weight) { return held(weight); });
    optimizer.rows(warp() * 16, gradient.recurrent);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        u32 component = row + i / 2 % 2 * 8, unit = warp() * 16 + i / 4 * 8 + column + i % 2;
        if (component < COMPONENTS && unit < HIDDEN) optimizer.one(READOUT_AT + component * HIDDEN + unit, gradient.readout[i]);
    }
#pragma unroll
    for (int i = 0; i < 4 * COMPONENT_TILES; i++) {
        u32 unit = warp() * 16 + row + i / 2 % 2 * 8, component = i / 4 * 8 + column + i % 2;
        if (component < COMPONENTS && unit < HIDDEN) optimizer.one(INPUT_AT + unit * COMPONENTS + component, gradient.input[i]);
    }
}

__device__ void take_steps(const Launch &launch, u32 index, u32 until) {
    Shared &shared = shared_memory();
    Plan &plan = launch.plans[index];
    const Parameters parameters(launch, index);
    const float *weights = parameters.weights;
    float2 *sums = launch.sums + (u64)blockIdx.x * launch.sums_stride;
    float4 *aside = (float4 *)(launch.scratch + blockIdx.x * launch.scratch_stride);
    u8 *history = (u8 *)aside + HISTORY_AT;
    const u32 *targets = launch.targets + (u64)index * launch.target_stride;
    const u32 input_steps = plan.input_steps, bit_words = launch.bit_words;
    const double components = COMPONENTS * BATCH;
    u32 parities = shared.parities;
    while (plan.step < until && plan.status == RUNNING) {
        u32 horizon = horizon_of(plan), steps = input_steps + horizon;
        draw_bits(shared.bits(), bit_words, plan.seed, plan.step, input_steps * COMPONENTS, BATCH);
        Gradient gradient;
        float scale = FIRST_SCALE, weight_scale = WEIGHT_SCALE;
        double unscale, norm;
        do {
            prepare_small_matrices(shared, weights, weight_scale);
            forward(shared, weights, history, bit_words, input_steps, steps, weight_scale);
            backward(gradient, shared, weights, history, aside, targets, sums, bit_words, input_steps, steps, parities, scale,
                     weight_scale);
            unscale = 2.0 / (components * horizon * scale * STATE_SCALE);
            norm = sqrt(block_sum(sum_of_squares(gradient), shared.batch.by_warp)) * unscale;
            // Deltas overflow before weights do, and weights that enter as they are lose digits.
            scale *= 1.0f / 1024;
            if (scale < SMALLEST_SCALE && weight_scale == WEIGHT_SCALE) scale = FIRST_SCALE, weight_scale = 1.0f;
        } while (!isfinite(norm) && scale > SMALLEST_SCALE);
        measure(shared.batch, sums, 8, horizon, components);
        __syncthreads();
        if (prepare_update(shared.batch, plan, norm))
            update(shared.batch.adam, gradient, (float)unscale, parameters);
        finish_step(launch, index, plan, shared.batch, sums, 8, horizon, components);
    }
    __syncthreads();
    if (threadIdx.x == 0) shared.parities = parities;
}

extern "C" __global__ void __launch_bounds__(THREADS, HIDDEN <= 64 ? 2 : 1) train(Launch launch) {
    Shared &shared = shared_memory();
    if (threadIdx.x == 0) {
        shared.parities = 0;
        for (int slot = 0; slot < SLOTS; slot++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&shared.arrived[slot])) : "memory");
    }
    fence_tiles();
    __syncthreads();
    work_through_queue(launch);
}
