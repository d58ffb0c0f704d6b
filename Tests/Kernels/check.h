// What the kernel tests share: numbers, memory and comparisons.
#ifndef CHECK_H
#define CHECK_H
#include "CKernels.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Fails the test if `found` is not within `bound` of `expected`. NaN equals NaN.
void check(double found, double expected, double bound, const char *format, ...) __attribute__((format(printf, 4, 5)));

/// `count` numbers in -scale...scale, always the same.
float *numbers(long count, double scale, unsigned seed);
/// Whole numbers in -top...top, of which each row has ±top in each group of 128 columns, so that their scales are 1.
float *wholes(long rows, long columns, int top, unsigned seed);
/// Zeros, aligned to 64 bytes, which end where memory does that must not be touched.
void *memory(size_t bytes);
/// Frees the memory that was taken after the first `count` blocks.
void release(int count);
/// The number of blocks taken.
int taken(void);

/// The activation, one of CK_IDENTITY and so on.
double activated(double x, int activation);
/// The name of the number format of tile kernels.
const char *kind_name(int kind);

void test_products(void);
void test_convolutions(void);
void test_attention(void);
void test_cached_attention(void);
void test_few_rows(void);
void test_bytes(void);
void test_layers(void);
void test_networks(void);
void test_numbers(void);
void test_logits(void);
void test_log_mel(void);

#endif
