// Attention of one head: the scores of 24 queries over all keys stay in the L2 cache, and the softmax writes the
// operand of the product with the values in place. The keys and values may be in two parts. Part of tile_body.h.

/// The maximum magnitude of keys and values as 16-bit integers.
#define HEAD_LIMIT 2047

/// The words of W columns, of which `count` exist, in row `i` and those that share words with it; rows from `k` on are
/// zero.
INLINE VI K(column_words)(const float *x, long stride, long count, long i, long k, V factors) {
    V low = i < k ? K(some)(x + i * stride, count) : (V){};
#if KIND == CK_FLOAT32
    return (VI)low;
#else
    V high = i + 1 < k ? K(some)(x + (i + 1) * stride, count) : (V){};
#if IS_INTEGER
    return (K(rounded)(low * factors) & 0xffff) | K(rounded)(high * factors) << 16;
#elif VECTOR_BYTES == 64
    VI lows = (VI)_mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(low));
    VI highs = (VI)_mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(high));
    return lows | highs << 16;
#else
    return (VI)vzip1q_u16((uint16x8_t)K(bfloats)(low, low), (uint16x8_t)K(bfloats)(high, high));
#endif
#endif
}

/// Packs the transpose of values [k, outputs]: each output is a column.
static void K(pack_columns)(const float *x, long stride, long outputs, long k, uint32_t *words, float *scales) {
    long steps = STEPS(k);
    for (long o = 0; o < (outputs + PANEL - 1) / PANEL * PANEL; o += W) {
        uint32_t *to = words + o / PANEL * steps * PANEL + o % PANEL * RUN;
        long count = outputs - o < 0 ? 0 : outputs - o < W ? outputs - o : W;
        const float *from = x + o;
#if IS_INTEGER
        V tops = {};
        for (long i = 0; i < k; i++) tops = K(larger)(__builtin_elementwise_abs(K(some)(from + i * stride, count)), tops);
        STORE(scales + o, tops / HEAD_LIMIT);
        V factors = K(select)(tops > K(splat)(1e-30f), HEAD_LIMIT / tops, (V){});
#else
        V factors = {};
#endif
        for (long i = 0; i < k; i += NUMBERS * RUN, to += PANEL * RUN) {
            VI part[RUN];
            for (int j = 0; j < RUN; j++) part[j] = K(column_words)(from, stride, count, i + j * NUMBERS, k, factors);
#if RUN == 2
            K(interleave)(part, part + 1);
#endif
            for (int j = 0; j < RUN; j++) *(VI *)(to + W * j) = part[j];
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
    head.key_scales = keys * STEPS(d);
    head.values = head.key_scales + keys;
    head.value_scales = head.values + values * STEPS(positions);
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

/// The scores of a query over one part of the positions, or their weights.
typedef struct {
    float *scores; // with room for whole pairs of vectors
    long n;
    const float *key_scales;
} K(score_row);

/// Multiplies integer scores by the scales of the keys and of the query. Unless `more` is NULL, the scores of positions,
/// with their own scales, are added. Returns the greatest score in each lane.
INLINE V K(finished_scores)(K(score_row) row, float query_scale, const float *more, const float *more_scales,
                            float more_scale) {
    float *s = row.scores;
    long end = (row.n + W - 1) / W * W, whole = row.n / W * W;
    V tops = K(splat)(-INFINITY);
    for (long i = 0; i < end; i += W) {
#if IS_INTEGER
        V value = __builtin_convertvector(LOAD_INTS(s + i), V) * (LOAD(row.key_scales + i) * query_scale);
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
    for (long i = row.n; i < (row.n + 2 * W - 1) / (2 * W) * (2 * W); i++) s[i] = -INFINITY;
    if (whole < row.n) tops = K(larger)(LOAD(s + whole), tops);
    return tops;
}

/// Replaces the finished scores of all parts by the words of weights 2^(score - maximum). Returns 1 / the sum of the
/// weights.
static float K(softmax)(const K(score_row) *parts, long count, V tops) {
    V top = K(splat)(K(greatest_lane)(tops)), totals = {};
#if KIND == CK_BFLOAT16
    for (long part = 0; part < count; part++) {
        float *s = parts[part].scores;
        // The write position never overtakes the read position.
        for (long i = 0; i < parts[part].n; i += 2 * W) {
            V low = K(power)(LOAD(s + i) - top, 1), high = K(power)(LOAD(s + i + W) - top, 1);
            totals += low + high;
            STORE(s + i / 2, (V)K(bfloats)(low, high));
        }
    }
    return 1 / K(sum)(totals);
#else
    long n = 0;
    for (long part = 0; part < count; part++) {
        float *s = parts[part].scores;
        n += parts[part].n;
        for (long i = 0; i < parts[part].n; i += W) {
            V value = K(power)(LOAD(s + i) - top, IS_INTEGER);
            totals += value;
            STORE(s + i, value);
        }
    }
#if IS_INTEGER
    // As large as possible while no sum of products with values can overflow: a sum of weights is at most factor ·
    // total, plus half a unit for the rounding of each.
    float factor = (0.999f * (INT32_MAX / HEAD_LIMIT) - 0.5f * n) / K(sum)(totals);
    factor = factor < 32767 ? factor : 32767;
    VI sums = {};
    for (long part = 0; part < count; part++) {
        float *s = parts[part].scores;
        for (long i = 0; i < parts[part].n; i += 2 * W) {
            VI words = K(words)(s + i, parts[part].n - i, K(splat)(factor));
            sums += K(word_sums)(words);
            STORE(s + i / 2, (V)words);
        }
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

static void K(attention)(const float *q, long q_stride, long rows, long d, float scale, const ck_head_part *parts,
                         long count, const ck_relative *relative, void *scratch, float *out, long out_stride) {
    long steps = STEPS(d), width = 0, starts[3] = {};
    // The panels of each part, and the number of positions in the first that are not its own.
    long skipped[2];
    K(head) heads[2];
    for (long i = 0; i < count; i++) {
        heads[i] = K(head_of)(parts[i].positions, d);
        skipped[i] = parts[i].first % PANEL;
        starts[i + 1] = starts[i] + (parts[i].positions + PANEL - 1) / PANEL * PANEL - parts[i].first + skipped[i];
    }
    long padded = starts[count];
    float *scores = scratch, inverses[CK_QUERY_ROWS], scales[CK_QUERY_ROWS], more_scales[CK_QUERY_ROWS] = {};
    uint32_t *queries = (uint32_t *)scratch + CK_QUERY_ROWS * padded;
    float *row = (float *)queries + CK_QUERY_ROWS * ((d + PANEL - 1) / PANEL * PANEL);
    float *more = row + (d + PANEL - 1) / PANEL * PANEL;
    float sums[CK_QUERY_ROWS * PANEL] __attribute__((aligned(64)));
    scale *= 1.44269504088896341f; // the weights are powers of 2 instead of e
    for (long first = 0; first < rows; first += CK_QUERY_ROWS) {
        long queried = rows - first < CK_QUERY_ROWS ? rows - first : CK_QUERY_ROWS, start = 0;
        if (relative) {
            // Query `first + r` sees `positions` rows of p from relative->at - first - r on.
            K(query_words)(q + first * q_stride, q_stride, queried, d, scale, relative->v, row, queries, steps,
                           more_scales);
            start = (relative->at - first - queried + 1) / PANEL * PANEL;
            width = (relative->at - first + parts[0].positions - start + PANEL - 1) / PANEL * PANEL;
            for (long p = 0; p < width; p += PANEL)
                K(panel)(queries, steps, queried, (const uint32_t *)relative->words + (start + p) * steps, steps, 0,
                         NULL, more + p, width);
        }
        K(query_words)(q + first * q_stride, q_stride, queried, d, scale, relative ? relative->u : NULL, row, queries,
                       steps, scales);
        for (long i = 0; i < count; i++) {
            const uint32_t *keys = (const uint32_t *)parts[i].packed + (parts[i].first - skipped[i]) * steps;
            for (long p = 0; p < starts[i + 1] - starts[i]; p += PANEL)
                K(panel)(queries, steps, queried, keys + p * steps, steps, 0, NULL, scores + starts[i] + p, padded);
        }
        for (long r = 0; r < queried; r++) {
            long at = relative ? relative->at - first - r : 0;
            K(score_row) own[2];
            V tops = K(splat)(-INFINITY);
            for (long i = 0; i < count; i++) {
                own[i] = (K(score_row)){
                    .scores = scores + r * padded + starts[i] + skipped[i],
                    .n = parts[i].positions - parts[i].first,
                    .key_scales = (const float *)parts[i].packed + heads[i].key_scales + parts[i].first};
                tops = K(larger)(K(finished_scores)(own[i], scales[r], relative ? more + r * width + at - start : NULL,
                                                    relative && IS_INTEGER ? relative->scales + at : NULL,
                                                    more_scales[r]),
                                 tops);
            }
            inverses[r] = K(softmax)(own, count, tops);
        }
        for (long p = 0; p < d; p += PANEL)
            for (long i = 0; i < count; i++) {
                const uint32_t *packed = parts[i].packed, *values = packed + heads[i].values;
                const float *value_scales = (const float *)packed + heads[i].value_scales;
                ck_tiles weights = {values, value_scales, NULL, d, parts[i].positions, 1, 0};
                long value_steps = STEPS(parts[i].positions), before = parts[i].first / NUMBERS;
                K(panel)((uint32_t *)scores + starts[i] + skipped[i], padded, queried,
                         values + p * value_steps + before * PANEL, value_steps - before, 0, NULL, sums, PANEL);
                K(finish)(sums, inverses, queried, &weights, p, NULL, CK_IDENTITY, i > 0, out + first * out_stride,
                          out_stride);
            }
    }
}

#undef HEAD_LIMIT
