// Tensor cores, from compute capability 9.0, where the weights are more than the registers of a block hold: gated cells, and
// Elman networks of up to 512 units. Batches of 64, up to 16 components, biases, signed selections and truth tables. The host
// defines HIDDEN, COMPONENTS, CELL, BIAS, FUNCTION, UNITS, TILES, MEMORY_BYTES, RECORD_BYTES, GATES_IN_TILE, BLOCKS,
// DELTA_TERMS and GRADIENT_TERMS.
//
// Factors are pairs of fp16 numbers, as in pairs/layout.cu. One block trains one network. Two warps own TILES tiles of 16 units
// with all their gates, each for half of the batch. Weights lie in global memory as ready fragments in the order in which they
// are needed. As many as fit stay in shared memory for a whole pass; the others come through a ring that the two warps fill for
// themselves, once a time step. Sums of 16 products leave the tensor cores, which cut off, and are added by fp32 units, which round.
//
// The gradient is a pass by itself: states and deltas of all time steps go to global memory as fragments, in the layout in
// which sums come out of the tensor cores, which is that of a factor of the gradient's product.

#define ELMAN 0
#define GRU 1
#define LSTM 2
#define GATES (CELL == GRU ? 3 : CELL == LSTM ? 4 : 1)
#define PARTS 2
#define UNIT_TILES (UNITS / 16)
#define PAIRS (UNIT_TILES / TILES)
#define WARPS (2 * PAIRS)
#define THREADS (WARPS * 32)
// Tiles of 16 samples: all, those of a warp, and its tiles of 8.
#define SAMPLE_TILES (BATCH / 16)
#define OWN_SAMPLE_TILES (SAMPLE_TILES / 2)
#define OWN_EIGHTS (2 * OWN_SAMPLE_TILES)
#define STATE_BYTES (TILE_BYTES * PARTS)
// A fragment of 16 x 16 numbers and its low part.
#define FRAGMENT_BYTES 1024

// Forward, a warp takes GROUPS groups of ROW_TILES row tiles: the gates of a unit tile, or all unit tiles of an Elman network.
#if CELL == ELMAN
#define ROW_TILES TILES
#define GROUPS 1
#else
#define ROW_TILES GATES
#define GROUPS TILES
#endif
#define FORWARD_DEPTH UNIT_TILES
#define BACKWARD_DEPTH (GATES * UNIT_TILES)
#define SLOT_BYTES (ROW_TILES * FRAGMENT_BYTES)
// Inner tiles of a backward slot.
#define BACKWARD_TILES (ROW_TILES / TILES)

// The gradient takes GRADIENT_ROWS of two warps' row tiles and, for each of the two, GRADIENT_COLUMNS tiles of 8 units at a time.
#define WARP_ROWS (GATES * TILES)
#define GRADIENT_ROWS (WARP_ROWS % 2 == 0 ? 2 : WARP_ROWS)
#define ROW_PASSES (WARP_ROWS / GRADIENT_ROWS)
#define MOST_COLUMNS (GRADIENT_ROWS == 1 ? 16 : GRADIENT_ROWS == 2 && UNITS % 128 == 0 ? 8 : 4)
#define GRADIENT_COLUMNS (UNITS / 16 < MOST_COLUMNS ? UNITS / 16 : MOST_COLUMNS)
#define COLUMN_PASSES (UNITS / 16 / GRADIENT_COLUMNS)
#define GRADIENT_SLOT_BYTES ((PAIRS * GRADIENT_ROWS + GRADIENT_COLUMNS) * FRAGMENT_BYTES)

#define WEIGHT_SCALE 64.0f
#define STATE_SCALE 4096.0f
// As fp16: the input of a set bit.
#define INPUT_ONE 0x6C00u

#undef INPUT_AT
#undef READOUT_AT
#define GATE_ROWS (GATES * HIDDEN)
#define INPUT_AT (GATE_ROWS * HIDDEN)
#define READOUT_AT (INPUT_AT + GATE_ROWS * COMPONENTS)
#define BIAS_INPUT_AT (READOUT_AT + HIDDEN * COMPONENTS)
#define BIAS_RECURRENT_AT (BIAS_INPUT_AT + GATE_ROWS)
#define BIAS_READOUT_AT (BIAS_RECURRENT_AT + GATE_ROWS)
#define PARAMETERS (BIAS ? BIAS_READOUT_AT + COMPONENTS : BIAS_INPUT_AT)
#define PARAMETER_ROOM ((PARAMETERS + 3) / 4 * 4)

