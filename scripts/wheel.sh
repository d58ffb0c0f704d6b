#!/usr/bin/env bash
# Builds the Python package in dist/: a wheel for any Python from 3.9 on, with the engine and the speech detector inside.
#
#   scripts/wheel.sh                      builds the library first
#   scripts/wheel.sh --library FILE       with this library
#   scripts/wheel.sh --arch arm64         for 64-bit ARM, built on another machine (scripts/lib/arm64.sh)
#
# The wheel runs on Linux with glibc 2.34 or newer (Debian 12, Ubuntu 22.04, RHEL 9), which auditwheel checks. Building is
# reproducible: all files are dated SOURCE_DATE_EPOCH, by default the time of the commit. Needs python3-venv, and once a
# network connection (scripts/install-clients.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-local/tests
python=$cache/clients-python/bin/python
machine=$(uname -m) strip=strip platform=manylinux_2_34_$(uname -m) library=

while [ $# -gt 0 ]; do
    case "$1" in
    --arch)
        [ "${2:-}" = arm64 ] || { echo "error: the only other architecture is arm64" >&2; exit 64; }
        # auditwheel takes only names of this machine's platforms. library.sh checks the version of the C library.
        machine=aarch64 strip=aarch64-linux-gnu-strip platform=auto
        shift
        ;;
    --library) library="${2:?--library needs a file}"; shift ;;
    --help | -h) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "error: unknown option $1" >&2; echo "try: scripts/wheel.sh --help" >&2; exit 64 ;;
    esac
    shift
done
if [ -z "$library" ] && [ $strip != strip ]; then
    scripts/library.sh .build/library-arm64 --arch arm64
    library=.build/library-arm64/lib/libwhisper_local.so.0
elif [ -z "$library" ]; then
    scripts/library.sh
    library=.build/library/lib/libwhisper_local.so.0
fi
scripts/install-clients.sh --python

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
cp -r Sources/Python/. LICENSE THIRD_PARTY.md "$work"
package=$work/src/whisper_local
find "$work" -name __pycache__ -prune -exec rm -r {} +
# Keeps the dynamic symbols, because Swift's runtime looks them up.
$strip --strip-unneeded --remove-section=.comment -o "$package/libwhisper_local.so" "$library"

# The speech detector: where the tests or the user have it, otherwise downloaded.
network=silero_vad_16k.safetensors
for folder in "${WHISPER_LOCAL_TEST_MODELS:-$cache/models}" "${XDG_DATA_HOME:-$HOME/.local/share}/whisper-local/models"; do
    [ ! -f "$folder/$network" ] || { cp "$folder/$network" "$package/"; break; }
done
if [ ! -f "$package/$network" ]; then
    "$(swift build -c release --show-bin-path)/whisper-local" models pull --quiet --packages --model-dir "$package" silero-vad
fi
chmod 644 "$package"/*.so "$package/$network"

# Outside a clone, the changelog has the date of the commit, because `git archive` sets it.
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}"
export SOURCE_DATE_EPOCH
find "$work" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
# The processor for which setuptools names the wheel.
export _PYTHON_HOST_PLATFORM=linux-$machine
"$python" -m pip wheel --quiet --disable-pip-version-check --no-index --no-build-isolation --no-deps --wheel-dir "$work/wheel" "$work"

mkdir -p dist
rm -f dist/*.whl
# Renames the wheel, and copies into it what a system may lack.
PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair --plat "$platform" --only-plat --wheel-dir dist \
    "$work"/wheel/*.whl >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
ls -l dist
