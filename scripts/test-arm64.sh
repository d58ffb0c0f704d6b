#!/usr/bin/env bash
# Tests the kernels of 64-bit ARM on any machine: compiles them with Swift's clang and Debian's cross libraries, compares
# them with double precision on three emulated processors, and counts the instructions of their loops (docs/arm64.md).
# Also tests the kernels of this machine's processor.
#
#   scripts/test-arm64.sh     about a minute on one core
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
"") ;;
--help | -h) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
*) echo "error: unknown option $1" >&2; echo "try: scripts/test-arm64.sh --help" >&2; exit 64 ;;
esac

for program in swiftc qemu-aarch64; do
    command -v $program >/dev/null || {
        echo "error: no $program found" >&2
        echo "try: scripts/setup.sh --tests --packages-only" >&2
        exit 69
    }
done
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
# Each emulated processor must report exactly these instruction sets; the kernels of the last are tested.
while read -r processor sets; do
    echo "$processor:"
    # shellcheck disable=SC2086  # a list of names
    qemu-aarch64 -cpu "$processor" $folder/kernel-tests-aarch64 --only $sets
done <<'PROCESSORS'
cortex-a72 baseline
neoverse-n1 baseline dotprod
max baseline dotprod i8mm
PROCESSORS
