// Attention over packed heads, with relative positions and in two parts.
#include "check.h"

/// Attention with plain loops. `more` is added to the scores: NULL or [rows][positions].
static void plain(const float *q, long q_stride, long rows, long d, double scale, const float *keys,
                  const float *values, long stride, long from, long positions, const double *more, double *out) {
    double *weights = malloc(sizeof(double) * (size_t)positions);
    for (long r = 0; r < rows; r++) {
        double top = -INFINITY, total = 0;
        for (long p = from; p < positions; p++) {
            double score = 0;
            for (long i = 0; i < d; i++) score += (double)q[r * q_stride + i] * keys[p * stride + i];
            weights[p] = scale * (score + (more ? more[r * positions + p] : 0));
            top = weights[p] > top ? weights[p] : top;
        }
        for (long p = from; p < positions; p++) total += weights[p] = exp(weights[p] - top);
        for (long i = 0; i < d; i++) {
            double sum = 0;
            for (long p = from; p < positions; p++) sum += weights[p] / total * values[p * stride + i];
            out[r * d + i] = sum;
        }
    }
    free(weights);
}

/// What the numbers of a format may be off in attention, where all values are at most 1: rounding for float32, and for
/// the others what the engine's own tests allow.
static double bound(int kind) { return kind == CK_FLOAT32 ? 2e-6 : kind == CK_INT16 ? 2e-3 : 0.01; }

static ck_head_part packed_head(const ck_tile_kernels *kernels, const float *keys, const float *values, long stride,
                                long positions, long d) {
    void *words = memory(4 * (size_t)ck_tile_head_words(kernels, positions, d));
    kernels->pack_head(keys, stride, values, stride, positions, d, words);
    return (ck_head_part){words, positions, 0};
}

static void check_one(const ck_tile_kernels *kernels, long rows, long positions, long d) {
    long stride = d + 5;
    float *q = numbers(rows * stride, 2, 1), *keys = numbers(positions * stride, 2, 2);
    float *values = numbers(positions * stride, 1, 3), *out = memory(4 * (size_t)(rows * stride));
    double *expected = memory(8 * (size_t)(rows * d)), scale = 1 / sqrt((double)d);
    ck_head_part part = packed_head(kernels, keys, values, stride, positions, d);
    void *scratch = memory(4 * (size_t)ck_tile_attention_scratch(kernels, positions, d, 0));
    kernels->attention(q, stride, rows, d, (float)scale, &part, 1, NULL, scratch, out, stride);
    plain(q, stride, rows, d, scale, keys, values, stride, 0, positions, NULL, expected);
    for (long r = 0; r < rows; r++)
        for (long i = 0; i < stride; i++)
            check(out[r * stride + i], i < d ? expected[r * d + i] : 0, i < d ? bound(kernels->kind) : 0,
                  "%s attention, %ld rows, %ld positions, %ld of %ld", kind_name(kernels->kind), rows, positions, i,
                  d);
}

/// The first part without its first positions, followed by a second.
static void check_parts(const ck_tile_kernels *kernels, long rows, long first, long stored, long more, long d) {
    long positions = stored + more;
    float *q = numbers(rows * d, 2, 1), *keys = numbers(positions * d, 2, 2);
    float *values = numbers(positions * d, 1, 3), *out = memory(4 * (size_t)(rows * d));
    double *expected = memory(8 * (size_t)(rows * d)), scale = 1 / sqrt((double)d);
    ck_head_part parts[2] = {packed_head(kernels, keys, values, d, stored, d),
                             packed_head(kernels, keys + stored * d, values + stored * d, d, more, d)};
    parts[0].first = first;
    void *scratch = memory(4 * (size_t)ck_tile_attention_scratch(kernels, stored, d, 0)
                           + 4 * (size_t)ck_tile_attention_scratch(kernels, more, d, 0));
    kernels->attention(q, d, rows, d, (float)scale, parts, 2, NULL, scratch, out, d);
    plain(q, d, rows, d, scale, keys, values, d, first, positions, NULL, expected);
    for (long i = 0; i < rows * d; i++)
        check(out[i], expected[i], bound(kernels->kind), "%s attention of %ld + %ld positions",
              kind_name(kernels->kind), stored - first, more);
}

