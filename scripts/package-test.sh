#!/usr/bin/env bash
# Builds the packages, installs them into a minimal Debian 12 without Swift, and runs the program there.
# Needs root or sudo, for chroot. The minimal system and the downloaded packages are cached in .build/debian-root; delete
# that folder to download them again.
#
#   scripts/package-test.sh                 for this machine's processor
#   scripts/package-test.sh --arch arm64    for 64-bit ARM, under emulation: the packages are unpacked with all that they
#                                           depend on, but not configured, because their own programs cannot be started
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" != --isolated ]; then
    case "$*" in
    "" | "--arch arm64") ;;
    --help | -h) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "error: unknown option $1" >&2; echo "try: scripts/package-test.sh --help" >&2; exit 64 ;;
    esac
    scripts/package.sh "$@"
    as_root=""
    [ "$(id -u)" = 0 ] || as_root="sudo --preserve-env=http_proxy,https_proxy,no_proxy"
    # In separate namespaces, so that all mounts and processes disappear with the script, no matter how it ends.
    exec $as_root unshare --mount --pid --fork --kill-child --propagation private scripts/package-test.sh --isolated "$@"
fi
shift

suite=bookworm
cache=$PWD/.build/debian-root
base=$cache/base.tar
deb=$(echo .build/packages/*.deb)
tarball=$(echo .build/packages/*.tar.gz)
tree=$(basename "$tarball" .tar.gz)

. scripts/lib/minimal-debian.sh

# Installs packages, downloading them into the cache as root.
install() {
    mkdir -p "$root/var/cache/apt/archives"
    mount --bind "$cache/archives" "$root/var/cache/apt/archives"
    local status=0
    DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -qq -y --no-install-recommends \
        -o APT::Sandbox::User=root "$@" >"$cache/apt.log" 2>&1 || status=$?
    umount "$root/var/cache/apt/archives"
    return "$status"
}

# Runs a command as an unprivileged user without a home folder.
run() {
    chroot --userspec=65534:65534 "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin "$@"
}

# Checks that with $1 installed, recording $2 is transcribed to text that matches pattern $3.
transcribes() {
    local text
    text=$(run whisper-local transcribe --no-timestamps --duration 12 "/tmp/$2") || fail "$1: cannot transcribe $2"
    # shellcheck disable=SC2053  # a pattern
    [[ $text == $3 ]] || fail "$1: wrong text for $2: $text"
    echo "$1: $2 is transcribed"
}

# Checks that with $1 installed, a C program compiles with what pkg-config says, and transcribes; further arguments go to
# the compiler. $PKG_CONFIG_PATH is the folder of the file for pkg-config, unless the system knows it.
compiles() {
    local what=$1 flags
    shift
    flags=$(run PKG_CONFIG_PATH="${PKG_CONFIG_PATH:-}" pkg-config --cflags --libs whisper_local) ||
        fail "$what: pkg-config does not find the library"
    # shellcheck disable=SC2086  # a list of options
    run cc -Wall -Werror -o /tmp/transcribe /tmp/transcribe.c $flags "$@" || fail "$what: the example does not compile"
    run /tmp/transcribe nano.en /tmp/say-00.wav | grep 'Turn the fan' >/dev/null ||
        fail "$what: the example does not transcribe"
    rm "$root/tmp/transcribe"
    echo "$what: a C program is compiled and transcribes"
}

emulated=no
if [ "$*" = "--arch arm64" ]; then
    emulated=yes
    . scripts/lib/arm64.sh
    arm64_cache=$cache/arm64
    # Makes an empty system with the emulator.
    make_base() { arm64_make_root "$work/base"; tar -C "$work/base" -cf "$2" .; rm -r "$work/base"; }
    install() { arm64_install "$root" "${@/#\/tmp/"$root"/tmp}" >"$cache/apt.log" 2>&1; }
    run() { arm64_run "$root" "$@"; }
    base=$cache/base-arm64.tar
fi

clip="Turn the fan down to 5%.
Where did you put the short chair?"

umask 022
mkdir -p "$cache/archives/partial"
# On a tmpfs, because dpkg syncs often.
work=$cache/work root=$cache/work/root
mkdir -p "$work"
mount -t tmpfs -o mode=755,size=3g tmpfs "$work"
trap 'umount --recursive "$work"; chown -R --reference=.build "$cache"' EXIT
[ -f "$base" ] || make_base "$suite" "$base"
unpack_base "$base"
cp "$deb" "$root/tmp/package.deb"
if ! install /tmp/package.deb; then
    # The cached package lists are usually out of date.
    make_base "$suite" "$base"
    unpack_base "$base"
    cp "$deb" "$root/tmp/package.deb"
    install /tmp/package.deb || { tail -n 20 "$cache/apt.log" >&2; fail "$deb cannot be installed"; }
fi
mount -t proc proc "$root/proc"
cp Tests/Fixtures/clips/say-00.wav Tests/Fixtures/clips/long-three-minutes.flac Examples/C/transcribe.c "$root/tmp"
[ -z "$(find "$root" -xdev -name 'libswift*')" ] || fail "the minimal system contains Swift"

version=$(run whisper-local --version)
for line in '^whisper-local [0-9]' '^commit [0-9a-f]{7,}' '^built with FFmpeg, libcurl, libsoup'; do
    grep -qE "$line" <<<"$version" || fail "--version has no line $line: $version"
done
transcribes "Debian package with its dependencies" say-00.wav "$clip"
report=$(run whisper-local doctor)
grep -q 'FFmpeg missing' <<<"$report" || fail "FFmpeg is installed, though it is only recommended"
refusal=$(run whisper-local transcribe --backend openblas /tmp/say-00.wav 2>&1 || true)
grep -q 'apt install libopenblas0-pthread' <<<"$refusal" || fail "OpenBLAS, which is only suggested, is not missed: $refusal"
grep -q '/usr/share/whisper-local/models/nano.en' <<<"$report" || fail "doctor does not find the model"
grep -q whisper-local "$root/usr/share/bash-completion/completions/whisper-local" || fail "no completions for bash"

[ "$(run /usr/libexec/whisper-local/whisper-cli --version)" = "$(run whisper-local --version)" ] ||
    fail "whisper-cli does not start"

recommended=$(dpkg-deb -f "$deb" Recommends | sed 's/([^)]*)//g; s/,//g')
# shellcheck disable=SC2086  # a list of names
install $recommended || { tail -n 20 "$cache/apt.log" >&2; fail "cannot install what the package recommends"; }
report=$(run whisper-local doctor)
! grep -E '(FFmpeg|ALSA|libcurl) missing' <<<"$report" || fail "a library is missing though all packages are installed"
# Emulated, a transcription takes minutes; scripts/test-arm64.sh --program has one through FFmpeg.
[ $emulated = yes ] || transcribes "Debian package with what it recommends" say-00.wav "$clip"
# The loopback address refuses the connection, which proves that libcurl works.
refusal=$(run HOME=/tmp WHISPER_LOCAL_MODEL_URL=https://127.0.0.1:1 whisper-local models pull tiny 2>&1 || true)
grep -q 'cannot connect to 127.0.0.1:1' <<<"$refusal" || fail "models pull does not work: $refusal"
rm -r "$root/tmp/.local"
[ $emulated = yes ] ||
    transcribes "Debian package with what it recommends" long-three-minutes.flac "The party with Anna is on Sunday*"

if [ $emulated = yes ]; then
    # shellcheck disable=SC2046  # a list of options
    aarch64-linux-gnu-gcc -Wall -Werror -o "$root/tmp/transcribe" "$root/tmp/transcribe.c" \
        $(PKG_CONFIG_PATH=$root/usr/lib/pkgconfig pkg-config --cflags --libs whisper_local) \
        -Wl,--unresolved-symbols=ignore-in-shared-libs || fail "the example in C does not compile"
    run /tmp/transcribe nano.en /tmp/say-00.wav | grep 'Turn the fan' >/dev/null ||
        fail "the example in C does not transcribe"
    echo "Debian package: a C program is compiled elsewhere and transcribes"
    dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$' | (cd "$root" && xargs -d '\n' rm)
else
    install gcc libc6-dev pkg-config || { tail -n 20 "$cache/apt.log" >&2; fail "cannot install a compiler"; }
    compiles "Debian package"
    chroot "$root" dpkg --purge whisper-local >/dev/null
    left=$(find "$root" -xdev -name '*whisper[-_]local*')
    [ -z "$left" ] || fail "not removed with the Debian package: $left"
fi

tar -C "$root/opt" -xzf "$tarball"
ln -s "/opt/$tree/bin/whisper-local" "$root/usr/local/bin/whisper-local"
if [ $emulated = yes ]; then
    run whisper-local models path nano.en | grep "/opt/$tree/share/whisper-local/models/nano.en" ||
        fail "the program of the tarball does not find its model"
else
    transcribes "tarball" say-00.wav "$clip"
    PKG_CONFIG_PATH=/opt/$tree/lib/pkgconfig compiles "tarball" "-Wl,-rpath,/opt/$tree/lib"
fi
