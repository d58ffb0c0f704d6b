#!/usr/bin/env bash
# Installs the wheel of the Python package into clean Debian systems without Swift, FFmpeg and a network, and transcribes
# there. Prints the table of docs/python.md. Needs root or sudo, for chroot. The minimal systems are cached in
# .build/debian-root.
#
#   scripts/test-wheel.sh                  the wheel in dist/ (make wheel), in the stable Debian and the one after it
#   scripts/test-wheel.sh FILE RELEASE…    another wheel, other releases of Debian
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" != --isolated ]; then
    as_root=""
    [ "$(id -u)" = 0 ] || as_root="sudo --preserve-env=http_proxy,https_proxy,no_proxy"
    # In separate namespaces, so that all mounts and processes disappear with the script, no matter how it ends.
    exec $as_root unshare --mount --pid --fork --kill-child --propagation private scripts/test-wheel.sh --isolated "$@"
fi
shift
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
    cp "$cache/wheels"/numpy-*.whl "$wheel" Models/nano.en.ggml.bin Tests/Fixtures/clips/say-06.wav "$root/tmp"
    sed -n '/^```python$/,/^```$/p' Sources/Python/README.md | sed -e '/^```/d' -e 's|"tiny.en"|"/tmp/nano.en.ggml.bin"|' \
        -e 's|"talk.wav"|"/tmp/say-06.wav"|' >"$root/tmp/example.py"
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
