// What all kernels share: the layout of the plans, random inputs, curricula, the optimizer's scalars, the work queue.
// Compiled at run time without headers; the host defines HIDDEN, COMPONENTS and the other sizes of a group of networks.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

// Every field of a plan is mirrored by the host (plan.rs), in this order and without padding.
#define MAX_STAGES 32
struct Plan {
    u64 seed;
    double learning_rate, learning_rate_factor, beta1, beta2, epsilon, l2, clip;
    double threshold, factor, smoothing, horizon;
    u32 learning_rate_after, input_steps;
    u32 curriculum, stage, stages, shortest, longest, rolling_length;
    u32 step, begin, until, status;
    u32 horizons[MAX_STAGES];
};

enum { TABLE1 = 0, ADAPTIVE = 1, CONSTANT = 2 };
enum { RUNNING = 0, LOSS_DIVERGED = 1, GRADIENT_DIVERGED = 2 };

struct Row {
    double loss, accuracy, gradient_norm, learning_rate;
    u32 horizon, step;
};

// One launch takes every network from `begin` to `until`, in slices of `slice_steps` that blocks take from a queue.
struct Launch {
    Plan *plans;
    float *weights, *first_moments, *second_moments;
    const u32 *targets;
    const double *functions;
    double *rolling_losses;
    Row *rows;
    u8 *scratch;
    float2 *sums;
    u32 *queue, *slices_done;
    u64 scratch_stride;
    u32 networks, slices, slice_steps, parameter_stride, target_stride, function_stride, rolling_stride, row_stride,
        sums_stride, bit_words;
};

#define PURPOSE_TRAIN_INPUTS 2u

__device__ __forceinline__ void philox(u64 seed, u32 a, u32 b, u32 c, u32 (&x)[4]) {
    u32 k0 = (u32)seed, k1 = (u32)(seed >> 32);
    x[0] = a, x[1] = b, x[2] = c, x[3] = PURPOSE_TRAIN_INPUTS;
#pragma unroll
    for (int round = 0; round < 10; round++) {
        u32 high0 = __umulhi(0xD2511F53u, x[0]), low0 = 0xD2511F53u * x[0];
        u32 high1 = __umulhi(0xCD9E8D57u, x[2]), low1 = 0xCD9E8D57u * x[2];
        x[0] = high1 ^ x[1] ^ k0, x[1] = low1, x[2] = high0 ^ x[3] ^ k1, x[3] = low0;
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
}

// The input bits of every sample; `bit_words` is a multiple of four plus one word that a shift may look into.
__device__ __forceinline__ void draw_bits(u32 *bits, u32 bit_words, u64 seed, u32 step, u32 count, u32 batch) {
    u32 blocks = (count + 127) / 128;
    for (u32 i = threadIdx.x; i < batch * blocks; i += blockDim.x) {
        u32 x[4];
        philox(seed, step, i % batch, i / batch, x);
        for (int k = 0; k < 4; k++) bits[i % batch * bit_words + i / batch * 4 + k] = x[k];
    }
}

__device__ __forceinline__ float sign_at(const u32 *sample_bits, u32 position) {
    return sample_bits[position >> 5] >> (position & 31) & 1 ? 1.0f : -1.0f;
}

// 2 / ln 2: tanh z = E / (E + 2) with E = 2^(z TO_EXPONENT) - 1.
#define TO_EXPONENT 2.885390081777927

// 2^y - 1 of y = x (high + low) >= 0, to about a unit in the last place. The hardware's power of two is off by a few parts in
// 10^8 in the same direction at every step, which shows in a gradient over a hundred steps.
__device__ __forceinline__ float power_less_one(float x, float high, float low) {
    const float largest = 40.0f;
    float y = fmaf(x, high, x * low);
    // What is not a number stays so, and shows in the loss.
#if __CUDA_ARCH__ >= 800
    asm("min.NaN.f32 %0, %0, %1;" : "+f"(y) : "f"(largest));
#else
    y = y > largest ? largest : y;
#endif
    // The last bits of `shifted` are 127 plus the whole part of y: the exponent of a power of two.
    const float shift = 12582912.0f + 127.0f;
    float shifted = y + shift, rest = y - (shifted - shift);
    float power = __uint_as_float(__float_as_uint(shifted) << 23);
    // (2^rest - 1) / rest for |rest| <= 1/2, to 1.3e-8.
    float ratio = fmaf(1.5382534e-4f, rest, 1.3387384e-3f);
    ratio = fmaf(ratio, rest, 9.61831e-3f), ratio = fmaf(ratio, rest, 5.5503674e-2f);
    ratio = fmaf(ratio, rest, 0.24022649f), ratio = fmaf(ratio, rest, 0.6931472f);
    return fmaf(power, ratio * rest, power - 1.0f);
}

// The sum over the block in a fixed order; every thread gets it.
__device__ __forceinline__ double block_sum(double value, double *by_warp) {
    for (int offset = 16; offset; offset >>= 1) value += __shfl_xor_sync(~0u, value, offset);
    __syncthreads();
    if (threadIdx.x % 32 == 0) by_warp[threadIdx.x / 32] = value;
    __syncthreads();
    double total = 0;
    for (u32 w = 0; w < blockDim.x / 32; w++) total += by_warp[w];
    return total;
}

// Adam as the processor's engine has it: step size and corrections are made in f64, the weights in f32.
struct Adam {
    float gradient_factor, l2, one_minus_beta1, beta2, one_minus_beta2, step_size, inverse_correction, epsilon;
};

__device__ __forceinline__ void adam_update(const Adam &a, float gradient, float &weight, float &first, float &second) {
    gradient = fmaf(a.l2, weight, gradient * a.gradient_factor);
    first = fmaf(gradient - first, a.one_minus_beta1, first);
    second = fmaf(gradient * a.one_minus_beta2, gradient, second * a.beta2);
    float root;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(second));
    weight = fmaf(__fdividef(first, fmaf(root, a.inverse_correction, a.epsilon)), a.step_size, weight);
}