static void check_relative(const ck_tile_kernels *kernels, long rows, long positions, long d) {
    long reach = positions + 10, table_rows = 2 * reach + 1, panels = ck_tile_panels(kernels, table_rows);
    float *q = numbers(rows * d, 1, 1), *keys = numbers(positions * d, 1, 2), *values = numbers(positions * d, 1, 3);
    float *table = numbers(table_rows * d, 1, 4), *u = numbers(d, 1, 5), *v = numbers(d, 1, 6);
    float *biased = memory(4 * (size_t)(rows * d)), *out = memory(4 * (size_t)(rows * d));
    double *more = memory(8 * (size_t)(rows * positions)), *expected = memory(8 * (size_t)(rows * d));
    double scale = 1 / sqrt((double)d);
    uint32_t *words = memory(4 * (size_t)(panels * kernels->panel * ck_tile_steps(kernels, d)));
    float *scales = memory(4 * (size_t)(panels * kernels->panel + 16));
    kernels->pack(table, d, table_rows, d, 1, 0, panels, words, scales, NULL);
    ck_relative relative = {words, scales, u, v, reach - (positions - rows)};
    ck_head_part part = packed_head(kernels, keys, values, d, positions, d);
    void *scratch = memory(4 * (size_t)ck_tile_attention_scratch(kernels, positions, d, 1));
    kernels->attention(q, d, rows, d, (float)scale, &part, 1, &relative, scratch, out, d);
    for (long r = 0; r < rows; r++) {
        for (long i = 0; i < d; i++) biased[r * d + i] = q[r * d + i] + u[i];
        for (long p = 0; p < positions; p++)
            for (long i = 0; i < d; i++)
                more[r * positions + p] += ((double)q[r * d + i] + v[i]) * table[(relative.at - r + p) * d + i];
    }
    plain(biased, d, rows, d, scale, keys, values, d, 0, positions, more, expected);
    for (long i = 0; i < rows * d; i++)
        check(out[i], expected[i], bound(kernels->kind), "%s relative attention, %ld rows, %ld positions, size %ld",
              kind_name(kernels->kind), rows, positions, d);
}

void test_attention(void) {
    static const long sizes[] = {1, 5, 16, 17, 32, 64}, positions[] = {1, 2, 7, 8, 15, 16, 31, 33, 64, 65, 130};
    for (int kind = 0; kind < 4; kind++) {
        const ck_tile_kernels *kernels = ck_tile_kernels_of(kind);
        if (!kernels || !kernels->attention) continue;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t p = 0; p < sizeof positions / sizeof *positions; p++) {
                long rows[] = {1, 2, 7, 24, 25, 49};
                for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
                    check_one(kernels, rows[r], positions[p], sizes[s]);
                    if (rows[r] <= positions[p]) check_relative(kernels, rows[r], positions[p], sizes[s]);
                    release(0);
                }
            }
        check_one(kernels, 3, 1500, 64);
        check_one(kernels, 3, 1499, 64);
        check_parts(kernels, 3, 0, 32, 7, 64);
        check_parts(kernels, 26, 32, 96, 33, 32);
        check_parts(kernels, 5, 64, 128, 1, 17);
    }
}

void test_cached_attention(void) {
    static const struct {
        long rows, positions, d;
    } shapes[] = {{1, 1, 64},  {1, 7, 5},   {2, 33, 17},   {3, 64, 32},
                  {5, 70, 64}, {8, 40, 31}, {13, 100, 64}, {1, 448, 64}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        long rows = shapes[s].rows, positions = shapes[s].positions, d = shapes[s].d;
        long padded = (positions + 31) / 32 * 32;
        float *q = numbers(rows * d, 2, 1), *keys = numbers(positions * d, 2, 2);
        float *values = numbers(positions * d, 1, 3);
        float *out = memory(4 * (size_t)(rows * d)), *scores = memory(4 * (size_t)(rows * padded));
        double *expected = memory(8 * (size_t)(rows * d)), scale = 1 / sqrt((double)d);
        plain(q, d, rows, d, scale, keys, values, d, 0, positions, NULL, expected);
        float *transposed = memory(4 * (size_t)(d * padded));
        for (long p = 0; p < positions; p++)
            for (long i = 0; i < d; i++) transposed[i * padded + p] = keys[p * d + i];
        ck_transposed_attention(q, d, rows, transposed, values, positions, padded, d, (float)scale, scores, out, d);
        for (long i = 0; i < rows * d; i++) check(out[i], expected[i], 2e-6, "transposed attention %zu", s);

        // In reverse order, which the weights do not depend on.
        int32_t *index = memory(4 * (size_t)positions);
        for (long p = 0; p < positions; p++) index[p] = (int32_t)(positions - 1 - p);
        float *single = memory(4 * (size_t)d);
        ck_cached_attention(q, keys, values, d, index, positions, 1, d, (float)scale, scores, single);
        for (long i = 0; i < d; i++) check(single[i], expected[i], 2e-6, "cached attention %zu", s);

        // Keys and values that float16 holds exactly.
        for (long i = 0; i < positions * d; i++) {
            keys[i] = (float)(_Float16)keys[i];
            values[i] = (float)(_Float16)values[i];
        }
        plain(q, d, rows, d, scale, keys, values, d, 0, positions, NULL, expected);
        uint16_t *half_keys = memory(2 * (size_t)(padded * d)), *half_values = memory(2 * (size_t)(positions * d));
        ck_pack_keys_half(keys, d, positions, d, half_keys);
        ck_pack_values_half(values, d, positions, d, half_values);
        ck_half_scores(q, d, rows, half_keys, positions, d, scores);
        for (long r = 0; r < rows; r++)
            for (long p = 0; p < positions; p++) {
                double score = 0, bound = 0;
                for (long i = 0; i < d; i++) {
                    double product = (double)q[r * d + i] * keys[p * d + i];
                    score += product;
                    bound += (d + 1) * 0x1p-24 * fabs(product);
                }
                check(scores[r * padded + p], score, bound, "score of float16 keys %zu", s);
            }
        ck_half_attention(q, d, rows, half_keys, half_values, positions, d, (float)scale, scores, out, d);
        for (long i = 0; i < rows * d; i++) check(out[i], expected[i], 2e-6, "attention of float16 %zu", s);
    }
}
