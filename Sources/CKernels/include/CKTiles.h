#ifndef CKTILES_H
#define CKTILES_H
#include <stdint.h>

// Products of many rows with weights packed once, and attention made of them, for processors with AVX-512.
//
// Numbers are taken in words of 32 bits: one float32, two bfloat16 or four bytes. A row of k numbers is
// ck_tile_steps(kind, k) words, the rest of the last one zeros. A weight [outputs, k] is packed in panels of 64
// outputs, [panels][steps][64] words; missing outputs are zeros.

enum { CK_FLOAT32, CK_BFLOAT16, CK_INT8 };
#define CK_PANEL 64
/// Rows that are summed at once; a share of the rows is best a multiple of it.
#define CK_TILE_ROWS 6
/// Most rows of one call of ck_tile_multiply.
#define CK_MOST_ROWS 96
/// Most queries that ck_tile_attention needs room for.
#define CK_QUERY_ROWS 24

/// Whether this processor, as far as it may be used, has the instructions; 0 or 1.
int ck_has_tiles(int kind);

static inline long ck_tile_steps(int kind, long k) {
    long numbers = kind == CK_FLOAT32 ? 1 : kind == CK_BFLOAT16 ? 2 : 4;
    return (k + numbers - 1) / numbers;
}
static inline long ck_tile_panels(long outputs) { return (outputs + CK_PANEL - 1) / CK_PANEL; }

typedef struct {
    const void *words;
    const float *scales; // of each output, [panels * 64]; for CK_INT8 alone
    const void *sums;    // of each output's bytes, int32_t [panels * 64]; for CK_INT8 alone
    long outputs;
    long steps;
} ck_tiles;

/// Packs panels first..<last of a weight whose row o begins at w + o * stride; writes their part of all arrays.
void ck_tile_pack(int kind, const float *w, long stride, long outputs, long k, long first, long last, void *words,
                  float *scales, void *sums);
/// The same of a weight that lies transposed, output o of row i at x[i * stride + o]; not for CK_INT8.
void ck_tile_pack_transposed(int kind, const float *x, long stride, long outputs, long k, void *words);

/// Turns rows of float32 into words [rows][steps]; for CK_INT8 with a scale for each row.
void ck_tile_rows(int kind, const float *x, long stride, long rows, long k, void *words, float *scales);

/// y = x w^T + bias, then GELU, or added to what y holds. rows <= CK_MOST_ROWS; scales as ck_tile_rows gives them;
/// bias may be NULL.
void ck_tile_multiply(int kind, const void *x, const float *scales, long rows, const ck_tiles *w,
                      const float *bias, int gelu, int accumulate, float *y, long y_stride);

/// Floats of scratch that ck_tile_attention wants.
long ck_tile_attention_scratch(long positions, long d);
/// Attention of one head: queries [rows, d] over packed keys [positions, d] and values packed transposed, [d, positions].
/// Not for CK_INT8; scratch is aligned to 64 bytes.
void ck_tile_attention(int kind, const float *q, long q_stride, long rows, long d, float scale, const void *keys,
                       const void *values, long positions, float *scratch, float *out, long out_stride);

#endif
