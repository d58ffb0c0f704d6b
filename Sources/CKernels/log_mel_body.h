// Log-mel of several frames in parallel, one per vector lane. Part of kernels_body.h.
//
// A DFT of 400 = 20 * 20 points in two steps (Cooley and Tukey): with n = 20 a + b and k = c + 20 e,
//   X[k] = sum_b w20^(b e) * w400^(b c) * (sum_a x[20 a + b] w20^(a c)).
// The input is real, so the inner sums for c and 20 - c are conjugate, as are X[k] and X[400 - k]: c = 0...10 is
// enough. A sum over 20 = 4 * 5 points is a sum over 4 and then over 5 (Good and Thomas), with a = 5 a1 + 4 a2 mod 20.
// Computed in double precision, so that results match the reference within its own rounding for any ratio of loud to
// quiet bands.
#define FRAMES (VECTOR_BYTES / 8)

typedef double K(lanes) __attribute__((vector_size(VECTOR_BYTES)));
typedef float K(mel_lanes) __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef int32_t K(mel_bits) __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef struct {
    K(lanes) re, im;
} K(point);

// cos and sin of 2 pi / 5 and 4 pi / 5
#define C1 0.30901699437494742410
#define C2 -0.80901699437494742410
#define S1 0.95105651629515357212
#define S2 0.58778525229247312917

// 5-point DFT of complex numbers.
INLINE void K(five)(const K(point) x[5], K(point) y[5]) {
    K(lanes) ar = x[1].re + x[4].re, ai = x[1].im + x[4].im, br = x[2].re + x[3].re, bi = x[2].im + x[3].im;
    K(lanes) cr = x[1].re - x[4].re, ci = x[1].im - x[4].im, dr = x[2].re - x[3].re, di = x[2].im - x[3].im;
    K(lanes) pr = x[0].re + C1 * ar + C2 * br, pi = x[0].im + C1 * ai + C2 * bi;
    K(lanes) qr = x[0].re + C2 * ar + C1 * br, qi = x[0].im + C2 * ai + C1 * bi;
    K(lanes) sr = S1 * cr + S2 * dr, si = S1 * ci + S2 * di, tr = S2 * cr - S1 * dr, ti = S2 * ci - S1 * di;
    y[0] = (K(point)){x[0].re + ar + br, x[0].im + ai + bi};
    y[1] = (K(point)){pr + si, pi - sr};
    y[4] = (K(point)){pr - si, pi + sr};
    y[2] = (K(point)){qr + ti, qi - tr};
    y[3] = (K(point)){qr - ti, qi + tr};
}

// 5-point DFT of real numbers; outputs 3 and 4 are the conjugates of 2 and 1.
INLINE void K(five_real)(const K(lanes) x[5], K(point) y[3]) {
    K(lanes) a = x[1] + x[4], b = x[2] + x[3], c = x[1] - x[4], d = x[2] - x[3];
    y[0] = (K(point)){x[0] + a + b, a - a};
    y[1] = (K(point)){x[0] + C1 * a + C2 * b, -(S1 * c + S2 * d)};
    y[2] = (K(point)){x[0] + C2 * a + C1 * b, -(S2 * c - S1 * d)};
}

// sum_a x[20 a] w20^(a c) for c = 0...10
INLINE void K(inner_sums)(const K(lanes) *x, K(point) y[11]) {
    K(lanes) even[5], odd[5];
    K(point) turned[5], sums[5];
#pragma unroll
    for (int j = 0; j < 5; j++) {
        K(lanes) x0 = x[20 * (4 * j % 20)], x1 = x[20 * ((5 + 4 * j) % 20)];
        K(lanes) x2 = x[20 * ((10 + 4 * j) % 20)], x3 = x[20 * ((15 + 4 * j) % 20)];
        even[j] = x0 + x2 + (x1 + x3);
        odd[j] = x0 + x2 - (x1 + x3);
        turned[j] = (K(point)){x0 - x2, x3 - x1};
    }
    // c mod 4 selects the sum over 4, c mod 5 the sum over 5.
    K(five_real)(even, sums);
    y[0] = sums[0];
    y[4] = (K(point)){sums[1].re, -sums[1].im};
    y[8] = (K(point)){sums[2].re, -sums[2].im};
    K(five_real)(odd, sums);
    y[10] = sums[0];
    y[6] = sums[1];
    y[2] = sums[2];
    K(five)(turned, sums);
    y[5] = sums[0];
    y[1] = sums[1];
    y[9] = sums[4];
    y[7] = (K(point)){sums[3].re, -sums[3].im}; // conjugate of 13
    y[3] = (K(point)){sums[2].re, -sums[2].im}; // conjugate of 17
}

