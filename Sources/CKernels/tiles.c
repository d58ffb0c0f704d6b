// Products with packed weights for AVX-512; see CKTiles.h.
#include "CKernels.h"
#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define K(name) CONCAT(name, SUFFIX)
/// 384 words of a panel are 96 KiB.
#define STEPS_AT_ONCE 384

int ck_has_tiles(int kind) {
    if (strcmp(ck_instruction_set(), "avx512")) return 0;
    switch (kind) {
    case CK_BFLOAT16: return __builtin_cpu_supports("avx512bf16") != 0;
    case CK_INT8: return __builtin_cpu_supports("avx512vnni") != 0;
    default: return 1;
    }
}

// The extensions that this program requires to use AVX-512.
#define BASE "avx512f,avx512bw,avx512dq,avx512vl,fma"
#pragma clang attribute push(__attribute__((target(BASE))), apply_to = function)

#define SUFFIX _f32_avx512
#define WORDS __m512
#define LOAD_WORDS(p) _mm512_load_ps(p)
#define SPLAT(p) _mm512_set1_ps(*(const float *)(p))
#define SUMS __m512
#define NO_SUMS _mm512_setzero_ps()
#define LOAD_SUMS(p) _mm512_loadu_ps(p)
#define STORE_SUMS(p, x) _mm512_storeu_ps(p, x)
#define STEP(sums, x, w) _mm512_fmadd_ps(x, w, sums)
#include "tile_body.h"

#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target(BASE ",avx512bf16"))), apply_to = function)
#define SUFFIX _bf16_avx512
#define WORDS __m512i
#define LOAD_WORDS(p) _mm512_load_si512(p)
#define SPLAT(p) _mm512_set1_epi32((int)*(p))
#define SUMS __m512
#define NO_SUMS _mm512_setzero_ps()
#define LOAD_SUMS(p) _mm512_loadu_ps(p)
#define STORE_SUMS(p, x) _mm512_storeu_ps(p, x)
#define STEP(sums, x, w) _mm512_dpbf16_ps(sums, (__m512bh)(x), (__m512bh)(w))
#include "tile_body.h"

/// Packs 32 float32 numbers into 16 bfloat16 words.
INLINE __m512i pairs(__m512 low, __m512 high) { return (__m512i)_mm512_cvtne2ps_pbh(high, low); }

static void row_bf16_avx512(const float *x, long k, float factor, uint32_t *words, long steps) {
    __m512 f = _mm512_set1_ps(factor);
    long s = 0;
    for (; k >= 32; s += 16, x += 32, k -= 32)
        _mm512_storeu_si512(words + s, pairs(_mm512_loadu_ps(x) * f, _mm512_loadu_ps(x + 16) * f));
    for (; s < steps; s += 16, x += 32, k -= 32) {
        __mmask16 first = k >= 16 ? 0xffff : (1u << k) - 1, second = k >= 32 ? 0xffff : k <= 16 ? 0 : (1u << (k - 16)) - 1;
        __mmask16 to = steps - s >= 16 ? 0xffff : (1u << (steps - s)) - 1;
        __m512 low = _mm512_maskz_loadu_ps(first, x) * f, high = _mm512_maskz_loadu_ps(second, x + 16) * f;
        _mm512_mask_storeu_epi32(words + s, to, pairs(low, high));
    }
}

static void transposed_bf16_avx512(const float *x, long stride, long k, __mmask16 columns, uint32_t *words) {
    for (long i = 0; i < k; i += 2, words += CK_PANEL) {
        __m512 low = _mm512_maskz_loadu_ps(columns, x + i * stride);
        __m512 high = i + 1 < k ? _mm512_maskz_loadu_ps(columns, x + (i + 1) * stride) : _mm512_setzero_ps();
        __m512i lows = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(low));
        __m512i highs = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(high));
        _mm512_store_si512(words, _mm512_or_si512(lows, _mm512_slli_epi32(highs, 16)));
    }
}
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target(BASE ",avx512vnni"))), apply_to = function)
#define SUFFIX _i8_avx512
#define WORDS __m512i
#define LOAD_WORDS(p) _mm512_load_si512(p)
#define SPLAT(p) _mm512_set1_epi32((int)*(p))
#define SUMS __m512i
#define NO_SUMS _mm512_setzero_si512()
#define LOAD_SUMS(p) _mm512_loadu_si512(p)
#define STORE_SUMS(p, x) _mm512_storeu_si512(p, x)
#define STEP(sums, x, w) _mm512_dpbusd_epi32(sums, x, w)
#include "tile_body.h"
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target(BASE))), apply_to = function)
static void row_f32_avx512(const float *x, long k, float factor, uint32_t *words) {
    long i = 0;
    for (; i + 16 <= k; i += 16) _mm512_storeu_ps(words + i, _mm512_loadu_ps(x + i) * _mm512_set1_ps(factor));
    for (; i < k; i++) ((float *)words)[i] = x[i] * factor;
}

