// Many-row products in one number format; included by tiles.c with SUFFIX, VECTOR_BYTES, VECTORS, KIND and STEP
// defined.
//
// A tile is six rows by PANEL outputs, whose sums stay in registers: 24 of 32 with AVX-512 and NEON, 12 of 16 with SSE2
// and AVX2. Each step loads the weights of all outputs, broadcasts one word of each row, and adds their products:
// STEP(sums, word, weights).
//
// With RUN 2, STEP multiplies matrices: two rows of two words by the same words of two outputs. Its sums are squares of
// two rows by two outputs.

#include "vector_body.h"

#ifndef RUN
#define RUN 1
#endif
#define PANEL (W * VECTORS)
#define IS_INTEGER (KIND == CK_INT8 || KIND == CK_INT16)
#define NUMBERS (KIND == CK_FLOAT32 ? 1 : KIND == CK_INT8 ? 4 : 2)
/// The number of words for k numbers.
#define STEPS(k) (((k) + NUMBERS * RUN - 1) / (NUMBERS * RUN) * RUN)
/// Whether the bytes of inputs are unsigned, by an offset of 128.
#ifndef SHIFTS
#define SHIFTS 0
#endif
#if IS_INTEGER
#define SUMS VI
#else
#define SUMS V
#endif

#include "tile_words_body.h"

/// How sums of products of bytes become floats: those of the inputs of one group, or of all groups one after another.
typedef struct {
    const int32_t *sums; // of the weights, [count][PANEL]
    const float *scales; // of the rows, [count][CK_MAX_ROWS]
    long count;
} K(group);

#if RUN == 2
/// Turns the sums of two rows into those of two squares, and back.
INLINE void K(exchange)(SUMS *a, SUMS *b) {
    SUMS lower = K(lower_halves)((VI)*a, (VI)*b);
    *b = K(upper_halves)((VI)*a, (VI)*b);
    *a = lower;
}
#endif

/// - Parameter group: NULL, or how sums become floats.
INLINE void K(tile)(const uint32_t *x, long x_stride, int rows, const uint32_t *w, long steps, int adds,
                    const K(group) *group, float *out, long out_stride) {
    SUMS sums[CK_TILE_ROWS][VECTORS];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECTORS; v++)
            sums[r][v] = adds && !group ? (SUMS)LOAD(out + r * out_stride + W * v) : (SUMS){};
#if RUN == 2
    for (int r = 0; r < rows; r += 2)
        for (int v = 0; v < VECTORS; v++) {
            if (r + 1 == rows) sums[r + 1][v] = (SUMS){};
            K(exchange)(&sums[r][v], &sums[r + 1][v]);
        }
#endif
    const uint32_t *from[CK_TILE_ROWS];
    for (int r = 0; r < rows; r++) {
        from[r] = x + r * x_stride;
        // Keeps the pointers in registers; otherwise the compiler computes each from the one before in every step.
        __asm__("" : "+r"(from[r]));
    }
    for (long s = 0; s < steps; s += RUN, w += RUN * PANEL) {
#if RUN == 2
        // Of the operands, one register of weights and those of all rows fit beside the sums. The last of an odd number
        // of rows is its own neighbor.
        VI words[CK_TILE_ROWS / 2];
        for (int r = 0; r < rows; r += 2)
            words[r / 2] = (VI)vcombine_u32(vld1_u32(from[r] + s), vld1_u32(from[r + 1 < rows ? r + 1 : r] + s));
        for (int v = 0; v < 2 * VECTORS; v++) {
            VI weights = *(const VI *)(w + W * v);
            for (int r = 0; r < rows; r += 2) {
                SUMS *to = &sums[r + v % 2][v / 2];
                *to = STEP(*to, words[r / 2], weights);
            }
        }
#else
        VI weights[VECTORS];
        for (int v = 0; v < VECTORS; v++) weights[v] = *(const VI *)(w + W * v);
        for (int r = 0; r < rows; r++) {
            VI word = (int32_t)from[r][s] - (VI){};
            for (int v = 0; v < VECTORS; v++) sums[r][v] = STEP(sums[r][v], word, weights[v]);
        }
#endif
    }
