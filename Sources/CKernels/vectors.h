// Notation for vectors of VECTOR_BYTES, whose types and functions vector_body.h declares once per SUFFIX.
#ifndef VECTORS_H
#define VECTORS_H
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
/// A name with the suffix of the instruction set.
#define K(name) CONCAT(name, SUFFIX)
#define INLINE static inline __attribute__((always_inline))

/// The number of 32-bit lanes.
#define W (VECTOR_BYTES / 4)
#define V K(vec)
#define VI K(ivec)
#define LOAD(p) (*(const K(vec_u) *)(p))
#define STORE(p, v) (*(K(vec_u) *)(p) = (v))
#define LOAD_INTS(p) (*(const K(ivec_u) *)(p))

/// The constraint of a vector register in inline assembly.
#if defined(__aarch64__)
#define VECTOR_REGISTER "w"
#else
#define VECTOR_REGISTER "v"
#endif

/// 1.5 * 2^23: adding it to a float below 2^22 rounds to the nearest integer, which is then found in the lower bits.
#define ROUNDING 12582912.0f

#endif
