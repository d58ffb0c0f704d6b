#!/usr/bin/env bash
# Installs missing packages, builds whisper-local, installs it into ~/.local, and downloads the model tiny.en, a speech
# detector and the networks for --speakers.
#
#   scripts/setup.sh                  all of this (models: 111 MB)
#   scripts/setup.sh --demo           the same, then transcribe a sample recording
#   scripts/setup.sh --prefix DIR     install into DIR/bin and DIR/share instead (scripts/install.sh)
#   scripts/setup.sh --tests          also install what the tests need (ffmpeg, python3, models, recordings, …)
#   scripts/setup.sh --packages-only  only install packages, with --tests also recordings
#   scripts/setup.sh --offline        do not download models or recordings
#
# Packages come from Debian (or Ubuntu) through apt-get; root or sudo is needed only if one is missing.
# WHISPER_LOCAL_WITHOUT=ffmpeg,curl,soup builds without these libraries and does not install them.
set -euo pipefail
cd "$(dirname "$0")/.."

demo=no prefix=$HOME/.local tests=no build=yes offline=""
while [ $# -gt 0 ]; do
    case "$1" in
    --demo) demo=yes ;;
    --tests) tests=yes ;;
    --packages-only) build=no ;;
    --offline) offline=--offline ;;
    --prefix) prefix="${2:?--prefix needs a folder}"; shift ;;
    --help | -h) sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "error: unknown option $1" >&2; echo "try: scripts/setup.sh --help" >&2; exit 64 ;;
    esac
    shift
done

without=",${WHISPER_LOCAL_WITHOUT:-},"
packages="binutils libopenblas-dev libasound2-dev libsqlite3-dev zlib1g-dev"
case "$without" in *,curl,*) ;; *) packages="$packages libcurl4-openssl-dev" ;; esac
case "$without" in *,soup,*) ;; *) packages="$packages libsoup-3.0-dev" ;; esac
case "$without" in
*,ffmpeg,*) ;;
*) packages="$packages libavformat-dev libavcodec-dev libswresample-dev libavutil-dev" ;;
esac
# What programs are linked with; Debian's package of Swift does not ask for it.
compgen -G '/usr/lib/gcc/*/*/libstdc++.so' >/dev/null || packages="$packages g++"
# `models pull` downloads some models with pip.
[ -n "$offline" ] || python3 -m pip --version >/dev/null 2>&1 || packages="$packages python3-pip"
[ "$tests" = no ] || packages="$packages ffmpeg openssl curl strace glib-networking chromium nodejs node-ws python3 python3-numpy python3-venv gcc util-linux sqlite3 pulseaudio pulseaudio-utils libasound2-plugins alsa-utils pipewire wireplumber debootstrap debian-archive-keyring dpkg-dev valgrind zsh fish tmux python3-pyte slurm-wlm munge parallel openssh-client openssh-server nginx-light xvfb xterm xdotool xclip sway foot wtype wl-clipboard dbus-daemon python3-gi"
# The emulator for scripts/test-arm64.sh, and its libraries, which 64-bit ARM has anyway.
[ "$tests" = no ] || packages="$packages qemu-user"
[ "$tests$(uname -m)" = yesaarch64 ] || [ "$tests" = no ] || packages="$packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross"

missing=""
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo"
if [ -n "$missing" ]; then
    echo "installing$missing"
    $as_root apt-get update -qq
    # --no-remove: fail rather than remove a conflicting package, which the machine's own audio may depend on.
    # shellcheck disable=SC2086  # a list of names
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends --no-remove $missing >/dev/null
fi

# The package with PipeWire's ALSA plugin conflicts with PulseAudio. If it is not installed, the tests use a copy of the
# plugin in a folder that nothing else searches.
plugin=alsa-lib/libasound_module_pcm_pipewire.so folder=/usr/local/lib/whisper-local-tests
if [ "$tests" = yes ] && ! compgen -G "/usr/lib/*/$plugin" >/dev/null && ! compgen -G "$folder/usr/lib/*/$plugin" >/dev/null; then
    echo "unpacking pipewire-alsa"
    download=$(mktemp -d)
    (
        cd "$download"
        apt-get download -qq -o APT::Sandbox::User=root pipewire-alsa || {
            $as_root apt-get update -qq
            apt-get download -qq -o APT::Sandbox::User=root pipewire-alsa
        }
    )
    $as_root mkdir -p "$folder"
    $as_root dpkg -x "$download"/*.deb "$folder"
    rm -r "$download"
fi

# Runs a command that installs $1, which is optional. If it fails, reports this in one line.
fetch() {
    local what=$1
    shift
    "$@" 2>"$errors" ||
        echo "skipped $what ($(sed -n 's/^error: //p' "$errors" | tail -n 1)); to install later: $*"
}
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT

if [ "$tests" = yes ]; then
    # Debian's Python has numpy.
    /usr/bin/python3 Tests/Oracles/models.py
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-local/tests
    # shellcheck disable=SC2086  # empty means no argument
    fetch "the test recordings" scripts/install-recordings.sh \
        --folder "${WHISPER_LOCAL_TEST_SPEECH:-$cache/speech}" $offline
    # shellcheck disable=SC2086
    fetch "the clients for the server tests" scripts/install-clients.sh --folder "$cache/clients" $offline
fi

# Whether version $1 of Swift is new enough.
is_new() { printf '%s\n' 6.2 "$1" | sort -CV; }
version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9.]+).*/\1/p') || true
if ! is_new "$version"; then
    if [ -n "$version" ]; then problem="Swift $version is too old"; else problem="no Swift compiler found"; fi
    echo "error: $problem" >&2
    # Newer distributions have one.
    if is_new "$(apt-cache policy swiftlang 2>/dev/null | sed -nE 's/^ *Candidate: ([0-9.]+).*/\1/p')"; then
        echo "try: ${as_root:+$as_root }apt-get install swiftlang lld" >&2
    else
        machine=$(uname -m)
        echo "try: install Swift 6.2 or newer for $machine from https://www.swift.org/install/linux/ and put it on PATH" >&2
    fi
    exit 69
fi
[ "$build" = yes ] || exit 0

. scripts/lib/moved.sh
remove_moved_build .
scripts/install.sh "$prefix"
program=$(realpath "$prefix/bin/whisper-local")
echo "installed $program"

if [ -z "$offline" ]; then
    for name in tiny.en silero-vad speakers; do
        echo "installing $name"
        fetch "$name" "$program" models pull --quiet "$name"
    done
    [ "$tests" = no ] || fetch "the test models" \
        scripts/install-test-models.sh "$program" "${WHISPER_LOCAL_TEST_MODELS:-$cache/models}"
fi

if [ "$demo" = yes ]; then
    recording=Examples/please-hold.wav
    # Without tiny.en there is only the bundled model, which knows the words in this other recording.
    "$program" models path tiny.en >/dev/null 2>&1 || recording=Tests/Fixtures/clips/say-00.wav
    echo "\$ whisper-local transcribe $recording"
    "$program" transcribe "$recording"
fi

found=$(command -v whisper-local || true)
if [ -z "$found" ]; then
    echo "whisper-local is not on your PATH yet. Type:"
    echo "    export PATH=\"$(dirname "$program"):\$PATH\""
elif [ "$(realpath "$found")" != "$program" ]; then
    echo "note: the command whisper-local starts $found; the new program is $program"
fi
