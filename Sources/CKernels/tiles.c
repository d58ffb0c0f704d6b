// Compiles tile_body.h for each number format and instruction set that multiplies it, and chooses; see CKTiles.h.
#include "CKernels.h"
#include "vectors.h"
#include <math.h>

#if defined(__x86_64__)

// With other tunings the compiler replaces some of the 16-bit products by a product and a sum, for their lower latency.
#define VNNI_TUNING ",tune=znver4"

#define AVX512 "avx512f,avx512bw,avx512dq,avx512vl,fma,f16c"
#define VECTOR_BYTES 64
#define VECTORS 4
// 384 words of a panel are 96 KiB.
#define SECTION_STEPS 384

#pragma clang attribute push(__attribute__((target(AVX512))), apply_to = function)
#define SUFFIX _f32_avx512
#define KIND CK_FLOAT32
#define INSTRUCTIONS "AVX-512"
#define STEP(sums, x, w) _mm512_fmadd_ps((V)(x), (V)(w), sums)
#include "tile_body.h"

#define SUFFIX _i16_avx512
#define KIND CK_INT16
#define INSTRUCTIONS "AVX-512"
#define STEP(sums, x, w) ((sums) + (VI)_mm512_madd_epi16((__m512i)(x), (__m512i)(w)))
#include "tile_body.h"
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target(AVX512 ",avx512vnni" VNNI_TUNING))), apply_to = function)
#define SUFFIX _i16_avx512vnni
#define KIND CK_INT16
#define INSTRUCTIONS "AVX512_VNNI"
#define STEP(sums, x, w) (VI) _mm512_dpwssd_epi32((__m512i)(sums), (__m512i)(x), (__m512i)(w))
#include "tile_body.h"

#define SUFFIX _i8_avx512vnni
#define KIND CK_INT8
#define INSTRUCTIONS "AVX512_VNNI"
#define SHIFTS 1
#define STEP(sums, x, w) (VI) _mm512_dpbusd_epi32((__m512i)(sums), (__m512i)(x), (__m512i)(w))
#include "tile_body.h"
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target(AVX512 ",avx512bf16"))), apply_to = function)
#define SUFFIX _bf16_avx512
#define KIND CK_BFLOAT16
#define INSTRUCTIONS "AVX512_BF16"
#define STEP(sums, x, w) _mm512_dpbf16_ps(sums, (__m512bh)(x), (__m512bh)(w))
#include "tile_body.h"
#pragma clang attribute pop

#undef VECTOR_BYTES
#undef VECTORS
#undef SECTION_STEPS
#define VECTOR_BYTES 32
#define VECTORS 2
// 256 words of a panel are 16 KiB, which stay in the L1 cache.
#define SECTION_STEPS 256

#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#define SUFFIX _f32_avx2
#define KIND CK_FLOAT32
#define INSTRUCTIONS "AVX2 and FMA"
#define STEP(sums, x, w) _mm256_fmadd_ps((V)(x), (V)(w), sums)
#include "tile_body.h"

#define SUFFIX _i16_avx2
#define KIND CK_INT16
#define INSTRUCTIONS "AVX2"
#define STEP(sums, x, w) ((sums) + (VI)_mm256_madd_epi16((__m256i)(x), (__m256i)(w)))
#include "tile_body.h"
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avxvnni" VNNI_TUNING))), apply_to = function)
#define SUFFIX _i16_avx2vnni
#define KIND CK_INT16
#define INSTRUCTIONS "AVX_VNNI"
#define STEP(sums, x, w) (VI) _mm256_dpwssd_avx_epi32((__m256i)(sums), (__m256i)(x), (__m256i)(w))
#include "tile_body.h"

#define SUFFIX _i8_avx2vnni
#define KIND CK_INT8
#define INSTRUCTIONS "AVX_VNNI"
#define SHIFTS 1
#define STEP(sums, x, w) (VI) _mm256_dpbusd_avx_epi32((__m256i)(sums), (__m256i)(x), (__m256i)(w))
#include "tile_body.h"
#pragma clang attribute pop

#undef VECTOR_BYTES
#undef VECTORS
#undef SECTION_STEPS
#endif

