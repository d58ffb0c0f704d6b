// Layers of convolutional encoders around their matrix products. Part of kernels_body.h. Widths are multiples of 16.

// Rows x of n numbers and then n gates.
static void K(gate)(const float *x, long x_stride, float *y, long y_stride, long rows, long n) {
    for (long r = 0; r < rows; r++, x += x_stride, y += y_stride)
        for (long i = 0; i < n; i += W) STORE(y + i, LOAD(x + i) * K(logistic)(LOAD(x + n + i)));
}

static void K(convolve_rows)(const float *x, long x_stride, long rows, long n, const float *w, long taps, long before,
                             const float *bias, int activation, long first, long last, float *y, long y_stride) {
    for (long t = first; t < last; t++) {
        const float *from = x + (t - before) * x_stride;
        float *to = y + t * y_stride;
        long start = t < before ? before - t : 0, end = rows - t + before < taps ? rows - t + before : taps;
        for (long i = 0; i < n; i += W) {
            V sum = LOAD(bias + i);
            for (long k = start; k < end; k++) sum += LOAD(w + k * n + i) * LOAD(from + k * x_stride + i);
            STORE(to + i, K(activated)(sum, activation));
        }
    }
}

static void K(halve_image)(const ck_image *x, long n, const float *w, const float *bias, int activation, long first,
                           long last, float *y) {
    long columns = (x->columns + x->before) / 2, pixel = x->channels;
    for (long t = first; t < last; t++)
        for (long f = 0; f < columns; f++, y += n) {
            const float *pixels[9], *weights[9];
            int count = 0;
            for (long dt = 0; dt < 3; dt++)
                for (long df = 0; df < 3; df++) {
                    long row = 2 * t + dt - x->before, column = 2 * f + df - x->before;
                    if (row < 0 || row >= x->rows || column < 0 || column >= x->columns) continue;
                    pixels[count] = x->pixels + ((row - x->first) * x->columns + column) * pixel;
                    weights[count++] = w + (3 * dt + df) * n;
                }
            for (long i = 0; i < n; i += W) {
                V sum = LOAD(bias + i);
                for (int k = 0; k < count; k++)
                    sum += LOAD(weights[k] + i) * (pixel == 1 ? K(splat)(*pixels[k]) : LOAD(pixels[k] + i));
                STORE(y + i, K(activated)(sum, activation));
            }
        }
}
