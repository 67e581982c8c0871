// ---- The gradient.

// Of one gate's weights (HIDDEN x HIDDEN): the sum over time of delta_t * state_t', both (unit, sample). Deltas of `planes` gates lie
// side by side.
template <u32 planes>
__device__ void square_gradient(Factors &shared, float *gradient, const float *deltas, const float *states, u32 steps) {
    for (int i0 = 0; i0 < HIDDEN; i0 += ROWS)
        for (int j0 = 0; j0 < HIDDEN; j0 += COLUMNS) {
            Tile tile = {};
            for (u32 t = 0; t < steps; t++)
                multiply(tile, shared, deltas + t * (planes * STATE) + i0 * BATCH, BATCH, 1, HIDDEN - i0, states + (u64)t * STATE + j0 * BATCH,
                         1, BATCH, HIDDEN - j0, BATCH);
#pragma unroll
            for (int i = 0; i < THREAD_ROWS; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    int row = i0 + tile_row() + i, column = j0 + tile_column() + j;
                    if (row < HIDDEN && column < HIDDEN) gradient[row * HIDDEN + column] = tile.sum[i][j];
                }
        }
}

// gradient[c * component_stride + unit * unit_stride] = the sum over time and samples of values_t[c] * states_t[unit]. A warp has
// eight units and eight components at a time; its lanes are samples.
template <u32 planes>
__device__ void small_gradient(float *gradient, u32 component_stride, u32 unit_stride, const float *values, const float *states,
                               u32 steps) {
    for (u32 i0 = threadIdx.x / 32 * 8; i0 < HIDDEN; i0 += THREADS / 32 * 8)
        for (u32 c0 = 0; c0 < COMPONENTS; c0 += 8) {
            float sum[8][8] = {};
            for (u32 t = 0; t < steps; t++)
                for (u32 sample = threadIdx.x % 32; sample < BATCH; sample += 32) {
                    float x[8], y[8];
#pragma unroll
                    for (u32 k = 0; k < 8; k++) {
                        x[k] = i0 + k < HIDDEN ? states[t * (planes * STATE) + (i0 + k) * BATCH + sample] : 0.0f;
                        y[k] = c0 + k < COMPONENTS ? values[(u64)t * VALUES + (c0 + k) * BATCH + sample] : 0.0f;
                    }
#pragma unroll
                    for (int i = 0; i < 8; i++)
#pragma unroll
                        for (int c = 0; c < 8; c++) sum[i][c] = fmaf(x[i], y[c], sum[i][c]);
                }
#pragma unroll
            for (u32 i = 0; i < 8; i++)
#pragma unroll
                for (u32 c = 0; c < 8; c++) {
                    for (int offset = 16; offset; offset >>= 1) sum[i][c] += __shfl_xor_sync(~0u, sum[i][c], offset);
                    if (threadIdx.x % 32 == 0 && i0 + i < HIDDEN && c0 + c < COMPONENTS)
                        gradient[(c0 + c) * component_stride + (i0 + i) * unit_stride] = sum[i][c];
                }
        }
}

// The sum of `count` rows' samples over time, one warp a row.
__device__ void row_sums(float *gradient, const float *values, u32 count, u64 step, u32 steps) {
    for (u32 row = threadIdx.x / 32; row < count; row += THREADS / 32) {
        float sum = 0;
        for (u32 t = 0; t < steps; t++)
            for (u32 sample = threadIdx.x % 32; sample < BATCH; sample += 32) sum += values[t * step + row * BATCH + sample];
        for (int offset = 16; offset; offset >>= 1) sum += __shfl_xor_sync(~0u, sum, offset);
        if (threadIdx.x % 32 == 0) gradient[row] = sum;
    }
}

