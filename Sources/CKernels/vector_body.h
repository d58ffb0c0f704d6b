// Vector types and functions for SUFFIX and VECTOR_BYTES; see vectors.h.

typedef float K(vec) __attribute__((vector_size(VECTOR_BYTES)));
typedef float K(vec_u) __attribute__((vector_size(VECTOR_BYTES), aligned(4)));
typedef int32_t K(ivec) __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t K(ivec_u) __attribute__((vector_size(VECTOR_BYTES), aligned(4)));

INLINE V K(splat)(float x) { return x - (V){}; }

INLINE float K(sum)(V v) {
    float parts[W], total = 0;
    __builtin_memcpy(parts, &v, sizeof v);
    for (int step = W / 2; step > 0; step /= 2)
        for (int i = 0; i < step; i++) parts[i] += parts[i + step];
    total = parts[0];
    return total;
}

INLINE V K(select)(VI mask, V a, V b) { return (V)(((VI)a & mask) | ((VI)b & ~mask)); }

// The larger numbers; b where a is NaN. __builtin_elementwise_max would need two more instructions for NaN in b.
INLINE V K(larger)(V a, V b) {
#if VECTOR_BYTES == 64
    return _mm512_max_ps(a, b);
#elif VECTOR_BYTES == 32
    return _mm256_max_ps(a, b);
#elif defined(__x86_64__)
    return _mm_max_ps(a, b);
#else
    return K(select)(a > b, a, b);
#endif
}

INLINE float K(greatest_lane)(V v) {
    float parts[W], greatest;
    __builtin_memcpy(parts, &v, sizeof v);
    greatest = parts[0];
    for (int i = 1; i < W; i++) greatest = parts[i] > greatest ? parts[i] : greatest;
    return greatest;
}

// 2^x for x <= 0 with a relative error below 1.2e-7, or 1e-4 if it is rough: a twentieth of the rounding error of
// bfloat16. At least 2^-120, so that no later product is slowed down by denormal numbers.
INLINE V K(power)(V x, int is_rough) {
    x = K(larger)(x, K(splat)(-120));
    V shifted = x + ROUNDING, r = x - (shifted - ROUNDING), p;
    if (is_rough) {
        p = 0.05517132f * r + 0.24261055f;
        p = p * r + 0.69326099f;
        p = p * r + 0.99992811f;
    } else {
        // Taylor coefficients ln(2)^n / n! up to n = 7.
        p = 1.525273380e-5f * r + 1.540353039e-4f;
        p = p * r + 1.333355815e-3f;
        p = p * r + 9.618129107e-3f;
        p = p * r + 5.550410866e-2f;
        p = p * r + 0.2402265070f;
        p = p * r + 0.6931471806f;
        p = p * r + 1.0f;
    }
    // Adds the integer to the exponent.
    return (V)((VI)p + ((VI)shifted << 23));
}

// x/2 (1 + erf(x / sqrt 2)) with erf by Abramowitz and Stegun 7.1.26, absolute error at most 1.5e-7.
INLINE V K(gelu)(V x) {
    V z = x * 0.70710678118654752f;
    V a = __builtin_elementwise_abs(z);
    V t = 1.0f / (1.0f + 0.3275911f * a);
    V p = K(splat)(1.061405429f);
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    V tail = p * t * K(power)(a * a * -1.44269504088896341f, 0); // 1 - erf(|z|)
    return 0.5f * x * K(select)(z < K(splat)(0), tail, 2.0f - tail);
}

// x / (1 + e^-x).
INLINE V K(silu)(V x) {
    V e = K(power)(__builtin_elementwise_abs(x) * -1.44269504088896341f, 0);
    return x * K(select)(x < K(splat)(0), e, K(splat)(1)) / (1.0f + e);
}

// One of CK_IDENTITY and so on.
INLINE V K(activated)(V x, int activation) {
    switch (activation) {
    case CK_GELU: return K(gelu)(x);
    case CK_SILU: return K(silu)(x);
    case CK_RELU: return __builtin_elementwise_max(x, K(splat)(0));
    default: return x;
    }
}
