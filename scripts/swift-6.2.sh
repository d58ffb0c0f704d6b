#!/usr/bin/env bash
# Compiles the program and its tests with Swift 6.2, the oldest supported compiler, as Debian's unstable distribution has
# it. Compiler and libraries are unpacked into a folder and run in a chroot; nothing is installed. Needs root, Debian or
# Ubuntu, 830 MB to download once, 6 GB of disk and half an hour of processor time.
#
#   scripts/swift-6.2.sh                         swift build --build-tests
#   scripts/swift-6.2.sh test --filter Digits    any other arguments of `swift`
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-}" in --help | -h) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
[ $# -gt 0 ] || set -- build --build-tests
folder=${WHISPER_LOCAL_SWIFT_6_2:-${XDG_CACHE_HOME:-$HOME/.cache}/whisper-local/swift-6.2}
root=$folder/root

if ! [ -e "$folder/complete" ]; then
    rm -rf "$root"
    mkdir -p "$folder"/apt/{state/lists,cache/archives}/partial "$root"/{src,usr/bin,usr/sbin,usr/lib,usr/lib64}
    for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
    # An apt that starts from an empty system, so that it also chooses what these packages depend on.
    : >"$folder/apt/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian unstable main" \
        >"$folder/apt/sources.list"
    apt=(apt-get -o "Dir::State=$folder/apt/state" -o "Dir::State::status=$folder/apt/status"
        -o "Dir::Cache=$folder/apt/cache" -o "Dir::Etc::SourceList=$folder/apt/sources.list"
        -o Dir::Etc::SourceParts=- -o APT::Install-Recommends=false -o APT::Sandbox::User=root)
    "${apt[@]}" update
    "${apt[@]}" install -y --download-only swiftlang lld git bash coreutils diffutils sed libopenblas-pthread-dev \
        libasound2-dev libsqlite3-dev zlib1g-dev libavformat-dev libavcodec-dev libswresample-dev libsoup-3.0-dev \
        libcurl4-openssl-dev
    for package in "$folder"/apt/cache/archives/*.deb; do dpkg -x "$package" "$root"; done
    # What the packages' own scripts would have linked.
    ln -s bash "$root/usr/bin/sh"
    architecture=$(dpkg-architecture -q DEB_HOST_MULTIARCH)
    for name in cblas.h openblas_config.h; do ln -s "openblas-pthread/$name" "$root/usr/include/$architecture/$name"; done
    ln -s openblas-pthread/libopenblas.so.0 "$root/usr/lib/$architecture/libopenblas.so.0"
    # Debian's package leaves this library out, which nothing here uses.
    echo '!<arch>' >"$root/usr/lib/$architecture/lib_Testing_Foundation.a"
    rm -r "$folder/apt"
    touch "$folder/complete"
fi

# The build folder is in the chroot, so that it does not mix with that of this machine's compiler.
mkdir -p "$root/build"
# For scripts/test-arm64.sh.
export WHISPER_LOCAL_SYSROOT=${WHISPER_LOCAL_SYSROOT:-}
command=$1
shift
# shellcheck disable=SC2016  # the chroot's shell expands it
exec unshare --mount --propagation private bash -c '
    root=$1 commands=$2
    mount --rbind /proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --bind . "$root/src"
    exec chroot "$root" /usr/bin/env -i HOME=/build PATH=/usr/libexec/swift/bin:/usr/bin:/bin \
        "WHISPER_LOCAL_SYSROOT=$WHISPER_LOCAL_SYSROOT" LD_LIBRARY_PATH=/usr/libexec/swift/lib/swift/linux:/usr/libexec/swift/lib/swift/host bash -ec "$commands"
' - "$root" "cd /src; git config --global safe.directory /src
    version=\$(swift --version 2>&1)
    [[ \$version = *'Swift version 6.2'* ]] || { echo \"error: no longer Swift 6.2: \$version\" >&2; exit 69; }
    swift $(printf '%q ' "$command" --scratch-path /build "$@")"
