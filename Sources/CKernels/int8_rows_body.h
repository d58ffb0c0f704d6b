// Product with 8-bit weights; included by kernels.c once per byte multiplication instruction.
//
// Weights are stored in blocks of 32 outputs: for every four inputs 32 × 4 bytes, so that each vector lane adds to the
// sum of one output and no horizontal sums are needed. They are stored as w + 128, because one factor of the
// processor's byte product is unsigned; 128 · Σx is subtracted afterwards. An input x is q · scale with q in 16 bits,
// as two signed bytes 256 · high + low: the second product costs little while weights come from memory, and its error
// is negligible compared with that of the weights. AVX2 has no byte product that cannot overflow: there weights are
// widened to 16 bits, and one product with the whole q replaces two.

#define BLOCK 32

#if defined(INT8_VNNI)
#define LANES 16
typedef __m512i K(sums);
#define ZERO() _mm512_setzero_si512()
#define FOUR(p) _mm512_set1_epi32(*(const K(int_u) *)(p))
#define WEIGHTS(p) _mm512_loadu_si512(p)
#define ADD(sum, w, x) _mm512_dpbusd_epi32(sum, w, x)
#define STORE_SUMS(p, v) _mm512_storeu_si512(p, v)
#elif defined(INT8_AVX_VNNI)
#define LANES 8
typedef __m256i K(sums);
#define ZERO() _mm256_setzero_si256()
#define FOUR(p) _mm256_set1_epi32(*(const K(int_u) *)(p))
#define WEIGHTS(p) _mm256_loadu_si256((const __m256i *)(p))
#define ADD(sum, w, x) _mm256_dpbusd_avx_epi32(sum, w, x)
#define STORE_SUMS(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#elif defined(__aarch64__)
#define LANES 4
#define FOUR(p) vreinterpretq_s8_s32(vdupq_n_s32(*(const K(int_u) *)(p)))
#if defined(INT8_I8MM)
#define WEIGHTS(p) vld1q_u8(p)
#else
#define WEIGHTS(p) vreinterpretq_s8_u8(veorq_u8(vld1q_u8(p), vdupq_n_u8(128)))
#define SIGNED_WEIGHTS
#endif
#if defined(INT8_I8MM) || defined(INT8_DOTPROD)
#define TOGETHER PARTS
typedef int32x4_t K(sums);
#define ZERO() vdupq_n_s32(0)
#if defined(INT8_I8MM)
#define ADD(sum, w, x) vusdotq_s32(sum, w, x)
#else
#define ADD(sum, w, x) vdotq_s32(sum, w, x)
#endif
#define STORE_SUMS(p, v) vst1q_s32(p, v)
#else
// Two sums for each output, of its products 0 and 1, and 2 and 3.
#define TOGETHER 4
typedef int32x4x2_t K(sums);
#define ZERO() ((K(sums)){})
#define ADD(sum, w, x) K(add_bytes)(sum, w, x)
#define STORE_SUMS(p, v) vst1q_s32(p, vpaddq_s32((v).val[0], (v).val[1]))
static inline __attribute__((always_inline)) K(sums) K(add_bytes)(K(sums) sums, int8x16_t w, int8x16_t x) {
    sums.val[0] = vpadalq_s16(sums.val[0], vmull_s8(vget_low_s8(w), vget_low_s8(x)));
    sums.val[1] = vpadalq_s16(sums.val[1], vmull_high_s8(w, x));
    return sums;
}
#endif
#elif !defined(INT8_AVX2)
#define LANES 4
typedef int32_t K(sums) __attribute__((vector_size(16)));
typedef int16_t K(words) __attribute__((vector_size(16)));
#define ZERO() ((K(sums)){})
#define FOUR(p) K(four)(p)
#define WEIGHTS(p) (*(const K(sums_u) *)(p) ^ (int32_t)0x80808080)
#define ADD(sum, w, x) K(add_bytes)(sum, w, x)
#define STORE_SUMS(p, v) __builtin_memcpy(p, &(v), sizeof(v))
#define SIGNED_WEIGHTS
typedef K(sums) K(sums_u) __attribute__((aligned(1)));
static inline __attribute__((always_inline)) K(sums) K(four)(const int8_t *x) {
    int32_t bits;
    __builtin_memcpy(&bits, x, 4);
    return bits - ZERO();
}
// Multiplies bytes 0 and 2, then 1 and 3, as 16-bit numbers, which can hold the sum of two products.
static inline __attribute__((always_inline)) K(sums) K(add_bytes)(K(sums) sums, K(sums) w, K(sums) x) {
    K(words) w16 = (K(words))w, x16 = (K(words))x;
    K(words) two = ((w16 << 8) >> 8) * ((x16 << 8) >> 8) + (w16 >> 8) * (x16 >> 8);
    return sums + (((K(sums))two << 16) >> 16) + ((K(sums))two >> 16);
}
#endif

