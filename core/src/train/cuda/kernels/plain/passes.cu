// Where each parameter begins; rows are not padded. Every layer's recurrent and input weights, the readout, every layer's biases.
#define GATE_ROWS (GATES * HIDDEN)
#define FIRST_LAYER (GATE_ROWS * (HIDDEN + COMPONENTS))
#define READOUT_AT (FIRST_LAYER + (LAYERS - 1) * GATE_ROWS * 2 * HIDDEN)
#define BIASES_AT (READOUT_AT + COMPONENTS * HIDDEN)
#define BIAS_READOUT_AT (BIASES_AT + LAYERS * 2 * GATE_ROWS)
#define PARAMETERS (BIAS ? BIAS_READOUT_AT + COMPONENTS : BIASES_AT)
#define STATE ((u64)HIDDEN * BATCH)
#define VALUES ((u64)COMPONENTS * BATCH)

__device__ __forceinline__ u32 recurrent_at(u32 layer) { return layer ? FIRST_LAYER + (layer - 1) * GATE_ROWS * 2 * HIDDEN : 0; }
__device__ __forceinline__ u32 input_at(u32 layer) { return recurrent_at(layer) + GATE_ROWS * HIDDEN; }
__device__ __forceinline__ u32 input_bias_at(u32 layer) { return BIASES_AT + layer * 2 * GATE_ROWS; }
__device__ __forceinline__ u32 recurrent_bias_at(u32 layer) { return input_bias_at(layer) + GATE_ROWS; }

// What a layer keeps of every time step, laid out (time, gate, unit, sample): states 0..steps, deltas of the gates' sums, of n as the
// input sees it, other numbers.
struct Layer {
    float *states, *deltas, *input_deltas, *kept;
};

