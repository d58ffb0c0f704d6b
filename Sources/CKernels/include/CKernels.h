#ifndef CKERNELS_H
#define CKERNELS_H
#include "CKTiles.h"
#include <stddef.h>
#include <stdint.h>

// Loops that Swift cannot compile for several instruction sets. Each is compiled for the processor architecture's
// baseline, on x86-64 also for AVX2 with FMA and for AVX-512, and dispatched at run time to the fastest that the
// processor supports. Strides are in floats.

/// Instruction sets that have their own kernels, each with the instructions of those before, except that AVX-512 does
/// not include AVX-VNNI. Only those of one architecture are compared with each other.
typedef enum {
    CK_UNKNOWN,
    /// SSE2 on x86-64, NEON on ARM.
    CK_BASELINE,
#if defined(__x86_64__)
    /// With FMA and F16C.
    CK_AVX2,
    CK_AVXVNNI,
    /// F, BW, DQ and VL.
    CK_AVX512,
    CK_AVX512VNNI,
    CK_AVX512BF16,
#elif defined(__aarch64__)
    /// Sums of products of bytes.
    CK_DOTPROD,
    /// Products of matrices of bytes and, with BF16, of bfloat16.
    CK_I8MM,
#endif
    CK_LEVELS
} ck_instruction_level;
/// The instruction set in use.
ck_instruction_level ck_level(void);
/// Its name.
const char *ck_instruction_set(void);
/// The name of an instruction set of this architecture, oldest first from index 0; NULL after the last.
const char *ck_instruction_set_name(long index);
/// Forces an instruction set on the calling thread only, for tests; NULL means the fastest. Returns 0 if the processor
/// does not support it.
int ck_use_instruction_set(const char *name);
/// Permanently limits all threads to an instruction set. Returns 0 if the processor does not support it.
int ck_limit_instruction_set(const char *name);

/// Number of cores in this process's affinity mask, 0 if unknown.
int ck_allowed_cores(void);

/// Tells the processor that this is a spin-wait loop.
static inline void ck_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// y[r] = (x[r] - mean) / sqrt(variance + 1e-5) * gain + shift, biased variance; x and y may be the same.
void ck_layer_norm(const float *x, long x_stride, float *y, long y_stride, long rows, long n, const float *gain,
                   const float *shift);
/// y[r] += bias.
void ck_add_bias(float *y, long stride, long rows, long n, const float *bias);
/// y[r] = gelu(y[r] + bias), gelu(x) = x/2 (1 + erf(x / sqrt 2)).
void ck_bias_gelu(float *y, long stride, long rows, long n, const float *bias);
/// y[r] = activation(y[r]), one of CK_IDENTITY and so on.
void ck_activate(float *y, long stride, long rows, long n, int activation);
/// x[i] += y[i].
void ck_add(float *x, const float *y, long n);
/// y[r] = leaky(x[r] * scale + shift), where leaky(v) is v if positive, else v * slope: 0 for ReLU, 1 for the identity.
/// x and y may be the same.
void ck_scale_shift(const float *x, long x_stride, float *y, long y_stride, long rows, long n, const float *scale,
                    const float *shift, float slope);
/// x[i] = leaky(x[i]).
void ck_leaky(float *x, long n, float slope);
/// y[r] = the greatest of x[3 r], x[3 r + 1] and x[3 r + 2], rows of n; with shift those of |x * scale + shift|.
void ck_pool3(const float *x, long n, long rows, float scale, const float *shift, float *y);
/// The mean of each column and the sum of the squares of the differences from it; rows > 0.
void ck_column_moments(const float *x, long stride, long rows, long n, float *mean, float *squares);
/// y[r][i] = x[r][i]^2 + x[r][n + i]^2 for rows x[r] of 2 n.
void ck_squared_lengths(const float *x, long n, long rows, float *y);
/// A step of an LSTM: gates are rows of 4 n sums for input, forget, cell and output; cell [rows][n] is updated. n must
/// be a multiple of 16.
void ck_lstm_step(const float *gates, long rows, long n, float *cell, float *out, long out_stride);