/// Writes bytes round(x / scale) + offset, where the scale maps the maximum magnitude to 127, and returns the scale.
/// Unused bytes of the last word are zero.
static float row_i8_avx512(const float *x, long k, int offset, uint32_t *words, long steps) {
    __m512 tops = _mm512_setzero_ps(), others = _mm512_setzero_ps();
    for (long i = 0; i < k; i += 32) {
        __mmask16 first = k - i >= 16 ? 0xffff : (1u << (k - i)) - 1;
        __mmask16 second = k - i >= 32 ? 0xffff : k - i > 16 ? (1u << (k - i - 16)) - 1 : 0;
        tops = _mm512_max_ps(tops, _mm512_abs_ps(_mm512_maskz_loadu_ps(first, x + i)));
        others = _mm512_max_ps(others, _mm512_abs_ps(_mm512_maskz_loadu_ps(second, x + i + 16)));
    }
    tops = _mm512_max_ps(tops, others);
    float top = _mm512_reduce_max_ps(tops);
    __m512 factor = _mm512_set1_ps(top > 0 ? 127 / top : 0);
    __m512i shift = _mm512_set1_epi32(offset);
    words[steps - 1] = 0;
    long i = 0;
    for (; i + 16 <= k; i += 16) {
        __m512i whole = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_loadu_ps(x + i) * factor), shift);
        _mm_storeu_si128((__m128i *)((uint8_t *)words + i), _mm512_cvtepi32_epi8(whole));
    }
    if (i < k) {
        __mmask16 mask = (1u << (k - i)) - 1;
        __m512i whole = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_maskz_loadu_ps(mask, x + i) * factor), shift);
        _mm_mask_storeu_epi8((uint8_t *)words + i, mask, _mm512_cvtepi32_epi8(whole));
    }
    return top / 127;
}

void ck_tile_rows(int kind, const float *x, long stride, long rows, long k, void *to, float *scales) {
    long steps = ck_tile_steps(kind, k);
    uint32_t *words = to;
    for (long r = 0; r < rows; r++, x += stride, words += steps) {
        if (kind == CK_FLOAT32) row_f32_avx512(x, k, 1, words);
        else if (kind == CK_BFLOAT16) row_bf16_avx512(x, k, 1, words, steps);
        else scales[r] = row_i8_avx512(x, k, 128, words, steps);
    }
}

