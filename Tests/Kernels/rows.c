// Products of a few rows, and weights as bytes.
#include "check.h"

void test_few_rows(void) {
    static const long inputs[] = {1, 3, 4, 7, 8, 16, 17, 31, 32, 33, 63, 64, 65, 384, 1000};
    for (size_t s = 0; s < sizeof inputs / sizeof *inputs; s++)
        for (long rows = 1; rows <= 9; rows++, release(0)) {
            enum { outputs = 13 };
            long k = inputs[s], stride = k + 3;
            float *x = numbers(rows * stride, 1, 1), *w = numbers(outputs * k, 1, 2), *bias = numbers(outputs, 1, 3);
            uint16_t *half = memory(2 * (size_t)(outputs * k));
            float *widened = memory(4 * (size_t)(outputs * k));
            ck_narrow_half(w, half, outputs * k);
            ck_widen_half(half, widened, outputs * k);
            for (int mode = 0; mode < 4; mode++) {
                int is_half = mode & 1, accumulate = mode >> 1;
                float *y = numbers(rows * outputs, 1, 4), *before = numbers(rows * outputs, 1, 4);
                if (is_half)
                    ck_few_rows_half(x, stride, rows, half, k, k, bias, y, outputs, 1, outputs, accumulate);
                else
                    ck_few_rows(x, stride, rows, w, k, k, accumulate ? NULL : bias, y, outputs, 1, outputs, accumulate);
                for (long r = 0; r < rows; r++)
                    for (long o = 0; o < outputs; o++) {
                        double sum = accumulate ? before[r * outputs + o] : 0, magnitudes = fabs(sum);
                        for (long i = 0; i < k; i++) {
                            double product = (double)x[r * stride + i] * (is_half ? widened : w)[o * k + i];
                            sum += product;
                            magnitudes += fabs(product);
                        }
                        if (is_half || !accumulate) sum += bias[o], magnitudes += fabs(bias[o]);
                        if (o == 0) sum = before[r * outputs]; // not asked for
                        check(y[r * outputs + o], sum, o == 0 ? 0 : (k + 2) * 0x1p-24 * magnitudes,
                              "%s, %ld rows, %ld inputs, output %ld", is_half ? "few rows of float16" : "few rows",
                              rows, k, o);
                    }
            }
        }
}

/// Rows of whole numbers up to 32512, and weights up to 127, have a scale of 1.
static void split(const float *x, long rows, long k, ck_int8_input *input) {
    long padded = (k + 3) / 4 * 4;
    int8_t *digits = memory((size_t)(2 * rows * padded));
    int16_t *whole = memory(2 * (size_t)(rows * padded));
    float *scales = memory(4 * (size_t)rows);
    int32_t *sums = memory(8 * (size_t)rows);
    ck_split_rows(x, k, rows, k, padded, digits, whole, scales, sums);
    for (long r = 0; r < rows; r++) {
        check(scales[r], 1, 0, "scale of row %ld", r);
        for (long i = 0; i < k; i++) {
            check(256 * digits[2 * r * padded + i] + digits[(2 * r + 1) * padded + i], x[r * k + i], 0, "digits");
            check(whole[r * padded + i], x[r * k + i], 0, "both digits of row %ld", r);
        }
    }
    *input = (ck_int8_input){digits, whole, scales, sums, rows, padded};
}

static void pack(const float *w, long outputs, long k, ck_int8_weights *weights) {
    long padded = (k + 3) / 4 * 4, blocks = (outputs + 31) / 32;
    uint8_t *bytes = memory((size_t)(blocks * 32 * padded));
    float *scales = memory(4 * (size_t)(blocks * 32)), *errors = memory(4 * (size_t)outputs);
    float *lengths = memory(4 * (size_t)outputs);
    ck_pack_int8(w, outputs, k, padded, 0, blocks, bytes, scales, errors, lengths);
    for (long o = 0; o < outputs; o++) {
        double length = 0;
        for (long i = 0; i < k; i++) {
            length += (double)w[o * k + i] * w[o * k + i];
            check(bytes[o / 32 * 32 * padded + i / 4 * 128 + o % 32 * 4 + i % 4], w[o * k + i] + 128, 0, "byte %ld", i);
        }
        check(scales[o], 1, 0, "scale of output %ld", o);
        check(errors[o], 0, 0, "error of output %ld", o);
        check(lengths[o], sqrt(length), 1e-6 * sqrt(length), "length of output %ld", o);
    }
    *weights = (ck_int8_weights){bytes, scales, outputs};
}

static void check_bytes(const float *all_x, const float *w, const ck_int8_weights *weights, long rows, long k) {
    long outputs = weights->outputs;
    float *bias = numbers(outputs, 1, 3);
    ck_int8_input input;
    split(all_x, rows, k, &input);
    for (int accumulate = 0; accumulate < 2; accumulate++) {
        float *y = numbers(rows * outputs, 1, 4), *before = numbers(rows * outputs, 1, 4);
        ck_multiply_int8(&input, weights, bias, y, outputs, 0, (outputs + 31) / 32, accumulate);
        for (long r = 0; r < rows; r++)
            for (long o = 0; o < outputs; o++) {
                double sum = bias[o] + (accumulate ? before[r * outputs + o] : 0), magnitudes = 2;
                for (long i = 0; i < k; i++) {
                    double product = (double)all_x[r * k + i] * w[o * k + i];
                    sum += product;
                    magnitudes += fabs(product);
                }
                // The integers are exact; up to eight numbers are rounded to float32 on the way.
                check(y[r * outputs + o], sum, 8 * 0x1p-24 * magnitudes,
                      "bytes, %ld rows, %ld outputs, %ld inputs, row %ld, output %ld", rows, outputs, k, r, o);
            }
    }
}

void test_bytes(void) {
    static const long inputs[] = {1, 3, 4, 5, 8, 16, 17, 64, 100, 384, 1600}, all_outputs[] = {1, 31, 32, 33, 70};
    for (size_t s = 0; s < sizeof inputs / sizeof *inputs; s++)
        for (size_t t = 0; t < sizeof all_outputs / sizeof *all_outputs; t++, release(0)) {
            long k = inputs[s], outputs = all_outputs[t];
            float *x = wholes(14, k, 32512, 1), *w = wholes(outputs, k, 127, 2);
            ck_int8_weights weights;
            pack(w, outputs, k, &weights);
            int before = taken();
            for (long rows = 1; rows <= 14; rows += rows < 7 || k < 64 ? 1 : 7, release(before))
                check_bytes(x, w, &weights, rows, k);
        }
    // Rows without a scale.
    float special[] = {1, NAN, 0, 0, INFINITY, 1}, scales[3];
    int8_t digits[24];
    int16_t whole[12];
    int32_t sums[6];
    ck_split_rows(special, 2, 3, 2, 4, digits, whole, scales, sums);
    check(scales[0], NAN, 0, "scale of NaN");
    check(scales[1], 0, 0, "scale of zeros");
    check(scales[2], NAN, 0, "scale of infinity");
}
