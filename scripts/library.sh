#!/usr/bin/env bash
# Builds libwhisper_local.so, the library for programs in other languages (docs/c.md), and checks what it exports and needs.
#
#   scripts/library.sh                into .build/library
#   scripts/library.sh PREFIX         into PREFIX/lib and PREFIX/include, with a file for pkg-config
#   scripts/library.sh PREFIX --arch arm64    for 64-bit ARM, built on another machine (scripts/lib/arm64.sh)
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=${1:-.build/library} tools=""
header=Sources/CWhisperLocal/include/whisper_local.h
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "${2:-} ${3:-}" = "--arch arm64" ]; then
    . scripts/lib/arm64.sh
    tools=aarch64-linux-gnu-
    # Swift 6.2 cannot compare functions with a header. It compiles a copy in which their names alone are given; the
    # compiler for this machine compares them.
    scripts/record-build.sh "$work/record" true
    commit=$(sed -n 's/^let recordedCommit = "\(.*\)"$/\1/p' "$work/record")
    mkdir "$work/copy"
    cp -a Package.swift Plugins Sources Tests Examples scripts "$work/copy"
    sed -i "s/^commit=.*/commit='$commit'/" "$work/copy/scripts/record-build.sh"
    sed -i 's/^#if compiler(>=6.3)$/#if true/' "$work/copy/Package.swift"
    sed -i -E -e '/^@c @implementation$/{N;s/.*\n(public func (wl_[a-z_]+))/@_cdecl("\2")\n\1/}' \
        -e 's/^@c\(([a-z]+)\)$/@_cdecl("\1")/' "$work"/copy/Sources/CInterface/Boundary/*.swift
    (cd "$work/copy" && arm64_build -c release --product whisper_local)
    built=$(arm64_program libwhisper_local.so)
elif ! printf '%s\n' 6.3 "$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9.]+).*/\1/p')" | sort -CV; then
    echo "error: the library needs Swift 6.3 or newer" >&2
    exit 69
else
    # The compiled objects are shared with the ordinary release build.
    swift build -c release --product whisper_local --disable-local-rpath
    built="$(swift build -c release --show-bin-path)/libwhisper_local.so"
fi

library=$work/libwhisper_local.so
"${tools}strip" --strip-unneeded --remove-section=.comment -o "$library" "$built"

fail() {
    echo "error: $1" >&2
    exit 70
}

# Exactly the functions of the header.
diff <(grep -oE '\bwl_[a-z_]+\(' "$header" | tr -d '(' | sort -u) \
    <("${tools}nm" -D --defined-only "$library" | awk '{ print $3 }' | sort) >&2 ||
    fail "the library does not export what its header declares"

# Nothing but the C and C++ libraries and zlib; others are opened at run time.
needed=$(readelf -d "$library" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' |
    grep -vE '^(libc|libm|libz|libstdc\+\+|libgcc_s|ld-linux-[a-z0-9-]+)\.so\.[0-9]+$' || true)
[ -z "$needed" ] || fail "the library needs $needed"

# Debian 12, Ubuntu 22.04 and RHEL 9 have at least this version of the C library.
newest=$("${tools}objdump" -T "$library" | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -n 1)
[ "$(printf '%s\n' GLIBC_2.34 "$newest" | sort -V | tail -n 1)" = GLIBC_2.34 ] || fail "the library needs $newest"

readelf -d "$library" | grep -E 'R(UN)?PATH' >&2 && fail "the library searches this folder for libraries"
readelf -d "$library" | grep NODELETE >/dev/null || fail "the library can be unloaded, which crashes"

install -D -m 755 "$library" "$prefix/lib/libwhisper_local.so.0"
ln -sf libwhisper_local.so.0 "$prefix/lib/libwhisper_local.so"
install -D -m 644 "$header" "$prefix/include/whisper_local.h"
version=$(sed -nE 's/.*version: StaticString = "(.*)"/\1/p' Sources/BuildRecord/BuildRecord.swift)
# Relative to the file itself, because packages are built in a different folder from the one that they are installed in.
cat >"$work/whisper_local.pc" <<EOF
prefix=\${pcfiledir}/../..

Name: whisper_local
Description: Offline speech recognition
Version: $version
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib -lwhisper_local
EOF
install -D -m 644 "$work/whisper_local.pc" "$prefix/lib/pkgconfig/whisper_local.pc"
