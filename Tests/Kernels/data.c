// Conversion of numbers, reductions, and the log-mel spectrogram.
#include "check.h"

void test_numbers(void) {
    enum { patterns = 65536 };
    uint16_t *all = memory(2 * patterns), *narrow = memory(2 * patterns);
    float *wide = memory(4 * patterns);
    for (long i = 0; i < patterns; i++) all[i] = (uint16_t)i;
    ck_widen_half(all, wide, patterns);
    for (long i = 0; i < patterns; i++) {
        long exponent = i >> 10 & 31, mantissa = i & 1023;
        double magnitude = ldexp((double)mantissa, -24); // of a denormal number
        if (exponent) magnitude = ldexp(1024 + (double)mantissa, (int)exponent - 25);
        if (exponent == 31) magnitude = mantissa ? NAN : INFINITY;
        check(wide[i], i >> 15 ? -magnitude : magnitude, 0, "float16 %lx", i);
    }
    int exact = ck_narrow_half(wide, narrow, 0x7c00);
    check(exact, 1, 0, "narrowing");
    for (long i = 0; i < 0x7c00; i++) check(narrow[i], (double)i, 0, "float16 %lx", i);
    float near[] = {1, 1.0001f, 1e6f};
    check(ck_narrow_half(near, narrow, 1), 1, 0, "exact float16");
    check(ck_narrow_half(near, narrow, 2), 0, 0, "rounded float16");
    check(ck_narrow_half(near, narrow, 3), -1, 0, "too large for float16");
    ck_widen_bfloat(all, wide, patterns);
    for (long i = 0; i < patterns; i++) {
        uint32_t bits;
        memcpy(&bits, wide + i, 4);
        check(bits, (double)((uint32_t)i << 16), 0, "bfloat16 %lx", i);
    }
    for (long n = 0; n < 70; n++) {
        float special[] = {0, -0.0f, 2, -2, NAN, INFINITY, -INFINITY, 1.5f / 32768};
        float *x = numbers(n + 8, 1.05, (unsigned)n);
        memcpy(x + n, special, sizeof special);
        long count = n + 8;
        int16_t *words = memory(2 * (size_t)count);
        float *back = memory(4 * (size_t)count), *rounded = memory(4 * (size_t)count);
        ck_samples_to_16(x, words, count);
        ck_samples_from_16(words, back, count);
        for (int down = 0; down < 2; down++) {
            memcpy(rounded, x, 4 * (size_t)count);
            rounded[n + 4] = 0;
            ck_quantize(rounded, count, down);
            for (long i = 0; i < count; i++) {
                double scaled = down ? floor(x[i] * 32768.0) : rint(x[i] * 32768.0);
                scaled = isnan(x[i]) ? 0 : fmin(fmax(scaled, -32768), 32767);
                check(rounded[i] * 32768, scaled, 0, "sample %g rounded", x[i]);
                if (down) continue;
                check(words[i], scaled, 0, "sample %g", x[i]);
                check(back[i], scaled / 32768, 0, "sample of %d", words[i]);
            }
        }
        float least = INFINITY, most = -INFINITY;
        double low = INFINITY, high = -INFINITY, magnitude = 0, squares = 0;
        uint32_t bits = ck_magnitude_bits(x, n);
        float top;
        memcpy(&top, &bits, 4);
        ck_extremes(x, n, &least, &most);
        for (long i = 0; i < n; i++) {
            low = fmin(low, x[i]);
            high = fmax(high, x[i]);
            magnitude = fmax(magnitude, fabs(x[i]));
            squares += (double)x[i] * x[i];
        }
        check(least, low, 0, "least of %ld", n);
        check(most, high, 0, "greatest of %ld", n);
        check(top, magnitude, 0, "magnitude of %ld", n);
        check(ck_length(x, n), sqrt(squares), 2e-6 * sqrt(squares), "length of %ld", n);
        ck_narrow_half(x, narrow, n);
        ck_widen_half(narrow, wide, n);
        uint16_t half_bits = ck_half_magnitude_bits(narrow, n), half_top = 0;
        for (long i = 0; i < n; i++) half_top = (narrow[i] & 0x7fff) > half_top ? narrow[i] & 0x7fff : half_top;
        check(half_bits, half_top, 0, "magnitude of %ld float16", n);
    }
    ck_read(memory(512), 512);
}