#define VECTOR_BYTES 16
// 16 KiB of a panel stay in the L1 cache.
#define SECTION_STEPS (1024 / VECTORS)
#if defined(__aarch64__)
#define VECTORS 4
#define BASELINE "NEON"
#else
#define VECTORS 2
#if defined(__x86_64__)
#define BASELINE "SSE2"
#else
#define BASELINE "portable"
#endif
#endif

#define SUFFIX _f32_baseline
#define KIND CK_FLOAT32
#define INSTRUCTIONS BASELINE
#define STEP(sums, x, w) ((sums) + (V)(x) * (V)(w))
#include "tile_body.h"

#if defined(__x86_64__)
#define SUFFIX _i16_baseline
#define KIND CK_INT16
#define INSTRUCTIONS BASELINE
#define STEP(sums, x, w) ((sums) + (VI)_mm_madd_epi16((__m128i)(x), (__m128i)(w)))
#include "tile_body.h"

static const ck_tile_kernels *float32(ck_instruction_level level) {
    return level >= CK_AVX512 ? &kernels_f32_avx512 : level >= CK_AVX2 ? &kernels_f32_avx2 : &kernels_f32_baseline;
}
static const ck_tile_kernels *bfloat16(ck_instruction_level level) {
    return level >= CK_AVX512BF16 ? &kernels_bf16_avx512 : NULL;
}
static const ck_tile_kernels *int8(ck_instruction_level level) {
    return level >= CK_AVX512VNNI ? &kernels_i8_avx512vnni : level == CK_AVXVNNI ? &kernels_i8_avx2vnni : NULL;
}
static const ck_tile_kernels *int16(ck_instruction_level level) {
    switch (level) {
    case CK_BASELINE: return &kernels_i16_baseline;
    case CK_AVX2: return &kernels_i16_avx2;
    case CK_AVXVNNI: return &kernels_i16_avx2vnni;
    case CK_AVX512: return &kernels_i16_avx512;
    default: return &kernels_i16_avx512vnni;
    }
}
#else
static const ck_tile_kernels *float32(ck_instruction_level level) { return &kernels_f32_baseline; }
// NEON has no product of pairs of 16-bit integers: with four instructions for what takes one with bytes, they would be
// no faster than float32.
static const ck_tile_kernels *int16(ck_instruction_level level) { return NULL; }

#if defined(__aarch64__)
#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)
#define SUFFIX _i8_dotprod
#define KIND CK_INT8
#define INSTRUCTIONS "DOTPROD"
#define STEP(sums, x, w) (VI) vdotq_s32((int32x4_t)(sums), (int8x16_t)(x), (int8x16_t)(w))
#include "tile_body.h"
#pragma clang attribute pop

#pragma clang attribute push(__attribute__((target("i8mm,bf16"))), apply_to = function)
#define SUFFIX _i8_i8mm
#define KIND CK_INT8
#define INSTRUCTIONS "I8MM"
#define RUN 2
#define STEP(sums, x, w) (VI) vmmlaq_s32((int32x4_t)(sums), (int8x16_t)(x), (int8x16_t)(w))
#include "tile_body.h"

#define SUFFIX _bf16_i8mm
#define KIND CK_BFLOAT16
#define INSTRUCTIONS "BF16"
#define RUN 2
#define STEP(sums, x, w) (V) vbfmmlaq_f32((float32x4_t)(sums), (bfloat16x8_t)(x), (bfloat16x8_t)(w))
#include "tile_body.h"
#pragma clang attribute pop

static const ck_tile_kernels *bfloat16(ck_instruction_level level) {
    return level >= CK_I8MM ? &kernels_bf16_i8mm : NULL;
}
static const ck_tile_kernels *int8(ck_instruction_level level) {
    return level >= CK_I8MM ? &kernels_i8_i8mm : level >= CK_DOTPROD ? &kernels_i8_dotprod : NULL;
}
#else
static const ck_tile_kernels *bfloat16(ck_instruction_level level) { return NULL; }
static const ck_tile_kernels *int8(ck_instruction_level level) { return NULL; }
#endif
#endif

const ck_tile_kernels *ck_tile_kernels_of(int kind) {
    ck_instruction_level level = ck_level();
    switch (kind) {
    case CK_FLOAT32: return float32(level);
    case CK_BFLOAT16: return bfloat16(level);
    case CK_INT8: return int8(level);
    case CK_INT16: return int16(level);
    default: return NULL;
    }
}
