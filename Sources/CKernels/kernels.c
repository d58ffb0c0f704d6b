// Compiles kernels_body.h for the instruction sets and dispatches to the best.
#define _GNU_SOURCE
#include "CKernels.h"
#include "vectors.h"
#include <float.h>
#include <math.h>
#include <sched.h>
#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c"))), apply_to = function)
#define SUFFIX _avx512
#define VECTOR_BYTES 64
#include "kernels_body.h"
#undef SUFFIX
#undef VECTOR_BYTES
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma,f16c"))), apply_to = function)
#define SUFFIX _avx512vnni
#define INT8_VNNI
#include "int8_rows_body.h"
#undef INT8_VNNI
#undef SUFFIX
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#define SUFFIX _avx2
#define VECTOR_BYTES 32
#include "kernels_body.h"
#define INT8_AVX2
#include "int8_rows_body.h"
#undef INT8_AVX2
#undef SUFFIX
#undef VECTOR_BYTES
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avxvnni"))), apply_to = function)
#define SUFFIX _avx2vnni
#define INT8_AVX_VNNI
#include "int8_rows_body.h"
#undef INT8_AVX_VNNI
#undef SUFFIX
#pragma clang attribute pop
#elif defined(__aarch64__)
#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)
#define SUFFIX _dotprod
#define INT8_DOTPROD
#include "int8_rows_body.h"
#undef INT8_DOTPROD
#undef SUFFIX
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target("i8mm"))), apply_to = function)
#define SUFFIX _i8mm
#define INT8_I8MM
#include "int8_rows_body.h"
#undef INT8_I8MM
#undef SUFFIX
#pragma clang attribute pop
#endif

#define SUFFIX _baseline
#define VECTOR_BYTES 16
#include "kernels_body.h"
#include "int8_rows_body.h"
#undef SUFFIX
#undef VECTOR_BYTES

static const char *const names[CK_LEVELS] = {
    [CK_BASELINE] = "baseline",
#if defined(__x86_64__)
    [CK_AVX2] = "avx2",
    [CK_AVXVNNI] = "avxvnni",
    [CK_AVX512] = "avx512",
    [CK_AVX512VNNI] = "avx512vnni",
    [CK_AVX512BF16] = "avx512bf16",
#elif defined(__aarch64__)
    [CK_DOTPROD] = "dotprod",
    [CK_I8MM] = "i8mm",
#endif
};
static _Atomic int chosen = CK_UNKNOWN;

