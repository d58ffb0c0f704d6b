// Conversion of float32 numbers to the words of a format, and packing of weights. Part of tile_body.h.

/// The first of at most W numbers, followed by zeros.
INLINE V K(some)(const float *x, long count) {
    V v = {};
    if (count >= W) return LOAD(x);
    __builtin_memcpy(&v, x, 4 * count);
    return v;
}

#if IS_INTEGER
#if KIND == CK_INT8
typedef int8_t K(narrow) __attribute__((vector_size(VECTOR_BYTES / 4)));
#else
typedef int16_t K(narrow) __attribute__((vector_size(VECTOR_BYTES / 2)));
#endif

INLINE VI K(rounded)(V x) { return (VI)(x + ROUNDING) - 0x4b400000; }
#endif

#if KIND == CK_BFLOAT16
/// The words of W numbers followed by W others.
INLINE VI K(bfloats)(V first, V second) {
#if VECTOR_BYTES == 64
    return (VI)_mm512_cvtne2ps_pbh(second, first);
#else
    return (VI)vcvtq_high_bf16_f32(vcvtq_low_bf16_f32((float32x4_t)first), (float32x4_t)second);
#endif
}
#endif

/// The words of W * NUMBERS numbers.
INLINE VI K(full_words)(const float *x, V factor) {
#if KIND == CK_FLOAT32
    return (VI)(LOAD(x) * factor);
#elif KIND == CK_BFLOAT16
    return K(bfloats)(LOAD(x) * factor, LOAD(x + W) * factor);
#else
    K(narrow) parts[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        parts[i] = __builtin_convertvector(K(rounded)(LOAD(x + i * W) * factor), K(narrow));
    VI words;
    __builtin_memcpy(&words, parts, sizeof words);
    return words;
#endif
}

/// The words of at most W * NUMBERS numbers, followed by zeros.
INLINE VI K(words)(const float *x, long count, V factor) {
    if (count >= W * NUMBERS) return K(full_words)(x, factor);
    float padded[W * NUMBERS] = {};
    __builtin_memcpy(padded, x, 4 * count);
    return K(full_words)(padded, factor);
}

INLINE float K(greatest_magnitude)(const float *x, long k) {
    V tops = {}, others = {};
    long i = 0;
    for (; i + 2 * W <= k; i += 2 * W) {
        tops = K(larger)(__builtin_elementwise_abs(LOAD(x + i)), tops);
        others = K(larger)(__builtin_elementwise_abs(LOAD(x + i + W)), others);
    }
    for (; i < k; i += W) tops = K(larger)(__builtin_elementwise_abs(K(some)(x + i, k - i)), tops);
    return K(greatest_lane)(K(larger)(tops, others));
}

/// Writes a row times `factor` as words. Integers are scaled so that the maximum magnitude becomes `limit`; with `shifts`,
/// bytes are unsigned by an offset of 128. Returns the scale of integers, 1 for other formats.
INLINE float K(row)(const float *x, long k, float factor, int32_t limit, int shifts, uint32_t *words, long steps) {
    float scale = 1;
#if IS_INTEGER
    float top = K(greatest_magnitude)(x, k);
    scale = top * factor / limit;
    factor = top > 1e-30f ? limit / top : 0;
#endif
    V factors = K(splat)(factor);
    for (long s = 0; s < steps; s += W, x += W * NUMBERS, k -= W * NUMBERS) {
        VI block = K(words)(x, k, factors);
        if (shifts) block ^= (int32_t)0x80808080;
        if (steps - s >= W) STORE(words + s, (V)block);
        else __builtin_memcpy(words + s, &block, 4 * (steps - s));
    }
    return scale;
}

#if IS_INTEGER
/// In each lane, the sum of the bytes or of the magnitudes of the 16-bit integers of a word.
INLINE VI K(word_sums)(VI words) {
#if KIND == CK_INT8
    return (words << 24 >> 24) + (words << 16 >> 24) + (words << 8 >> 24) + (words >> 24);
#else
    return __builtin_elementwise_abs(words << 16 >> 16) + __builtin_elementwise_abs(words >> 16);
#endif
}

INLINE int32_t K(sum_of_ints)(VI v) {
    int32_t parts[W], total = 0;
    __builtin_memcpy(parts, &v, sizeof v);
    for (int i = 0; i < W; i++) total += parts[i];
    return total;
}
#endif

#if VECTOR_BYTES == 16
INLINE VI K(lower_halves)(VI a, VI b) { return __builtin_shufflevector(a, b, 0, 1, 4, 5); }
INLINE VI K(upper_halves)(VI a, VI b) { return __builtin_shufflevector(a, b, 2, 3, 6, 7); }
/// The lanes of a and b in turn.
INLINE void K(interleave)(VI *a, VI *b) {
    VI lower = __builtin_shufflevector(*a, *b, 0, 4, 1, 5);
    *b = __builtin_shufflevector(*a, *b, 2, 6, 3, 7);
    *a = lower;
}
#endif

/// Transposes W rows of W words.
INLINE void K(turn)(VI rows[W]) {
#if VECTOR_BYTES == 64
    __m512i a[16], *r = (__m512i *)rows;
    for (int i = 0; i < 8; i++) {
        a[2 * i] = _mm512_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
        a[2 * i + 1] = _mm512_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
    }
    for (int i = 0; i < 4; i++)
        for (int h = 0; h < 2; h++) {
            r[4 * i + 2 * h] = _mm512_unpacklo_epi64(a[4 * i + h], a[4 * i + 2 + h]);
            r[4 * i + 2 * h + 1] = _mm512_unpackhi_epi64(a[4 * i + h], a[4 * i + 2 + h]);
        }
    for (int h = 0; h < 2; h++)
        for (int j = 0; j < 4; j++) {
            a[8 * h + j] = _mm512_shuffle_i32x4(r[8 * h + j], r[8 * h + 4 + j], 0x88);
            a[8 * h + 4 + j] = _mm512_shuffle_i32x4(r[8 * h + j], r[8 * h + 4 + j], 0xdd);
        }
    for (int j = 0; j < 8; j++) {
        r[j] = _mm512_shuffle_i32x4(a[j], a[8 + j], 0x88);
        r[8 + j] = _mm512_shuffle_i32x4(a[j], a[8 + j], 0xdd);
    }
#elif VECTOR_BYTES == 32
    __m256i a[8], *r = (__m256i *)rows;
    for (int i = 0; i < 4; i++) {
        a[2 * i] = _mm256_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
        a[2 * i + 1] = _mm256_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++)
        for (int h = 0; h < 2; h++) {
            r[4 * i + 2 * h] = _mm256_unpacklo_epi64(a[4 * i + h], a[4 * i + 2 + h]);
            r[4 * i + 2 * h + 1] = _mm256_unpackhi_epi64(a[4 * i + h], a[4 * i + 2 + h]);
        }
    for (int j = 0; j < 4; j++) {
        a[j] = _mm256_permute2x128_si256(r[j], r[4 + j], 0x20);
        a[4 + j] = _mm256_permute2x128_si256(r[j], r[4 + j], 0x31);
    }
    for (int j = 0; j < 8; j++) r[j] = a[j];
#else
    K(interleave)(rows, rows + 1);
    K(interleave)(rows + 2, rows + 3);
    VI a[W] = {rows[0], rows[1], rows[2], rows[3]};
    for (int h = 0; h < 2; h++) {
        rows[2 * h] = K(lower_halves)(a[h], a[2 + h]);
        rows[2 * h + 1] = K(upper_halves)(a[h], a[2 + h]);
    }
#endif
}

/// Stores at most W words of each of W outputs, the first at `to` in their panel.
INLINE void K(place)(VI outputs[W], long count, uint32_t *to) {
#if RUN == 2
    for (long o = 0; o < W; o += 2) {
        *(VI *)(to + 2 * o) = K(lower_halves)(outputs[o], outputs[o + 1]);
        if (count > 2) *(VI *)(to + 2 * PANEL + 2 * o) = K(upper_halves)(outputs[o], outputs[o + 1]);
    }
#else
    K(turn)(outputs);
    for (long j = 0; j < W && j < count; j++) *(VI *)(to + j * PANEL) = outputs[j];
#endif
}

/// The largest magnitude of a weight.
#define WEIGHT_LIMIT (KIND == CK_INT8 ? 127 : 2047)

static void K(pack)(const float *w, long stride, long outputs, long k, long groups, long first, long last, void *words,
                    float *scales, void *sums) {
    long steps = STEPS(k);
    if (KIND != CK_INT8) groups = 1;
    for (long o = first * PANEL; o < last * PANEL; o += W) {
        uint32_t *panel = (uint32_t *)words + o / PANEL * steps * PANEL + o % PANEL * RUN;
        const float *from = w + o * stride;
        long rows = outputs - o < 0 ? 0 : outputs - o < W ? outputs - o : W;
        float factors[W];
        for (long j = 0; j < W; j++) factors[j] = 1;
#if IS_INTEGER
        VI totals[W] = {};
        for (long j = 0; j < W; j++) {
            float top = j < rows ? K(greatest_magnitude)(from + j * stride, k) : 0;
            scales[o + j] = top / WEIGHT_LIMIT;
            factors[j] = top > 1e-30f ? WEIGHT_LIMIT / top : 0;
        }
#endif
        for (long s = 0; s < steps; s += W) {
            VI block[W] = {};
            for (long j = 0; j < rows; j++) {
                block[j] = K(words)(from + j * stride + s * NUMBERS, k - s * NUMBERS, K(splat)(factors[j]));
#if IS_INTEGER
                totals[j] += K(word_sums)(block[j]);
#endif
            }
            K(place)(block, steps - s, panel + s * PANEL);
#if IS_INTEGER
            long end = s + W, own = steps / groups;
            if (!sums || (end < steps && (groups == 1 || end % own != 0))) continue;
            int32_t *to = (int32_t *)sums + (o / PANEL * groups + s / own) * PANEL + o % PANEL;
            for (long j = 0; j < W; j++) {
                to[j] = K(sum_of_ints)(totals[j]);
                totals[j] = (VI){};
            }
#endif
        }
    }
}

#undef WEIGHT_LIMIT
