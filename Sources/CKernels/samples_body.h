// Conversion between float and 16-bit samples. Part of kernels_body.h.

// The sample as a number in the range of 16 bits, not rounded; NaN becomes silence.
INLINE float K(scaled_to_16)(float x) {
    float scaled = x * 32768;
    scaled = scaled > -32768 ? scaled : scaled <= -32768 ? -32768 : 0;
    return scaled < 32767 ? scaled : 32767;
}

// Rounds to the nearest integer, half to even, by adding 1.5 * 2^23.
INLINE float K(nearest)(float x) { return (x + 12582912.0f) - 12582912.0f; }

static void K(samples_to_16)(const float *x, int16_t *y, long n) {
    for (long i = 0; i < n; i++) y[i] = (int16_t)(int32_t)K(nearest)(K(scaled_to_16)(x[i]));
}

static void K(samples_from_16)(const void *x, float *y, long n) {
    for (long i = 0; i < n; i++) {
        int16_t word;
        __builtin_memcpy(&word, (const char *)x + 2 * i, 2);
        y[i] = (float)word * (1.0f / 32768);
    }
}

static void K(quantize)(float *x, long n, int down) {
    for (long i = 0; i < n; i++) {
        float scaled = K(scaled_to_16)(x[i]), whole = K(nearest)(scaled);
        if (down && whole > scaled) whole -= 1;
        x[i] = whole * (1.0f / 32768);
    }
}

static void K(extremes)(const float *x, long n, float *least, float *greatest) {
    float low = *least, high = *greatest;
    for (long i = 0; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    *least = low;
    *greatest = high;
}
