#!/usr/bin/env bash
# Builds a Debian package and a tarball in .build/packages; neither needs a Swift toolchain to run.
#
#   scripts/package.sh                 for this machine's processor
#   scripts/package.sh --arch arm64    for 64-bit ARM, on another machine (scripts/lib/arm64.sh)
#
# Packaging is reproducible: all files are dated SOURCE_DATE_EPOCH, by default the time of the commit. A commit tagged
# vVERSION is packaged as that version; any other commit gets a version that sorts before it and includes the commit.
# The maintainer is taken from DEBFULLNAME and DEBEMAIL.
set -euo pipefail
cd "$(dirname "$0")/.."

architecture=$(dpkg --print-architecture) machine=$(uname -m) run="" link=(cc) shlibdeps=(dpkg-shlibdeps)
case "$*" in
"") ;;
"--arch arm64")
    . scripts/lib/arm64.sh
    architecture=arm64 machine=aarch64 run="qemu-aarch64 -L $arm64_system"
    export DEB_HOST_ARCH=arm64
    link=(aarch64-linux-gnu-gcc -nostdlib "-L$arm64_system/usr/lib/aarch64-linux-gnu")
    shlibdeps+=("--admindir=$arm64_folder/debian/packages" "-l$arm64_system/usr/lib/aarch64-linux-gnu")
    ;;
--help | -h) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
*) echo "error: unknown option $1" >&2; echo "try: scripts/package.sh --help" >&2; exit 64 ;;
esac

for tool in dpkg-shlibdeps dpkg-deb strip cc; do
    command -v "$tool" >/dev/null || {
        echo "error: $tool is missing" >&2
        echo "try: apt-get install dpkg-dev binutils gcc" >&2
        exit 69
    }
done

packages=.build/packages
rm -rf "$packages"
mkdir -p "$packages"
# Packages are built with all optional libraries.
unset WHISPER_LOCAL_WITHOUT
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
scripts/install.sh "$work/usr" "$@"
scripts/library.sh "$work/usr" "$@"

{ read -r _ version; read -r _ commit; } < <($run "$work/usr/bin/whisper-local" --version)
# Outside a clone, the changelog has the date of the commit, because `git archive` sets it.
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}"
tag=$(git describe --exact-match --tags 2>/dev/null || true)
if [ "$tag" != "v$version" ] || [[ $commit == *modified* ]]; then
    commit=${commit/ (modified)/.modified}
    version="$version~git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d).$commit"
fi
export SOURCE_DATE_EPOCH

# dpkg-shlibdeps finds the packages of the libraries that the program links. To make it find those loaded at run time as
# well, empty libraries are linked against them: by file name if the source specifies a version, because some of the
# development packages may be missing. OpenBLAS is only for comparison.
mkdir "$work/debian"
printf 'Source: whisper-local\n\nPackage: whisper-local\nArchitecture: any\n' >"$work/debian/control"
opened=$(grep -rohE '(SharedLibrary|dlopen)\("lib[a-z0-9.-]+\.so[.0-9]*' Sources |
    sed -E 's/.*"//; s/^lib(.*)\.so\.$/-l\1/; s/^lib/-l:lib/' | sort -u)
grep -q openblas <<<"$opened"
# shellcheck disable=SC2046  # must be split
"${link[@]}" -shared -Wl,--no-as-needed -o "$work/recommended.so" $(grep -v openblas <<<"$opened")
# shellcheck disable=SC2046
"${link[@]}" -shared -Wl,--no-as-needed -o "$work/suggested.so" $(grep openblas <<<"$opened")
(cd "$work" && "${shlibdeps[@]}" -O -eusr/bin/whisper-local -eusr/lib/libwhisper_local.so.0 \
    -dRecommends -erecommended.so -dSuggests -esuggested.so \
    2>shlibdeps.log) >"$work/dependencies" || { cat "$work/shlibdeps.log" >&2; exit 1; }
depends=$(sed -n 's/^shlibs:Depends=//p' "$work/dependencies")
# libcurl uses the certificates in ca-certificates; libsoup needs glib-networking for TLS.
recommends="$(sed -n 's/^shlibs:Recommends=//p' "$work/dependencies"), ca-certificates, glib-networking"
# The package names without versions.
names() { sed 's/ ([^)]*)//g; s/,//g' <<<"$1"; }

tree=whisper-local-$version-linux-$machine
mkdir "$work/$tree"
cp -a "$work/usr/." README.md LICENSE "$work/$tree/"
cat >"$work/$tree/INSTALL" <<END
Run bin/whisper-local from here, or copy bin/, share/, lib/ and include/ to a prefix such as ~/.local or /usr/local.
The program finds its model relative to its own path, even through a symbolic link.

Programs in C and other languages use lib/libwhisper_local.so; lib/pkgconfig is for pkg-config.

It needs these Debian 12 packages, or the same libraries from elsewhere:

  apt-get install $(names "$depends")

For formats other than WAV, for microphones and for downloading models it also uses:

  apt-get install $(names "$recommends")

bin/whisper-local doctor reports what is missing.
END
tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go-w \
    -cf - "$tree" | gzip -6n >"$packages/$tree.tar.gz"

maintainer="${DEBFULLNAME:-whisper-local authors} <${DEBEMAIL:-authors@whisper-local.invalid}>"
root=$work/root documents=$work/root/usr/share/doc/whisper-local
mkdir -p "$root/DEBIAN"
mv "$work/usr" "$root/usr"
# Debian's folder for completions of packaged programs.
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
rm "$documents/LICENSE"
{
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n'
    printf 'Upstream-Name: whisper-local\nComment: Third-party notices are in THIRD_PARTY.md.\n\n'
    printf 'Files: *\n%s\n' "$(sed -n 's/^Copyright (c) /Copyright: /p' LICENSE)"
    printf 'License: Expat\n'
    sed '1,/^Copyright/d' LICENSE | sed '1d; s/^$/./; s/^/ /'
} >"$documents/copyright"
# The latest section of the changelog in Debian's format.
{
    printf 'whisper-local (%s) unstable; urgency=medium\n\n' "$version"
    sed '1,/^## /d' "$documents/CHANGELOG.md" | sed '/^## /,$d; /^#/d; /^$/d; s/^  /    /; s/^- /  * /' |
        fold -s -w 76 | sed 's/^[^ ]/    &/; s/ *$//'
    printf '\n -- %s  %s\n' "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$documents/changelog.gz"
rm "$documents/CHANGELOG.md"
cat >"$root/DEBIAN/control" <<END
Package: whisper-local
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -k -s --apparent-size "$root/usr" | cut -f 1)
Depends: $depends
Recommends: $recommends
Suggests: wl-clipboard | xclip | xsel, python3-pip, $(sed -n 's/^shlibs:Suggests=//p' "$work/dependencies")
Section: sound
Priority: optional
Description: offline speech recognition with Whisper models
 whisper-local turns recordings and live speech into text, subtitles and JSON.
 It runs Whisper models in ggml format on the processor, sends no recording or
 text over the network, and accepts the options of openai-whisper.
 .
 A small demonstration model, nano.en, is included.
END
# The library is found by its name at once.
echo 'activate-noawait ldconfig' >"$root/DEBIAN/triggers"
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group --build "$root" "$packages/whisper-local_${version}_$architecture.deb" >/dev/null
ls -l "$packages"
