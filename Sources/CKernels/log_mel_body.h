// log-mel of groups of 16 frames side by side; included by kernels_body.h.
//
// A DFT of 400 = 20 * 20 points in two steps of 20-point sums (Cooley and Tukey): with n = 20 a + b and k = c + 20 e,
//   X[k] = sum_b w400^(b k) * (sum_a x[20 a + b] w20^(a c)).
// The input is real, so the inner sums for c and 20 - c are conjugate and bins above 200 are not needed. All in double:
// the reference's values are reached within its own rounding whatever the ratio of loud to quiet bands.
#define LANES 16

static void K(log_mel)(const float *samples, long frames, const ck_mel_tables *t, float *out) {
    typedef double lanes __attribute__((vector_size(LANES * 8)));
    lanes x[400];
    lanes inner_re[20][20], inner_im[20][20]; // [b][c]
    float power[201][LANES];
    for (long first = 0; first < frames; first += LANES) {
        long count = frames - first < LANES ? frames - first : LANES;
        for (long n = 0; n < 400; n++) {
            double values[LANES] = {0};
            for (long f = 0; f < count; f++) values[f] = samples[(first + f) * 160 + n] * t->window[n];
            __builtin_memcpy(&x[n], values, sizeof values);
        }
        for (long b = 0; b < 20; b++)
            for (long c = 0; c <= 10; c++) {
                lanes re = {}, im = {};
                for (long a = 0; a < 20; a++) {
                    long at = 20 * ((a * c) % 20); // w20 = w400^20
                    re += x[20 * a + b] * t->cosines[at];
                    im -= x[20 * a + b] * t->sines[at];
                }
                inner_re[b][c] = re;
                inner_im[b][c] = im;
                inner_re[b][(20 - c) % 20] = re;
                inner_im[b][(20 - c) % 20] = c == 0 ? im : -im;
            }
        for (long k = 0; k <= 200; k++) {
            long c = k % 20;
            lanes re = {}, im = {};
            for (long b = 0; b < 20; b++) {
                long at = (b * k) % 400;
                double cosine = t->cosines[at], sine = t->sines[at];
                lanes p = inner_re[b][c], q = inner_im[b][c];
                re += p * cosine + q * sine;
                im += q * cosine - p * sine;
            }
            lanes squared = re * re + im * im;
            double values[LANES];
            __builtin_memcpy(values, &squared, sizeof values);
            for (long f = 0; f < LANES; f++) power[k][f] = (float)values[f];
        }
        const float *weight = t->weights;
        for (long m = 0; m < t->bands; m++) {
            float sums[LANES] = {0};
            for (long i = 0; i < t->band_count[m]; i++, weight++) {
                const float *row = power[t->band_first[m] + i];
                for (long f = 0; f < LANES; f++) sums[f] += *weight * row[f];
            }
            for (long f = 0; f < count; f++) {
                // log10 by mantissa and exponent: log(m) = 2 atanh((m - 1) / (m + 1)), m in 0.7...1.42
                float value = sums[f] > 1e-10f ? sums[f] : 1e-10f;
                uint32_t bits;
                __builtin_memcpy(&bits, &value, 4);
                int32_t exponent = (int32_t)(bits - 0x3f3504f3u) >> 23;
                bits -= (uint32_t)exponent << 23;
                float mantissa;
                __builtin_memcpy(&mantissa, &bits, 4);
                float s = (mantissa - 1) / (mantissa + 1), q = s * s;
                float log = 2 * s * (1 + q * (1.0f / 3 + q * (1.0f / 5 + q * (1.0f / 7 + q * (1.0f / 9)))));
                out[(first + f) * t->bands + m] = log * 0.4342944819f + exponent * 0.3010299957f;
            }
        }
    }
}

#undef LANES