/// Transposes 16 rows of 16 words.
INLINE void turn(__m512i rows[16]) {
    __m512i a[16];
    for (int i = 0; i < 8; i++) {
        a[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
        a[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
    }
    for (int i = 0; i < 4; i++)
        for (int h = 0; h < 2; h++) {
            rows[4 * i + 2 * h] = _mm512_unpacklo_epi64(a[4 * i + h], a[4 * i + 2 + h]);
            rows[4 * i + 2 * h + 1] = _mm512_unpackhi_epi64(a[4 * i + h], a[4 * i + 2 + h]);
        }
    for (int h = 0; h < 2; h++)
        for (int j = 0; j < 4; j++) {
            a[8 * h + j] = _mm512_shuffle_i32x4(rows[8 * h + j], rows[8 * h + 4 + j], 0x88);
            a[8 * h + 4 + j] = _mm512_shuffle_i32x4(rows[8 * h + j], rows[8 * h + 4 + j], 0xdd);
        }
    for (int j = 0; j < 8; j++) {
        rows[j] = _mm512_shuffle_i32x4(a[j], a[8 + j], 0x88);
        rows[8 + j] = _mm512_shuffle_i32x4(a[j], a[8 + j], 0xdd);
    }
}

void ck_tile_pack(int kind, const float *w, long stride, long outputs, long k, long first, long last, void *to,
                  float *scales, void *to_sums) {
    long steps = ck_tile_steps(kind, k);
    uint32_t *words = to;
    int32_t *sums = to_sums;
    uint32_t row[16][16];
    for (long o = first * CK_PANEL; o < last * CK_PANEL; o += 16) {
        uint32_t *panel = words + o / CK_PANEL * steps * CK_PANEL + o % CK_PANEL;
        float factors[16] = {0};
        for (long j = 0; j < 16 && kind == CK_INT8; j++) {
            float top = 0;
            for (long i = 0; i < k && o + j < outputs; i++) top = fmaxf(top, fabsf(w[(o + j) * stride + i]));
            scales[o + j] = top / 127;
            factors[j] = top > 0 ? 127 / top : 0;
            sums[o + j] = 0;
        }
        for (long s = 0; s < steps; s += 16) {
            memset(row, 0, sizeof row);
            for (long j = 0; j < 16 && o + j < outputs; j++) {
                const float *from = w + (o + j) * stride;
                if (kind == CK_FLOAT32) {
                    row_f32_avx512(from + s, k - s < 16 ? k - s : 16, 1, row[j]);
                } else if (kind == CK_BFLOAT16) {
                    row_bf16_avx512(from + 2 * s, k - 2 * s < 32 ? k - 2 * s : 32, 1, row[j], 16);
                } else {
                    int8_t *bytes = (int8_t *)row[j];
                    for (long i = 0; i < 64 && 4 * s + i < k; i++) {
                        bytes[i] = (int8_t)lrintf(from[4 * s + i] * factors[j]);
                        sums[o + j] += bytes[i];
                    }
                }
            }
            __m512i block[16];
            for (int j = 0; j < 16; j++) block[j] = _mm512_loadu_si512(row[j]);
            turn(block);
            for (long j = 0; j < 16 && s + j < steps; j++) _mm512_store_si512(panel + (s + j) * CK_PANEL, block[j]);
        }
    }
}

void ck_tile_pack_transposed(int kind, const float *x, long stride, long outputs, long k, void *words) {
    long steps = ck_tile_steps(kind, k);
    for (long o = 0; o < ck_tile_panels(outputs) * CK_PANEL; o += 16) {
        uint32_t *to = (uint32_t *)words + o / CK_PANEL * steps * CK_PANEL + o % CK_PANEL;
        long count = outputs - o;
        __mmask16 columns = count >= 16 ? 0xffff : count > 0 ? (1u << count) - 1 : 0;
        if (kind == CK_BFLOAT16) transposed_bf16_avx512(x + o, stride, k, columns, to);
        else
            for (long i = 0; i < k; i++)
                _mm512_store_ps(to + i * CK_PANEL, _mm512_maskz_loadu_ps(columns, x + o + i * stride));
    }
}

INLINE __m512 splat(float x) { return _mm512_set1_ps(x); }

/// 2^x for x <= 0 with a relative error below 1.2e-7; 0 for very negative x.
INLINE __m512 power(__m512 x) {
    x = _mm512_max_ps(x, splat(-200));
    __m512 whole = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC), r = x - whole;
    // Taylor coefficients ln(2)^n / n! up to n = 7.
    __m512 p = _mm512_fmadd_ps(splat(1.525273380e-5f), r, splat(1.540353039e-4f));
    p = _mm512_fmadd_ps(p, r, splat(1.333355815e-3f));
    p = _mm512_fmadd_ps(p, r, splat(9.618129107e-3f));
    p = _mm512_fmadd_ps(p, r, splat(5.550410866e-2f));
    p = _mm512_fmadd_ps(p, r, splat(0.2402265070f));
    p = _mm512_fmadd_ps(p, r, splat(0.6931471806f));
    p = _mm512_fmadd_ps(p, r, splat(1));
    return _mm512_scalef_ps(p, whole);
}

/// The same with a relative error of 1e-4, a twentieth of the rounding error of bfloat16.
INLINE __m512 rough_power(__m512 x) {
    x = _mm512_max_ps(x, splat(-200));
    __m512 whole = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC), r = x - whole;
    __m512 p = _mm512_fmadd_ps(splat(0.05517132f), r, splat(0.24261055f));
    p = _mm512_fmadd_ps(p, r, splat(0.69326099f));
    p = _mm512_fmadd_ps(p, r, splat(0.99992811f));
    return _mm512_scalef_ps(p, whole);
}

/// GELU as in kernels_body.h, by Abramowitz and Stegun 7.1.26.
INLINE __m512 gelu_of(__m512 x) {
    __m512 z = x * splat(0.70710678118654752f), a = _mm512_abs_ps(z);
    __m512 t = splat(1) / _mm512_fmadd_ps(splat(0.3275911f), a, splat(1));
    __m512 p = _mm512_fmadd_ps(splat(1.061405429f), t, splat(-1.453152027f));
    p = _mm512_fmadd_ps(p, t, splat(1.421413741f));
    p = _mm512_fmadd_ps(p, t, splat(-0.284496736f));
    p = _mm512_fmadd_ps(p, t, splat(0.254829592f));
    __m512 tail = p * t * power(a * a * splat(-1.44269504088896341f)); // 1 - erf(|z|)
    __m512 kept = _mm512_mask_sub_ps(tail, _mm512_cmp_ps_mask(z, _mm512_setzero_ps(), _CMP_GE_OQ), splat(2), tail);
    return splat(0.5f) * x * kept;
}

