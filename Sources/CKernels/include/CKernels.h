#ifndef CKERNELS_H
#define CKERNELS_H
#include "CKTiles.h"
#include <stddef.h>
#include <stdint.h>

// Loops over float32 that Swift cannot compile for several instruction sets at once. Each function below exists
// three times (AVX-512, AVX2 with FMA, baseline) and picks the best that the processor has. Strides count floats.

/// Instruction set in use: "avx512", "avx2" or "baseline".
const char *ck_instruction_set(void);
/// Forces a set for tests, on the calling thread alone: "avx512", "avx2", "baseline", or NULL for the best; returns 0
/// if the processor lacks it.
int ck_use_instruction_set(const char *name);
/// The same for all threads, for good.
int ck_limit_instruction_set(const char *name);

/// Cores in this process's affinity mask, 0 if the system does not say.
int ck_allowed_cores(void);

/// Tells the processor that this is a waiting loop.
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
/// x[i] += y[i].
void ck_add(float *x, const float *y, long n);
/// s[r][0..<n] = softmax(scale * s[r]).
void ck_softmax(float *s, long stride, long rows, long n, float scale);

/// y[r][j] = (accumulate ? y[r][j] : 0) + dot(x[r], w[j]) + (bias ? bias[j] : 0) for few rows, j in first..<last.
void ck_few_rows(const float *x, long x_stride, long rows, const float *w, long w_stride, long k, const float *bias,
                 float *y, long y_stride, long first, long last, int accumulate);

/// The same with weights in float16, widened as they are read: half the bytes, the same numbers.
void ck_few_rows_half(const float *x, long x_stride, long rows, const uint16_t *w, long w_stride, long k,
                      const float *bias, float *y, long y_stride, long first, long last, int accumulate);

/// One row's attention over cached keys and values: position i stands at row index[i] of keys and values.
/// q, out: [heads * d]; scores: scratch of count floats.
void ck_cached_attention(const float *q, const float *keys, const float *values, long stride, const int32_t *index,
                         long count, long heads, long d, float scale, float *scores, float *out);
/// Attention of several rows over one head's transposed keys [d][positions_stride] and values [positions][d].
/// q and out rows have the strides given; scores: scratch of rows * positions_stride floats.
void ck_transposed_attention(const float *q, long q_stride, long rows, const float *keys, const float *values,
                             long positions, long positions_stride, long d, float scale, float *scores, float *out,
                             long out_stride);

/// Weights in 8 bits: blocks of 32 outputs, [padded / 4][32][4] bytes w + 128 each, and a scale for each output.
typedef struct {
    const uint8_t *bytes; // [blocks][32 * padded]
    const float *scales;  // [blocks * 32]
    long outputs;
} ck_int8_weights;
/// Rows whose numbers are 256 * high + low times a scale, two signed bytes each.
typedef struct {
    const int8_t *digits; // [rows][2][padded]
    const float *scales;  // [rows]
    const int32_t *sums;  // [rows][2]
    long rows;
    long padded; // inputs, rounded up to a multiple of 4
} ck_int8_input;
/// Makes the arrays of ck_int8_input; a row that is not finite gets the scale NaN.
void ck_split_rows(const float *x, long x_stride, long rows, long k, long padded, int8_t *digits, float *scales,
                   int32_t *sums);
/// Makes blocks first..<last of ck_int8_weights from finite rows, w pointing to row 32 * first. errors: length of the
/// difference of each row from what its bytes say; lengths: its own; NULL where not wanted.
void ck_pack_int8(const float *w, long outputs, long k, long padded, long first, long last, uint8_t *bytes,
                  float *scales, float *errors, float *lengths);
/// As ck_few_rows, for any number of rows, over blocks of 32 outputs.
void ck_multiply_int8(const ck_int8_input *x, const ck_int8_weights *w, const float *bias, float *y, long y_stride,
                  long first, long last, int accumulate);
