// Layers around matrix products.
#include "check.h"

static double gelu(double x) { return activated(x, CK_GELU); }
static double logistic(double x) { return 1 / (1 + exp(-x)); }

static const long widths[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 100, 384};
#define EACH_WIDTH(n)                                                                                                  \
    for (size_t s = 0; s < sizeof widths / sizeof *widths; s++)                                                        \
        for (long n = widths[s]; n; n = 0)

void test_layers(void) {
    enum { rows = 3 };
    EACH_WIDTH(n) {
        long stride = n + 2;
        float *x = numbers(rows * stride, 5, 1), *y = memory(4 * (size_t)(rows * n));
        float *gain = numbers(n, 1, 2), *shift = numbers(n, 1, 3);
        ck_layer_norm(x, stride, y, n, rows, n, gain, shift);
        for (long r = 0; r < rows; r++) {
            double mean = 0, variance = 0;
            for (long i = 0; i < n; i++) mean += x[r * stride + i] / (double)n;
            for (long i = 0; i < n; i++) variance += pow(x[r * stride + i] - mean, 2) / (double)n;
            for (long i = 0; i < n; i++)
                check(y[r * n + i], (x[r * stride + i] - mean) / sqrt(variance + 1e-5) * gain[i] + shift[i],
                      n == 1 ? 1e-4 : 4e-6, "layer norm of %ld", n);
        }
        for (int activation = CK_IDENTITY; activation <= CK_RELU; activation++) {
            memcpy(y, x, 4 * (size_t)(rows * n));
            ck_activate(y, n, rows, n, activation);
            for (long i = 0; i < rows * n; i++) {
                double v = x[i];
                check(y[i], activated(v, activation), 1e-6, "activation %d of %g", activation, v);
            }
        }
        memcpy(y, x, 4 * (size_t)(rows * n));
        ck_bias_gelu(y, n, rows, n, gain);
        for (long i = 0; i < rows * n; i++) check(y[i], gelu((double)x[i] + gain[i % n]), 1.5e-6, "GELU with bias");
        memcpy(y, x, 4 * (size_t)(rows * n));
        ck_add_bias(y, n, rows, n, gain);
        for (long i = 0; i < rows * n; i++) check(y[i], x[i] + gain[i % n], 0, "bias");
        memcpy(y, x, 4 * (size_t)(rows * n));
        ck_add(y, shift, n);
        for (long i = 0; i < n; i++) check(y[i], x[i] + shift[i], 0, "sum");
        memcpy(y, x, 4 * (size_t)(rows * n));
        ck_softmax(y, n, rows, n, 2);
        for (long r = 0; r < rows; r++) {
            double top = -INFINITY, total = 0;
            for (long i = 0; i < n; i++) top = x[r * n + i] > top ? x[r * n + i] : top;
            for (long i = 0; i < n; i++) total += exp(2 * (x[r * n + i] - top));
            for (long i = 0; i < n; i++)
                check(y[r * n + i], exp(2 * (x[r * n + i] - top)) / total, 1e-6, "softmax of %ld", n);
        }
    }
}