typedef int32_t K(int_u) __attribute__((aligned(1)));

#if defined(INT8_AVX2)
// Sums of q · w of one block, [rows][32].
static inline __attribute__((always_inline)) void K(int8_group)(const int16_t *x, long kp, int rows, const uint8_t *w,
                                                                float *out) {
    typedef int64_t four_numbers __attribute__((aligned(2)));
    // The sum of as many products of at most 32512 · 127 is less than 2^31.
    const long most = 512;
    for (int p = 0; p < BLOCK; p += 8)
        for (long start = 0; start < kp; start += most) {
            long end = kp - start < most ? kp : start + most;
            const uint8_t *from = w + start * BLOCK + 4 * p;
            __m256i sums[6][2] = {};
            for (long i = start; i < end; i += 4, from += 4 * BLOCK) {
                __m256i w0 = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)from));
                __m256i w1 = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(from + 16)));
                w0 = _mm256_sub_epi16(w0, _mm256_set1_epi16(128));
                w1 = _mm256_sub_epi16(w1, _mm256_set1_epi16(128));
                for (int r = 0; r < rows; r++) {
                    __m256i four = _mm256_set1_epi64x(*(const four_numbers *)(x + r * kp + i));
                    sums[r][0] = _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(w0, four));
                    sums[r][1] = _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(w1, four));
                }
            }
            for (int r = 0; r < rows; r++) {
                // Adds the two sums of each output and restores the order of the outputs.
                __m256i both = _mm256_permute4x64_epi64(_mm256_hadd_epi32(sums[r][0], sums[r][1]), 0xd8);
                float *to = out + r * BLOCK + p;
                __m256 value = _mm256_cvtepi32_ps(both);
                _mm256_storeu_ps(to, start > 0 ? _mm256_add_ps(value, _mm256_loadu_ps(to)) : value);
            }
        }
}
#else
#define PARTS (BLOCK / LANES)
/// The vectors of outputs whose sums are in registers.
#ifndef TOGETHER
#define TOGETHER 2
#endif

