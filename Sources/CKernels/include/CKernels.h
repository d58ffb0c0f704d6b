#ifndef CKERNELS_H
#define CKERNELS_H
#include <stddef.h>
#include <stdint.h>

/// Best instruction set of this processor that the kernels are compiled for: "avx512", "avx2" or "baseline".
const char *ck_instruction_set(void);

#endif
