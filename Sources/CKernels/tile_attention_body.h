// Attention of one head: the scores of 24 queries over all keys stay in the L2 cache, and the softmax writes the
// operand of the product with the values in place. Part of tile_body.h.

/// The maximum magnitude of keys and values as 16-bit integers.
#define HEAD_LIMIT 2047

/// Packs the transpose of values [k, outputs]: each output is a column.
static void K(pack_columns)(const float *x, long stride, long outputs, long k, uint32_t *words, float *scales) {
    long steps = (k + NUMBERS - 1) / NUMBERS;
    for (long o = 0; o < (outputs + PANEL - 1) / PANEL * PANEL; o += W) {
        uint32_t *to = words + o / PANEL * steps * PANEL + o % PANEL;
        long count = outputs - o < 0 ? 0 : outputs - o < W ? outputs - o : W;
        const float *from = x + o;
#if IS_INTEGER
        V tops = {};
        for (long i = 0; i < k; i++) tops = K(larger)(__builtin_elementwise_abs(K(some)(from + i * stride, count)), tops);
        STORE(scales + o, tops / HEAD_LIMIT);
        V factors = K(select)(tops > K(splat)(1e-30f), HEAD_LIMIT / tops, (V){});
#endif
        for (long i = 0; i < k; i += NUMBERS, to += PANEL) {
            V low = K(some)(from + i * stride, count);
#if KIND == CK_FLOAT32
            *(V *)to = low;
#else
            V high = i + 1 < k ? K(some)(from + (i + 1) * stride, count) : (V){};
#if KIND == CK_BFLOAT16
            VI lows = (VI)_mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(low));
            VI highs = (VI)_mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(high));
#else
            VI lows = K(rounded)(low * factors) & 0xffff, highs = K(rounded)(high * factors);
#endif
            *(VI *)to = lows | highs << 16;
#endif
        }
    }
}

/// Where the parts of a packed head are, in words from its start.
typedef struct {
    long key_scales, values, value_scales;
} K(head);

INLINE K(head) K(head_of)(long positions, long d) {
    long keys = (positions + PANEL - 1) / PANEL * PANEL, values = (d + PANEL - 1) / PANEL * PANEL;
    K(head) head;
    head.key_scales = keys * ((d + NUMBERS - 1) / NUMBERS);
    head.values = head.key_scales + keys;
    head.value_scales = head.values + values * ((positions + NUMBERS - 1) / NUMBERS);
    return head;
}

static void K(pack_head)(const float *keys, long key_stride, const float *values, long value_stride, long positions,
                         long d, void *packed) {
    K(head) head = K(head_of)(positions, d);
    uint32_t *to = packed;
    K(pack)(keys, key_stride, positions, d, 1, 0, (positions + PANEL - 1) / PANEL, to, (float *)to + head.key_scales,
            NULL);
    K(pack_columns)(values, value_stride, d, positions, to + head.values, (float *)to + head.value_scales);
}

/// Replaces a row of n scores, padded to whole panels, by the words of weights 2^(score - maximum). Integer scores are
/// first multiplied by the scales of the keys and of the query. Unless `more` is NULL, the scores of positions, with
/// their own scales, are added. Returns 1 / the sum of the weights.
static float K(softmax)(float *s, long n, const float *key_scales, float query_scale, const float *more,
                        const float *more_scales, float more_scale) {
    long end = (n + W - 1) / W * W, whole = n / W * W;
    V tops = K(splat)(-INFINITY), totals = {};
    for (long i = 0; i < end; i += W) {
#if IS_INTEGER
        V value = __builtin_convertvector(LOAD_INTS(s + i), V) * (LOAD(key_scales + i) * query_scale);
        if (more) value += __builtin_convertvector(LOAD_INTS(more + i), V) * (LOAD(more_scales + i) * more_scale);
        STORE(s + i, value);
#else
        V value = LOAD(s + i);
        if (more) {
            value += LOAD(more + i);
            STORE(s + i, value);
        }
#endif
        if (i < whole) tops = K(larger)(value, tops);
    }
    for (long i = n; i < (n + PANEL - 1) / PANEL * PANEL; i++) s[i] = -INFINITY;
    if (whole < n) tops = K(larger)(LOAD(s + whole), tops);
    V top = K(splat)(K(greatest_lane)(tops));
#if KIND == CK_BFLOAT16
    // The write position never overtakes the read position.
    for (long i = 0; i < end; i += 2 * W) {
        V low = K(power)(LOAD(s + i) - top, 1), high = K(power)(LOAD(s + i + W) - top, 1);
        totals += low + high;
        STORE(s + i / 2, (V)(VI)_mm512_cvtne2ps_pbh(high, low));
    }
    return 1 / K(sum)(totals);
#else
    for (long i = 0; i < end; i += W) {
        V value = K(power)(LOAD(s + i) - top, IS_INTEGER);
        totals += value;
        STORE(s + i, value);
    }
#if IS_INTEGER
    // As large as possible while no sum of products with values can overflow: a sum of weights is at most factor ·
    // total, plus half a unit for the rounding of each.
    float factor = (0.999f * (INT32_MAX / HEAD_LIMIT) - 0.5f * n) / K(sum)(totals);
    factor = factor < 32767 ? factor : 32767;
    VI sums = {};
    for (long i = 0; i < n; i += 2 * W) {
        VI words = K(words)(s + i, n - i, K(splat)(factor));
        sums += K(word_sums)(words);
        STORE(s + i / 2, (V)words);
    }
    return 1 / (float)K(sum_of_ints)(sums);
#else
    return 1 / K(sum)(totals);
#endif
#endif
}

