// Plain fp32 on any device from compute capability 7.0: any size, any activation, biases, any function.
// The host defines HIDDEN, COMPONENTS, BATCH, ACTIVATION (0 tanh, 1 relu, 2 identity), BIAS and FUNCTION (0 copies, 1 a matrix,
// 2 truth tables).

#define THREADS 256
#define ROWS (HIDDEN > 64 ? 128 : 64)
#define COLUMNS 64
#define CHUNK 16
#define THREAD_ROWS (ROWS / 16)

// A block of ROWS x COLUMNS sums, THREAD_ROWS by four a thread.
struct Tile {
    float sum[THREAD_ROWS][4];
};

struct __align__(16) Factors {
    float left[CHUNK][ROWS + 4], right[CHUNK][COLUMNS + 4];
};

__device__ __forceinline__ u32 tile_row() { return threadIdx.x / 16 * THREAD_ROWS; }
__device__ __forceinline__ u32 tile_column() { return threadIdx.x % 16 * 4; }

// One factor's part of a chunk, by way of a thread's registers: SIZE numbers of the long side, each CHUNK deep.
template <int SIZE> struct Share {
    float x[CHUNK * SIZE / THREADS];

    // Neighbouring threads read along whichever dimension is contiguous.
    static __device__ __forceinline__ void where(int e, bool deep, int &i, int &k) {
        int at = threadIdx.x + e * THREADS;
        i = deep ? at / CHUNK : at % SIZE, k = deep ? at % CHUNK : at / SIZE;
    }
    __device__ __forceinline__ void load(const float *from, u32 stride, u32 depth_stride, int size, int k0, int depth) {
#pragma unroll
        for (int e = 0; e < CHUNK * SIZE / THREADS; e++) {
            int i, k;
            where(e, depth_stride == 1, i, k);
            x[e] = i < size && k0 + k < depth ? from[(u64)i * stride + (u64)(k0 + k) * depth_stride] : 0.0f;
        }
    }
    __device__ __forceinline__ void store(float (*to)[SIZE + 4], u32 depth_stride) const {
#pragma unroll
        for (int e = 0; e < CHUNK * SIZE / THREADS; e++) {
            int i, k;
            where(e, depth_stride == 1, i, k);
            to[k][i] = x[e];
        }
    }
};

// sum += left (rows x depth) * right (depth x columns); strides are those of (row, depth) and (depth, column). A chunk of both
// is on its way to registers while the one before is multiplied from shared memory. A chunk is summed by itself: short sums
// are rounded less.
__device__ __forceinline__ void multiply(Tile &tile, Factors &shared, const float *left, u32 row_stride,
                                         u32 left_depth_stride, int rows, const float *right, u32 right_depth_stride,
                                         u32 column_stride, int columns, int depth) {
    Share<ROWS> from_left;
    Share<COLUMNS> from_right;
    from_left.load(left, row_stride, left_depth_stride, rows, 0, depth);
    from_right.load(right, column_stride, right_depth_stride, columns, 0, depth);
    for (int k0 = 0; k0 < depth; k0 += CHUNK) {
        __syncthreads();
        from_left.store(shared.left, left_depth_stride), from_right.store(shared.right, right_depth_stride);
        __syncthreads();
        if (k0 + CHUNK < depth) {
            from_left.load(left, row_stride, left_depth_stride, rows, k0 + CHUNK, depth);
            from_right.load(right, column_stride, right_depth_stride, columns, k0 + CHUNK, depth);
        }
        Tile part = {};
#pragma unroll
        for (int k = 0; k < CHUNK; k++) {
            float x[THREAD_ROWS], y[4];
            *(float4 *)y = *(float4 *)&shared.right[k][tile_column()];
#pragma unroll
            for (int i = 0; i < THREAD_ROWS; i += 4) *(float4 *)(x + i) = *(float4 *)&shared.left[k][tile_row() + i];
#pragma unroll
            for (int i = 0; i < THREAD_ROWS; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) part.sum[i][j] = fmaf(x[i], y[j], part.sum[i][j]);
        }
#pragma unroll
        for (int i = 0; i < THREAD_ROWS; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) tile.sum[i][j] += part.sum[i][j];
    }
}

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

