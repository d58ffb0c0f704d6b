// Whisper's vocabularies, so that models without one need no other file. Written by
// Tests/Oracles/tokenizer.py --built-in.
#include "CVocabularies.h"

#if __clang__
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

static const uint8_t english[] = {
#embed "english.vocabulary.z"
};
static const uint8_t all_languages[] = {
#embed "multilingual.vocabulary.z"
};

const uint8_t *cv_vocabulary(int multilingual, long *count) {
    *count = multilingual ? sizeof all_languages : sizeof english;
    return multilingual ? all_languages : english;
}
