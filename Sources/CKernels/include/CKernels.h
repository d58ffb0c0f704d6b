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

/// float16 to float32, from any address.
void ck_widen_half(const void *x, float *y, long n);
/// float32 to float16; returns 1 if no number lost anything.
int ck_narrow_half(const float *x, uint16_t *y, long n);
/// bfloat16 to float32, from any address.
void ck_widen_bfloat(const void *x, float *y, long n);

/// Power spectra of `frames` windowed frames of 400 samples, hop 160: bins [201][16] interleaved in groups of 16
/// frames, then mel bands and log10. See Features/LogMelSpectrogram.swift.
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