// Everything a block keeps in global memory, for `steps` time steps.
struct Scratch {
    float *gradient, *values, *outputs, *carried, *layers;
    u32 steps;
    __device__ Scratch(u8 *base, u32 steps) : steps(steps) {
        gradient = (float *)base;
        values = gradient + (PARAMETERS + 3) / 4 * 4;
        outputs = values + (u64)steps * VALUES;
        carried = outputs + (u64)steps * VALUES;
        layers = carried + (CELL == ELMAN ? 0 : STATE);
    }
    __device__ Layer layer(u32 index) const {
        const u64 each = (u64)(steps + 1) * STATE;
        float *states = layers + index * each * (1 + SUMS + KEPT), *deltas = states + each, *input_deltas = deltas + GATES * each;
        return {states, deltas, CELL == GRU ? input_deltas : deltas, deltas + SUMS * each};
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

// The states of a layer; `below` are those of the layer below, from the first time step on, or the inputs.
template <u32 input_size>
__device__ void forward(Factors &shared, const float *weights, const Layer &layer, u32 index, const float *below, u32 input_steps,
                        u32 steps) {
    const float *recurrent = weights + recurrent_at(index), *input = weights + input_at(index);
    const float *input_bias = weights + input_bias_at(index), *recurrent_bias = weights + recurrent_bias_at(index);
    for (u32 i = threadIdx.x; i < STATE; i += THREADS) layer.states[i] = 0;
    for (u32 t = 1; t <= steps; t++) {
        __syncthreads();
        for (int i0 = 0; i0 < HIDDEN; i0 += ROWS)
            for (int b0 = 0; b0 < BATCH; b0 += COLUMNS) {
                Tile tiles[SUMS] = {};
#pragma unroll
                for (int gate = 0; gate < GATES; gate++) {
                    multiply(tiles[gate], shared, recurrent + (gate * HIDDEN + i0) * HIDDEN, HIDDEN, 1, HIDDEN - i0,
                             layer.states + (u64)(t - 1) * STATE + b0, BATCH, 1, BATCH - b0, HIDDEN);
                    if (t <= input_steps)
                        multiply(tiles[CELL == GRU && gate == 2 ? 3 : gate], shared, input + (gate * HIDDEN + i0) * input_size, input_size,
                                 1, HIDDEN - i0, below + (u64)(t - 1) * input_size * BATCH + b0, BATCH, 1, BATCH - b0, input_size);
                }
#pragma unroll
                for (int i = 0; i < THREAD_ROWS; i++)
#pragma unroll
                    for (int j = 0; j < 4; j++) {
                        u32 unit = i0 + tile_row() + i, sample = b0 + tile_column() + j, at = unit * BATCH + sample;
                        if (unit >= HIDDEN || sample >= BATCH) continue;
                        float sums[SUMS], kept[KEPT ? KEPT : 1], before = 0;
#pragma unroll
                        for (int gate = 0; gate < SUMS; gate++) {
                            float bias = 0;
                            if (BIAS) {
                                bool apart = CELL == GRU && gate == 2;
                                bias = (apart ? 0.0f : input_bias[min(gate, GATES - 1) * HIDDEN + unit]) +
                                       (gate < GATES ? recurrent_bias[gate * HIDDEN + unit] : 0.0f);
                            }
                            sums[gate] = tiles[gate].sum[i][j] + bias;
                        }
                        if (CELL == GRU) before = layer.states[(u64)(t - 1) * STATE + at];
                        if (CELL == LSTM && t > 1) before = layer.kept[((u64)(t - 1) * KEPT + 4) * STATE + at];
                        layer.states[(u64)t * STATE + at] = next_state(sums, before, kept);
#pragma unroll
                        for (int k = 0; k < KEPT; k++) layer.kept[((u64)t * KEPT + k) * STATE + at] = kept[k];
                    }
            }
    }
    __syncthreads();
}

// Outputs, their errors times `scale` in place, and the sums of each output step: one warp a step.
__device__ void read_out(const float *weights, const Scratch &s, float2 *sums, u32 input_steps, u32 horizon, float scale) {
    for (u32 t = threadIdx.x / 32; t < horizon; t += THREADS / 32) {
        const float *state = s.layer(LAYERS - 1).states + (u64)(input_steps + t + 1) * STATE, *target = s.values + (u64)(input_steps + t) * VALUES;
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

// The deltas of a layer. What comes to it from above: transposed weights times the errors of each output step; or the input weights of
// the next layer times its deltas.
template <bool TOP>
__device__ void backward(Factors &shared, const float *recurrent, const Layer &layer, float *carried, const float *above,
                         const float *errors, const Layer &next, u32 input_steps, u32 steps) {
    // A GRU's n has deltas of its own for the input.
    const u32 rows = CELL == GRU ? 2 * HIDDEN : GATE_ROWS;
    for (u32 i = threadIdx.x; i < GATES * STATE; i += THREADS) layer.deltas[(u64)steps * GATES * STATE + i] = 0;
    if (CELL != ELMAN)
        for (u32 i = threadIdx.x; i < STATE; i += THREADS) carried[i] = 0;
    // deltas[t - 1] belongs to states[t].
    for (u32 t = steps; t > 0; t--) {
        __syncthreads();
        for (int i0 = 0; i0 < HIDDEN; i0 += ROWS)
            for (int b0 = 0; b0 < BATCH; b0 += COLUMNS) {
                Tile tile = {};
                multiply(tile, shared, recurrent + i0, 1, HIDDEN, HIDDEN - i0, layer.deltas + (u64)t * GATES * STATE + b0, BATCH, 1,
                         BATCH - b0, GATE_ROWS);
                if (TOP && t > input_steps)
                    multiply(tile, shared, above + i0, 1, HIDDEN, HIDDEN - i0, errors + (u64)(t - 1 - input_steps) * VALUES + b0, BATCH,
                             1, BATCH - b0, COMPONENTS);
                if (!TOP)
                    multiply(tile, shared, above + i0, 1, HIDDEN, HIDDEN - i0, next.deltas + (u64)(t - 1) * GATES * STATE + b0, BATCH, 1,
                             BATCH - b0, rows);
                if (!TOP && CELL == GRU)
                    multiply(tile, shared, above + rows * HIDDEN + i0, 1, HIDDEN, HIDDEN - i0, next.input_deltas + (t - 1) * STATE + b0,
                             BATCH, 1, BATCH - b0, HIDDEN);
                for (int i = 0; i < THREAD_ROWS; i++)
                    for (int j = 0; j < 4; j++) {
                        u32 unit = i0 + tile_row() + i, sample = b0 + tile_column() + j;
                        if (unit >= HIDDEN || sample >= BATCH) continue;
                        u32 at = unit * BATCH + sample;
                        float kept[KEPT ? KEPT : 1], out[SUMS], before = 0, more = CELL == ELMAN ? 0.0f : carried[at];
#pragma unroll
                        for (int k = 0; k < KEPT; k++) kept[k] = layer.kept[((u64)t * KEPT + k) * STATE + at];
                        if (CELL == GRU) before = layer.states[(u64)(t - 1) * STATE + at];
                        if (CELL == LSTM && t > 1) before = layer.kept[((u64)(t - 1) * KEPT + 4) * STATE + at];
                        float delta = tile.sum[i][j] + (CELL == GRU ? more : 0.0f);
                        deltas_of(delta, layer.states[(u64)t * STATE + at], before, kept, more, out);
                        if (CELL != ELMAN) carried[at] = more;
#pragma unroll
                        for (int gate = 0; gate < GATES; gate++)
                            layer.deltas[((u64)(t - 1) * GATES + gate) * STATE + at] = out[gate];
                        if (CELL == GRU) layer.input_deltas[(u64)(t - 1) * STATE + at] = out[SUMS - 1];
                    }
            }
    }
    __syncthreads();
}