void test_logits(void) {
    static const long counts[] = {1, 2, 7, 16, 17, 63, 64, 65, 500, 1024, 1025, 5000};
    for (size_t s = 0; s < sizeof counts / sizeof *counts; s++) {
        long n = counts[s], best = n < 9 ? n : 9, indices[9], surveyed[9];
        float *x = numbers(n, 12, 1);
        if (n > 20) {
            x[3] = NAN;
            x[5] = -INFINITY;
            x[11] = x[12];
        }
        double top = -INFINITY, total = 0;
        for (long i = 0; i < n; i++) top = fmax(top, x[i]);
        for (long i = 0; i < n; i++) total += isnan(x[i]) ? 0 : exp(x[i] - top);
        float found = 0;
        check(ck_maximum(x, n), top, 0, "maximum of %ld", n);
        check(ck_survey(x, n, best, surveyed, &found), total, 1e-6 * total, "exponentials of %ld", n);
        check(found, top, 0, "maximum of %ld", n);
        ck_greatest(x, n, best, indices);
        for (long place = 0; place < best; place++) {
            // As many numbers are before it as its place says.
            double value = isnan(x[indices[place]]) ? -INFINITY : x[indices[place]];
            long before = 0;
            for (long i = 0; i < n; i++) {
                double other = isnan(x[i]) ? -INFINITY : x[i];
                before += other > value || (other == value && i < indices[place]);
            }
            check((double)before, (double)place, 0, "number %ld of the greatest of %ld", place, n);
            check((double)surveyed[place], (double)indices[place], 0, "survey of %ld", n);
        }
        // Numbers whose upper bound reaches the greatest lower bounds.
        float *radius = numbers(n, 0.5, 2), *tops = memory(4 * 9);
        for (long i = 0; i < n; i++) radius[i] = fabsf(radius[i]);
        int32_t *candidates = memory(4 * (size_t)n);
        long count = ck_candidates(x, radius, 1, n, best, tops, candidates, n);
        for (long place = 0; place < best; place++) {
            if (!(x[indices[place]] > -INFINITY)) continue;
            int is_found = 0;
            for (long i = 0; i < count; i++) is_found |= candidates[i] == indices[place];
            check(is_found, 1, 0, "candidate %ld of %ld", place, n);
        }
        for (long i = 1; i < count; i++) check(candidates[i] > candidates[i - 1], 1, 0, "order of candidates");
        check((double)ck_candidates(x, radius, 1, n, best, tops, candidates, 0), -1, 0, "no room for candidates");
    }
}

void test_log_mel(void) {
    for (long points = 400; points <= 512; points += 112) {
        enum { frames = 11, bands = 5, hop = 160, samples = 400 + (frames - 1) * hop };
        double *window = memory(8 * 400), *cosines = memory(8 * (size_t)points), *sines = memory(8 * (size_t)points);
        int32_t first[bands] = {0, 3, 40, 100, 150}, count[bands] = {4, 9, 30, 57, 51};
        float *x = numbers(samples, 1, 1), *weights = numbers(151, 1, 2), *out = memory(4 * frames * bands);
        for (long i = 0; i < 151; i++) weights[i] = fabsf(weights[i]);
        for (long i = 0; i < 400; i++) window[i] = 0.5 - 0.5 * cos(2 * M_PI * (double)i / 400);
        for (long i = 0; i < points; i++) {
            cosines[i] = cos(2 * M_PI * (double)i / (double)points);
            sines[i] = sin(2 * M_PI * (double)i / (double)points);
        }
        ck_mel_tables tables = {points, window, cosines, sines, first, count, weights, bands, hop, 1e-6f, 1e-10f};
        ck_log_mel(x, frames, &tables, out);
        for (long f = 0; f < frames; f++) {
            const float *weight = weights;
            for (long m = 0; m < bands; m++) {
                double power = 1e-6;
                for (long k = first[m]; k < first[m] + count[m]; k++) {
                    double re = 0, im = 0;
                    for (long i = 0; i < 400; i++) {
                        re += x[f * hop + i] * window[i] * cosines[i * k % points];
                        im -= x[f * hop + i] * window[i] * sines[i * k % points];
                    }
                    power += *weight++ * (re * re + im * im);
                }
                check(out[f * bands + m], log10(fmax(power, 1e-10)), 2e-6, "log-mel of %ld points", points);
            }
        }
    }
}
