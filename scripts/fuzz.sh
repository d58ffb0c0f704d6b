#!/usr/bin/env bash
# Fuzzes the model readers under AddressSanitizer: opens mutants of valid models in all formats. Anything that crashes a
# reader, takes over two seconds or too much memory, or fails with the wrong kind of error is minimized and saved in
# crashers/.
#
#   scripts/fuzz.sh --executions 1000000 [--seed N] [--formats ggml,ctranslate2,hugging-face,pytorch,parakeet] [--save FOLDER]
#   scripts/fuzz.sh --seconds 600
#   scripts/fuzz.sh open FOLDER            opens one model, such as a saved one
#   scripts/fuzz.sh --libfuzzer [OPTIONS]  libFuzzer with the same mutators; OPTIONS are libFuzzer's
set -euo pipefail
cd "$(dirname "$0")/.."

build() { swift build -c release --scratch-path ".build/$1" --product "$2" "${@:3}" | tail -n 3 >&2; }

if [ "${1:-}" = --libfuzzer ]; then
    shift
    export WHISPER_LOCAL_LIBFUZZER=1
    build libfuzzer model-libfuzzer --sanitize address --sanitize fuzzer
    mkdir -p .build/libfuzzer/corpus crashers
    exec .build/libfuzzer/release/model-libfuzzer -artifact_prefix=crashers/ -timeout=2 -max_len=1000000 -detect_leaks=0 \
        .build/libfuzzer/corpus "$@"
fi
# Foundation leaks a few bytes for each process that it starts.
export ASAN_OPTIONS=detect_leaks=0
build fuzz model-fuzzer --sanitize address
exec .build/fuzz/release/model-fuzzer "$@"