/// Converts queries to words, first adding a bias unless it is NULL. `row` has room for one.
static void K(query_words)(const float *q, long q_stride, long rows, long d, float scale, const float *bias, float *row,
                           uint32_t *words, long steps, float *scales) {
    // The largest for which no sum of products with keys overflows.
    long limit = INT32_MAX / HEAD_LIMIT / d < 32767 ? INT32_MAX / HEAD_LIMIT / d : 32767;
    for (long r = 0; r < rows; r++) {
        const float *from = q + r * q_stride;
        if (bias) {
            for (long i = 0; i < d; i++) row[i] = from[i] + bias[i];
            from = row;
        }
        scales[r] = K(row)(from, d, scale, (int32_t)limit, 0, words + r * steps, steps);
    }
}

static void K(attention)(const float *q, long q_stride, long rows, long d, float scale, const void *packed,
                         long positions, const ck_relative *relative, void *scratch, float *out, long out_stride) {
    K(head) head = K(head_of)(positions, d);
    const uint32_t *keys = packed, *values = keys + head.values;
    const float *key_scales = (const float *)keys + head.key_scales;
    ck_tiles weights = {values, (const float *)keys + head.value_scales, NULL, d, positions, 1, 0};
    long steps = (d + NUMBERS - 1) / NUMBERS, value_steps = (positions + NUMBERS - 1) / NUMBERS;
    long padded = (positions + PANEL - 1) / PANEL * PANEL, width = 0;
    float *scores = scratch, inverses[CK_QUERY_ROWS], scales[CK_QUERY_ROWS], more_scales[CK_QUERY_ROWS] = {};
    uint32_t *queries = (uint32_t *)scratch + CK_QUERY_ROWS * padded;
    float *row = (float *)queries + CK_QUERY_ROWS * ((d + PANEL - 1) / PANEL * PANEL);
    float *more = row + (d + PANEL - 1) / PANEL * PANEL;
    float sums[CK_QUERY_ROWS * PANEL] __attribute__((aligned(64)));
    scale *= 1.44269504088896341f; // the weights are powers of 2 instead of e
    for (long first = 0; first < rows; first += CK_QUERY_ROWS) {
        long count = rows - first < CK_QUERY_ROWS ? rows - first : CK_QUERY_ROWS, start = 0;
        if (relative) {
            // Query `first + r` sees `positions` rows of p from relative->at - first - r on.
            K(query_words)(q + first * q_stride, q_stride, count, d, scale, relative->v, row, queries, steps, more_scales);
            start = (relative->at - first - count + 1) / PANEL * PANEL;
            width = (relative->at - first + positions - start + PANEL - 1) / PANEL * PANEL;
            for (long p = 0; p < width; p += PANEL)
                K(panel)(queries, steps, count, (const uint32_t *)relative->words + (start + p) * steps, steps, 0, NULL,
                         more + p, width);
        }
        K(query_words)(q + first * q_stride, q_stride, count, d, scale, relative ? relative->u : NULL, row, queries, steps,
                       scales);
        for (long p = 0; p < padded; p += PANEL)
            K(panel)(queries, steps, count, keys + p * steps, steps, 0, NULL, scores + p, padded);
        for (long r = 0; r < count; r++) {
            long at = relative ? relative->at - first - r : 0;
            inverses[r] = K(softmax)(scores + r * padded, positions, key_scales, scales[r],
                                     relative ? more + r * width + at - start : NULL,
                                     relative && IS_INTEGER ? relative->scales + at : NULL, more_scales[r]);
        }
        for (long p = 0; p < d; p += PANEL) {
            K(panel)((uint32_t *)scores, padded, count, values + p * value_steps, value_steps, 0, NULL, sums, PANEL);
            K(finish)(sums, inverses, count, &weights, p, NULL, CK_IDENTITY, 0, out + first * out_stride, out_stride);
        }
    }
}

#undef HEAD_LIMIT