/// y[r][i] = x[r][i] / (1 + e^-x[r][n + i]), i < n, a multiple of 16.
void ck_gate(const float *x, long x_stride, float *y, long y_stride, long rows, long n);
/// Each column convolved with its own kernel: y[t] = activation(bias + sum_k w[k] x[t + k - before]) for t in
/// first..<last, where rows outside 0..<rows are zero. w is [taps][n], n a multiple of 16.
void ck_convolve_rows(const float *x, long x_stride, long rows, long n, const float *w, long taps, long before,
                      const float *bias, int activation, long first, long last, float *y, long y_stride);
/// Rows first... of an image [rows][columns][channels].
typedef struct {
    const float *pixels; // of row `first`
    long first;
    long rows; // of the whole image
    long columns;
    long channels;
    long before; // rows and columns of zeros before it, 1 or 2
} ck_image;
/// Convolves an image with kernels of 3 x 3 pixels every two pixels, with a border of zeros: to rows first..<last of
/// [(rows + before) / 2][(columns + before) / 2][n], n a multiple of 16. The image has one channel, seen by all kernels,
/// or n, each seen by its own. w is [9][n], row by row of the kernel.
void ck_halve_image(const ck_image *x, long n, const float *w, const float *bias, int activation, long first, long last,
                    float *y);
/// s[r][0..<n] = softmax(scale * s[r]).
void ck_softmax(float *s, long stride, long rows, long n, float scale);

/// y[r][j] = (accumulate ? y[r][j] : 0) + dot(x[r], w[j]) + (bias ? bias[j] : 0) for a few rows and j in first..<last.
void ck_few_rows(const float *x, long x_stride, long rows, const float *w, long w_stride, long k, const float *bias,
                 float *y, long y_stride, long first, long last, int accumulate);

/// The same with float16 weights, which are widened as they are read: half the bytes, the same numbers.
void ck_few_rows_half(const float *x, long x_stride, long rows, const uint16_t *w, long w_stride, long k,
                      const float *bias, float *y, long y_stride, long first, long last, int accumulate);

/// Attention of one row over cached keys and values, where position i is row index[i] of keys and values.
/// q, out: [heads * d]; scores: scratch of count floats.
void ck_cached_attention(const float *q, const float *keys, const float *values, long stride, const int32_t *index,
                         long count, long heads, long d, float scale, float *scores, float *out);
/// Attention of several rows over one head's transposed keys [d][positions_stride] and values [positions][d].
/// positions_stride must be a multiple of 32; scores: scratch of rows * positions_stride floats.
void ck_transposed_attention(const float *q, long q_stride, long rows, const float *keys, const float *values,
                             long positions, long positions_stride, long d, float scale, float *scores, float *out,
                             long out_stride);

/// 8-bit weights: blocks of 32 outputs, [padded / 4][32][4] bytes that store w + 128, and one scale per output.
typedef struct {
    const uint8_t *bytes; // [blocks][32 * padded]
    const float *scales;  // [blocks * 32]
    long outputs;
} ck_int8_weights;
/// Rows of numbers q * scale with q = 256 * high + low, where high and low are signed bytes.
typedef struct {
    const int8_t *digits; // [rows][2][padded]: high, low
    const int16_t *whole; // [rows][padded]: q
    const float *scales;  // [rows]
    const int32_t *sums;  // [rows][2]
    long rows;
    long padded; // inputs, rounded up to a multiple of 4
} ck_int8_input;
/// Fills the arrays of ck_int8_input; a row with NaN or infinity gets the scale NaN.
void ck_split_rows(const float *x, long x_stride, long rows, long k, long padded, int8_t *digits, int16_t *whole,
                   float *scales, int32_t *sums);
/// Packs blocks first..<last of ck_int8_weights from finite rows; w points to row 32 * first. If not NULL, errors is
/// filled with the norm of each row's quantization error and lengths with the norm of the row.
void ck_pack_int8(const float *w, long outputs, long k, long padded, long first, long last, uint8_t *bytes,
                  float *scales, float *errors, float *lengths);
/// Like ck_few_rows, for any number of rows and blocks first..<last of 32 outputs.
void ck_multiply_int8(const ck_int8_input *x, const ck_int8_weights *w, const float *bias, float *y, long y_stride,
                  long first, long last, int accumulate);