// Numbers that a cell keeps for the way back, beside its state: r, z, n and the recurrent sum of n; i, f, g, o and c.
#define KEPT (CELL == GRU ? 4 : CELL == LSTM ? 5 : 0)
#define KEPT_BYTES (KEPT * UNITS * BATCH * 4)
#define DELTA_BYTES (GATES * STATE_BYTES)
#define ERROR_FRAGMENT_BYTES (8 * 512)

// Dynamic shared memory: MEMORY_BYTES for tiles of states or deltas with weights behind them, and struct Shared. As many chunks of
// weights stay there as fit; the others come and go through a ring of slots.
#define MOST_SLOTS 3
// A unit tile's states may replace those before once all of them were multiplied; with several groups they are kept apart.
#define STATE_BUFFERS (GROUPS > 1 ? 2 : 1)
#define STATES_BYTES (STATE_BUFFERS * STATE_BYTES)
#define DELTAS_BYTES (GATES_IN_TILE * STATE_BYTES)
#define CHUNKS_BEHIND(bytes) ((MEMORY_BYTES - (bytes)) / (PAIRS * SLOT_BYTES))
#define FORWARD_CHUNKS (GROUPS * FORWARD_DEPTH)
#define BACKWARD_CHUNKS (BACKWARD_DEPTH / BACKWARD_TILES)
#define GRADIENT_SLOTS (MEMORY_BYTES / GRADIENT_SLOT_BYTES < 8 ? MEMORY_BYTES / GRADIENT_SLOT_BYTES : 8)

// A policy of the second-level cache: evict first.
#define PASS_THROUGH 0x12F0000000000000ull

// A block's part of global memory. It lies in shared memory: registers are few, and local memory is far.
struct Scratch {
    // Fragments: W_hh forward and transposed, W_uh, W_r and its transpose.
    u8 *forward, *backward, *input, *readout, *readout_transposed;
    float *gradient;
    // By time step, beginning with state 0: states, deltas, what a cell keeps, the deltas of n as the input sees them.
    u8 *states, *deltas, *kept, *input_deltas;
    // By output step: errors as right and as left factors.
    u8 *errors_right, *errors_left;
    u32 *bits;

    __device__ __forceinline__ void place(u8 *base, u32 bit_words, u32 input_steps, u32 steps) {
        auto take = [&](u64 bytes) {
            u8 *part = base;
            base += (bytes + 255) / 256 * 256;
            return part;
        };
        const u64 matrix = (u64)GATES * UNIT_TILES * UNIT_TILES * FRAGMENT_BYTES, horizon = steps - input_steps;
        forward = take(matrix), backward = take(matrix);
        input = take(GATES * UNIT_TILES * FRAGMENT_BYTES);
        readout = take(UNIT_TILES * FRAGMENT_BYTES), readout_transposed = take(UNIT_TILES * FRAGMENT_BYTES);
        gradient = (float *)take(PARAMETER_ROOM * 4);
        bits = (u32 *)take(BATCH * bit_words * 4);
        states = take((u64)(steps + 1) * STATE_BYTES), deltas = take((u64)steps * DELTA_BYTES);
        kept = take((u64)(steps + 1) * KEPT_BYTES), input_deltas = take(CELL == GRU ? (u64)input_steps * STATE_BYTES : 0);
        errors_right = take(horizon * ERROR_FRAGMENT_BYTES), errors_left = take(horizon * ERROR_FRAGMENT_BYTES);
    }
};

struct Shared {
    u64 arrived[PAIRS][MOST_SLOTS], stays_arrived[PAIRS], gradient_arrived[8];
    float errors[8][16];
    // How many of two warps have taken what is in a slot; a bit for each slot: which of its barrier's phases comes next.
    u32 taken[PAIRS][MOST_SLOTS], parities[PAIRS], stays_parity, gradient_ring;
    Scratch scratch;
    Batch batch;
};

static_assert(sizeof(Shared) <= RECORD_BYTES, "the host leaves less room behind the tiles");