static void panel_avx512(int kind, const uint32_t *x, long x_stride, long rows, const uint32_t *w, long steps, float *out,
                  long out_stride) {
    if (kind == CK_FLOAT32) panel_f32_avx512(x, x_stride, rows, w, steps, out, out_stride);
    else if (kind == CK_BFLOAT16) panel_bf16_avx512(x, x_stride, rows, w, steps, out, out_stride);
    else panel_i8_avx512(x, x_stride, rows, w, steps, out, out_stride);
}

/// Scales the sums [rows][64] of one panel, whose first output is `first`, applies bias and activation, and stores
/// them.
static void finish_avx512(int kind, const float *sums, const float *scales, long rows, const ck_tiles *w, long first,
                   const float *bias, int gelu, int accumulate, float *y, long y_stride) {
    for (long o = first; o < first + CK_PANEL && o < w->outputs; o += 16) {
        __mmask16 mask = w->outputs - o >= 16 ? 0xffff : (1u << (w->outputs - o)) - 1;
        __m512 shift = bias ? _mm512_maskz_loadu_ps(mask, bias + o) : _mm512_setzero_ps();
        __m512i offset = _mm512_setzero_si512();
        __m512 scale = splat(1);
        if (kind == CK_INT8) {
            offset = _mm512_slli_epi32(_mm512_loadu_si512((const int32_t *)w->sums + o), 7);
            scale = _mm512_loadu_ps(w->scales + o);
        }
        for (long r = 0; r < rows; r++) {
            const float *from = sums + r * CK_PANEL + (o - first);
            __m512 value = kind == CK_INT8 ? _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_loadu_si512(from), offset)) * scale
                                           : _mm512_loadu_ps(from);
            value = scales ? _mm512_fmadd_ps(value, splat(scales[r]), shift) : value + shift;
            if (gelu) value = gelu_of(value);
            float *to = y + r * y_stride + o;
            // Masked stores are slow even with a full mask.
            if (mask == 0xffff) {
                _mm512_storeu_ps(to, accumulate ? value + _mm512_loadu_ps(to) : value);
            } else {
                if (accumulate) value = value + _mm512_maskz_loadu_ps(mask, to);
                _mm512_mask_storeu_ps(to, mask, value);
            }
        }
    }
}

void ck_tile_multiply(int kind, const void *x, const float *scales, long rows, const ck_tiles *w,
                      const float *bias, int gelu, int accumulate, float *y, long y_stride) {
    float sums[CK_MAX_ROWS * CK_PANEL] __attribute__((aligned(64)));
    for (long p = 0; p < ck_tile_panels(w->outputs); p++) {
        panel_avx512(kind, x, w->steps, rows, (const uint32_t *)w->words + p * w->steps * CK_PANEL, w->steps, sums, CK_PANEL);
        finish_avx512(kind, sums, scales, rows, w, p * CK_PANEL, bias, gelu, accumulate, y, y_stride);
    }
}

/// Replaces a row of scores s in place by bfloat16 weights 2^(s - maximum), padded with zeros. Returns 1 / their sum.
__attribute__((target(BASE ",avx512bf16"))) static float weights_bf16_avx512(float *s, long n, long padded) {
    __m512 tops = splat(-INFINITY), totals = _mm512_setzero_ps();
    long i = 0;
    for (; i + 16 <= n; i += 16) tops = _mm512_max_ps(tops, _mm512_loadu_ps(s + i));
    if (i < n) tops = _mm512_mask_max_ps(tops, (1u << (n - i)) - 1, tops, _mm512_maskz_loadu_ps((1u << (n - i)) - 1, s + i));
    __m512 top = splat(_mm512_reduce_max_ps(tops));
    uint32_t *words = (uint32_t *)s;
    // The write position never overtakes the read position.
    for (i = 0; i < padded; i += 32) {
        __mmask16 first = n - i >= 16 ? 0xffff : n > i ? (1u << (n - i)) - 1 : 0;
        __mmask16 second = n - i >= 32 ? 0xffff : n > i + 16 ? (1u << (n - i - 16)) - 1 : 0;
        __m512 low = _mm512_maskz_mov_ps(first, rough_power(_mm512_loadu_ps(s + i) - top));
        __m512 high = _mm512_maskz_mov_ps(second, rough_power(_mm512_loadu_ps(s + i + 16) - top));
        totals = totals + low + high;
        _mm512_storeu_si512(words + i / 2, pairs(low, high));
    }
    return 1 / _mm512_reduce_add_ps(totals);
}