// Where each parameter begins; rows are not padded.
#define INPUT_AT (HIDDEN * HIDDEN)
#define READOUT_AT (INPUT_AT + HIDDEN * COMPONENTS)
#define BIAS_INPUT_AT (READOUT_AT + COMPONENTS * HIDDEN)
#define BIAS_RECURRENT_AT (BIAS_INPUT_AT + HIDDEN)
#define BIAS_READOUT_AT (BIAS_RECURRENT_AT + HIDDEN)
#define PARAMETERS (BIAS ? BIAS_READOUT_AT + COMPONENTS : BIAS_INPUT_AT)
#define STATE ((u64)HIDDEN * BATCH)
#define VALUES ((u64)COMPONENTS * BATCH)

// Everything a block keeps in global memory, for `steps` time steps, laid out (time, unit, sample).
struct Scratch {
    float *gradient, *states, *deltas, *values, *outputs;
    __device__ Scratch(u8 *base, u32 steps) {
        gradient = (float *)base;
        states = gradient + (PARAMETERS + 3) / 4 * 4;
        deltas = states + (u64)(steps + 1) * STATE;
        values = deltas + (u64)(steps + 1) * STATE;
        outputs = values + (u64)steps * VALUES;
    }
};

// Inputs and the targets that follow.
__device__ void draw(const Launch &launch, u32 index, const Plan &plan, float *values, u32 horizon) {
    u32 bits = plan.input_steps * COMPONENTS, blocks = (bits + 127) / 128;
    for (u32 i = threadIdx.x; i < BATCH * blocks; i += THREADS) {
        u32 x[4], sample = i % BATCH, block = i / BATCH;
        philox(plan.seed, plan.step, sample, block, x);
        for (u32 bit = block * 128; bit < bits && bit < block * 128 + 128; bit++)
            values[(u64)bit * BATCH + sample] = x[bit % 128 / 32] >> bit % 32 & 1 ? 1.0f : -1.0f;
    }
    __syncthreads();
    float *after = values + plan.input_steps * VALUES;
#if FUNCTION == 1
    const double *matrix = launch.functions + (u64)index * launch.function_stride;
    for (u32 t = 0; t < horizon; t++) {
        const float *window = values + t * VALUES;
        for (u32 i = threadIdx.x; i < VALUES; i += THREADS) {
            double sum = 0;
            for (u32 k = 0; k < bits; k++) sum += matrix[i / BATCH * bits + k] * (double)window[k * BATCH + i % BATCH];
            after[t * VALUES + i] = (float)sum;
        }
        __syncthreads();
    }
#elif FUNCTION == 2
    // Where each output's gate begins, then the gates: number of inputs, their places in the window, the bits of the table.
    const u32 *gates = launch.targets + (u64)index * launch.target_stride;
    for (u32 t = 0; t < horizon; t++) {
        const float *window = values + t * VALUES;
        for (u32 i = threadIdx.x; i < VALUES; i += THREADS) {
            const u32 *gate = gates + gates[i / BATCH];
            u32 inputs = gate[0], entry = 0;
            for (u32 q = 0; q < inputs; q++) entry |= (window[(u64)gate[1 + q] * BATCH + i % BATCH] > 0.0f ? 1u : 0u) << q;
            after[t * VALUES + i] = gate[1 + inputs + entry / 32] >> entry % 32 & 1 ? 1.0f : -1.0f;
        }
        __syncthreads();
    }
#else
    const u32 *table = launch.targets + (u64)index * launch.target_stride;
    for (u64 i = threadIdx.x; i < horizon * VALUES; i += THREADS) {
        u32 entry = table[i / BATCH];
        float value = values[(u64)(entry & 0x7fffffffu) * BATCH + i % BATCH];
        after[i] = entry >> 31 ? -value : value;
    }
    __syncthreads();
#endif
}