#if RUN == 2
    for (int r = 0; r < rows; r += 2)
        for (int v = 0; v < VECTORS; v++) K(exchange)(&sums[r][v], &sums[r + 1][v]);
#endif
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECTORS; v++) {
            float *to = out + r * out_stride + W * v;
            V value = (V)sums[r][v];
#if KIND == CK_INT8
            if (group) {
                VI exact = (VI)sums[r][v] - (SHIFTS ? LOAD_INTS(group->sums + W * v) << 7 : (VI){});
                value = __builtin_convertvector(exact, V) * group->scales[r];
                if (adds) value = value + LOAD(to);
            }
#endif
            STORE(to, value);
        }
}

// A tile of at most six rows.
INLINE void K(tiles)(const uint32_t *x, long x_stride, long rows, const uint32_t *w, long steps, int adds,
                     const K(group) *group, float *out, long out_stride) {
    switch (rows) {
    case 1: K(tile)(x, x_stride, 1, w, steps, adds, group, out, out_stride); break;
    case 2: K(tile)(x, x_stride, 2, w, steps, adds, group, out, out_stride); break;
    case 3: K(tile)(x, x_stride, 3, w, steps, adds, group, out, out_stride); break;
    case 4: K(tile)(x, x_stride, 4, w, steps, adds, group, out, out_stride); break;
    case 5: K(tile)(x, x_stride, 5, w, steps, adds, group, out, out_stride); break;
    default: K(tile)(x, x_stride, 6, w, steps, adds, group, out, out_stride); break;
    }
}

// Sums of all rows over one panel, added to those in out if `adds`. Weights are processed in sections that stay in the
// cache for all rows.
//
// With `groups`, each section is a group of inputs with its own scales.
static void K(panel)(const uint32_t *x, long x_stride, long rows, const uint32_t *w, long steps, int adds,
                     const K(group) *groups, float *out, long out_stride) {
    long sections = groups ? groups->count : (steps + SECTION_STEPS - 1) / SECTION_STEPS;
    for (long section = 0; section < sections; section++) {
        long first = steps / RUN * section / sections * RUN;
        long count = steps / RUN * (section + 1) / sections * RUN - first;
        const uint32_t *part = w + first * PANEL;
        for (long r = 0; r < rows; r += CK_TILE_ROWS) {
            const uint32_t *from = x + r * x_stride + first;
            float *to = out + r * out_stride;
            int has_sums = adds || first > 0;
#if KIND == CK_INT8
            if (groups) {
                K(group) group = {.sums = groups->sums + section * PANEL,
                                  .scales = groups->scales + section * CK_MAX_ROWS + r};
                K(tiles)(from, x_stride, rows - r, part, count, has_sums, &group, to, out_stride);
                continue;
            }
#endif
            K(tiles)(from, x_stride, rows - r, part, count, has_sums, NULL, to, out_stride);
        }
    }
}
// Scales W sums of a row and applies bias and activation. Sums of bytes without
// row scales are floats.
INLINE V K(finished)(int activation, const float *sums, const float *row_scale, V scale, VI offset, V shift) {
#if KIND == CK_INT8
    V value = (row_scale ? __builtin_convertvector(LOAD_INTS(sums) - offset, V) : LOAD(sums)) * scale;
#elif KIND == CK_INT16
    V value = __builtin_convertvector(LOAD_INTS(sums), V) * scale;
#else
    V value = LOAD(sums);
#endif
    return K(activated)(row_scale ? value * *row_scale + shift : value + shift, activation);
}

