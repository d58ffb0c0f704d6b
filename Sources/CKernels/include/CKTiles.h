#ifndef CKTILES_H
#define CKTILES_H
#include <stdint.h>

// Many-row products with packed weights, and attention built on them, for processors with AVX-512.
//
// Numbers are processed in 32-bit words: one float32, two bfloat16 or four bytes. A row of k numbers is
// ck_tile_steps(kind, k) words, padded with zeros. A weight [outputs, k] is packed in panels of 64 outputs,
// [panels][steps][64] words, also padded with zeros.

enum { CK_FLOAT32, CK_BFLOAT16, CK_INT8 };
#define CK_PANEL 64
/// Rows that are processed together; work is best divided into multiples of it.
#define CK_TILE_ROWS 6
/// Maximum number of rows for ck_tile_multiply.
#define CK_MAX_ROWS 96
/// Number of queries that ck_tile_attention processes together.
#define CK_QUERY_ROWS 24

/// 1 if the instruction set in use supports the kind, otherwise 0.
int ck_has_tiles(int kind);

/// Words for k numbers.
static inline long ck_tile_steps(int kind, long k) {
    long numbers = kind == CK_FLOAT32 ? 1 : kind == CK_BFLOAT16 ? 2 : 4;
    return (k + numbers - 1) / numbers;
}
/// Panels for a number of outputs.
static inline long ck_tile_panels(long outputs) { return (outputs + CK_PANEL - 1) / CK_PANEL; }

typedef struct {
    const void *words;
    const float *scales; // one per output, [panels * 64]; only for CK_INT8
    const void *sums;    // sums of each output's bytes, int32_t [panels * 64]; only for CK_INT8
    long outputs;
    long steps;
} ck_tiles;

/// Packs panels first..<last of a weight whose row o starts at w + o * stride. words, scales and sums point to the
/// start of the arrays for all panels.
void ck_tile_pack(int kind, const float *w, long stride, long outputs, long k, long first, long last, void *words,
                  float *scales, void *sums);
/// The same for all panels of a transposed weight, whose element i of output o is x[i * stride + o]; not for CK_INT8.
void ck_tile_pack_transposed(int kind, const float *x, long stride, long outputs, long k, void *words);

/// Converts float32 rows to words [rows][steps]; for CK_INT8 also writes one scale per row.
void ck_tile_rows(int kind, const float *x, long stride, long rows, long k, void *words, float *scales);

/// y = x w^T + bias, optionally followed by GELU or added to y. x and scales come from ck_tile_rows;
/// rows <= CK_MAX_ROWS; bias may be NULL.
void ck_tile_multiply(int kind, const void *x, const float *scales, long rows, const ck_tiles *w,
                      const float *bias, int gelu, int accumulate, float *y, long y_stride);

/// Number of scratch floats for ck_tile_attention.
long ck_tile_attention_scratch(long positions, long d);
/// Attention of one head: queries [rows, d] over packed keys [positions, d] and transposed packed values [d,
/// positions]. Not for CK_INT8; scratch must be aligned to 64 bytes.
void ck_tile_attention(int kind, const float *q, long q_stride, long rows, long d, float scale, const void *keys,
                       const void *values, long positions, float *scratch, float *out, long out_stride);

#endif