__device__ void forward(Factors &shared, const float *weights, const Scratch &s, u32 input_steps, u32 steps) {
    for (u32 i = threadIdx.x; i < STATE; i += THREADS) s.states[i] = 0;
    for (u32 t = 1; t <= steps; t++) {
        __syncthreads();
        for (int i0 = 0; i0 < HIDDEN; i0 += ROWS)
            for (int b0 = 0; b0 < BATCH; b0 += COLUMNS) {
                Tile tile = {};
                multiply(tile, shared, weights + i0 * HIDDEN, HIDDEN, 1, HIDDEN - i0, s.states + (u64)(t - 1) * STATE + b0,
                         BATCH, 1, BATCH - b0, HIDDEN);
                if (t <= input_steps)
                    multiply(tile, shared, weights + INPUT_AT + i0 * COMPONENTS, COMPONENTS, 1, HIDDEN - i0,
                             s.values + (t - 1) * VALUES + b0, BATCH, 1, BATCH - b0, COMPONENTS);
                for (int i = 0; i < THREAD_ROWS; i++)
                    for (int j = 0; j < 4; j++) {
                        u32 unit = i0 + tile_row() + i, sample = b0 + tile_column() + j;
                        if (unit >= HIDDEN || sample >= BATCH) continue;
                        float bias = BIAS ? weights[BIAS_INPUT_AT + unit] + weights[BIAS_RECURRENT_AT + unit] : 0.0f;
                        s.states[(u64)t * STATE + unit * BATCH + sample] = activate(tile.sum[i][j] + bias);
                    }
            }
    }
    __syncthreads();
}

// Outputs, their errors times `scale` in place, and the sums of each output step: one warp a step.
__device__ void read_out(const float *weights, const Scratch &s, float2 *sums, u32 input_steps, u32 horizon, float scale) {
    for (u32 t = threadIdx.x / 32; t < horizon; t += THREADS / 32) {
        const float *state = s.states + (u64)(input_steps + t + 1) * STATE, *target = s.values + (u64)(input_steps + t) * VALUES;
        float squared = 0, correct = 0;
        for (u32 sample = threadIdx.x % 32; sample < BATCH; sample += 32)
            for (u32 j0 = 0; j0 < COMPONENTS; j0 += 8) {
                float y[8] = {};
                for (u32 k0 = 0; k0 < HIDDEN; k0 += CHUNK) {
                    float part[8] = {};
                    for (u32 k = k0; k < k0 + CHUNK && k < HIDDEN; k++) {
                        float h = state[k * BATCH + sample];
#pragma unroll
                        for (u32 j = 0; j < 8; j++)
                            if (j0 + j < COMPONENTS) part[j] = fmaf(weights[READOUT_AT + (j0 + j) * HIDDEN + k], h, part[j]);
                    }
#pragma unroll
                    for (u32 j = 0; j < 8; j++) y[j] += part[j];
                }
                for (u32 j = 0; j < 8 && j0 + j < COMPONENTS; j++) {
                    float output = y[j] + (BIAS ? weights[BIAS_READOUT_AT + j0 + j] : 0.0f);
                    float u = target[(j0 + j) * BATCH + sample], error = output - u;
                    squared = fmaf(error, error, squared);
                    correct += u != 0 && (output > 0) == (u > 0) ? 1.0f : 0.0f;
                    s.outputs[(u64)t * VALUES + (j0 + j) * BATCH + sample] = error * scale;
                }
            }
        for (int offset = 16; offset; offset >>= 1) {
            squared += __shfl_xor_sync(~0u, squared, offset);
            correct += __shfl_xor_sync(~0u, correct, offset);
        }
        if (threadIdx.x % 32 == 0) sums[t] = make_float2(squared, correct);
    }
    __syncthreads();
}

