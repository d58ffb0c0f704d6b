// Quantization to bytes: of weights when they are loaded, of input rows for each product. Part of kernels_body.h.

// Bits of the maximum absolute value; infinities and NaN compare greater than all numbers.
INLINE uint32_t K(greatest_bits)(const float *x, long n) {
    uint32_t greatest = 0;
    for (long i = 0; i < n; i++) {
        uint32_t bits;
        __builtin_memcpy(&bits, x + i, 4);
        bits &= 0x7fffffff;
        greatest = bits > greatest ? bits : greatest;
    }
    return greatest;
}

static void K(split_rows)(const float *x, long x_stride, long rows, long k, long padded, int8_t *digits,
                          int16_t *whole, float *scales, int32_t *sums) {
    const float magic = 12582912.0f; // 1.5 * 2^23: adding it rounds to the nearest integer
    for (long r = 0; r < rows; r++, x += x_stride) {
        int8_t *high = digits + 2 * r * padded, *low = high + padded;
        int16_t *both = whole + r * padded;
        uint32_t bits = K(greatest_bits)(x, k);
        float greatest;
        __builtin_memcpy(&greatest, &bits, 4);
        int32_t high_sum = 0, low_sum = 0;
        if (bits >= 0x7f800000 || greatest < 1e-30f) {
            // Rows with NaN or infinity produce only NaN; rows of (nearly) zeros produce only 0.
            memset(high, 0, 2 * padded);
            memset(both, 0, 2 * padded);
            scales[r] = bits >= 0x7f800000 ? NAN : 0;
        } else {
            float inverse = 32512.0f / greatest; // 127 * 256
            for (long i = 0; i < k; i++) {
                float rounded = x[i] * inverse + magic;
                int32_t q;
                __builtin_memcpy(&q, &rounded, 4);
                q -= 0x4b400000; // the bits of magic
                int32_t h = (q + 128) >> 8, l = q - h * 256;
                high[i] = (int8_t)h;
                low[i] = (int8_t)l;
                both[i] = (int16_t)q;
                high_sum += h;
                low_sum += l;
            }
            for (long i = k; i < padded; i++) high[i] = low[i] = both[i] = 0;
            scales[r] = greatest / 32512.0f;
        }
        sums[2 * r] = high_sum;
        sums[2 * r + 1] = low_sum;
    }
}

static uint32_t K(magnitude_bits)(const float *x, long n) { return K(greatest_bits)(x, n); }

static uint16_t K(half_magnitude_bits)(const uint16_t *x, long n) {
    uint16_t greatest = 0;
    for (long i = 0; i < n; i++) {
        uint16_t bits = x[i] & 0x7fff;
        greatest = bits > greatest ? bits : greatest;
    }
    return greatest;
}

// Packs W numbers of a row, of which the first `count` are stored.
INLINE void K(pack_some)(V value, long count, float scale, float inverse, uint8_t *to, V *error, V *length) {
    typedef uint8_t bytes __attribute__((vector_size(W)));
    const float magic = 12582912.0f;
    V q = (value * inverse + magic) - magic, off = value - q * scale;
    *error += off * off;
    *length += value * value;
    bytes quantized = __builtin_convertvector(__builtin_convertvector(q, VI) + 128, bytes);
    for (long o = 0; o < W && o < count; o += 4) __builtin_memcpy(to + o * 32, (const char *)&quantized + o, 4);
}

// w points to row first * 32.
static void K(pack_int8)(const float *w, long outputs, long k, long padded, long first, long last, uint8_t *bytes,
                         float *scales, float *errors, float *lengths) {
    for (long j = first * 32; j < last * 32; j++) {
        uint8_t *to = bytes + j / 32 * 32 * padded + j % 32 * 4;
        const float *row = w + (j - first * 32) * k;
        long count = j < outputs ? k : 0;
        uint32_t bits = K(greatest_bits)(row, count);
        float greatest;
        __builtin_memcpy(&greatest, &bits, 4);
        float scale = greatest < 1e-30f ? 0 : greatest / 127.0f, inverse = scale > 0 ? 127.0f / greatest : 0;
        V error = {}, length = {};
        long i = 0;
        for (; i + W <= count; i += W) K(pack_some)(LOAD(row + i), W, scale, inverse, to + i * 32, &error, &length);
        for (; i < padded; i += W) {
            float part[W] = {0};
            if (i < count) __builtin_memcpy(part, row + i, 4 * (count - i));
            K(pack_some)(LOAD(part), padded - i, scale, inverse, to + i * 32, &error, &length);
        }
        scales[j] = scale;
        if (j >= outputs) continue;
        if (errors) errors[j] = sqrtf(K(sum)(error));
        if (lengths) lengths[j] = sqrtf(K(sum)(length));
    }
}

// See ck_candidates.
static long K(candidates)(const float *values, const float *radius, float norm, long n, long best, float *tops,
                          int32_t *found, long capacity) {
    // Collects the largest lower bound of each group of 128; the best-th largest of these is at most the best-th
    // largest of all.
    long kept = 0;
    if (best <= 0) return 0;
    for (long start = 0; start < n; start += 128) {
        long end = start + 128 < n ? start + 128 : n, i = start;
        V top = K(splat)(-INFINITY);
        for (; i + W <= end; i += W) {
            V lower = LOAD(values + i) - norm * LOAD(radius + i);
            top = K(select)(lower > top, lower, top);
        }
        float greatest = -INFINITY, parts[W];
        STORE(parts, top);
        for (int o = 0; o < W; o++) greatest = parts[o] > greatest ? parts[o] : greatest;
        for (; i < end; i++) {
            float lower = values[i] - norm * radius[i];
            greatest = lower > greatest ? lower : greatest;
        }
        if (kept == best && !(greatest > tops[kept - 1])) continue;
        long place = kept < best ? kept++ : kept - 1;
        for (; place > 0 && tops[place - 1] < greatest; place--) tops[place] = tops[place - 1];
        tops[place] = greatest;
    }
    float bound = kept == best ? tops[best - 1] : -INFINITY;
    bound = bound > -FLT_MAX ? bound : -FLT_MAX;
    long count = 0, i = 0;
    for (; i + W <= n; i += W) {
        VI is = LOAD(values + i) + norm * LOAD(radius + i) >= K(splat)(bound);
        if (!__builtin_reduce_or(is)) continue;
        for (int o = 0; o < W; o++) {
            if (!is[o]) continue;
            if (count == capacity) return -1;
            found[count++] = (int32_t)(i + o);
        }
    }
    for (; i < n; i++) {
        if (!(values[i] + norm * radius[i] >= bound)) continue;
        if (count == capacity) return -1;
        found[count++] = (int32_t)i;
    }
    return count;
}
