#!/usr/bin/env bash
# Installs the wheel of the Python package into clean Debian systems without Swift, FFmpeg and a network, and transcribes
# there. Prints the table of docs/python.md. Needs root or sudo, for chroot. The minimal systems are cached in
# .build/debian-root.
#
#   scripts/test-wheel.sh                  the wheel in dist/ (make wheel), in the stable Debian and the one after it
#   scripts/test-wheel.sh FILE RELEASE…    another wheel, other releases of Debian
#   scripts/test-wheel.sh --arch arm64     the wheel for 64-bit ARM in dist/ (scripts/wheel.sh --arch arm64), in the stable
#                                          Debian, under emulation
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" != --isolated ]; then
    as_root=""
    [ "$(id -u)" = 0 ] || as_root="sudo --preserve-env=http_proxy,https_proxy,no_proxy"
    # In separate namespaces, so that all mounts and processes disappear with the script, no matter how it ends.
    exec $as_root unshare --mount --pid --fork --kill-child --propagation private scripts/test-wheel.sh --isolated "$@"
fi
shift
arm64=no
if [ "$*" = "--arch arm64" ]; then
    arm64=yes
    shift 2
fi
wheel=${1:-$(echo dist/*.whl)}
suites=("${@:2}")
[ "${#suites[@]}" -gt 0 ] || suites=(bookworm trixie)
cache=$PWD/.build/debian-root
work=$cache/work root=$cache/work/root
. scripts/lib/minimal-debian.sh
[ -f "$wheel" ] || fail "there is no wheel $wheel: make wheel"
umask 022
mkdir -p "$work" "$cache/wheels"
# On a tmpfs, because dpkg syncs often.
mount -t tmpfs -o mode=755,size=3g tmpfs "$work"
trap 'umount --recursive "$work"; chown -R --reference=.build "$cache"' EXIT

# Copies the example of README.md there, and what it transcribes.
example() {
    cp Models/nano.en.ggml.bin Tests/Fixtures/clips/say-06.wav "$root/tmp"
    sed -n '/^```python$/,/^```$/p' Sources/Python/README.md | sed -e '/^```/d' -e 's|"tiny.en"|"/tmp/nano.en.ggml.bin"|' \
        -e 's|"talk.wav"|"/tmp/say-06.wav"|' >"$root/tmp/example.py"
}

if [ $arm64 = yes ]; then
    . scripts/lib/arm64.sh
    arm64_cache=$cache/arm64
    arm64_make_root "$root"
    # libstdc++6 is in every Debian, for apt.
    arm64_install "$root" python3 libstdc++6 >"$cache/apt.log" 2>&1 || { tail -n 20 "$cache/apt.log" >&2; fail "no Python"; }
    mount -t proc proc "$root/proc"
    # pip would start itself again, which the emulator does not do.
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
        --only-binary :all: --python-version 3.11 \
        --platform manylinux_2_34_aarch64 --platform manylinux_2_28_aarch64 --platform manylinux_2_17_aarch64 \
        --target "$root/opt/packages" "$wheel"
    example
    run() { arm64_run "$root" HOME=/tmp PYTHONPATH=/opt/packages "$@"; }
    said=$(run python3 /tmp/example.py) || fail "the example of README.md fails"
    grep -q museum <<<"$said" || fail "wrong text: $said"
    run python3 -c 'import platform, numpy, whisper_local
print("|", platform.machine(), "| Python", platform.python_version(), "| numpy", numpy.__version__, "|", end=" ")'
    echo "${said%%$'\n'*} |"
    exit
fi

# Runs a command there as a user without rights and without a network.
run() { unshare --net chroot --userspec=65534:65534 "$root" /usr/bin/env -i HOME=/tmp PATH=/usr/bin:/bin "$@"; }

echo "| system | glibc | Python | numpy | installed | import without numpy's | what it says |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for suite in "${suites[@]}"; do
    base=$cache/$suite-python.tar
    [ -f "$base" ] || make_base "$suite" "$base" python3-venv >&2
    unpack_base "$base"
    mount -t proc proc "$root/proc"
    found=$(find "$root" -xdev -name 'libswift*' -o -xdev -name 'libavcodec*' -o -xdev -name 'cc' -path '*/bin/*')
    [ -z "$found" ] || fail "the minimal system is not clean: $found"
    python=$(run python3 -c 'import platform; print(platform.python_version())')
    # What the package needs, for that Python.
    python3 -m pip download --quiet --disable-pip-version-check --only-binary :all: --python-version "${python%.*}" \
        --dest "$cache/wheels" numpy
    cp "$cache/wheels"/numpy-*.whl "$wheel" "$root/tmp"
    example
    run python3 -m venv /tmp/environment
    run /tmp/environment/bin/pip install --quiet --disable-pip-version-check --no-index --find-links /tmp \
        "/tmp/$(basename "$wheel")"
    said=$(run /tmp/environment/bin/python /tmp/example.py) || fail "$suite: the example of README.md fails"
    grep -q museum <<<"$said" || fail "$suite: wrong text: $said"
    import=$(for _ in 1 2 3 4 5; do
        run /tmp/environment/bin/python -c 'import time, numpy, numpy.ctypeslib
start = time.process_time(); import whisper_local; print(round(1000 * (time.process_time() - start)))'
    done | sort -n | sed -n 3p)
    [ "$import" -le 50 ] || fail "$suite: the import takes $import ms"
    size=$(du -sm --apparent-size "$root"/tmp/environment/lib/python3*/site-packages/whisper_local | cut -f 1)
    numpy=$(run /tmp/environment/bin/python -c 'import numpy; print(numpy.__version__)')
    glibc=$(run ldd --version | sed -n '1s/.* //p')
    echo "| Debian $suite | $glibc | $python | $numpy | $size MB | $import ms | ${said%%$'\n'*} |"
    umount "$root/proc"
done