void test_networks(void) {
    EACH_WIDTH(n) {
        enum { rows = 5 };
        float *x = numbers(3 * rows * n, 3, 1), *y = memory(4 * (size_t)(rows * n));
        float *scale = numbers(n, 1, 2), *shift = numbers(n, 1, 3);
        ck_scale_shift(x, n, y, n, rows, n, scale, shift, 0.1f);
        for (long i = 0; i < rows * n; i++) {
            double v = (double)x[i] * scale[i % n] + shift[i % n];
            check(y[i], v > 0 ? v : v * 0.1f, 5e-7, "scale and shift");
        }
        memcpy(y, x, 4 * (size_t)(rows * n));
        ck_leaky(y, rows * n, 0.25f);
        for (long i = 0; i < rows * n; i++) check(y[i], x[i] > 0 ? x[i] : x[i] / 4, 0, "leaky");
        for (int is_scaled = 0; is_scaled < 2; is_scaled++) {
            ck_pool3(x, n, rows, 0.5f, is_scaled ? shift : NULL, y);
            for (long r = 0; r < rows; r++)
                for (long i = 0; i < n; i++) {
                    double top = -INFINITY;
                    for (long j = 0; j < 3; j++) {
                        double v = x[(3 * r + j) * n + i];
                        top = fmax(top, is_scaled ? fabs(v / 2 + shift[i]) : v);
                    }
                    check(y[r * n + i], top, is_scaled ? 3e-7 : 0, "maximum of three");
                }
        }
        float *mean = memory(4 * (size_t)n), *squares = memory(4 * (size_t)n);
        ck_column_moments(x, n, rows, n, mean, squares);
        for (long i = 0; i < n; i++) {
            double m = 0, q = 0;
            for (long r = 0; r < rows; r++) m += x[r * n + i] / (double)rows;
            for (long r = 0; r < rows; r++) q += (x[r * n + i] - m) * (x[r * n + i] - m);
            check(mean[i], m, 1e-6, "mean");
            check(squares[i], q, 1e-5, "squares");
        }
        ck_squared_lengths(x, n, rows / 2, y);
        for (long r = 0; r < rows / 2; r++)
            for (long i = 0; i < n; i++) {
                double a = x[2 * r * n + i], b = x[(2 * r + 1) * n + i];
                check(y[r * n + i], a * a + b * b, 2e-6, "squared length");
            }
        if (n % 16) continue;
        float *gates = numbers(rows * 4 * n, 4, 4), *cell = numbers(rows * n, 1, 5), *old = numbers(rows * n, 1, 5);
        ck_lstm_step(gates, rows, n, cell, y, n);
        for (long r = 0; r < rows; r++)
            for (long i = 0; i < n; i++) {
                const float *g = gates + 4 * r * n + i;
                double c = logistic(g[n]) * old[r * n + i] + logistic(g[0]) * tanh(g[2 * n]);
                check(cell[r * n + i], c, 1e-6, "cell");
                check(y[r * n + i], logistic(g[3 * n]) * tanh(c), 1e-6, "LSTM");
            }
        ck_gate(gates, 2 * n, y, n, rows, n);
        for (long r = 0; r < rows; r++)
            for (long i = 0; i < n; i++)
                check(y[r * n + i], gates[2 * r * n + i] * logistic(gates[(2 * r + 1) * n + i]), 2e-6, "gate");
        enum { taps = 3, before = 1 };
        float *w = numbers(9 * n, 1, 6), *bias = numbers(n, 1, 7);
        ck_convolve_rows(x, n, rows, n, w, taps, before, bias, CK_SILU, 0, rows, y, n);
        for (long t = 0; t < rows; t++)
            for (long i = 0; i < n; i++) {
                double v = bias[i];
                for (long k = 0; k < taps; k++)
                    if (t + k >= before && t + k < rows + before)
                        v += (double)w[k * n + i] * x[(t + k - before) * n + i];
                check(y[t * n + i], v * logistic(v), 3e-6, "convolution of rows");
            }
        for (long channels = 1; channels <= n; channels += n - 1) {
            enum { height = 7, width = 6 };
            float *pixels = numbers(height * width * n, 1, 8);
            for (long border = 1; border <= 2; border++) {
                long high = (height + border) / 2, wide = (width + border) / 2;
                float *image = memory(4 * (size_t)(high * wide * n));
                ck_image of = {pixels, 0, height, width, channels, border};
                ck_halve_image(&of, n, w, bias, CK_RELU, 0, high, image);
                for (long t = 0; t < high; t++)
                    for (long f = 0; f < wide; f++)
                        for (long i = 0; i < n; i++) {
                            double v = bias[i];
                            for (long k = 0; k < 9; k++) {
                                long row = 2 * t + k / 3 - border, column = 2 * f + k % 3 - border;
                                if (row < 0 || row >= height || column < 0 || column >= width) continue;
                                long channel = channels > 1 ? i : 0;
                                v += (double)w[k * n + i] * pixels[(row * width + column) * channels + channel];
                            }
                            check(image[(t * wide + f) * n + i], v > 0 ? v : 0, 2e-6, "halved image");
                        }
            }
            if (n == 1) break;
        }
    }
}
