// Conversion between float and 16-bit samples. Part of kernels_body.h.

static void K(samples_to_16)(const float *x, int16_t *y, long n) {
    for (long i = 0; i < n; i++) {
        float scaled = x[i] * 32768;
        scaled = scaled > -32768 ? scaled : scaled <= -32768 ? -32768 : 0; // NaN becomes silence
        scaled = scaled < 32767 ? scaled : 32767;
        // Adding 1.5 * 2^23 rounds to the nearest integer, half to even.
        y[i] = (int16_t)(int32_t)((scaled + 12582912.0f) - 12582912.0f);
    }
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
        float scaled = x[i] * 32768, bounded = scaled > -32768 ? scaled : -32768;
        bounded = bounded < 32767 ? bounded : 32767;
        float whole = (bounded + 12582912.0f) - 12582912.0f;
        if (down && whole > bounded) whole -= 1;
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