// Sums of one block: for each row 32 integers for the high and 32 for the low bytes.
static inline __attribute__((always_inline)) void K(int8_group)(const int8_t *x, long kp, int rows,
                                                                 const uint8_t *w, int32_t *out) {
#if defined(INT8_VNNI)
    // All outputs of a block together: two registers of weights serve all rows.
    K(sums) high[6][PARTS], low[6][PARTS];
    for (int r = 0; r < rows; r++)
        for (int p = 0; p < PARTS; p++) high[r][p] = low[r][p] = ZERO();
    for (long i = 0; i < kp; i += 4, w += 4 * BLOCK) {
        K(sums) w0 = WEIGHTS(w), w1 = WEIGHTS(w + 64);
        for (int r = 0; r < rows; r++) {
            K(sums) h = FOUR(x + 2 * r * kp + i), l = FOUR(x + (2 * r + 1) * kp + i);
            high[r][0] = ADD(high[r][0], w0, h);
            high[r][1] = ADD(high[r][1], w1, h);
            low[r][0] = ADD(low[r][0], w0, l);
            low[r][1] = ADD(low[r][1], w1, l);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int p = 0; p < PARTS; p++) {
            STORE_SUMS(out + 2 * r * BLOCK + p * LANES, high[r][p]);
            STORE_SUMS(out + (2 * r + 1) * BLOCK + p * LANES, low[r][p]);
        }
#else
    for (int r = 0; r < rows; r++)
        for (int p = 0; p < PARTS; p += TOGETHER) {
            K(sums) high[TOGETHER], low[TOGETHER];
            for (int t = 0; t < TOGETHER; t++) high[t] = low[t] = ZERO();
            const uint8_t *from = w + 4 * LANES * p;
            for (long i = 0; i < kp; i += 4, from += 4 * BLOCK) {
                __typeof__(FOUR(x)) h = FOUR(x + 2 * r * kp + i), l = FOUR(x + (2 * r + 1) * kp + i);
                for (int t = 0; t < TOGETHER; t++) {
                    __typeof__(WEIGHTS(from)) weights = WEIGHTS(from + 4 * LANES * t);
                    high[t] = ADD(high[t], weights, h);
                    low[t] = ADD(low[t], weights, l);
                }
            }
            for (int t = 0; t < TOGETHER; t++) {
                STORE_SUMS(out + 2 * r * BLOCK + (p + t) * LANES, high[t]);
                STORE_SUMS(out + (2 * r + 1) * BLOCK + (p + t) * LANES, low[t]);
            }
        }
#endif
}
#endif

static void K(int8_rows)(const ck_int8_input *x, const ck_int8_weights *weights, const float *bias, float *y,
                         long y_stride, long first, long last, int accumulate) {
    long kp = x->padded, outputs = weights->outputs;
    // The smallest number of groups of at most six rows, of nearly equal size.
    long groups = (x->rows + 5) / 6;
    for (long block = first; block < last; block++) {
        const uint8_t *w = weights->bytes + block * BLOCK * kp;
        long column = block * BLOCK, count = outputs - column < BLOCK ? outputs - column : BLOCK;
        for (long group = 0; group < groups; group++) {
            long r0 = x->rows * group / groups, rows = x->rows * (group + 1) / groups - r0;
#if defined(INT8_AVX2)
            const int16_t *digits = x->whole + r0 * kp;
            float sums[6 * BLOCK];
#else
            const int8_t *digits = x->digits + 2 * r0 * kp;
            int32_t sums[6 * 2 * BLOCK];
#endif
            switch (rows) {
            case 1: K(int8_group)(digits, kp, 1, w, sums); break;
            case 2: K(int8_group)(digits, kp, 2, w, sums); break;
            case 3: K(int8_group)(digits, kp, 3, w, sums); break;
            case 4: K(int8_group)(digits, kp, 4, w, sums); break;
            case 5: K(int8_group)(digits, kp, 5, w, sums); break;
            default: K(int8_group)(digits, kp, 6, w, sums); break;
            }
            for (long r = 0; r < rows; r++) {
                float scale = x->scales[r0 + r], *to = y + (r0 + r) * y_stride + column;
                float values[BLOCK];
#if defined(INT8_AVX2)
                for (int o = 0; o < BLOCK; o++) values[o] = sums[r * BLOCK + o] * scale * weights->scales[column + o];
#else
                const int32_t *high = sums + 2 * r * BLOCK, *low = high + BLOCK;
#if defined(SIGNED_WEIGHTS)
                int32_t high_sum = 0, low_sum = 0;
#else
                int32_t high_sum = 128 * x->sums[2 * (r0 + r)], low_sum = 128 * x->sums[2 * (r0 + r) + 1];
#endif
                for (int o = 0; o < BLOCK; o++)
                    values[o] = (256.0f * (float)(high[o] - high_sum) + (float)(low[o] - low_sum)) * scale
                                * weights->scales[column + o];
#endif
                if (bias)
                    for (long o = 0; o < count; o++) values[o] += bias[column + o];
                if (accumulate)
                    for (long o = 0; o < count; o++) values[o] += to[o];
                for (long o = 0; o < count; o++) to[o] = values[o];
            }
        }
    }
}

#undef LANES
#undef ZERO
#undef FOUR
#undef WEIGHTS
#undef ADD
#undef STORE_SUMS
#undef SIGNED_WEIGHTS
#undef PARTS
#undef TOGETHER
#undef BLOCK
