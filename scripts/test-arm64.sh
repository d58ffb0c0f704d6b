#!/usr/bin/env bash
# Tests 64-bit ARM on any machine, under emulation.
#
#   scripts/test-arm64.sh              the kernels: compiles them with Swift's clang and Debian's cross libraries, compares
#                                      them with double precision on three processors, and counts the instructions of
#                                      their loops (docs/arm64.md). Also tests those of this machine's processor. 35 s
#                                      on one core
#   scripts/test-arm64.sh --program    the program: builds it for Debian 12 (scripts/lib/arm64.sh) and compares what it hears
#                                      with golden data and with this machine's program, on the same processors. Ten
#                                      minutes on one core besides building; needs root
#       --reference FILE               compares with this program, instead of building one
#       --on neoverse-n1               emulates only this processor
set -euo pipefail
cd "$(dirname "$0")/.."

part=kernels reference="" only=""
while [ $# -gt 0 ]; do
    case "$1" in
    --program) part=program ;;
    --reference) reference="${2:?--reference needs a program}"; shift ;;
    --on) only="${2:?--on needs a processor}"; shift ;;
    --help | -h) sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "error: unknown option $1" >&2; echo "try: scripts/test-arm64.sh --help" >&2; exit 64 ;;
    esac
    shift
done

for program in swiftc qemu-aarch64; do
    command -v $program >/dev/null || {
        echo "error: no $program found" >&2
        echo "try: scripts/setup.sh --tests --packages-only" >&2
        exit 69
    }
done

# The program: what it says of the processor, and what it hears, compared with golden data and this machine's program.
test_program() {
    . scripts/lib/arm64.sh
    arm64_build -c release --product whisper-local
    if [ -z "$reference" ]; then
        swift build -c release --product whisper-local
        reference=$(swift build -c release --show-bin-path)/whisper-local
    fi
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    local program processor name sets network
    program=$(arm64_program whisper-local)

    # emulated ARGUMENTS: the program on $processor.
    emulated() { qemu-aarch64 -cpu "$processor" -L "$arm64_system" "$program" "$@" </dev/null; }
    # same FILE EXPECTED: the transcript of FILE is EXPECTED, with probabilities that differ by less than 0.001.
    same() {
        local name
        name=$(basename "${1%.*}").json
        scripts/lib/same_transcripts.py "$2" "$work/arm/$name" 1e-3 ||
            { echo "error: $processor differs in $1" >&2; exit 1; }
    }
    # both MODEL FILE GOLDEN OPTIONS: with both programs, in float32; GOLDEN, if not empty, is what the reference heard.
    both() {
        local options=(transcribe --quiet --no-config --threads 2 -f json --compute-type float32 -m "$1" "$2" "${@:4}")
        "$reference" "${options[@]}" -o "$work/here"
        emulated "${options[@]}" -o "$work/arm"
        same "$2" "$work/here/$(basename "${2%.*}").json"
        [ -z "$3" ] || same "$2" "$3"
        echo "$processor: $(basename "$2") with ${1#Tests/Fixtures/} is as on x86-64${3:+ and in ${3#Tests/Fixtures/}}"
    }

    local model=Models/nano.en.ggml.bin clips=Tests/Fixtures/clips
    local networks=Tests/Fixtures/parakeet nano=Tests/Fixtures/nano
    while read -r name sets; do
        processor=$name
        emulated --version | head -n 1
        emulated doctor --no-config >"$work/doctor"
        grep "^processor .* ${sets##* } kernels$" "$work/doctor" || { cat "$work/doctor" >&2; exit 1; }
        for network in tdt ctc rnnt streaming; do
            both $networks/$network/model $clips/say-01.wav $networks/$network/result.json
        done
        # With the options that openai-whisper had when its result was recorded.
        both $model $clips/say-00.wav $nano/greedy/say-00.json -l en --temperature 0
    done <<<"$processors"
    # On the processor with everything, also through FFmpeg.
    if [ "$processor" = max ]; then both $model $clips/long-three-minutes.flac "" --duration 12; fi
}

# Emulated processors and the instruction sets that each one must report.
processors="cortex-a72 baseline
neoverse-n1 baseline dotprod
max baseline dotprod i8mm"
# The same of others, which are like these. The emulated Neoverse V1 has I8MM without BF16.
others="cortex-a53 baseline
a64fx baseline
cortex-a55 baseline dotprod
cortex-a76 baseline dotprod
neoverse-v1 baseline dotprod
cortex-a710 baseline dotprod i8mm
neoverse-n2 baseline dotprod i8mm"
if [ -n "$only" ]; then
    grep -q "^$only " <<<"$processors" || { echo "error: the processors are"$'\n'"$processors" >&2; exit 64; }
    processors=$(grep "^$only " <<<"$processors") others=""
fi

if [ $part = program ]; then
    test_program
    exit
fi

clang=$(dirname "$(realpath "$(command -v swiftc)")")/clang
folder=.build/arm64
mkdir -p $folder

# compile ARCHITECTURE: the kernels and their tests, with SwiftPM's flags for C in release mode.
compile() {
    "$clang" --target="$1-linux-gnu" -fuse-ld=lld -static -O2 -Wall -ISources/CKernels/include \
        -Wno-unused-function -Wno-unused-variable -Wno-unused-but-set-variable \
        Sources/CKernels/*.c Tests/Kernels/*.c -lm -o "$folder/kernel-tests-$1"
}

compile aarch64
Tests/Kernels/instructions.py "$(dirname "$clang")/llvm-objdump" $folder/kernel-tests-aarch64 --check docs/arm64.md
compile "$(uname -m)"
echo "this processor:"
"$folder/kernel-tests-$(uname -m)"
# The kernels of the last of its instruction sets are tested.
while read -r processor sets; do
    echo "$processor:"
    # shellcheck disable=SC2086  # a list of names
    qemu-aarch64 -cpu "$processor" $folder/kernel-tests-aarch64 --only $sets
done <<<"$processors"
# Of these, the emulator of Debian 12 knows three.
known=$(qemu-aarch64 -cpu help || true)
while read -r processor sets; do
    { [ -n "$processor" ] && grep -qw -- "$processor" <<<"$known"; } || continue
    # shellcheck disable=SC2086
    qemu-aarch64 -cpu "$processor" $folder/kernel-tests-aarch64 --choice $sets
    echo "$processor: kernels for ${sets##* }"
done <<<"$others"
