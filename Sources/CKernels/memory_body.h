// Reading memory, for measuring how fast that is. Part of kernels_body.h.

static void K(read)(const void *x, long n) {
    const char *from = x;
    // Several sums, so that none waits for the one before.
    VI sums[8] = {};
    for (long i = 0; i + 8 * VECTOR_BYTES <= n; i += 8 * VECTOR_BYTES)
        for (int v = 0; v < 8; v++) sums[v] ^= LOAD_INTS(from + i + v * VECTOR_BYTES);
    for (int v = 0; v < 8; v++) __asm__ volatile("" : : "m"(sums[v]));
}
