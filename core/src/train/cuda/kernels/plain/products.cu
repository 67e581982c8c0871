// Plain fp32 on any device from compute capability 7.0: any cell, size and number of layers, any activation, biases, any function.
// The host defines HIDDEN, LAYERS, COMPONENTS, BATCH, CELL (0 Elman, 1 GRU, 2 LSTM), ACTIVATION (0 tanh, 1 relu, 2 identity), BIAS and
// FUNCTION (0 copies, 1 a matrix, 2 truth tables).

#define THREADS 256
// The sums of all gates of a unit are one thread's.
#define ROWS (HIDDEN > 64 && CELL == 0 ? 128 : 64)
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