static float weights_f32_avx512(float *s, long n) {
    __m512 tops = splat(-INFINITY), totals = _mm512_setzero_ps();
    for (long i = 0; i < n; i += 16) {
        __mmask16 mask = n - i >= 16 ? 0xffff : (1u << (n - i)) - 1;
        tops = _mm512_mask_max_ps(tops, mask, tops, _mm512_maskz_loadu_ps(mask, s + i));
    }
    __m512 top = splat(_mm512_reduce_max_ps(tops));
    for (long i = 0; i < n; i += 16) {
        __mmask16 mask = n - i >= 16 ? 0xffff : (1u << (n - i)) - 1;
        __m512 value = _mm512_maskz_mov_ps(mask, power(_mm512_maskz_loadu_ps(mask, s + i) - top));
        totals = totals + value;
        _mm512_mask_storeu_ps(s + i, mask, value);
    }
    return 1 / _mm512_reduce_add_ps(totals);
}

static long padded_to_panel(long n) { return ck_tile_panels(n) * CK_PANEL; }

long ck_tile_attention_scratch(long positions, long d) {
    return CK_QUERY_ROWS * (padded_to_panel(positions) + padded_to_panel(d));
}

void ck_tile_attention(int kind, const float *q, long q_stride, long rows, long d, float scale, const void *keys,
                       const void *values, long positions, float *scratch, float *out, long out_stride) {
    long steps = ck_tile_steps(kind, d), padded = padded_to_panel(positions);
    float *scores = scratch;
    uint32_t *queries = (uint32_t *)(scratch + CK_QUERY_ROWS * padded);
    float inverses[CK_QUERY_ROWS];
    ck_tiles weights = {values, NULL, NULL, d, ck_tile_steps(kind, positions)};
    scale *= 1.44269504088896341f; // the weights are powers of 2 instead of e
    for (long first = 0; first < rows; first += CK_QUERY_ROWS) {
        long count = rows - first < CK_QUERY_ROWS ? rows - first : CK_QUERY_ROWS;
        for (long r = 0; r < count; r++) {
            const float *from = q + (first + r) * q_stride;
            if (kind == CK_FLOAT32) row_f32_avx512(from, d, scale, queries + r * steps);
            else row_bf16_avx512(from, d, scale, queries + r * steps, steps);
        }
        for (long p = 0; p < padded / CK_PANEL; p++)
            panel_avx512(kind, queries, steps, count, (const uint32_t *)keys + p * steps * CK_PANEL, steps, scores + p * CK_PANEL, padded);
        for (long r = 0; r < count; r++)
            inverses[r] = kind == CK_FLOAT32 ? weights_f32_avx512(scores + r * padded, positions)
                                             : weights_bf16_avx512(scores + r * padded, positions, padded);
        float sums[CK_QUERY_ROWS * CK_PANEL] __attribute__((aligned(64)));
        for (long p = 0; p < ck_tile_panels(d); p++) {
            panel_avx512(kind, (uint32_t *)scores, padded, count, (const uint32_t *)values + p * weights.steps * CK_PANEL,
                  weights.steps, sums, CK_PANEL);
            finish_avx512(kind, sums, inverses, count, &weights, p * CK_PANEL, NULL, 0, 0, out + first * out_stride,
                   out_stride);
        }
    }
}

#pragma clang attribute pop

#else

int ck_has_tiles(int kind) { return 0; }
void ck_tile_pack(int kind, const float *w, long stride, long outputs, long k, long first, long last, void *words,
                  float *scales, void *sums) {}
void ck_tile_pack_transposed(int kind, const float *x, long stride, long outputs, long k, void *words) {}
void ck_tile_rows(int kind, const float *x, long stride, long rows, long k, void *words, float *scales) {}
void ck_tile_multiply(int kind, const void *x, const float *scales, long rows, const ck_tiles *w,
                      const float *bias, int gelu, int accumulate, float *y, long y_stride) {}
long ck_tile_attention_scratch(long positions, long d) { return 0; }
void ck_tile_attention(int kind, const float *q, long q_stride, long rows, long d, float scale, const void *keys,
                       const void *values, long positions, float *scratch, float *out, long out_stride) {}

#endif
