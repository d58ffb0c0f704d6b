// Cross-attention over float16 keys and values. Part of kernels_body.h.
//
// Keys are stored in blocks of 32 positions, [d][32] each, so that scores need no horizontal sums and memory is read
// sequentially; values are stored as [positions][d].

static void K(pack_keys_half)(const float *keys, long stride, long positions, long d, uint16_t *out) {
    for (long block = 0; block * 32 < positions; block++, out += 32 * d)
        for (long i = 0; i < d; i++)
            for (long p = 0; p < 32; p++) {
                _Float16 half = block * 32 + p < positions ? (_Float16)keys[(block * 32 + p) * stride + i] : 0;
                __builtin_memcpy(out + i * 32 + p, &half, 2);
            }
}

static void K(pack_values_half)(const float *values, long stride, long positions, long d, uint16_t *out) {
    for (long p = 0; p < positions; p++)
        for (long i = 0; i < d; i++) {
            _Float16 half = (_Float16)values[p * stride + i];
            __builtin_memcpy(out + p * d + i, &half, 2);
        }
}

INLINE void K(half_scores)(const float *q, long q_stride, int rows, const uint16_t *keys, long padded, long d,
                           float *scores) {
    for (long p = 0; p < padded; p += 32, keys += 32 * d)
        for (long o = 0; o < 32; o += 2 * W) {
            V a[6] = {}, b[6] = {};
            for (long i = 0; i < d; i++) {
                V k0 = K(widened)(keys + i * 32 + o), k1 = K(widened)(keys + i * 32 + o + W);
                for (int r = 0; r < rows; r++) {
                    float x = q[r * q_stride + i];
                    a[r] += x * k0;
                    b[r] += x * k1;
                }
            }
            for (int r = 0; r < rows; r++) {
                STORE(scores + r * padded + p + o, a[r]);
                STORE(scores + r * padded + p + o + W, b[r]);
            }
        }
}

INLINE void K(half_values)(const float *scores, long padded, int rows, const uint16_t *values, long positions, long d,
                           float *out, long out_stride) {
    long i = 0;
    for (; i + 4 * W <= d; i += 4 * W) {
        V sums[6][4] = {};
        for (long p = 0; p < positions; p++) {
            const uint16_t *from = values + p * d + i;
            V v[4];
            for (int c = 0; c < 4; c++) v[c] = K(widened)(from + c * W);
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < 4; c++) sums[r][c] += scores[r * padded + p] * v[c];
        }
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < 4; c++) STORE(out + r * out_stride + i + c * W, sums[r][c]);
    }
    for (; i + W <= d; i += W) {
        V sums[6] = {};
        for (long p = 0; p < positions; p++) {
            V v = K(widened)(values + p * d + i);
            for (int r = 0; r < rows; r++) sums[r] += scores[r * padded + p] * v;
        }
        for (int r = 0; r < rows; r++) STORE(out + r * out_stride + i, sums[r]);
    }
    for (; i < d; i++)
        for (int r = 0; r < rows; r++) {
            float total = 0;
            for (long p = 0; p < positions; p++)
                total += scores[r * padded + p] * K(widened_one)(values[p * d + i]);
            out[r * out_stride + i] = total;
        }
}

#define ROW_GROUPS(rows, most, call)                                                                                   \
    do {                                                                                                               \
        long groups = ((rows) + (most) - 1) / (most);                                                                  \
        for (long g = 0; g < groups; g++) {                                                                            \
            long r0 = (rows) * g / groups;                                                                             \
            switch ((rows) * (g + 1) / groups - r0) {                                                                  \
            case 1: call(1); break;                                                                                    \
            case 2: call(2); break;                                                                                    \
            case 3: call(3); break;                                                                                    \
            case 4: call(4); break;                                                                                    \
            case 5: call(5); break;                                                                                    \
            default: call(6); break;                                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

static void K(half_scores_of)(const float *q, long q_stride, long rows, const uint16_t *keys, long positions, long d,
                              float *scores) {
    long padded = (positions + 31) / 32 * 32;
#define SCORES(n) K(half_scores)(q + r0 * q_stride, q_stride, n, keys, padded, d, scores + r0 * padded)
    ROW_GROUPS(rows, 6, SCORES);
#undef SCORES
}

static void K(half_attention)(const float *q, long q_stride, long rows, const uint16_t *keys, const uint16_t *values,
                              long positions, long d, float scale, float *scores, float *out, long out_stride) {
    long padded = (positions + 31) / 32 * 32;
    K(half_scores_of)(q, q_stride, rows, keys, positions, d, scores);
    K(softmax)(scores, padded, rows, positions, scale);
#define VALUES(n) K(half_values)(scores + r0 * padded, padded, n, values, positions, d, out + r0 * out_stride, out_stride)
    // As many sums as fit in registers.
    ROW_GROUPS(rows, W == 16 ? 6 : 2, VALUES);
#undef VALUES
}
#undef ROW_GROUPS
