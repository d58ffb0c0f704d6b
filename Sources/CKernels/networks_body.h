// Layers of recurrent and convolutional networks around their matrix products. Part of kernels_body.h.

static void K(scale_shift)(const float *x, long x_stride, float *y, long y_stride, long rows, long n, const float *scale,
                           const float *shift, float slope) {
    for (long r = 0; r < rows; r++, x += x_stride, y += y_stride) {
        long i = 0;
        for (; i + W <= n; i += W) {
            V v = LOAD(x + i) * LOAD(scale + i) + LOAD(shift + i);
            STORE(y + i, __builtin_elementwise_max(v, K(splat)(0)) + __builtin_elementwise_min(v, K(splat)(0)) * slope);
        }
        for (; i < n; i++) {
            float v = x[i] * scale[i] + shift[i];
            y[i] = v > 0 ? v : v * slope;
        }
    }
}

static void K(leaky)(float *x, long n, float slope) {
    long i = 0;
    for (; i + W <= n; i += W) {
        V v = LOAD(x + i);
        STORE(x + i, __builtin_elementwise_max(v, K(splat)(0)) + __builtin_elementwise_min(v, K(splat)(0)) * slope);
    }
    for (; i < n; i++) x[i] = x[i] > 0 ? x[i] : x[i] * slope;
}

static void K(pool3)(const float *x, long n, long rows, float scale, const float *shift, float *y) {
    for (long r = 0; r < rows; r++, x += 3 * n, y += n) {
        long i = 0;
        for (; i + W <= n; i += W) {
            V a = LOAD(x + i), b = LOAD(x + n + i), c = LOAD(x + 2 * n + i);
            if (shift) {
                V s = LOAD(shift + i);
                a = __builtin_elementwise_abs(a * scale + s);
                b = __builtin_elementwise_abs(b * scale + s);
                c = __builtin_elementwise_abs(c * scale + s);
            }
            STORE(y + i, __builtin_elementwise_max(__builtin_elementwise_max(a, b), c));
        }
        for (; i < n; i++) {
            float greatest = -INFINITY;
            for (long j = 0; j < 3; j++) {
                float v = shift ? fabsf(x[j * n + i] * scale + shift[i]) : x[j * n + i];
                greatest = v > greatest ? v : greatest;
            }
            y[i] = greatest;
        }
    }
}

static void K(column_moments)(const float *x, long stride, long rows, long n, float *mean, float *squares) {
    for (long i = 0; i < n; i++) mean[i] = squares[i] = 0;
    for (long r = 0; r < rows; r++)
        for (long i = 0; i < n; i++) mean[i] += x[r * stride + i];
    for (long i = 0; i < n; i++) mean[i] /= rows;
    for (long r = 0; r < rows; r++)
        for (long i = 0; i < n; i++) {
            float d = x[r * stride + i] - mean[i];
            squares[i] += d * d;
        }
}

static void K(squared_lengths)(const float *x, long n, long rows, float *y) {
    for (long r = 0; r < rows; r++, x += 2 * n, y += n)
        for (long i = 0; i < n; i++) y[i] = x[i] * x[i] + x[n + i] * x[n + i];
}

INLINE V K(logistic)(V x) { return 1.0f / (1.0f + K(exponential)(-x)); }
INLINE V K(hyperbolic_tangent)(V x) { return 2.0f * K(logistic)(2.0f * x) - 1.0f; }

// n must be a multiple of the lanes.
static void K(lstm_step)(const float *gates, long rows, long n, float *cell, float *out, long out_stride) {
    for (long r = 0; r < rows; r++, gates += 4 * n, cell += n, out += out_stride)
        for (long i = 0; i < n; i += W) {
            V c = K(logistic)(LOAD(gates + n + i)) * LOAD(cell + i)
                  + K(logistic)(LOAD(gates + i)) * K(hyperbolic_tangent)(LOAD(gates + 2 * n + i));
            STORE(cell + i, c);
            STORE(out + i, K(logistic)(LOAD(gates + 3 * n + i)) * K(hyperbolic_tangent)(c));
        }
}
