// Few-row product for one weight type; included by kernels_body.h once per type.
//
// Two weight rows and up to four x rows are processed together: enough accumulators to hide the latency of a
// multiply-add, and each weight is read from memory once.
INLINE void FEW_ROWS(_group)(const float *x, long x_stride, int rows, const WEIGHT *w0, const WEIGHT *w1, long k,
                              float *sums) {
    V a[4] = {}, b[4] = {}, c[4] = {}, d[4] = {};
    long i = 0;
    for (; i + 2 * W <= k; i += 2 * W) {
        V p = LOAD_WEIGHTS(w0 + i), q = LOAD_WEIGHTS(w1 + i);
        V p2 = LOAD_WEIGHTS(w0 + i + W), q2 = LOAD_WEIGHTS(w1 + i + W);
        for (int r = 0; r < rows; r++) {
            V v = LOAD(x + r * x_stride + i), v2 = LOAD(x + r * x_stride + i + W);
            a[r] += v * p;
            b[r] += v * q;
            c[r] += v2 * p2;
            d[r] += v2 * q2;
        }
    }
    for (int r = 0; r < rows; r++) {
        sums[2 * r] = K(sum)(a[r] + c[r]);
        sums[2 * r + 1] = K(sum)(b[r] + d[r]);
        for (long j = i; j < k; j++) {
            sums[2 * r] += x[r * x_stride + j] * ONE_WEIGHT(w0[j]);
            sums[2 * r + 1] += x[r * x_stride + j] * ONE_WEIGHT(w1[j]);
        }
    }
}

static void FEW_ROWS()(const float *x, long x_stride, long rows, const WEIGHT *w, long w_stride, long k,
                        const float *bias, float *y, long y_stride, long first, long last, int accumulate) {
    for (long j = first; j < last; j += 2) {
        const WEIGHT *w0 = w + j * w_stride, *w1 = j + 1 < last ? w0 + w_stride : w0;
        for (long r = 0; r < rows; r += 4) {
            float sums[8];
            const float *xr = x + r * x_stride;
            switch (rows - r) {
            case 1: FEW_ROWS(_group)(xr, x_stride, 1, w0, w1, k, sums); break;
            case 2: FEW_ROWS(_group)(xr, x_stride, 2, w0, w1, k, sums); break;
            case 3: FEW_ROWS(_group)(xr, x_stride, 3, w0, w1, k, sums); break;
            default: FEW_ROWS(_group)(xr, x_stride, 4, w0, w1, k, sums); break;
            }
            for (long i = 0; i < 4 && r + i < rows; i++) {
                float *to = y + (r + i) * y_stride + j;
                for (long o = 0; o < 2 && j + o < last; o++) {
                    float value = sums[2 * i + o] + (bias ? bias[j + o] : 0);
                    to[o] = accumulate ? to[o] + value : value;
                }
            }
        }
    }
}

#undef WEIGHT
#undef FEW_ROWS
#undef LOAD_WEIGHTS
#undef ONE_WEIGHT