static int supports(ck_instruction_level level) {
#if defined(__x86_64__)
    switch (level) {
    case CK_BASELINE: return 1;
    case CK_AVX2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    case CK_AVXVNNI: return supports(CK_AVX2) && __builtin_cpu_supports("avxvnni");
    case CK_AVX512:
        return supports(CK_AVX2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
               && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case CK_AVX512VNNI: return supports(CK_AVX512) && __builtin_cpu_supports("avx512vnni");
    case CK_AVX512BF16: return supports(CK_AVX512VNNI) && __builtin_cpu_supports("avx512bf16");
    default: return 0;
    }
#elif defined(__aarch64__)
    // All processors with I8MM have the dot product, and all known ones BF16.
    switch (level) {
    case CK_BASELINE: return 1;
    case CK_DOTPROD: return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
    case CK_I8MM:
        return supports(CK_DOTPROD) && (getauxval(AT_HWCAP2) & HWCAP2_I8MM) && (getauxval(AT_HWCAP2) & HWCAP2_BF16);
    default: return 0;
    }
#else
    return level == CK_BASELINE;
#endif
}

/// Intel's processors run AVX512_BF16 at half the speed of float32 (they have AMX for bfloat16), so the 16-bit integers
/// of VNNI are three times as fast.
static int is_slow(ck_instruction_level level) {
#if defined(__x86_64__)
    return level == CK_AVX512BF16 && __builtin_cpu_is("intel");
#else
    return 0;
#endif
}

static ck_instruction_level fastest(void) {
    ck_instruction_level level = CK_LEVELS - 1;
    while (level > CK_BASELINE && (!supports(level) || is_slow(level))) level--;
    return level;
}

// Set by tests for their own thread.
static _Thread_local int forced = CK_UNKNOWN;

ck_instruction_level ck_level(void) {
    int level = forced;
    if (level != CK_UNKNOWN) return (ck_instruction_level)level;
    level = chosen;
    if (level == CK_UNKNOWN) chosen = level = fastest();
    return (ck_instruction_level)level;
}

const char *ck_instruction_set(void) { return names[ck_level()]; }

const char *ck_instruction_set_name(long index) {
    return index < CK_LEVELS - CK_BASELINE ? names[CK_BASELINE + index] : NULL;
}

/// The named instruction set if the processor supports it.
static ck_instruction_level named(const char *name) {
    for (int level = CK_BASELINE; level < CK_LEVELS; level++)
        if (!strcmp(name, names[level])) return supports(level) ? (ck_instruction_level)level : CK_UNKNOWN;
    return CK_UNKNOWN;
}

int ck_use_instruction_set(const char *name) {
    ck_instruction_level level = name ? named(name) : CK_UNKNOWN;
    if (name && level == CK_UNKNOWN) return 0;
    forced = level;
    return 1;
}

int ck_limit_instruction_set(const char *name) {
    ck_instruction_level level = named(name);
    if (level == CK_UNKNOWN) return 0;
    chosen = level;
    return 1;
}

int ck_allowed_cores(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

#if defined(__x86_64__)
#define DISPATCH(name, ...)                                                                                            \
    {                                                                                                                  \
        ck_instruction_level level = ck_level();                                                                       \
        if (level >= CK_AVX512) name##_avx512(__VA_ARGS__);                                                            \
        else if (level >= CK_AVX2) name##_avx2(__VA_ARGS__);                                                           \
        else name##_baseline(__VA_ARGS__);                                                                             \
    }
#else
#define DISPATCH(name, ...) name##_baseline(__VA_ARGS__);
#endif

void ck_layer_norm(const float *x, long x_stride, float *y, long y_stride, long rows, long n, const float *gain,
                   const float *shift) {
    DISPATCH(layer_norm, x, x_stride, y, y_stride, rows, n, gain, shift)
}
void ck_add_bias(float *y, long stride, long rows, long n, const float *bias) {
    DISPATCH(add_bias, y, stride, rows, n, bias)
}
void ck_bias_gelu(float *y, long stride, long rows, long n, const float *bias) {
    DISPATCH(bias_gelu, y, stride, rows, n, bias)
}
void ck_activate(float *y, long stride, long rows, long n, int activation) {
    DISPATCH(activate, y, stride, rows, n, activation)
}
void ck_add(float *x, const float *y, long n) { DISPATCH(add, x, y, n) }
void ck_scale_shift(const float *x, long x_stride, float *y, long y_stride, long rows, long n, const float *scale,
                    const float *shift, float slope) {
    DISPATCH(scale_shift, x, x_stride, y, y_stride, rows, n, scale, shift, slope)
}
void ck_leaky(float *x, long n, float slope) { DISPATCH(leaky, x, n, slope) }
void ck_pool3(const float *x, long n, long rows, float scale, const float *shift, float *y) {
    DISPATCH(pool3, x, n, rows, scale, shift, y)
}
void ck_column_moments(const float *x, long stride, long rows, long n, float *mean, float *squares) {
    DISPATCH(column_moments, x, stride, rows, n, mean, squares)
}
void ck_squared_lengths(const float *x, long n, long rows, float *y) { DISPATCH(squared_lengths, x, n, rows, y) }
void ck_lstm_step(const float *gates, long rows, long n, float *cell, float *out, long out_stride) {
    DISPATCH(lstm_step, gates, rows, n, cell, out, out_stride)
}
void ck_gate(const float *x, long x_stride, float *y, long y_stride, long rows, long n) {
    DISPATCH(gate, x, x_stride, y, y_stride, rows, n)
}
void ck_convolve_rows(const float *x, long x_stride, long rows, long n, const float *w, long taps, long before,
                      const float *bias, int activation, long first, long last, float *y, long y_stride) {
    DISPATCH(convolve_rows, x, x_stride, rows, n, w, taps, before, bias, activation, first, last, y, y_stride)
}
void ck_halve_image(const ck_image *x, long n, const float *w, const float *bias, int activation, long first, long last,
                    float *y) {
    DISPATCH(halve_image, x, n, w, bias, activation, first, last, y)
}
void ck_softmax(float *s, long stride, long rows, long n, float scale) {
    DISPATCH(softmax, s, stride, rows, n, scale)
}
void ck_few_rows(const float *x, long x_stride, long rows, const float *w, long w_stride, long k, const float *bias,
                 float *y, long y_stride, long first, long last, int accumulate) {
    DISPATCH(few_rows, x, x_stride, rows, w, w_stride, k, bias, y, y_stride, first, last, accumulate)
}
void ck_few_rows_half(const float *x, long x_stride, long rows, const uint16_t *w, long w_stride, long k,
                      const float *bias, float *y, long y_stride, long first, long last, int accumulate) {
    DISPATCH(few_rows_half, x, x_stride, rows, w, w_stride, k, bias, y, y_stride, first, last, accumulate)
}
void ck_cached_attention(const float *q, const float *keys, const float *values, long stride, const int32_t *index,
                         long count, long heads, long d, float scale, float *scores, float *out) {
    DISPATCH(cached_attention, q, keys, values, stride, index, count, heads, d, scale, scores, out)
}
void ck_transposed_attention(const float *q, long q_stride, long rows, const float *keys, const float *values,
                             long positions, long positions_stride, long d, float scale, float *scores, float *out,
                             long out_stride) {
    DISPATCH(transposed_attention, q, q_stride, rows, keys, values, positions, positions_stride, d, scale, scores, out,
             out_stride)
}
void ck_widen_half(const void *x, float *y, long n) { DISPATCH(widen_half, x, y, n) }
void ck_widen_bfloat(const void *x, float *y, long n) { DISPATCH(widen_bfloat, x, y, n) }
int ck_narrow_half(const float *x, uint16_t *y, long n) {
    int exact = 0;
    DISPATCH(exact = narrow_half, x, y, n)
    return exact;
}
void ck_log_mel(const float *samples, long frames, const ck_mel_tables *tables, float *out) {
    DISPATCH(log_mel, samples, frames, tables, out)
}

void ck_split_rows(const float *x, long x_stride, long rows, long k, long padded, int8_t *digits, int16_t *whole,
                   float *scales, int32_t *sums) {
    DISPATCH(split_rows, x, x_stride, rows, k, padded, digits, whole, scales, sums)
}
void ck_pack_int8(const float *w, long outputs, long k, long padded, long first, long last, uint8_t *bytes,
                  float *scales, float *errors, float *lengths) {
    DISPATCH(pack_int8, w, outputs, k, padded, first, last, bytes, scales, errors, lengths)
}
void ck_multiply_int8(const ck_int8_input *x, const ck_int8_weights *w, const float *bias, float *y, long y_stride,
                  long first, long last, int accumulate) {
#if defined(__x86_64__)
    switch (ck_level()) {
    case CK_BASELINE: int8_rows_baseline(x, w, bias, y, y_stride, first, last, accumulate); break;
    // The first processors with AVX-512 had no 512-bit byte products.
    case CK_AVX2:
    case CK_AVX512: int8_rows_avx2(x, w, bias, y, y_stride, first, last, accumulate); break;
    case CK_AVXVNNI: int8_rows_avx2vnni(x, w, bias, y, y_stride, first, last, accumulate); break;
    default: int8_rows_avx512vnni(x, w, bias, y, y_stride, first, last, accumulate); break;
    }
#elif defined(__aarch64__)
    switch (ck_level()) {
    case CK_I8MM: int8_rows_i8mm(x, w, bias, y, y_stride, first, last, accumulate); break;
    case CK_DOTPROD: int8_rows_dotprod(x, w, bias, y, y_stride, first, last, accumulate); break;
    default: int8_rows_baseline(x, w, bias, y, y_stride, first, last, accumulate); break;
    }
#else
    int8_rows_baseline(x, w, bias, y, y_stride, first, last, accumulate);
#endif
}
uint32_t ck_magnitude_bits(const float *x, long n) {
    uint32_t bits = 0;
    DISPATCH(bits = magnitude_bits, x, n)
    return bits;
}
uint16_t ck_half_magnitude_bits(const uint16_t *x, long n) {
    uint16_t bits = 0;
    DISPATCH(bits = half_magnitude_bits, x, n)
    return bits;
}
float ck_length(const float *x, long n) {
    double total = 0;
    for (long i = 0; i < n; i++) total += (double)x[i] * x[i];
    return (float)(sqrt(total) * 1.000001);
}
long ck_candidates(const float *values, const float *radius, float norm, long n, long best, float *tops,
                   int32_t *found, long capacity) {
    long count = 0;
    DISPATCH(count = candidates, values, radius, norm, n, best, tops, found, capacity)
    return count;
}
void ck_pack_keys_half(const float *keys, long stride, long positions, long d, uint16_t *out) {
    DISPATCH(pack_keys_half, keys, stride, positions, d, out)
}
void ck_pack_values_half(const float *values, long stride, long positions, long d, uint16_t *out) {
    DISPATCH(pack_values_half, values, stride, positions, d, out)
}
void ck_half_attention(const float *q, long q_stride, long rows, const uint16_t *keys, const uint16_t *values,
                       long positions, long d, float scale, float *scores, float *out, long out_stride) {
    DISPATCH(half_attention, q, q_stride, rows, keys, values, positions, d, scale, scores, out, out_stride)
}
void ck_half_scores(const float *q, long q_stride, long rows, const uint16_t *keys, long positions, long d,
                    float *scores) {
    DISPATCH(half_scores_of, q, q_stride, rows, keys, positions, d, scores)
}
void ck_read(const void *x, long n) { DISPATCH(read, x, n) }
void ck_samples_to_16(const float *x, int16_t *y, long n) { DISPATCH(samples_to_16, x, y, n) }
void ck_samples_from_16(const void *x, float *y, long n) { DISPATCH(samples_from_16, x, y, n) }
void ck_quantize(float *x, long n, int down) { DISPATCH(quantize, x, n, down) }
void ck_extremes(const float *x, long n, float *least, float *greatest) { DISPATCH(extremes, x, n, least, greatest) }
float ck_maximum(const float *x, long n) {
    float result = 0;
    DISPATCH(result = maximum, x, n)
    return result;
}
void ck_greatest(const float *x, long n, long count, long *indices) { DISPATCH(greatest, x, n, count, indices) }
double ck_survey(const float *x, long n, long count, long *indices, float *maximum) {
    double result = 0;
    DISPATCH(result = survey, x, n, count, indices, maximum)
    return result;
}