// Power of X[c + 20 e] for all e, from the inner sums of all b, which are 11 elements apart.
INLINE void K(powers)(const K(point) *z, long c, const ck_mel_tables *t, K(mel_lanes) *power) {
    K(point) columns[4][5];
#pragma unroll
    for (int j = 0; j < 5; j++) {
        K(point) x[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int b = (5 * i + 4 * j) % 20;
            K(point) p = z[11 * b];
            double cosine = t->cosines[b * c], sine = t->sines[b * c];
            x[i] = (K(point)){p.re * cosine + p.im * sine, p.im * cosine - p.re * sine};
        }
        K(point) s = {x[0].re + x[2].re, x[0].im + x[2].im}, d = {x[0].re - x[2].re, x[0].im - x[2].im};
        K(point) u = {x[1].re + x[3].re, x[1].im + x[3].im}, v = {x[1].re - x[3].re, x[1].im - x[3].im};
        columns[0][j] = (K(point)){s.re + u.re, s.im + u.im};
        columns[1][j] = (K(point)){d.re + v.im, d.im - v.re};
        columns[2][j] = (K(point)){s.re - u.re, s.im - u.im};
        columns[3][j] = (K(point)){d.re - v.im, d.im + v.re};
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        K(point) y[5];
        K(five)(columns[i], y);
#pragma unroll
        for (int j = 0; j < 5; j++) {
            long e = (5 * i + 16 * j) % 20, k = c + 20 * e; // e mod 4 = i, e mod 5 = j
            power[k <= 200 ? k : 400 - k] =
                __builtin_convertvector(y[j].re * y[j].re + y[j].im * y[j].im, K(mel_lanes));
        }
    }
}

typedef K(mel_lanes) K(mel_lanes_u) __attribute__((aligned(4)));
#if FRAMES == 8
#define LOW_HALVES 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_HALVES 4, 12, 5, 13, 6, 14, 7, 15
#elif FRAMES == 4
#define LOW_HALVES 0, 4, 1, 5
#define HIGH_HALVES 2, 6, 3, 7
#else
#define LOW_HALVES 0, 2
#define HIGH_HALVES 1, 3
#endif

// Transposes in log2(FRAMES) passes, each of which interleaves the rows of the first half with those of the second.
INLINE void K(turned)(K(mel_lanes) rows[FRAMES]) {
    for (int size = FRAMES; size > 1; size /= 2) {
        K(mel_lanes) next[FRAMES];
        for (int i = 0; i < FRAMES / 2; i++) {
            next[2 * i] = __builtin_shufflevector(rows[i], rows[i + FRAMES / 2], LOW_HALVES);
            next[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + FRAMES / 2], HIGH_HALVES);
        }
        for (int i = 0; i < FRAMES; i++) rows[i] = next[i];
    }
}

// Windows up to FRAMES frames of 400 samples, a frame in each lane. Lanes without a frame repeat the last one.
INLINE void K(windowed)(const float *samples, long count, const ck_mel_tables *t, K(lanes) *x) {
    const float *from[FRAMES];
    for (long f = 0; f < FRAMES; f++) from[f] = samples + (f < count ? f : count - 1) * t->hop;
    for (long n = 0; n < 400; n += FRAMES) {
        K(mel_lanes) rows[FRAMES];
        for (int f = 0; f < FRAMES; f++) rows[f] = *(const K(mel_lanes_u) *)(from[f] + n);
        K(turned)(rows);
        for (int i = 0; i < FRAMES; i++) x[n + i] = __builtin_convertvector(rows[i], K(lanes)) * t->window[n + i];
    }
}

// Powers 0...200 of 400 numbers.
INLINE void K(powers_400)(const K(lanes) *x, const ck_mel_tables *t, K(mel_lanes) *power) {
    K(point) inner[20][11];
    for (long b = 0; b < 20; b++) K(inner_sums)(x + b, inner[b]);
    for (long c = 0; c <= 10; c++) K(powers)(inner[0] + c, c, t, power);
}

// A quarter of a DFT of 4 q points, decimated in frequency (radix 4), at a distance of q from each other.
INLINE void K(butterfly)(K(point) *z, long q, double c1, double s1, double c2, double s2, double c3, double s3) {
    K(point) a = z[0], b = z[q], c = z[2 * q], d = z[3 * q];
    K(point) e = {a.re + c.re, a.im + c.im}, f = {a.re - c.re, a.im - c.im};
    K(point) g = {b.re + d.re, b.im + d.im}, h = {b.im - d.im, d.re - b.re};
    K(point) y1 = {f.re + h.re, f.im + h.im}, y2 = {e.re - g.re, e.im - g.im}, y3 = {f.re - h.re, f.im - h.im};
    z[0] = (K(point)){e.re + g.re, e.im + g.im};
    z[q] = (K(point)){y1.re * c1 + y1.im * s1, y1.im * c1 - y1.re * s1};
    z[2 * q] = (K(point)){y2.re * c2 + y2.im * s2, y2.im * c2 - y2.re * s2};
    z[3 * q] = (K(point)){y3.re * c3 + y3.im * s3, y3.im * c3 - y3.re * s3};
}