__device__ void backward(Factors &shared, const float *weights, const Scratch &s, u32 input_steps, u32 steps) {
    for (u32 i = threadIdx.x; i < STATE; i += THREADS) s.deltas[(u64)steps * STATE + i] = 0;
    // deltas[t - 1] belongs to states[t].
    for (u32 t = steps; t > 0; t--) {
        __syncthreads();
        for (int i0 = 0; i0 < HIDDEN; i0 += ROWS)
            for (int b0 = 0; b0 < BATCH; b0 += COLUMNS) {
                Tile tile = {};
                multiply(tile, shared, weights + i0, 1, HIDDEN, HIDDEN - i0, s.deltas + (u64)t * STATE + b0, BATCH, 1,
                         BATCH - b0, HIDDEN);
                if (t > input_steps)
                    multiply(tile, shared, weights + READOUT_AT + i0, 1, HIDDEN, HIDDEN - i0,
                             s.outputs + (u64)(t - 1 - input_steps) * VALUES + b0, BATCH, 1, BATCH - b0, COMPONENTS);
                for (int i = 0; i < THREAD_ROWS; i++)
                    for (int j = 0; j < 4; j++) {
                        u32 unit = i0 + tile_row() + i, sample = b0 + tile_column() + j;
                        if (unit >= HIDDEN || sample >= BATCH) continue;
                        u32 at = unit * BATCH + sample;
                        s.deltas[(u64)(t - 1) * STATE + at] = tile.sum[i][j] * slope(s.states[(u64)t * STATE + at]);
                    }
            }
    }
    __syncthreads();
}

// The gradient of W_hh: the sum over time of delta_t * state_(t-1)', both (unit, sample).
__device__ void recurrent_gradient(Factors &shared, const Scratch &s, u32 steps) {
    for (int i0 = 0; i0 < HIDDEN; i0 += ROWS)
        for (int j0 = 0; j0 < HIDDEN; j0 += COLUMNS) {
            Tile tile = {};
            for (u32 t = 0; t < steps; t++)
                multiply(tile, shared, s.deltas + (u64)t * STATE + i0 * BATCH, BATCH, 1, HIDDEN - i0,
                         s.states + (u64)t * STATE + j0 * BATCH, 1, BATCH, HIDDEN - j0, BATCH);
#pragma unroll
            for (int i = 0; i < THREAD_ROWS; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    int row = i0 + tile_row() + i, column = j0 + tile_column() + j;
                    if (row < HIDDEN && column < HIDDEN) s.gradient[row * HIDDEN + column] = tile.sum[i][j];
                }
        }
}

// gradient[c * component_stride + unit * unit_stride] = the sum over time and samples of values_t[c] * states_t[unit]. A warp has
// eight units and eight components at a time; its lanes are samples.
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
                        x[k] = i0 + k < HIDDEN ? states[(u64)t * STATE + (i0 + k) * BATCH + sample] : 0.0f;
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
        forward(shared, weights, s, input_steps, steps);
        read_out(weights, s, sums, input_steps, horizon, (float)(2.0 / (components * horizon)));
        backward(shared, weights, s, input_steps, steps);
        recurrent_gradient(shared, s, steps);
        small_gradient(s.gradient + INPUT_AT, 1, COMPONENTS, s.values, s.deltas, input_steps);
        small_gradient(s.gradient + READOUT_AT, HIDDEN, 1, s.outputs, s.states + (u64)(input_steps + 1) * STATE, horizon);
        if (BIAS) {
            row_sums(s.gradient + BIAS_INPUT_AT, s.deltas, HIDDEN, STATE, steps);
            row_sums(s.gradient + BIAS_RECURRENT_AT, s.deltas, HIDDEN, STATE, steps);
            row_sums(s.gradient + BIAS_READOUT_AT, s.outputs, COMPONENTS, VALUES, horizon);
        }
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
