// Compiles tile_body.h for each number format and instruction set that multiplies it, and chooses; see CKTiles.h.
#include "CKernels.h"
#include "vectors.h"
#include <math.h>

#if defined(__x86_64__)

// With other tunings the compiler replaces some of the 16-bit products by a product and a sum, for their lower latency.
#define VNNI_TUNING ",tune=znver4"

#define AVX512 "avx512f,avx512bw,avx512dq,avx512vl,fma,f16c"
#define VECTOR_BYTES 64
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
#undef SECTION_STEPS
#define VECTOR_BYTES 32
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
#define STEP(sums, x, w) (VI) _mm256_dpbusd_avx_epi32((__m256i)(sums), (__m256i)(x), (__m256i)(w))
#include "tile_body.h"
#pragma clang attribute pop

const ck_tile_kernels *ck_tile_kernels_of(int kind) {
    ck_instruction_level level = ck_level();
    switch (kind) {
    case CK_FLOAT32: return level >= CK_AVX512 ? &kernels_f32_avx512 : level >= CK_AVX2 ? &kernels_f32_avx2 : NULL;
    case CK_BFLOAT16: return level >= CK_AVX512BF16 ? &kernels_bf16_avx512 : NULL;
    case CK_INT8:
        return level >= CK_AVX512VNNI ? &kernels_i8_avx512vnni : level == CK_AVXVNNI ? &kernels_i8_avx2vnni : NULL;
    case CK_INT16:
        switch (level) {
        case CK_AVX2: return &kernels_i16_avx2;
        case CK_AVXVNNI: return &kernels_i16_avx2vnni;
        case CK_AVX512: return &kernels_i16_avx512;
        default: return level >= CK_AVX512VNNI ? &kernels_i16_avx512vnni : NULL;
        }
    default: return NULL;
    }
}

#else

const ck_tile_kernels *ck_tile_kernels_of(int kind) { return NULL; }

#endif
