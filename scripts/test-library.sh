#!/usr/bin/env bash
# Tests libwhisper_local.so from C, and its examples, with a model of a few words.
#
#   scripts/test-library.sh                      builds the library as scripts/library.sh does, which checks its symbols
#   scripts/test-library.sh --sanitize thread    builds it in .build/sanitized-thread with ThreadSanitizer, or address
#
# WHISPER_LOCAL_PROGRAM is the program to compare the texts with, by default the release build.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${WHISPER_LOCAL_PROGRAM:-.build/release/whisper-local}
model=Models/nano.en.ggml.bin recording=Tests/Fixtures/clips/say-00.wav
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=c99 -Wall -Wextra -Werror -pedantic -g -pthread)
compiler=cc

if [ "${1:-}" = --sanitize ]; then
    sanitizer=${2:?--sanitize needs address or thread}
    prefix=$work/library
    scratch=$PWD/.build/sanitized-$sanitizer
    options=(--product whisper_local --sanitize "$sanitizer" --scratch-path "$scratch" -Xswiftc -O -Xcc -O2)
    # The runtime of the compiler that builds the library.
    swift=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
    compiler=$swift/bin/clang
    if [ "$sanitizer" = thread ]; then
        mkdir -p "$scratch"
        "$compiler" -O1 -fPIC -fblocks -Wall -Wextra -Werror "-I$swift/lib/swift/Block" -c Tests/Library/tsan_order.c \
            -o "$scratch/tsan_order.o"
        # An archive, of which only the library takes what it needs.
        ar rcs "$scratch/libtsan_order.a" "$scratch/tsan_order.o"
        for name in $(sed -nE 's/.*MUTEX\("__wrap_", "(.*)"\);/$s15Synchronization12_MutexHandleV\1/p
            s/.*__wrap_((dispatch|swift)_[A-Za-z_]*)\(.*;/\1/p' Tests/Library/tsan_order.c); do
            options+=(-Xlinker "--wrap=$name")
        done
        options+=(-Xlinker "$scratch/libtsan_order.a")
        # ThreadSanitizer's runtime needs them.
        flags+=("-L$swift/lib/swift/linux" "-Wl,-rpath,$swift/lib/swift/linux" -Wl,--no-as-needed -ldispatch -lBlocksRuntime)
    fi
    swift build "${options[@]}"
    install -D "$(swift build "${options[@]}" --show-bin-path)/libwhisper_local.so" "$prefix/lib/libwhisper_local.so.0"
    ln -s libwhisper_local.so.0 "$prefix/lib/libwhisper_local.so"
    install -D Sources/CWhisperLocal/include/whisper_local.h "$prefix/include/whisper_local.h"
    flags+=("-fsanitize=$sanitizer")
    # Models, networks and threads are kept to the end.
    export ASAN_OPTIONS=detect_leaks=0
else
    prefix=.build/library
    scripts/library.sh "$prefix"
fi
flags+=("-I$prefix/include" "-L$prefix/lib" "-Wl,-rpath,$(realpath "$prefix/lib")")

compile() {
    "$compiler" "${flags[@]}" "$1" -lwhisper_local -ldl -o "$work/$(basename "$1" .c)"
}
compile Tests/Library/library_tests.c
compile Tests/Library/unload.c
compile Examples/C/transcribe.c

text=$("$program" transcribe --no-config --model "$model" --no-timestamps "$recording" 2>/dev/null | tr '\n' ' ')
"$work/library_tests" "$model" "$recording" "${text% }"
"$work/unload" "$(realpath "$prefix/lib/libwhisper_local.so.0")" "$model" "$recording"

"$work/transcribe" "$model" "$recording" >"$work/subtitles.srt" 2>"$work/errors"
[ ! -s "$work/errors" ] || { cat "$work/errors" >&2; echo "error: the example printed an error" >&2; exit 1; }
grep -q ' --> ' "$work/subtitles.srt"
! "$work/transcribe" no-such-model "$recording" >"$work/output" 2>&1
grep -q '"code":"not_found"' "$work/output"

# Rust is not needed for anything else.
if command -v rustc >/dev/null && [ "${1:-}" != --sanitize ]; then
    rustc --edition 2021 -L "native=$prefix/lib" -C "link-arg=-Wl,-rpath,$(realpath "$prefix/lib")" \
        -o "$work/rust" Examples/Rust/transcribe.rs
    "$work/rust" "$model" "$recording" | grep '"text":" Turn the fan' >/dev/null
fi
echo "the library passes its tests"
