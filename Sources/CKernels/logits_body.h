// Reductions over whole rows of logits. Part of kernels_body.h.

static float K(maximum)(const float *x, long n) {
    V tops[4];
    for (int t = 0; t < 4; t++) tops[t] = K(splat)(-INFINITY);
    long i = 0;
    // Comparisons with NaN are false, so the maximum so far stays.
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

// Only blocks of values are summed in float32, and their sums in double precision, which bounds the rounding error.
enum { K(block) = 1024 };

// Σ exp(x - maximum) over at most K(block) numbers.
static double K(few_exponentials)(const float *x, long n, float maximum) {
    long i = 0;
    V a = {}, b = {};
    for (; i + 2 * W <= n; i += 2 * W) {
        V x0 = LOAD(x + i) - maximum, x1 = LOAD(x + i + W) - maximum;
        a += K(exponential)(K(select)(x0 > -87.0f, x0, K(splat)(-87.0f)));
        b += K(exponential)(K(select)(x1 > -87.0f, x1, K(splat)(-87.0f)));
    }
    for (; i < n; i += W) {
        float part[W];
        for (long o = 0; o < W; o++) part[o] = i + o < n && x[i + o] - maximum > -87.0f ? x[i + o] - maximum : -87.0f;
        a += K(exponential)(LOAD(part));
    }
    return (double)K(sum)(a + b);
}

// Updates the indices of the `count` largest numbers so far with x[from..<n]; ties are ordered by index, and NaN ranks
// like -infinity. `kept` indices are present; if that is all, only numbers above `threshold` can enter.
static void K(greatest_among)(const float *x, long from, long n, long count, long *indices, long *kept, float *threshold) {
    for (long i = from; i < n; i++) {
        if (*kept == count) {
            // Most numbers are skipped, many at a time.
            V top = K(splat)(*threshold);
            while (i + 4 * W <= n) {
                VI above = (LOAD(x + i) > top) | (LOAD(x + i + W) > top) | (LOAD(x + i + 2 * W) > top)
                           | (LOAD(x + i + 3 * W) > top);
                if (__builtin_reduce_or(above)) break;
                i += 4 * W;
            }
            while (i < n && !(x[i] > *threshold)) i++;
            if (i == n) return;
        }
        float value = x[i] > -INFINITY ? x[i] : -INFINITY;
        long place = *kept < count ? (*kept)++ : *kept - 1;
        for (; place > 0; place--) {
            float before = x[indices[place - 1]];
            if ((before > -INFINITY ? before : -INFINITY) >= value) break;
            indices[place] = indices[place - 1];
        }
        indices[place] = i;
        if (*kept == count) *threshold = x[indices[count - 1]] > -INFINITY ? x[indices[count - 1]] : -INFINITY;
    }
}

static void K(greatest)(const float *x, long n, long count, long *indices) {
    long kept = 0;
    float threshold = -INFINITY;
    K(greatest_among)(x, 0, n, count, indices, &kept, &threshold);
}

// Processes block by block, so that each number is read from memory once.
static double K(survey)(const float *x, long n, long count, long *indices, float *maximum) {
    float best = -INFINITY, threshold = -INFINITY;
    double total = 0;
    long kept = 0;
    for (long start = 0; start < n; start += K(block)) {
        long length = n - start < K(block) ? n - start : K(block);
        float top = K(maximum)(x + start, length);
        if (kept < count || (count > 0 && top > threshold))
            K(greatest_among)(x, start, start + length, count, indices, &kept, &threshold);
        if (top > best) {
            // The sum so far is relative to the previous maximum.
            if (total > 0) total *= __builtin_exp((double)best - (double)top);
            best = top;
        }
        if (best > -INFINITY && best < INFINITY) total += K(few_exponentials)(x + start, length, best);
    }
    *maximum = best;
    return total;
}
