// ---- Whole steps of the optimizer.

// The nearest number that a pair holds, as pairs/update.cu has it.
__device__ __forceinline__ float held(float weight) {
    if (!(fabsf(weight) > 0.001f && fabsf(weight) < 60000.0f / WEIGHT_SCALE)) return weight;
    u32 parts[PARTS];
    split(weight * WEIGHT_SCALE, 0.0f, parts);
    return (unpack(parts[0]).x + unpack(parts[1]).x) * (1.0f / WEIGHT_SCALE);
}

__device__ __forceinline__ double sum_of_squares(const float *gradient) {
    double sum = 0;
    for (u32 i = threadIdx.x * 4; i < PARAMETERS; i += THREADS * 4) {
        float4 g = *(const float4 *)(gradient + i);
        float squares = g.x * g.x;
        if (i + 1 < PARAMETERS) squares = fmaf(g.y, g.y, squares);
        if (i + 2 < PARAMETERS) squares = fmaf(g.z, g.z, squares);
        if (i + 3 < PARAMETERS) squares = fmaf(g.w, g.w, squares);
        sum += squares;
    }
    return sum;
}

// Four parameters at a time; those behind the last are room that nobody reads.
__device__ __noinline__ void update(const Adam &adam, const float *gradient, float unscale, float *weights, float *first, float *second) {
    const int together = 2;
    for (u32 from = threadIdx.x; from < PARAMETER_ROOM / 4; from += THREADS * together) {
        float4 g[together], w[together], m[together], v[together];
#pragma unroll
        for (int k = 0; k < together; k++) {
            u32 i = from + k * THREADS;
            if (i >= PARAMETER_ROOM / 4) continue;
            g[k] = ((const float4 *)gradient)[i], w[k] = ((float4 *)weights)[i];
            m[k] = ((float4 *)first)[i], v[k] = ((float4 *)second)[i];
        }
#pragma unroll
        for (int k = 0; k < together; k++) {
            u32 i = from + k * THREADS;
            if (i >= PARAMETER_ROOM / 4) continue;
            float *gs = (float *)&g[k], *ws = (float *)&w[k], *ms = (float *)&m[k], *vs = (float *)&v[k];
#pragma unroll
            for (int c = 0; c < 4; c++) {
                if (4 * i + c >= PARAMETERS) continue;
                adam_update(adam, gs[c] * unscale, ws[c], ms[c], vs[c]);
                // Biases enter no product.
                if (4 * i + c < BIAS_INPUT_AT) ws[c] = held(ws[c]);
            }
            ((float4 *)weights)[i] = w[k], ((float4 *)first)[i] = m[k], ((float4 *)second)[i] = v[k];
        }
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
    while (plan.step < until && plan.status == RUNNING) {
        u32 horizon = horizon_of(plan), steps = input_steps + horizon;
        if (threadIdx.x == 0)
            shared.scratch.place(launch.scratch + blockIdx.x * launch.scratch_stride, bit_words, input_steps, steps);
        __syncthreads();
        const Scratch &s = shared.scratch;
        draw(launch, index, plan, s.bits, horizon);
        float scale = FIRST_SCALE, weight_scale = WEIGHT_SCALE;
        double unscale, norm;
        do {
            prepare_weights(weights, weight_scale);
            // What was written by plain stores is read by bulk copies.
            asm volatile("fence.proxy.async;" ::: "memory");
            __syncthreads();
            float2 errors = forward(weights, targets, sums, bit_words, input_steps, steps, scale, weight_scale);
            __syncthreads();
            backward(input_steps, steps, weight_scale);
            asm volatile("fence.proxy.async;" ::: "memory");
            __syncthreads();
            recurrent_gradient(steps);
            input_gradient(bit_words, input_steps);
            readout_gradient(input_steps, horizon);
            if (BIAS) readout_bias_gradient(errors);
            __syncthreads();
            unscale = 2.0 / (components * horizon * scale * STATE_SCALE);
            norm = sqrt(block_sum(sum_of_squares(s.gradient), shared.batch.by_warp)) * unscale;
            // Deltas overflow before weights do, and weights that enter as they are lose digits.
            scale *= 1.0f / 1024;
            if (scale < SMALLEST_SCALE && weight_scale == WEIGHT_SCALE) scale = FIRST_SCALE, weight_scale = 1.0f;
        } while (!isfinite(norm) && scale > SMALLEST_SCALE);
        measure(shared.batch, sums, 8, horizon, components);
        __syncthreads();
        if (prepare_update(shared.batch, plan, norm))
            update(shared.batch.adam, s.gradient, (float)unscale, weights, first, second);
        finish_step(launch, index, plan, shared.batch, sums, 8, horizon, components);
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) train(Launch launch) {
    Shared &shared = shared_memory();
    if (threadIdx.x == 0) {
        auto begin = [](u64 *barrier, u32 count) {
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(barrier)), "r"(count) : "memory");
        };
        shared.stays_parity = 0;
        for (int pair = 0; pair < PAIRS; pair++) {
            shared.parities[pair] = 0, begin(&shared.stays_arrived[pair], 1);
            for (int slot = 0; slot < MOST_SLOTS; slot++) shared.taken[pair][slot] = 0, begin(&shared.arrived[pair][slot], 1);
        }
        shared.gradient_ring = 0;
        for (int slot = 0; slot < 8; slot++) begin(&shared.gradient_arrived[slot], 1);
    }
    fence_tiles();
    __syncthreads();
    work_through_queue(launch);
}