// All parameters of a layer.
__device__ void layer_gradient(Factors &shared, const Scratch &s, u32 index, u32 input_steps) {
    const Layer layer = s.layer(index);
    for (u32 gate = 0; gate < GATES; gate++) {
        const bool apart = CELL == GRU && gate == 2;
        const float *deltas = layer.deltas + gate * STATE, *input_deltas = apart ? layer.input_deltas : deltas;
        const u64 step = GATES * STATE, input_step = apart ? STATE : step;
        float *recurrent = s.gradient + recurrent_at(index) + gate * HIDDEN * HIDDEN, *input = s.gradient + input_at(index);
        square_gradient<GATES>(shared, recurrent, deltas, layer.states, s.steps);
        float *square = input + gate * HIDDEN * HIDDEN, *small = input + gate * HIDDEN * COMPONENTS;
        const float *below = index ? s.layer(index - 1).states + STATE : nullptr;
        if (index && apart) square_gradient<1>(shared, square, input_deltas, below, s.steps);
        else if (index) square_gradient<GATES>(shared, square, input_deltas, below, s.steps);
        else if (apart) small_gradient<1>(small, 1, COMPONENTS, s.values, input_deltas, input_steps);
        else small_gradient<GATES>(small, 1, COMPONENTS, s.values, input_deltas, input_steps);
        if (BIAS) {
            row_sums(s.gradient + input_bias_at(index) + gate * HIDDEN, input_deltas, HIDDEN, input_step, s.steps);
            row_sums(s.gradient + recurrent_bias_at(index) + gate * HIDDEN, deltas, HIDDEN, step, s.steps);
        }
    }
}

// ---- Whole steps of the optimizer.

__device__ void go_back(Factors &shared, const float *weights, const Scratch &s, u32 index, u32 input_steps) {
    const float *recurrent = weights + recurrent_at(index);
    if (index + 1 == LAYERS)
        backward<true>(shared, recurrent, s.layer(index), s.carried, weights + READOUT_AT, s.outputs, {}, input_steps, s.steps);
    else
        backward<false>(shared, recurrent, s.layer(index), s.carried, weights + input_at(index + 1), nullptr, s.layer(index + 1),
                        input_steps, s.steps);
}

__device__ void take_steps(const Launch &launch, u32 index, u32 until) {
    __shared__ Factors shared;
    __shared__ Batch batch;
    Plan &plan = launch.plans[index];
    u64 at = (u64)index * launch.parameter_stride;
    float *weights = launch.weights + at, *first = launch.first_moments + at, *second = launch.second_moments + at;
    float2 *sums = launch.sums + (u64)blockIdx.x * launch.sums_stride;
    const u32 input_steps = plan.input_steps;
    const double components = VALUES;
    while (plan.step < until && plan.status == RUNNING) {
        u32 horizon = horizon_of(plan), steps = input_steps + horizon;
        Scratch s(launch.scratch + blockIdx.x * launch.scratch_stride, steps);
        draw(launch, index, plan, s.values, horizon);
        for (u32 l = 0; l < LAYERS; l++)
            if (l) forward<HIDDEN>(shared, weights, s.layer(l), l, s.layer(l - 1).states + STATE, steps, steps);
            else forward<COMPONENTS>(shared, weights, s.layer(0), 0, s.values, input_steps, steps);
        read_out(weights, s, sums, input_steps, horizon, (float)(2.0 / (components * horizon)));
        for (u32 l = LAYERS; l-- > 0;) go_back(shared, weights, s, l, input_steps);
        for (u32 l = 0; l < LAYERS; l++) layer_gradient(shared, s, l, input_steps);
        small_gradient<1>(s.gradient + READOUT_AT, HIDDEN, 1, s.outputs, s.layer(LAYERS - 1).states + (u64)(input_steps + 1) * STATE,
                          horizon);
        if (BIAS) row_sums(s.gradient + BIAS_READOUT_AT, s.outputs, COMPONENTS, VALUES, horizon);
        __syncthreads();
        measure(batch, sums, 1, horizon, components);
        double squares = 0;
        for (u32 i = threadIdx.x; i < PARAMETERS; i += THREADS) squares += (double)s.gradient[i] * s.gradient[i];
        squares = block_sum(squares, batch.by_warp);
        if (prepare_update(batch, plan, sqrt(squares)))
            for (u32 i = threadIdx.x; i < PARAMETERS; i += THREADS)
                adam_update(batch.adam, s.gradient[i], weights[i], first[i], second[i]);
        finish_step(launch, index, plan, batch, sums, 1, horizon, components);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 2) train(Launch launch) { work_through_queue(launch); }