// Powers 0...256 of 400 numbers padded with zeros; where they are in the 512 changes nothing but phases. x is
// overwritten. They are transformed as 256 complex ones z[n] = x[2 n] + i x[2 n + 1], whose DFT Z gives
// X[k] = E + w512^k O and X[256 - k] = conj(E - w512^k O), E = (Z[k] + conj Z[256 - k]) / 2,
// O = (Z[k] - conj Z[256 - k]) / 2i.
INLINE void K(powers_512)(K(lanes) *x, const ck_mel_tables *t, K(mel_lanes) *power) {
    memset(x + 400, 0, 112 * sizeof *x);
    K(point) *z = (K(point) *)x;
    for (long q = 64, step = 2; q > 0; q /= 4, step *= 4)
        for (long j = 0; j < q; j++) {
            long a = j * step, b = 2 * a, c = 3 * a;
            for (long base = j; base < 256; base += 4 * q)
                K(butterfly)(z + base, q, t->cosines[a], t->sines[a], t->cosines[b], t->sines[b], t->cosines[c],
                             t->sines[c]);
        }
    for (long k = 0; k <= 128; k++) {
        // The digits of the index to base 4 are reversed.
        long m = (256 - k) % 256;
        K(point) p = z[(k & 3) << 6 | (k & 12) << 2 | (k & 48) >> 2 | k >> 6];
        K(point) r = z[(m & 3) << 6 | (m & 12) << 2 | (m & 48) >> 2 | m >> 6];
        K(point) even = {(p.re + r.re) / 2, (p.im - r.im) / 2}, odd = {(p.im + r.im) / 2, (r.re - p.re) / 2};
        double cosine = t->cosines[k], sine = t->sines[k];
        K(point) o = {odd.re * cosine + odd.im * sine, odd.im * cosine - odd.re * sine};
        K(lanes) re = even.re + o.re, im = even.im + o.im, re2 = even.re - o.re, im2 = even.im - o.im;
        power[k] = __builtin_convertvector(re * re + im * im, K(mel_lanes));
        power[256 - k] = __builtin_convertvector(re2 * re2 + im2 * im2, K(mel_lanes));
    }
}

static void K(log_mel)(const float *samples, long frames, const ck_mel_tables *t, float *out) {
    K(lanes) x[512];
    K(mel_lanes) power[257];
    for (long first = 0; first < frames; first += FRAMES) {
        long count = frames - first < FRAMES ? frames - first : FRAMES;
        K(windowed)(samples + first * t->hop, count, t, x);
        if (t->points == 400)
            K(powers_400)(x, t, power);
        else
            K(powers_512)(x, t, power);
        const float *weight = t->weights;
        for (long m = 0; m < t->bands; m++) {
            K(mel_lanes) sums = {};
            for (long i = 0; i < t->band_count[m]; i++) sums += *weight++ * power[t->band_first[m] + i];
            sums += t->added;
            // log10 from mantissa and exponent: log(m) = 2 atanh((m - 1) / (m + 1)), m in 0.7...1.42
            K(mel_lanes) least = t->least - (K(mel_lanes)){};
            K(mel_bits) bits, above = sums > least;
            bits = ((K(mel_bits))sums & above) | ((K(mel_bits))least & ~above);
            K(mel_bits) exponent = (bits - 0x3f3504f3) >> 23;
            K(mel_lanes) mantissa = (K(mel_lanes))(bits - (exponent << 23));
            K(mel_lanes) s = (mantissa - 1) / (mantissa + 1), q = s * s;
            K(mel_lanes) log = 2 * s * (1 + q * (1.0f / 3 + q * (1.0f / 5 + q * (1.0f / 7 + q * (1.0f / 9)))));
            K(mel_lanes) value = log * 0.4342944819f + __builtin_convertvector(exponent, K(mel_lanes)) * 0.3010299957f;
            for (long f = 0; f < count; f++) out[(first + f) * t->bands + m] = value[f];
        }
    }
}

#undef FRAMES
#undef LOW_HALVES
#undef HIGH_HALVES
#undef C1
#undef C2
#undef S1
#undef S2