// Left over from a batch for its row of metrics and for the curriculum.
struct Batch {
    double loss, accuracy, norm, learning_rate;
    Adam adam;
    double by_warp[32];
};

// The number of output steps of the next batch.
__device__ __forceinline__ u32 horizon_of(const Plan &plan) { return (u32)round(plan.horizon); }

// Sums the squared errors and the right signs of every output step, `groups` partial sums each, in a fixed order.
__device__ __forceinline__ void measure(Batch &batch, float2 *sums, u32 groups, u32 horizon, double components) {
    double loss = 0, correct = 0;
    for (u32 t = threadIdx.x; t < horizon; t += blockDim.x) {
        double squared = 0;
        for (u32 g = 0; g < groups; g++) {
            float2 partial = __ldcg(&sums[t * groups + g]);
            squared += partial.x, correct += partial.y;
        }
        loss += squared;
    }
    loss = block_sum(loss, batch.by_warp), correct = block_sum(correct, batch.by_warp);
    if (threadIdx.x == 0) {
        batch.loss = loss / (components * horizon);
        batch.accuracy = correct / (components * horizon);
    }
}

// Prepares the update from the norm of the gradient. False if this network has diverged.
__device__ __forceinline__ bool prepare_update(Batch &batch, Plan &plan, double norm) {
    bool fine = isfinite(batch.loss) && isfinite(norm);
    if (threadIdx.x == 0) {
        batch.norm = norm;
        batch.learning_rate =
            plan.learning_rate * (plan.step >= plan.learning_rate_after ? plan.learning_rate_factor : 1.0);
        double taken = plan.step + 1.0;
        batch.adam.gradient_factor = (float)fmin(plan.clip / (norm + 1e-6), 1.0);
        batch.adam.l2 = (float)plan.l2;
        batch.adam.one_minus_beta1 = (float)(1.0 - plan.beta1);
        batch.adam.beta2 = (float)plan.beta2;
        batch.adam.one_minus_beta2 = (float)(1.0 - plan.beta2);
        batch.adam.epsilon = (float)plan.epsilon;
        batch.adam.step_size = (float)(-batch.learning_rate / (1.0 - pow(plan.beta1, taken)));
        batch.adam.inverse_correction = (float)(1.0 / sqrt(1.0 - pow(plan.beta2, taken)));
        if (!fine) plan.status = isfinite(batch.loss) ? GRADIENT_DIVERGED : LOSS_DIVERGED;
    }
    __syncthreads();
    return fine;
}

// The rolling loss of every output step; whether all of them are below the threshold.
__device__ __forceinline__ bool roll_losses(const Plan &plan, double *rolling, float2 *sums, u32 groups, u32 horizon,
                                            double components) {
    bool good = true;
    for (u32 t = threadIdx.x; t < horizon; t += blockDim.x) {
        double squared = 0;
        for (u32 g = 0; g < groups; g++) squared += __ldcg(&sums[t * groups + g]).x;
        double loss = squared / components;
        if (t < plan.rolling_length) loss = rolling[t] + plan.smoothing * (loss - rolling[t]);
        rolling[t] = loss;
        good = good && loss < plan.threshold;
    }
    return __syncthreads_and(good);
}

// Writes the row of metrics, moves the curriculum and the step on. All threads take part.
__device__ __forceinline__ void finish_step(const Launch &launch, u32 index, Plan &plan, Batch &batch, float2 *sums,
                                            u32 groups, u32 horizon, double components) {
    bool good = plan.curriculum == ADAPTIVE && roll_losses(plan, launch.rolling_losses + (u64)index * launch.rolling_stride,
                                                           sums, groups, horizon, components);
    __syncthreads();
    if (threadIdx.x == 0) {
        launch.rows[(u64)index * launch.row_stride + (plan.step - plan.begin)] =
            Row{batch.loss, batch.accuracy, batch.norm, batch.learning_rate, horizon, plan.step + 1};
        if (plan.curriculum == TABLE1 && batch.accuracy > plan.threshold && plan.stage + 1 < plan.stages) {
            plan.stage++;
            plan.horizon = plan.horizons[plan.stage];
        }
        if (plan.curriculum == ADAPTIVE) {
            if (plan.rolling_length < horizon) plan.rolling_length = horizon;
            double next = good ? plan.horizon * plan.factor : plan.horizon / plan.factor;
            plan.horizon = fmin(fmax(next, (double)plan.shortest), (double)plan.longest);
        }
        if (plan.status == RUNNING) plan.step++;
    }
    __syncthreads();
}

__device__ void take_steps(const Launch &launch, u32 index, u32 until);

// Slices of one network follow each other in the queue, so the block that holds an earlier slice is always running.
__device__ __forceinline__ void work_through_queue(const Launch &launch) {
    __shared__ u32 item;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0) item = atomicAdd(launch.queue, 1);
        __syncthreads();
        u32 index = item % launch.networks, slice = item / launch.networks;
        if (slice >= launch.slices) return;
        if (threadIdx.x == 0) {
            u32 done;
            do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(done) : "l"(launch.slices_done + index) : "memory");
            while (done != slice);
        }
        __syncthreads();
        Plan &plan = launch.plans[index];
        u32 end = plan.begin + (slice + 1) * launch.slice_steps;
        take_steps(launch, index, end < plan.until ? end : plan.until);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(launch.slices_done + index), "r"(slice + 1) : "memory");
        }
    }
}