/// Square root of the sum of squares, rounded up a little.
float ck_length(const float *x, long n);
/// Indices, in ascending order, of all that may be among the `best` greatest of numbers within norm * radius[i] of
/// values[i]; values of -infinity and NaN are not among them. tops: scratch of `best` floats. Returns how many, or -1
/// where `found` has no room for them.
long ck_candidates(const float *values, const float *radius, float norm, long n, long best, float *tops,
                   int32_t *found, long room);

/// One head's keys to float16, [blocks of 32 positions][d][32], the last one filled with zeros.
void ck_pack_keys_half(const float *keys, long stride, long positions, long d, uint16_t *out);
/// One head's values to float16, [positions][d].
void ck_pack_values_half(const float *values, long stride, long positions, long d, uint16_t *out);
/// As ck_transposed_attention, over such keys and values; scores: rows * positions rounded up to 32.
void ck_half_attention(const float *q, long q_stride, long rows, const uint16_t *keys, const uint16_t *values,
                       long positions, long d, float scale, float *scores, float *out, long out_stride);
/// Products of rows with such keys alone: [rows][positions rounded up to 32].
void ck_half_scores(const float *q, long q_stride, long rows, const uint16_t *keys, long positions, long d,
                    float *scores);

/// Greatest of some numbers, -infinity where there is none; NaN is passed over.
float ck_maximum(const float *x, long n);
/// Sum of exp(x[i] - maximum), relative error below 1e-6; maximum is finite and not below any number. NaN adds next to
/// nothing.
double ck_sum_of_exponentials(const float *x, long n, float maximum);

/// Indices of the `count` greatest of n numbers, count in 1...n, greatest first, of equal ones the lower index first;
/// NaN is as small as -infinity.
void ck_greatest(const float *x, long n, long count, long *indices);
/// In one pass over n numbers: the indices of the `count` greatest as by ck_greatest, count in 0...n, their maximum as by
/// ck_maximum, and Σ exp(x[i] - maximum) as by ck_sum_of_exponentials, which means nothing where that is infinite.
double ck_survey(const float *x, long n, long count, long *indices, float *maximum);

/// float16 to float32, from any address.
void ck_widen_half(const void *x, float *y, long n);
/// float32 to float16, rounded to the nearest; returns 1 if no number lost anything, 0 if some did, -1 if one was too
/// great.
int ck_narrow_half(const float *x, uint16_t *y, long n);
/// bfloat16 to float32, from any address.
void ck_widen_bfloat(const void *x, float *y, long n);

/// Samples of -1...1 as the nearest multiples of 1/32768, half to even, held in its range; NaN is 0.
void ck_samples_to_16(const float *x, int16_t *y, long n);
/// The way back; x at any address, in this machine's byte order.
void ck_samples_from_16(const void *x, float *y, long n);
/// Both at once, rounded down instead where asked for; numbers only.
void ck_quantise(float *x, long n, int down);
/// Lowers *least and raises *greatest to the least and greatest of the numbers; NaN is passed over.
void ck_extremes(const float *x, long n, float *least, float *greatest);

/// Power spectra of `frames` windowed frames of 400 samples, hop 160, then mel bands and log10. See
/// Features/LogMelSpectrogram.swift.
/// samples: first sample of frame 0; twiddles: made by ck_mel_tables; out: [frames][bands] log10 values.
typedef struct {
    const double *window;      // [400]
    const double *cosines;     // [400] cos(2 pi k / 400)
    const double *sines;       // [400] sin(2 pi k / 400)
    const int32_t *band_first; // [bands] first bin of a band with a weight above 0
    const int32_t *band_count; // [bands]
    const float *weights;      // the bands' weights, one after another
    long bands;
} ck_mel_tables;
void ck_log_mel(const float *samples, long frames, const ck_mel_tables *tables, float *out);

/// Collects what ALSA would print to standard error on this thread.
/// set_handler: its function snd_lib_error_set_local.
void ck_collect_messages(void *set_handler);
/// The last such message on this thread, empty if there was none.
const char *ck_last_message(void);
void ck_forget_message(void);

#endif
