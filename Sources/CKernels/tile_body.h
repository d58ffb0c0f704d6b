// Product of packed words for one number format; included by tiles.c with SUFFIX, WORDS, LOAD_WORDS, SPLAT, SUMS,
// NO_SUMS, LOAD_SUMS, STORE_SUMS and STEP defined.
//
// A tile is six rows by 64 outputs: 24 registers of sums, 4 of weights, and one for a broadcast word of a row, which is
// multiplied by each of the 4.

INLINE void K(tile)(const uint32_t *x, long x_stride, int rows, const uint32_t *w, long steps, int adds, void *out,
                    long out_stride) {
    SUMS sums[CK_TILE_ROWS][4];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < 4; v++)
            sums[r][v] = adds ? LOAD_SUMS((float *)out + r * out_stride + 16 * v) : NO_SUMS;
    for (long s = 0; s < steps; s++, w += CK_PANEL) {
        WORDS w0 = LOAD_WORDS(w), w1 = LOAD_WORDS(w + 16), w2 = LOAD_WORDS(w + 32), w3 = LOAD_WORDS(w + 48);
        for (int r = 0; r < rows; r++) {
            WORDS word = SPLAT(x + r * x_stride + s);
            sums[r][0] = STEP(sums[r][0], word, w0);
            sums[r][1] = STEP(sums[r][1], word, w1);
            sums[r][2] = STEP(sums[r][2], word, w2);
            sums[r][3] = STEP(sums[r][3], word, w3);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < 4; v++) STORE_SUMS((float *)out + r * out_stride + 16 * v, sums[r][v]);
}

// Sums of all rows over one panel. Weights are processed in sections that stay in the L1 and L2 caches for all rows.
static void K(panel)(const uint32_t *x, long x_stride, long rows, const uint32_t *w, long steps, float *out,
                     long out_stride) {
    for (long first = 0; first < steps; first += STEPS_AT_ONCE) {
        long count = steps - first < STEPS_AT_ONCE ? steps - first : STEPS_AT_ONCE;
        const uint32_t *part = w + first * CK_PANEL;
        for (long r = 0; r < rows; r += CK_TILE_ROWS) {
            const uint32_t *from = x + r * x_stride + first;
            float *to = out + r * out_stride;
            switch (rows - r) {
            case 1: K(tile)(from, x_stride, 1, part, count, first > 0, to, out_stride); break;
            case 2: K(tile)(from, x_stride, 2, part, count, first > 0, to, out_stride); break;
            case 3: K(tile)(from, x_stride, 3, part, count, first > 0, to, out_stride); break;
            case 4: K(tile)(from, x_stride, 4, part, count, first > 0, to, out_stride); break;
            case 5: K(tile)(from, x_stride, 5, part, count, first > 0, to, out_stride); break;
            default: K(tile)(from, x_stride, 6, part, count, first > 0, to, out_stride); break;
            }
        }
    }
}

#undef SUFFIX
#undef WORDS
#undef LOAD_WORDS
#undef SPLAT
#undef SUMS
#undef NO_SUMS
#undef LOAD_SUMS
#undef STORE_SUMS
#undef STEP
