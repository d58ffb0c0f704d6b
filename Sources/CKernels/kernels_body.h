// Included by kernels.c once per instruction set: SUFFIX names the set, VECTOR_BYTES is its vector size.

#include "vector_body.h"

// e^x = 2^n e^r with |r| <= ln 2 / 2 and a Taylor polynomial up to r^7 (error below 1e-8); x is clamped to -87...88.
INLINE V K(exponential)(V x) {
    x = __builtin_elementwise_min(__builtin_elementwise_max(x, K(splat)(-87.0f)), K(splat)(88.0f));
    const float magic = 12582912.0f; // 1.5 * 2^23: adding it rounds to the nearest integer
    V shifted = x * 1.44269504088896341f + magic;
    V n = shifted - magic;
    V r = x - n * 0.693145751953125f; // ln 2 as the sum of two floats
    r = r - n * 1.42860682030941723e-6f;
    V p = K(splat)(1.0f / 5040);
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    VI bits = (__builtin_convertvector(n, VI) + 127) << 23;
    V scale;
    __builtin_memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

static void K(layer_norm)(const float *x, long x_stride, float *y, long y_stride, long rows, long n, const float *gain,
                          const float *shift) {
    for (long r = 0; r < rows; r++, x += x_stride, y += y_stride) {
        long i = 0;
        V sums = {};
        float mean = 0, variance = 0;
        for (; i + W <= n; i += W) sums += LOAD(x + i);
        for (; i < n; i++) mean += x[i];
        mean = (mean + K(sum)(sums)) / n;
        V squares = {};
        for (i = 0; i + W <= n; i += W) {
            V d = LOAD(x + i) - mean;
            squares += d * d;
        }
        for (; i < n; i++) variance += (x[i] - mean) * (x[i] - mean);
        variance = (variance + K(sum)(squares)) / n;
        float inverse = 1.0f / sqrtf(variance + 1e-5f);
        for (i = 0; i + W <= n; i += W)
            STORE(y + i, (LOAD(x + i) - mean) * inverse * LOAD(gain + i) + LOAD(shift + i));
        for (; i < n; i++) y[i] = (x[i] - mean) * inverse * gain[i] + shift[i];
    }
}

static void K(add_bias)(float *y, long stride, long rows, long n, const float *bias) {
    for (long r = 0; r < rows; r++, y += stride) {
        long i = 0;
        for (; i + W <= n; i += W) STORE(y + i, LOAD(y + i) + LOAD(bias + i));
        for (; i < n; i++) y[i] += bias[i];
    }
}

static void K(bias_gelu)(float *y, long stride, long rows, long n, const float *bias) {
    for (long r = 0; r < rows; r++, y += stride) {
        long i = 0;
        for (; i + W <= n; i += W) STORE(y + i, K(gelu)(LOAD(y + i) + LOAD(bias + i)));
        if (i < n) {
            float part[W] = {0};
            for (long j = i; j < n; j++) part[j - i] = y[j] + bias[j];
            STORE(part, K(gelu)(LOAD(part)));
            for (long j = i; j < n; j++) y[j] = part[j - i];
        }
    }
}

static void K(activate)(float *y, long stride, long rows, long n, int activation) {
    for (long r = 0; r < rows; r++, y += stride) {
        long i = 0;
        for (; i + W <= n; i += W) STORE(y + i, K(activated)(LOAD(y + i), activation));
        if (i < n) {
            float part[W] = {0};
            __builtin_memcpy(part, y + i, 4 * (n - i));
            STORE(part, K(activated)(LOAD(part), activation));
            __builtin_memcpy(y + i, part, 4 * (n - i));
        }
    }
}

static void K(add)(float *x, const float *y, long n) {
    long i = 0;
    for (; i + W <= n; i += W) STORE(x + i, LOAD(x + i) + LOAD(y + i));
    for (; i < n; i++) x[i] += y[i];
}

static void K(softmax)(float *s, long stride, long rows, long n, float scale) {
    for (long r = 0; r < rows; r++, s += stride) {
        long i = 0;
        float greatest = -INFINITY, total = 0;
        V tops = K(splat)(-INFINITY);
        for (; i + W <= n; i += W) tops = __builtin_elementwise_max(LOAD(s + i), tops);
        for (; i < n; i++) greatest = s[i] > greatest ? s[i] : greatest;
        float parts[W];
        STORE(parts, tops);
        for (int j = 0; j < W; j++) greatest = parts[j] > greatest ? parts[j] : greatest;
        V sums = {};
        for (i = 0; i + W <= n; i += W) {
            V e = K(exponential)((LOAD(s + i) - greatest) * scale);
            sums += e;
            STORE(s + i, e);
        }
        if (i < n) {
            float part[W];
            for (long j = 0; j < W; j++) part[j] = i + j < n ? (s[i + j] - greatest) * scale : -87.0f;
            STORE(part, K(exponential)(LOAD(part)));
            for (long j = i; j < n; j++) total += s[j] = part[j - i];
        }
        float inverse = 1.0f / (total + K(sum)(sums));
        for (i = 0; i + W <= n; i += W) STORE(s + i, LOAD(s + i) * inverse);
        for (; i < n; i++) s[i] *= inverse;
    }
}

// Loads and widens W float16 numbers, in hardware if the processor supports it.
typedef _Float16 K(half_vec) __attribute__((vector_size(VECTOR_BYTES / 2), aligned(2)));
INLINE V K(widened)(const uint16_t *p) { return __builtin_convertvector(*(const K(half_vec) *)p, V); }
INLINE float K(widened_one)(uint16_t bits) {
    _Float16 half;
    __builtin_memcpy(&half, &bits, 2);
    return (float)half;
}

#define WEIGHT float
#define FEW_ROWS(part) K(few_rows##part)
#define LOAD_WEIGHTS(p) LOAD(p)
#define ONE_WEIGHT(w) (w)
#include "few_rows_body.h"

#define WEIGHT uint16_t
#define FEW_ROWS(part) K(few_rows_half##part)
#define LOAD_WEIGHTS(p) K(widened)(p)
#define ONE_WEIGHT(w) K(widened_one)(w)
#include "few_rows_body.h"

static void K(cached_attention)(const float *q, const float *keys, const float *values, long stride,
                                const int32_t *index, long count, long heads, long d, float scale, float *scores,
                                float *out) {
    for (long h = 0; h < heads; h++) {
        const float *qh = q + h * d;
        for (long p = 0; p < count; p++) {
            const float *key = keys + index[p] * stride + h * d;
            V sums = {};
            float rest = 0;
            long i = 0;
            for (; i + W <= d; i += W) sums += LOAD(qh + i) * LOAD(key + i);
            for (; i < d; i++) rest += qh[i] * key[i];
            scores[p] = rest + K(sum)(sums);
        }
        K(softmax)(scores, count, 1, count, scale);
        float *oh = out + h * d;
        for (long i = 0; i < d; i++) oh[i] = 0;
        for (long p = 0; p < count; p++) {
            const float *value = values + index[p] * stride + h * d;
            float weight = scores[p];
            long i = 0;
            for (; i + W <= d; i += W) STORE(oh + i, LOAD(oh + i) + weight * LOAD(value + i));
            for (; i < d; i++) oh[i] += weight * value[i];
        }
    }
}

static void K(transposed_attention)(const float *q, long q_stride, long rows, const float *keys, const float *values,
                                    long positions, long positions_stride, long d, float scale, float *scores,
                                    float *out, long out_stride) {
    // positions_stride is a multiple of 32, so blocks of 2 * W never overrun a row.
    for (long p = 0; p < positions; p += 2 * W) {
        for (long r = 0; r < rows; r += 4) {
            V a[4] = {}, b[4] = {};
            long group = rows - r < 4 ? rows - r : 4;
            const float *qr = q + r * q_stride;
            for (long i = 0; i < d; i++) {
                V k0 = LOAD(keys + i * positions_stride + p), k1 = LOAD(keys + i * positions_stride + p + W);
                for (long g = 0; g < group; g++) {
                    float x = qr[g * q_stride + i];
                    a[g] += x * k0;
                    b[g] += x * k1;
                }
            }
            for (long g = 0; g < group; g++) {
                STORE(scores + (r + g) * positions_stride + p, a[g]);
                STORE(scores + (r + g) * positions_stride + p + W, b[g]);
            }
        }
    }
    K(softmax)(scores, positions_stride, rows, positions, scale);
    for (long r = 0; r < rows; r += 4) {
        long group = rows - r < 4 ? rows - r : 4;
        for (long i = 0; i < d; i += W) {
            if (i + W <= d) {
                V sums[4] = {};
                for (long p = 0; p < positions; p++) {
                    V v = LOAD(values + p * d + i);
                    for (long g = 0; g < group; g++) sums[g] += scores[(r + g) * positions_stride + p] * v;
                }
                for (long g = 0; g < group; g++) STORE(out + (r + g) * out_stride + i, sums[g]);
            } else {
                for (long j = i; j < d; j++)
                    for (long g = 0; g < group; g++) {
                        float total = 0;
                        for (long p = 0; p < positions; p++)
                            total += scores[(r + g) * positions_stride + p] * values[p * d + j];
                        out[(r + g) * out_stride + j] = total;
                    }
            }
        }
    }
}

static void K(widen_half)(const void *x, float *y, long n) {
    for (long i = 0; i < n; i++) {
        _Float16 half;
        __builtin_memcpy(&half, (const char *)x + 2 * i, 2); // weights may be at odd addresses
        y[i] = (float)half;
    }
}

static int K(narrow_half)(const float *x, uint16_t *y, long n) {
    int exact = 1, finite = 1;
    for (long i = 0; i < n; i++) {
        _Float16 half = (_Float16)x[i];
        __builtin_memcpy(y + i, &half, 2);
        float back = (float)half;
        exact &= back == x[i];
        finite &= back - back == 0;
    }
    return exact ? 1 : finite - 1;
}

static void K(widen_bfloat)(const void *x, float *y, long n) {
    for (long i = 0; i < n; i++) {
        uint16_t half;
        __builtin_memcpy(&half, (const char *)x + 2 * i, 2);
        uint32_t bits = (uint32_t)half << 16;
        __builtin_memcpy(y + i, &bits, 4);
    }
}

#include "networks_body.h"
#include "convolutions_body.h"
#include "half_attention_body.h"
#include "int8_pack_body.h"
#include "log_mel_body.h"
#include "logits_body.h"
#include "memory_body.h"
#include "samples_body.h"