__device__ __forceinline__ u8 *tiles_memory() {
    extern __shared__ __align__(1024) u8 dynamic[];
    return dynamic;
}
__device__ __forceinline__ Shared &shared_memory() { return *(Shared *)(tiles_memory() + MEMORY_BYTES); }

__device__ __forceinline__ u32 own_pair() { return warp() / 2; }
__device__ __forceinline__ u32 own_half() { return warp() % 2; }

__device__ __forceinline__ void split(float a, float b, u32 (&parts)[PARTS]) { split(a, b, parts[0], parts[1]); }

__device__ __forceinline__ float2 whole(u32 high, u32 low) {
    float2 a = unpack(high), b = unpack(low);
    return make_float2(a.x + b.x, a.y + b.y);
}

// Numbers that are needed once more, much later.
__device__ __forceinline__ void put(void *to, uint4 x) { __stcs((uint4 *)to + lane(), x); }
__device__ __forceinline__ void put(void *to, float4 x) { __stcs((float4 *)to + lane(), x); }

__device__ __forceinline__ void get(u32 (&r)[4], const void *from) {
    uint4 x = ((const uint4 *)from)[lane()];
    r[0] = x.x, r[1] = x.y, r[2] = x.z, r[3] = x.w;
}

// The same, of numbers that are not needed again and should not push others out of the first-level cache.
__device__ __forceinline__ void get_once(u32 (&r)[4], const void *from) {
    asm volatile("ld.global.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "l"((const uint4 *)from + lane()));
}
__device__ __forceinline__ float4 get_once(const float4 *from) {
    float4 x;
    asm volatile("ld.global.L1::no_allocate.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                 : "l"(from + lane()));
    return x;
}

// A product that the compiler may move.
__device__ __forceinline__ void product(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// sums += a * b for ROWS left and COLUMNS right factors: TERMS products of a pair with a pair, those with a low part first, on sums
// of their own. Term after term, so that no product waits for the one before it.
template <int TERMS, int ROWS, int COLUMNS, int ALL>
__device__ __forceinline__ void add_products(float (&sums)[ROWS][ALL][4], int first, const u32 (&a)[ROWS][PARTS][4],
                                             const u32 (&b)[COLUMNS][PARTS][2]) {
    float c[ROWS][COLUMNS][4] = {};
#pragma unroll
    for (int term = TERMS - 1; term >= 0; term--)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int n = 0; n < COLUMNS; n++)
                product(c[r][n], a[r][term == 2 ? 1 : 0], b[n][term == 1 ? 1 : 0][0], b[n][term == 1 ? 1 : 0][1]);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int n = 0; n < COLUMNS; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) sums[r][first + n][i] += c[r][n][i];
}

// The right factors of two tiles of 8 columns from four matrices.
__device__ __forceinline__ void pair_up(u32 (&b)[2][PARTS][2], const u32 (&from)[PARTS][4], int second) {
#pragma unroll
    for (int n = 0; n < 2; n++)
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            b[n][part][0] = from[part][second == 1 ? 2 * n : n], b[n][part][1] = from[part][second == 1 ? 2 * n + 1 : n + 2];
}

// Asks for memory that is needed soon, once.
__device__ __forceinline__ void bring_near(const void *from, u32 bytes) {
    asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], %1, %2;" ::"l"(from), "r"(bytes), "l"(PASS_THROUGH) : "memory");
}

// ---- The ring of two warps.

__device__ __forceinline__ void wait_at(u32 barrier, u32 parity) {
    asm volatile("{ .reg .pred done; again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1; @!done bra again; }" ::"r"(barrier),
                 "r"(parity) : "memory");
}

