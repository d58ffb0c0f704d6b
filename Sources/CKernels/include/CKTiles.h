#ifndef CKTILES_H
#define CKTILES_H
#include <stdint.h>

// Many-row products with packed weights, and attention built on them.
//
// Numbers are processed in 32-bit words: one float32, two bfloat16 or 16-bit integers, or four bytes. A row of k
// numbers is padded with zeros to whole words. A weight [outputs, k] is packed in panels of as many outputs as a tile
// has columns, [panels][steps][panel] words, also padded with zeros. For matrix instructions, which multiply two words
// of each output at a time, the number of steps is even and the layout [panels][steps / 2][panel][2].
//
// Integers are numbers divided by a scale; each input row and each output has its own. 8-bit integers range from -127
// to 127, 16-bit weights from -2047 to 2047, and 16-bit inputs as far as no sum of products can overflow. The bytes of
// an input row may be in several groups of equal length with a scale each, so that large numbers in one group do not make
// the others coarse.

#define CK_FLOAT32 0
#define CK_BFLOAT16 1
#define CK_INT8 2
#define CK_INT16 3
/// Activations: none, GELU, x / (1 + e^-x), ReLU.
#define CK_IDENTITY 0
#define CK_GELU 1
#define CK_SILU 2
#define CK_RELU 3
/// Rows that are processed together; work is best divided into multiples of it.
#define CK_TILE_ROWS 6
/// Rows that are multiplied by a whole weight together.
#define CK_MAX_ROWS 96
/// Groups of inputs with a scale of their own.
#define CK_MAX_GROUPS 64
/// Queries that are processed together.
#define CK_QUERY_ROWS 24
/// Parts of a head begin at multiples of this: two of the longest vectors.
#define CK_PART_STEP 32

typedef struct {
    const void *words;
    const float *scales; // one per output, padded to whole panels; only for integers
    const void *sums;    // int32_t, [panels][groups][panel]: of the bytes, or of the magnitudes of 16-bit integers
    long outputs;
    long inputs;
    long groups;   // of inputs with a scale of their own; at most CK_MAX_GROUPS, each of whole vectors, 1 except for bytes
    int32_t limit; // the largest magnitude of an input; only for 16-bit integers
} ck_tiles;

/// What relative attention adds to one head: the score of query i and key j is (q[i] + u) k[j] + (q[i] + v) p[at - i +
/// j].
typedef struct {
    const void *words;   // p, packed like a weight with d inputs
    const float *scales; // one for each row of p, padded to whole panels and one vector; only for integers
    const float *u;      // [d]
    const float *v;      // [d]
    long at;             // the row of p for the first query and the first key
} ck_relative;

/// Positions first..<positions of a packed head; `first` is a multiple of CK_PART_STEP.
typedef struct {
    const void *packed;
    long positions;
    long first;
} ck_head_part;

/// The kernels of one number format for one instruction set.
typedef struct {
    int kind;
    /// The name of the instructions that multiply.
    const char *instructions;
    /// The number of outputs in a panel.
    long panel;
    /// The number of numbers in a word.
    long numbers;
    /// The number of words of an output that are stored together, 1 or 2.
    long run;

    /// Packs panels first..<last of a weight whose row o starts at w + o * stride. words, scales and sums point to the
    /// start of the arrays for all panels; scales and sums are only for integers.
    void (*pack)(const float *w, long stride, long outputs, long k, long groups, long first, long last, void *words,
                          float *scales, void *sums);
    /// y = x w^T + bias, followed by an activation or added to y. bias may be NULL; scratch is as many words as
    /// CK_MAX_ROWS rows of input have.
    void (*multiply)(const ck_tiles *w, const float *x, long x_stride, long rows, const float *bias, int activation,
                              int accumulate, void *scratch, float *y, long y_stride);
    /// Packs the keys and values [positions, d] of one head, ck_tile_head_words in all. NULL for bytes.
    void (*pack_head)(const float *keys, long key_stride, const float *values, long value_stride, long positions, long d,
                      void *packed);
    /// Attention of one head: queries [rows, d] over the packed keys and values of one part or two. relative may be
    /// NULL, as it must be for two parts. scratch is ck_tile_attention_scratch words for the positions of all parts,
    /// aligned to 64 bytes. NULL for bytes.
    void (*attention)(const float *q, long q_stride, long rows, long d, float scale, const ck_head_part *parts, long count,
                      const ck_relative *relative, void *scratch, float *out, long out_stride);
    /// Writes numbers as words with one scale, which it returns; magnitudes of integers are at most `limit`. NULL for
    /// bytes.
    float (*words_of)(const float *x, long count, int32_t limit, uint32_t *words);
    /// y = x w^T + bias, or added to y, where an input row is `taps` parts of equal length, a whole number of runs of
    /// words, that begin `tap_stride` words from each other; rows may overlap. NULL for bytes.
    void (*convolve)(const ck_tiles *w, const uint32_t *x, long x_stride, long taps, long tap_stride, float scale,
                     long rows, const float *bias, int accumulate, float *y, long y_stride);
    /// Multiplies and adds in registers only, for measuring the processor. Returns the number of operations.
    double (*peak)(long rounds);
} ck_tile_kernels;

/// The kernels of a kind for the instruction set in use; NULL if it has none.
const ck_tile_kernels *ck_tile_kernels_of(int kind);

/// Words for k numbers.
static inline long ck_tile_steps(const ck_tile_kernels *kernels, long k) {
    long together = kernels->numbers * kernels->run;
    return (k + together - 1) / together * kernels->run;
}
/// Panels for a number of outputs.
static inline long ck_tile_panels(const ck_tile_kernels *kernels, long outputs) {
    return (outputs + kernels->panel - 1) / kernels->panel;
}
/// Words for the packed keys and values of one head, each followed by its scales.
static inline long ck_tile_head_words(const ck_tile_kernels *kernels, long positions, long d) {
    return ck_tile_panels(kernels, positions) * kernels->panel * (ck_tile_steps(kernels, d) + 1)
           + ck_tile_panels(kernels, d) * kernels->panel * (ck_tile_steps(kernels, positions) + 1);
}
/// Words of scratch memory for attention, without and with relative positions: scores, queries, and for the latter the
/// scores of as many positions as the queries see, and a query with a bias.
static inline long ck_tile_attention_scratch(const ck_tile_kernels *kernels, long positions, long d, int is_relative) {
    long panels = ck_tile_panels(kernels, positions) + ck_tile_panels(kernels, d);
    if (is_relative) panels += ck_tile_panels(kernels, positions + CK_QUERY_ROWS) + 2 + ck_tile_panels(kernels, d);
    return CK_QUERY_ROWS * panels * kernels->panel;
}

#endif
