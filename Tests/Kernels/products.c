// Many-row products and convolutions with packed weights.
#include "check.h"

#define MOST_ROWS 100
#define MOST_OUTPUTS 70

/// A packed weight.
static ck_tiles packed(const ck_tile_kernels *kernels, const float *w, long outputs, long inputs, long groups) {
    long padded = ck_tile_panels(kernels, outputs) * kernels->panel;
    void *words = memory(4 * (size_t)(padded * ck_tile_steps(kernels, inputs)));
    float *scales = memory(4 * (size_t)padded);
    int32_t *sums = memory(4 * (size_t)(padded * groups));
    kernels->pack(w, inputs, outputs, inputs, groups, 0, ck_tile_panels(kernels, outputs), words, scales, sums);
    ck_tiles tiles = {words, scales, sums, outputs, inputs, groups, 32767};
    if (kernels->kind == CK_INT16) {
        long most = 1;
        for (long o = 0; o < outputs; o++) most = sums[o] > most ? sums[o] : most;
        tiles.limit = INT32_MAX / most < 32767 ? (int32_t)(INT32_MAX / most) : 32767;
    }
    return tiles;
}

/// Half a unit of an integer that has `limit` as its row's greatest, or of the number x as bfloat16 or float32.
static double rounding(int kind, double x, double greatest, int limit) {
    if (kind == CK_FLOAT32) return 0;
    return kind == CK_BFLOAT16 ? fabs(x) / 256 : greatest * 0.5 / limit;
}

static double greatest(const float *x, long k) {
    double top = 0;
    for (long i = 0; i < k; i++) top = fabs(x[i]) > top ? fabs(x[i]) : top;
    return top;
}

/// Products of many numbers of rows and outputs with `k` inputs. Whole numbers are exact in all formats.
static void check_shapes(const ck_tile_kernels *kernels, long k, long groups, int are_whole) {
    int kind = kernels->kind;
    // With many inputs, the emulated processors are too slow for many rows.
    long most_rows = k < 64 ? MOST_ROWS : 14;
    float *x = are_whole ? wholes(MOST_ROWS, k, 127, 1) : numbers(MOST_ROWS * k, 1, 1);
    float *w = are_whole ? wholes(MOST_OUTPUTS, k, kind == CK_INT16 ? 2047 : 127, 2) : numbers(MOST_OUTPUTS * k, 1, 2);
    float *bias = numbers(MOST_OUTPUTS, 1, 3), *before = numbers(MOST_ROWS * (MOST_OUTPUTS + 3), 1, 4);
    static double sums[MOST_ROWS][MOST_OUTPUTS], bounds[MOST_ROWS][MOST_OUTPUTS];
    for (long r = 0; r < most_rows; r++)
        for (long o = 0; o < MOST_OUTPUTS; o++) {
            double sum = 0, magnitudes = 0, bound = 0;
            int limit = kind == CK_INT8 ? 127 : kind == CK_INT16 ? (int)fmin(32767, INT32_MAX / 2047.0 / k - 1) : 1;
            double top = greatest(x + r * k, k), top_of_weights = greatest(w + o * k, k);
            for (long i = 0; i < k; i++) {
                double a = x[r * k + i], b = w[o * k + i];
                double da = rounding(kind, a, top, limit);
                double db = rounding(kind, b, top_of_weights, kind == CK_INT8 ? 127 : 2047);
                sum += a * b;
                magnitudes += fabs(a * b);
                bound += 1.001 * (fabs(a) * db + fabs(b) * da + da * db);
            }
            sums[r][o] = sum;
            // However the products are summed, rounding is at most this. Sums of whole numbers below 2^24 are exact.
            bound += (k + 2) * 0x1p-24 * magnitudes;
            bounds[r][o] = are_whole && magnitudes < 1 << 24 ? 0 : bound;
        }
    ck_tiles all = packed(kernels, w, MOST_OUTPUTS, k, groups);
    int before_shapes = taken();
    for (long outputs = 1; outputs <= MOST_OUTPUTS; outputs++, release(before_shapes)) {
        // Around each multiple of the panel, whatever that is. With many inputs, the loop over them is the same.
        int is_around = outputs % 16 <= 1 || outputs == MOST_OUTPUTS;
        if (outputs > (k < 20 ? 34 : 5) && !is_around) continue;
        if (k > 200 && outputs != 1 && outputs != 33 && outputs != MOST_OUTPUTS) continue;
        ck_tiles tiles = outputs == MOST_OUTPUTS ? all : packed(kernels, w, outputs, k, groups);
        if (are_whole) tiles.limit = 127; // a scale of 1
        int before_rows = taken();
        for (long rows = 1; rows <= most_rows; rows += rows < 14 ? 1 : MOST_ROWS - 14, release(before_rows)) {
            if (rows == MOST_ROWS && outputs != MOST_OUTPUTS) continue;
            if (k > 200 && rows != 1 && rows != 6 && rows != 14) continue;
            int mode = (int)(outputs + rows) % 3; // bias, added, neither
            long stride = outputs + 3;
            float *y = memory(4 * (size_t)(rows * stride)), *own = memory(4 * (size_t)(rows * k));
            void *scratch = memory(4 * (size_t)(CK_MAX_ROWS * ck_tile_steps(kernels, k)));
            memcpy(own, x, 4 * (size_t)(rows * k));
            memcpy(y, before, 4 * (size_t)(rows * stride));
            kernels->multiply(&tiles, own, k, rows, mode ? NULL : bias, CK_IDENTITY, mode == 1, scratch, y, stride);
            for (long r = 0; r < rows; r++)
                for (long o = 0; o < stride; o++) {
                    double old = before[r * stride + o];
                    int is_output = o < outputs;
                    double more = !is_output ? old : mode == 0 ? bias[o] : mode == 1 ? old : 0;
                    double expected = is_output ? sums[r][o] + more : old;
                    double slack = is_output && mode < 2 ? 6e-8 * (fabs(expected) + fabs(more)) : 0;
                    check(y[r * stride + o], expected, (is_output ? bounds[r][o] : 0) + slack,
                          "%s, %ld rows, %ld outputs, %ld inputs in %ld groups, row %ld, output %ld", kind_name(kind),
                          rows, outputs, k, groups, r, o);
                }
        }
    }
}

