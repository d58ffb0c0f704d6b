#ifndef CVOCABULARIES_H
#define CVOCABULARIES_H
#include <stdint.h>

/// A vocabulary that is compiled into the program: two little-endian uint32, the number of pieces and the number of
/// unpacked bytes, then a zlib stream of the pieces' lengths, one byte each, and their bytes.
const uint8_t *cv_vocabulary(int multilingual, long *count);

#endif
