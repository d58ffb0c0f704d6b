// Whole rows of logits. Part of kernels_body.h.

static float K(maximum)(const float *x, long n) {
    V tops[4];
    for (int t = 0; t < 4; t++) tops[t] = K(splat)(-INFINITY);
    long i = 0;
    // A comparison with NaN is false, so that the greatest so far stays.
    for (; i + 4 * W <= n; i += 4 * W)
        for (int t = 0; t < 4; t++) {
            V v = LOAD(x + i + t * W);
            tops[t] = K(select)(v > tops[t], v, tops[t]);
        }
    float best = -INFINITY, parts[4 * W];
    for (int t = 0; t < 4; t++) STORE(parts + t * W, tops[t]);
    for (int o = 0; o < 4 * W; o++) best = parts[o] > best ? parts[o] : best;
    for (; i < n; i++) best = x[i] > best ? x[i] : best;
    return best;
}

static double K(sum_of_exponentials)(const float *x, long n, float maximum) {
    double total = 0;
    // Few values are summed in float32 before they are added in double precision: that bounds the rounding error.
    for (long start = 0; start < n; start += 1024) {
        long end = start + 1024 < n ? start + 1024 : n, i = start;
        V a = {}, b = {};
        for (; i + 2 * W <= end; i += 2 * W) {
            V x0 = LOAD(x + i) - maximum, x1 = LOAD(x + i + W) - maximum;
            a += K(exponential)(K(select)(x0 > -87.0f, x0, K(splat)(-87.0f)));
            b += K(exponential)(K(select)(x1 > -87.0f, x1, K(splat)(-87.0f)));
        }
        for (; i < end; i += W) {
            float part[W];
            for (long o = 0; o < W; o++) part[o] = i + o < end && x[i + o] - maximum > -87.0f ? x[i + o] - maximum : -87.0f;
            a += K(exponential)(LOAD(part));
        }
        total += (double)K(sum)(a + b);
    }
    return total;
}

// The `count` greatest of n numbers, at most n; of equal ones the first goes first. NaN is as small as -infinity.
static void K(greatest)(const float *x, long n, long count, long *indices) {
    long kept = 0;
    float threshold = -INFINITY;
    for (long i = 0; i < n; i++) {
        if (kept == count) {
            // Most numbers are passed over many at a time.
            V top = K(splat)(threshold);
            while (i + 4 * W <= n) {
                VI above = (LOAD(x + i) > top) | (LOAD(x + i + W) > top) | (LOAD(x + i + 2 * W) > top)
                           | (LOAD(x + i + 3 * W) > top);
                if (__builtin_reduce_or(above)) break;
                i += 4 * W;
            }
            while (i < n && !(x[i] > threshold)) i++;
            if (i == n) return;
        }
        float value = x[i] > -INFINITY ? x[i] : -INFINITY;
        long place = kept < count ? kept++ : kept - 1;
        for (; place > 0; place--) {
            float before = x[indices[place - 1]];
            if ((before > -INFINITY ? before : -INFINITY) >= value) break;
            indices[place] = indices[place - 1];
        }
        indices[place] = i;
        if (kept == count) threshold = x[indices[count - 1]] > -INFINITY ? x[indices[count - 1]] : -INFINITY;
    }
}