/// Upper bound of the Euclidean norm.
float ck_length(const float *x, long n);
/// Finds the indices, in ascending order, of all numbers that may be among the `best` largest, where number i is within
/// norm * radius[i] of values[i]. Excludes values of -infinity and NaN. tops: scratch of `best` floats. Returns the
/// count, or -1 if it exceeds the capacity of `found`.
long ck_candidates(const float *values, const float *radius, float norm, long n, long best, float *tops,
                   int32_t *found, long capacity);

/// Converts one head's keys to float16, [blocks of 32 positions][d][32], padded with zeros.
void ck_pack_keys_half(const float *keys, long stride, long positions, long d, uint16_t *out);
/// Converts one head's values to float16, [positions][d].
void ck_pack_values_half(const float *values, long stride, long positions, long d, uint16_t *out);
/// Like ck_transposed_attention, over packed float16 keys and values. scores: scratch of [rows][positions rounded up to
/// a multiple of 32].
void ck_half_attention(const float *q, long q_stride, long rows, const uint16_t *keys, const uint16_t *values,
                       long positions, long d, float scale, float *scores, float *out, long out_stride);
/// Dot products of rows with packed float16 keys, unscaled: scores is [rows][positions rounded up to a multiple of 32].
void ck_half_scores(const float *q, long q_stride, long rows, const uint16_t *keys, long positions, long d,
                    float *scores);

/// Maximum of n numbers, -infinity if n is 0; ignores NaN.
float ck_maximum(const float *x, long n);
/// Indices of the `count` largest of n numbers in descending order, count in 1...n; ties are ordered by index, and NaN
/// ranks like -infinity.
void ck_greatest(const float *x, long n, long count, long *indices);
/// In one pass over n numbers: the `count` largest as in ck_greatest, count in 0...n, the maximum as in ck_maximum, and
/// as the result Σ exp(x[i] - maximum) with a relative error below 1e-6, which is meaningless if the maximum is
/// infinite.
double ck_survey(const float *x, long n, long count, long *indices, float *maximum);

/// Bits of the maximum magnitude of n numbers, 0 if n is 0; infinities and NaN have greater ones than all numbers.
uint32_t ck_magnitude_bits(const float *x, long n);
/// The same for float16.
uint16_t ck_half_magnitude_bits(const uint16_t *x, long n);
/// Converts float16 at any address to float32.
void ck_widen_half(const void *x, float *y, long n);
/// Converts float32 to float16, rounding to nearest. Returns 1 if all conversions were exact, 0 if some were not, -1 if
/// one overflowed.
int ck_narrow_half(const float *x, uint16_t *y, long n);
/// Converts bfloat16 at any address to float32.
void ck_widen_bfloat(const void *x, float *y, long n);

/// Reads n bytes, a multiple of 512, and does nothing with them, for measuring.
void ck_read(const void *x, long n);

/// Converts samples in -1...1 to 16 bits, rounded to nearest even and clamped; NaN becomes 0.
void ck_samples_to_16(const float *x, int16_t *y, long n);
/// Converts 16-bit samples at any address, in native byte order, to floats in -1...1.
void ck_samples_from_16(const void *x, float *y, long n);
/// Rounds samples to multiples of 1/32768, to nearest even or down, and clamps them to -1...1; x must not contain NaN.
void ck_quantize(float *x, long n, int down);
/// Lowers *least and raises *greatest to the minimum and maximum of the numbers; ignores NaN.
void ck_extremes(const float *x, long n, float *least, float *greatest);

/// Tables for ck_log_mel with a Fourier transform of n points, 400 or 512.
typedef struct {
    long points;               // n
    const double *window;      // [400]
    const double *cosines;     // [n] cos(2 pi k / n)
    const double *sines;       // [n] sin(2 pi k / n)
    const int32_t *band_first; // [bands] first bin with a nonzero weight
    const int32_t *band_count; // [bands] number of bins
    const float *weights;      // weights of all bands, concatenated
    long bands;
    long hop;    // samples between frames
    float added; // to each power
    float least; // lower powers count as this one
} ck_mel_tables;
/// log10 of the mel power of windowed frames of 400 samples. samples starts with the first sample of frame 0; out is
/// [frames][bands].
void ck_log_mel(const float *samples, long frames, const ck_mel_tables *tables, float *out);

#endif