// Finishes the sums [rows][PANEL] of one panel, whose first output is `first`, and stores them row by row: rows of y are far
// from each other.
INLINE void K(finish_with)(int activation, const float *sums, const float *row_scales, long rows, const ck_tiles *w,
                           long first, const float *bias, int accumulate, float *y, long y_stride) {
    V shift[VECTORS], scale[VECTORS];
    VI offset[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        long o = first + W * v;
        shift[v] = bias && o < w->outputs ? K(some)(bias + o, w->outputs - o) : (V){};
#if IS_INTEGER
        scale[v] = LOAD(w->scales + o);
#else
        scale[v] = (V){};
#endif
#if KIND == CK_INT8
        offset[v] = SHIFTS && row_scales ? LOAD_INTS((const int32_t *)w->sums + o) << 7 : (VI){};
#else
        offset[v] = (VI){};
#endif
    }
    if (first + PANEL <= w->outputs) {
        for (long r = 0; r < rows; r++) {
            const float *row_scale = row_scales ? row_scales + r : NULL;
            float *to = y + r * y_stride + first;
            for (int v = 0; v < VECTORS; v++) {
                V value = K(finished)(activation, sums + r * PANEL + W * v, row_scale, scale[v], offset[v], shift[v]);
                STORE(to + W * v, accumulate ? value + LOAD(to + W * v) : value);
            }
        }
        return;
    }
    for (int v = 0; v < VECTORS && first + W * v < w->outputs; v++) {
        long o = first + W * v, count = w->outputs - o < W ? w->outputs - o : W;
        for (long r = 0; r < rows; r++) {
            const float *row_scale = row_scales ? row_scales + r : NULL;
            float *to = y + r * y_stride + o;
            V value = K(finished)(activation, sums + r * PANEL + W * v, row_scale, scale[v], offset[v], shift[v]);
            if (accumulate) value = value + K(some)(to, count);
            __builtin_memcpy(to, &value, 4 * count);
        }
    }
}

// The same with a loop for each activation.
static void K(finish)(const float *sums, const float *row_scales, long rows, const ck_tiles *w, long first,
                      const float *bias, int activation, int accumulate, float *y, long y_stride) {
#define WITH(activation) K(finish_with)(activation, sums, row_scales, rows, w, first, bias, accumulate, y, y_stride)
    switch (activation) {
    case CK_GELU: WITH(CK_GELU); break;
    case CK_SILU: WITH(CK_SILU); break;
    case CK_RELU: WITH(CK_RELU); break;
    default: WITH(CK_IDENTITY); break;
    }
#undef WITH
}

static void K(multiply)(const ck_tiles *w, const float *x, long x_stride, long rows, const float *bias, int activation,
                        int accumulate, void *scratch, float *y, long y_stride) {
    float sums[CK_MAX_ROWS * PANEL] __attribute__((aligned(64)));
    float scales[CK_MAX_GROUPS * CK_MAX_ROWS];
    long steps = STEPS(w->inputs), groups = KIND == CK_INT8 ? w->groups : 1, own = w->inputs / groups;
    for (long r = 0; r < rows; r += CK_MAX_ROWS, x += CK_MAX_ROWS * x_stride, y += CK_MAX_ROWS * y_stride) {
        long count = rows - r < CK_MAX_ROWS ? rows - r : CK_MAX_ROWS;
#if KIND == CK_FLOAT32
        const uint32_t *words = (const uint32_t *)x;
        long stride = x_stride;
#else
        uint32_t *words = scratch;
        long stride = steps;
        for (long i = 0; i < count; i++)
            for (long g = 0; g < groups; g++)
                scales[g * CK_MAX_ROWS + i] =
                    K(row)(x + i * x_stride + g * own, own, 1, KIND == CK_INT8 ? 127 : w->limit, SHIFTS,
                           words + i * steps + g * (steps / groups), steps / groups);
#endif
        for (long o = 0; o < w->outputs; o += PANEL) {
            const uint32_t *panel = (const uint32_t *)w->words + o * steps;
            if (KIND == CK_INT8 && groups > 1) {
                K(group) all = {
                    .sums = (const int32_t *)w->sums + o * groups, .scales = scales, .count = groups};
                K(panel)(words, stride, count, panel, steps, 0, &all, sums, PANEL);
                K(finish)(sums, NULL, count, w, o, bias, activation, accumulate, y, y_stride);
            } else {
                K(panel)(words, stride, count, panel, steps, 0, NULL, sums, PANEL);
                K(finish)(sums, IS_INTEGER ? scales : NULL, count, w, o, bias, activation, accumulate, y, y_stride);
            }
        }
    }
}

