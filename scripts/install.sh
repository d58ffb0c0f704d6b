#!/usr/bin/env bash
# Builds whisper-local with the Swift runtime linked statically, and installs it with its model, man page, shell
# completions, systemd units and documentation.
#
#   scripts/install.sh PREFIX                 installs into PREFIX/bin, PREFIX/lib and PREFIX/share
#   scripts/install.sh PREFIX --arch arm64    the same for 64-bit ARM, built on another machine (scripts/lib/arm64.sh)
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=${1:?usage: scripts/install.sh PREFIX}

strip=strip
if [ "${2:-} ${3:-}" = "--arch arm64" ]; then
    . scripts/lib/arm64.sh
    strip=aarch64-linux-gnu-strip
    arm64_build -c release --product whisper-local
    program=$(arm64_program whisper-local)
else
    # The compiled objects are shared with the ordinary release build; only linking differs.
    export WHISPER_LOCAL_STATIC=1
    swift build -c release --product whisper-local --disable-local-rpath
    program="$(swift build -c release --show-bin-path)/whisper-local"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Keeps the dynamic symbols, because Swift's runtime looks them up.
$strip --strip-unneeded --remove-section=.comment -o "$work/whisper-local" "$program"
program=$work/whisper-local
# A search path left over from the build machine might be a folder that another user can write to.
if readelf -d "$program" | grep -E 'R(UN)?PATH' >&2; then
    echo "error: the program searches this folder for libraries" >&2
    exit 70
fi
install -D -m 755 "$program" "$prefix/bin/whisper-local"
if [ $strip != strip ]; then
    printf '#!/bin/sh\nexec qemu-aarch64 -L %q %q "$@"\n' "$arm64_system" "$program" >"$work/emulated"
    chmod +x "$work/emulated"
    program=$work/emulated
fi

# Names under which other programs start it. They are not in the PATH, where they might replace the programs themselves.
mkdir -p "$prefix/libexec/whisper-local"
for name in whisper-cli whisper; do
    ln -sfn ../../bin/whisper-local "$prefix/libexec/whisper-local/$name"
done

for file in Models/*.bin Models/*.md Models/manifest.json; do
    install -D -m 644 "$file" "$prefix/share/whisper-local/models/$(basename "$file")"
done
for file in README.md CHANGELOG.md THIRD_PARTY.md LICENSE docs/server.md docs/dictation.md; do
    install -D -m 644 "$file" "$prefix/share/doc/whisper-local/$(basename "$file")"
done

# Installs scripts/$1 as $2, with the program's path. In /usr and /usr/local it is found without one; packages are built in a
# different folder from the one that they are installed in.
starter() {
    case "$prefix" in
    */usr | /usr/local) cp "scripts/$1" "$work/starter" ;;
    *) sed -E "s|^Exec(Start)?=|&$(realpath "$prefix")/bin/|" "scripts/$1" >"$work/starter" ;;
    esac
    install -D -m 644 "$work/starter" "$prefix/$2"
}
starter whisper-local.service lib/systemd/system/whisper-local.service
starter whisper-local-user.service lib/systemd/user/whisper-local.service
starter whisper-local-dictate.service lib/systemd/user/whisper-local-dictate.service
# The desktop's portal knows programs by the names of these files (`dictate --key portal`).
starter local.whisper.Dictate.desktop share/applications/local.whisper.Dictate.desktop

# Installs the completions for shell $1 as share/$2.
completions() {
    "$program" completions "$1" >"$work/completions"
    install -D -m 644 "$work/completions" "$prefix/share/$2"
}
completions bash bash-completion/completions/whisper-local
completions zsh zsh/site-functions/_whisper-local
completions fish fish/vendor_completions.d/whisper-local.fish

scripts/manual.sh "$program" | gzip -9n >"$work/manual"
install -D -m 644 "$work/manual" "$prefix/share/man/man1/whisper-local.1.gz"