/// Activations after a product.
static void check_activations(const ck_tile_kernels *kernels) {
    enum { rows = 7, outputs = 37, k = 40 };
    float *x = wholes(rows, k, 127, 5), *w = wholes(outputs, k, 127, 6), *bias = numbers(outputs, 3, 7);
    if (kernels->kind == CK_INT16) w = wholes(outputs, k, 2047, 6);
    for (long i = 0; i < rows * k; i++) x[i] /= 8192;
    ck_tiles tiles = packed(kernels, w, outputs, k, 1);
    tiles.limit = 127;
    for (int activation = CK_IDENTITY; activation <= CK_RELU; activation++) {
        float *y = memory(4 * rows * outputs);
        void *scratch = memory(4 * (size_t)(CK_MAX_ROWS * ck_tile_steps(kernels, k)));
        kernels->multiply(&tiles, x, k, rows, bias, activation, 0, scratch, y, outputs);
        for (long r = 0; r < rows; r++)
            for (long o = 0; o < outputs; o++) {
                double v = bias[o];
                for (long i = 0; i < k; i++) v += (double)x[r * k + i] * w[o * k + i];
                double expected = activated(v, activation);
                check(y[r * outputs + o], expected, 1e-6 * (1 + fabs(v)), "%s, activation %d of %g",
                      kind_name(kernels->kind), activation, v);
            }
    }
}

void test_products(void) {
    static const long inputs[] = {1,  2,  3,  4,  5,  6,  7,   8,   9,    12,
                                  15, 16, 17, 31, 33, 64, 127, 384, 1025, 1536};
    for (int kind = 0; kind < 4; kind++) {
        const ck_tile_kernels *kernels = ck_tile_kernels_of(kind);
        if (!kernels) continue;
        for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
            for (int are_whole = 0; are_whole < 2; are_whole++) check_shapes(kernels, inputs[i], 1, are_whole);
        if (kind == CK_INT8) {
            check_shapes(kernels, 256, 2, 0);
            check_shapes(kernels, 1536, 12, 1);
        }
        check_activations(kernels);
        check(kernels->peak(10) > 0, 1, 0, "peak");
    }
}

void test_convolutions(void) {
    static const struct {
        long taps, part, stride, rows, outputs; // part: numbers of a tap; stride: between taps
    } shapes[] = {{3, 8, 8, 20, 33}, {2, 16, 24, 7, 16}, {4, 32, 32, 101, 5}, {1, 80, 80, 13, 48}};
    for (int kind = 0; kind < 4; kind++) {
        const ck_tile_kernels *kernels = ck_tile_kernels_of(kind);
        if (!kernels || !kernels->convolve) continue;
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            long taps = shapes[s].taps, part = shapes[s].part, stride = shapes[s].stride, rows = shapes[s].rows;
            long outputs = shapes[s].outputs, k = taps * part, count = (rows - 1) * part + (taps - 1) * stride + part;
            float *x = wholes(1, count, 127, 1), *w = wholes(outputs, k, kind == CK_INT16 ? 2047 : 127, 2);
            float *bias = numbers(outputs, 1, 3), *y = memory(4 * (size_t)(rows * outputs));
            ck_tiles tiles = packed(kernels, w, outputs, k, 1);
            uint32_t *words = memory(4 * (size_t)ck_tile_steps(kernels, count));
            float scale = kernels->words_of(x, count, 127, words);
            check(scale, 1, 0, "scale of %s", kind_name(kind));
            kernels->convolve(&tiles, words, part / kernels->numbers, taps, stride / kernels->numbers, scale, rows,
                              bias, 0, y, outputs);
            for (int accumulate = 0; accumulate < 2; accumulate++) {
                if (accumulate)
                    kernels->convolve(&tiles, words, part / kernels->numbers, taps, stride / kernels->numbers, scale,
                                      rows, NULL, 1, y, outputs);
                for (long r = 0; r < rows; r++)
                    for (long o = 0; o < outputs; o++) {
                        double sum = 0;
                        for (long t = 0; t < taps; t++)
                            for (long i = 0; i < part; i++)
                                sum += (double)x[r * part + t * stride + i] * w[o * k + t * part + i];
                        check(y[r * outputs + o], sum * (1 + accumulate) + bias[o], 2e-7 * (1 + fabs(sum)),
                              "%s convolution %zu, row %ld, output %ld", kind_name(kind), s, r, o);
                    }
            }
        }
    }
}