#if KIND != CK_INT8
static float K(words_of)(const float *x, long count, int32_t limit, uint32_t *words) {
    return K(row)(x, count, 1, limit, 0, words, (count + NUMBERS - 1) / NUMBERS);
}

static void K(convolve)(const ck_tiles *w, const uint32_t *x, long x_stride, long taps, long tap_stride, float scale,
                        long rows, const float *bias, int accumulate, float *y, long y_stride) {
    float sums[CK_MAX_ROWS * PANEL] __attribute__((aligned(64)));
    float scales[CK_MAX_ROWS];
    for (long i = 0; i < CK_MAX_ROWS; i++) scales[i] = scale;
    long steps = w->inputs / taps / NUMBERS;
    for (long r = 0; r < rows; r += CK_MAX_ROWS, x += CK_MAX_ROWS * x_stride, y += CK_MAX_ROWS * y_stride) {
        long count = rows - r < CK_MAX_ROWS ? rows - r : CK_MAX_ROWS;
        for (long o = 0; o < w->outputs; o += PANEL) {
            const uint32_t *words = (const uint32_t *)w->words + o * steps * taps;
            for (long t = 0; t < taps; t++)
                K(panel)(x + t * tap_stride, x_stride, count, words + t * steps * PANEL, steps, t > 0, NULL, sums, PANEL);
            K(finish)(sums, IS_INTEGER ? scales : NULL, count, w, o, bias, 0, accumulate, y, y_stride);
        }
    }
}
#endif

static double K(peak)(long rounds) {
    SUMS sums[CK_TILE_ROWS][VECTORS] = {};
    VI word = {}, weights[VECTORS] = {};
    for (long i = 0; i < rounds; i++)
        for (int r = 0; r < CK_TILE_ROWS; r++) {
            // To the compiler, a different word for each row.
            __asm__ volatile("" : "+" VECTOR_REGISTER(word));
            for (int v = 0; v < VECTORS; v++) {
                if (r == 0) __asm__ volatile("" : "+" VECTOR_REGISTER(weights[v]));
                sums[r][v] = STEP(sums[r][v], word, weights[v]);
            }
        }
    for (int r = 0; r < CK_TILE_ROWS; r++)
        for (int v = 0; v < VECTORS; v++) __asm__ volatile("" : : VECTOR_REGISTER(sums[r][v]));
    return 2.0 * NUMBERS * RUN * CK_TILE_ROWS * PANEL * rounds;
}

#if KIND != CK_INT8
#include "tile_attention_body.h"
#endif

static const ck_tile_kernels K(kernels) = {
    .kind = KIND,
    .instructions = INSTRUCTIONS,
    .panel = PANEL,
    .numbers = NUMBERS,
    .run = RUN,
    .pack = K(pack),
    .multiply = K(multiply),
#if KIND != CK_INT8
    .pack_head = K(pack_head),
    .attention = K(attention),
    .words_of = K(words_of),
    .convolve = K(convolve),
#endif
    .peak = K(peak),
};

#undef RUN
#undef PANEL
#undef IS_INTEGER
#undef NUMBERS
#undef STEPS
#undef SHIFTS
#undef SUMS
#undef SUFFIX
#undef KIND
#undef INSTRUCTIONS
#undef STEP