// CHUNKS chunks of weights that two warps need at each of `times` time steps, always in the same order, FRAGMENTS fragments each.
// The first ones stay in shared memory, where ROOM chunks of every pair of warps have room; the others come and go: both warps
// take every chunk, each at its own pace, and whoever is second fills the slot again.
template <int CHUNKS, int FRAGMENTS, int ROOM> struct Stream {
    static constexpr int SLOTS = CHUNKS <= ROOM ? 0 : ROOM < MOST_SLOTS ? ROOM : MOST_SLOTS;
    static constexpr int STAY = CHUNKS <= ROOM ? CHUNKS : ROOM - SLOTS;
    static constexpr int COME = CHUNKS - STAY;
    static constexpr u32 BYTES = FRAGMENTS * FRAGMENT_BYTES;
    static_assert(CHUNKS <= ROOM || SLOTS >= 2, "a ring has two slots at least");
    const u8 *from;
    u32 stays, ring, now, at, left, slot, parities;

    __device__ __forceinline__ Stream(const u8 *weights, u8 *memory, u32 times) : now(0), at(0), left(COME * times), slot(0) {
        Shared &shared = shared_memory();
        const bool fills = own_half() == 0 && lane() == 0;
        stays = address(memory) + own_pair() * STAY * SLOT_BYTES;
        ring = address(memory) + PAIRS * STAY * SLOT_BYTES + own_pair() * SLOTS * SLOT_BYTES;
        from = weights + (u64)own_pair() * CHUNKS * BYTES;
        parities = shared.parities[own_pair()];
        u32 barrier = address(&shared.stays_arrived[own_pair()]), parity = shared.stays_parity;
        if (STAY && fills) {
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(STAY * BYTES) : "memory");
            for (int i = 0; i < STAY; i++) copy(stays + i * SLOT_BYTES, from + (u64)i * BYTES, barrier);
        }
        from += (u64)STAY * BYTES;
        for (int i = 0; i < SLOTS; i++) {
            if (fills) fill(i);
            advance();
        }
        if (STAY) wait_at(barrier, parity);
    }
    static __device__ __forceinline__ void copy(u32 to, const u8 *from, u32 barrier) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from),
                     "r"(BYTES), "r"(barrier) : "memory");
    }
    __device__ __forceinline__ void advance() { left -= left != 0, at = at + 1 == COME ? 0 : at + 1; }
    __device__ __forceinline__ void fill(u32 where) const {
        if (left == 0) return;
        u32 barrier = address(&shared_memory().arrived[own_pair()][where]);
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(BYTES) : "memory");
        copy(ring + where * SLOT_BYTES, from + (u64)at * BYTES, barrier);
    }
    // Where the next chunk lies.
    __device__ __forceinline__ u32 next() {
        if (COME == 0 || now < STAY) return stays + now * SLOT_BYTES;
        wait_at(address(&shared_memory().arrived[own_pair()][slot]), parities >> slot & 1);
        return ring + slot * SLOT_BYTES;
    }
    // Called when its fragments are in registers.
    __device__ __forceinline__ void done() {
        if (COME && now >= STAY) {
            parities ^= 1u << slot;
            __syncwarp();
            if (lane() == 0) {
                u32 *taken = &shared_memory().taken[own_pair()][slot], before;
                asm volatile("atom.shared.acq_rel.cta.add.u32 %0, [%1], 1;" : "=r"(before) : "r"(address(taken)) : "memory");
                if (before == 1) *taken = 0, fill(slot);
            }
            advance();
            slot = slot + 1 == SLOTS ? 0 : slot + 1;
        }
        now = now + 1 == CHUNKS ? 0 : now + 1;
    }
    // Every slot is empty now.
    __device__ __forceinline__ void close() {
        __syncthreads();
        Shared &shared = shared_memory();
        if (own_half() == 0 && lane() == 0) shared.parities[own_pair()] = parities;
        if (STAY && threadIdx.x == 0) shared.stays_parity ^= 1;
        __syncthreads();
    }
};

typedef Stream<FORWARD_CHUNKS, ROW_TILES, CHUNKS_BEHIND(STATES_BYTES)> ForwardStream;
typedef Stream<BACKWARD_CHUNKS, BACKWARD_TILES * TILES, CHUNKS_BEHIND(DELTAS_BYTES)> BackwardStream;

// A fragment of a chunk.
__device__ __forceinline__ void take(u32 (&a)[PARTS][4], u32 chunk, int index) {
#pragma unroll
    for (int part = 0; part < PARTS; part++)
        asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a[part][0]), "=r"(a[part][1]), "=r"(a[part][2]), "=r"(a[part][3])
                     : "r"(chunk + (index * PARTS + part) * 512 + lane() * 16) : "memory");
}

// Waits for the warps that have the same half of the batch: samples of one half never meet those of the other, so that one half
// can be multiplied while the other goes through its cell.
__device__ __forceinline__ void sync_half() { asm volatile("bar.sync %0, %1;" ::"r"(1 + own_half()), "r"(THREADS / 2) : "memory"); }
