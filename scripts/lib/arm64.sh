# Sourced by the scripts that build on another machine for Debian 12 on 64-bit ARM. The compiler is that of
# scripts/swift-6.2.sh. The system consists of Debian 12's packages and of the static Swift library in Debian's unstable
# distribution. Needs root, 770 MB to download once besides the compiler's, and 2 GB of disk.

arm64_cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-local/arm64
# Where the compiler sees it, and where it is.
arm64_bundle=/build/.swiftpm/swift-sdks/debian12-arm64.artifactbundle
arm64_folder=${WHISPER_LOCAL_SWIFT_6_2:-${XDG_CACHE_HOME:-$HOME/.cache}/whisper-local/swift-6.2}/root$arm64_bundle
arm64_system=$arm64_folder/debian/system

# Runs apt-get for ARM with distribution $1, starting from an empty system.
arm64_apt() {
    local state=$arm64_cache/$1
    if ! [ -e "$state/sources.list" ]; then
        mkdir -p "$state"/{state/lists,cache/archives}/partial
        : >"$state/status"
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $1 main" \
            >"$state/sources.list"
    fi
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State=$state/state" \
        -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache" -o "Dir::Etc::SourceList=$state/sources.list" \
        -o Dir::Etc::SourceParts=- -o APT::Install-Recommends=false -o APT::Sandbox::User=root "${@:2}"
}

# Unpacks package $1 into the system in folder $2, in which lib is a link.
arm64_unpack() { dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$2"; }

# Makes in folder $1 a system that has nothing but the emulator and what it needs.
arm64_make_root() {
    local name
    mkdir -p "$1"/{etc,proc,opt,tmp,usr/{bin,sbin,lib,local/bin},lib64}
    chmod 1777 "$1/tmp"
    for name in bin sbin lib; do ln -s "usr/$name" "$1/$name"; done
    # shellcheck disable=SC2046  # the libraries, if it is not static
    cp -L --parents "$(command -v qemu-aarch64)" $(ldd "$(command -v qemu-aarch64)" | grep -o '/[^ )]*') "$1"
}

# Unpacks packages, named or as files, and what they depend on, into the system in folder $1.
arm64_install() {
    local file archives=$arm64_cache/bookworm/cache/archives
    rm -f "$archives"/*.deb
    arm64_apt bookworm update
    arm64_apt bookworm install -y --download-only "${@:2}" || return 1
    for file in "$archives"/*.deb "${@:2}"; do
        if [ -f "$file" ]; then arm64_unpack "$file" "$1"; fi
    done
}

# Runs a command in the system in folder $1, after variables for it, as a user without rights. Programs that it starts
# must not be of this system: the emulator would have to be registered with the kernel.
arm64_run() {
    local root=$1 variables=() folder
    shift
    while [[ $1 == *=* ]]; do variables+=("$1"); shift; done
    for folder in "" /usr/local/bin/ /usr/bin/; do [ ! -L "$root$folder$1" ] && [ ! -f "$root$folder$1" ] || break; done
    env -i PATH=/usr/local/bin:/usr/bin:/bin "${variables[@]}" "$(command -v chroot)" --userspec=65534:65534 "$root" \
        "$(command -v qemu-aarch64)" -cpu max "$folder$1" "${@:2}"
}

# Makes the Swift SDK debian12-arm64.
arm64_make_sdk() {
    [ ! -e "$arm64_folder/complete" ] || return 0
    # The first call unpacks the compiler.
    scripts/swift-6.2.sh package tools-version >/dev/null
    rm -rf "$arm64_folder"
    mkdir -p "$arm64_folder/debian/packages/info" "$arm64_system"/usr/{lib,libexec/swift/lib}
    ln -s usr/lib "$arm64_system/lib"
    local headers=$arm64_system/usr/include/aarch64-linux-gnu packages=$arm64_folder/debian/packages file name work
    work=$(mktemp -d)

    echo "downloading Debian 12 for arm64"
    arm64_apt bookworm update
    arm64_apt bookworm install -y --download-only libc6-dev libstdc++-12-dev libopenblas-pthread-dev libasound2-dev \
        libsqlite3-dev zlib1g-dev libavformat-dev libavcodec-dev libswresample-dev libsoup-3.0-dev libcurl4-openssl-dev \
        libpulse0
    for file in "$arm64_cache"/bookworm/cache/archives/*.deb; do
        arm64_unpack "$file" "$arm64_system"
        # What dpkg-shlibdeps asks (scripts/package.sh): which package a library belongs to, and which version has what.
        rm -rf "$work/control"
        dpkg -e "$file" "$work/control"
        [ -e "$work/control/shlibs" ] || continue
        name=$packages/info/$(dpkg-deb -f "$file" Package)
        for kind in shlibs symbols; do
            [ ! -e "$work/control/$kind" ] || cp "$work/control/$kind" "$name.$kind"
        done
        dpkg-deb --fsys-tarfile "$file" | tar -t | sed -nE "s|^\.(/usr)?/lib/|$arm64_system/usr/lib/|p" >"$name.list"
        { sed 's/^Package:.*/&\nStatus: install ok installed/' "$work/control/control"; echo; } >>"$packages/status"
    done
    # Links to absolute paths lead out of the system: static libraries would be taken instead.
    find "$arm64_system/usr/lib/aarch64-linux-gnu" -type l -lname '/*' -printf '%l %p\n' | while read -r name file; do
        ln -sfnr "$arm64_system$name" "$file"
    done
    # What the packages' own scripts would have linked.
    for name in cblas.h openblas_config.h; do ln -s "openblas-pthread/$name" "$headers/$name"; done
    ln -s openblas-pthread/libopenblas.so.0 "$arm64_system/usr/lib/aarch64-linux-gnu/libopenblas.so.0"
    ln -s ../libexec/swift/lib/swift_static "$arm64_system/usr/lib/swift_static"

    echo "downloading Swift for arm64"
    arm64_apt unstable update
    (cd "$arm64_cache/unstable" && arm64_apt unstable download swiftlang)
    dpkg-deb --fsys-tarfile "$arm64_cache"/unstable/swiftlang_*.deb |
        tar -x -C "$arm64_system" --wildcards './usr/libexec/swift/lib/swift_static*' './usr/libexec/swift/lib/clang*'

    "$(dirname "$(realpath "$(command -v swiftc)")")/clang" --target=aarch64-linux-gnu --sysroot="$arm64_system" -O2 -fPIC \
        -Wall -c scripts/lib/debian12.c -o "$arm64_folder/debian/debian12.o"
    cat >"$arm64_folder/info.json" <<'END'
{"schemaVersion": "1.0", "artifacts": {"debian12-arm64": {"type": "swiftSDK", "version": "1.0.0", "variants": [{"path": "debian"}]}}}
END
    # A second --sysroot here, with another name of the same folder, would hide the C library from Swift.
    cat >"$arm64_folder/debian/swift-sdk.json" <<'END'
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {"sdkRootPath": "system", "toolsetPaths": ["toolset.json"],
 "swiftResourcesPath": "system/usr/libexec/swift/lib/swift_static",
 "swiftStaticResourcesPath": "system/usr/libexec/swift/lib/swift_static"}}}
END
    cat >"$arm64_folder/debian/toolset.json" <<END
{"schemaVersion": "1.0", "linker": {"extraCLIOptions": ["$arm64_bundle/debian/debian12.o"]},
 "cCompiler": {"extraCLIOptions": ["-fPIC"]},
 "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld", "-static-stdlib", "-no-toolchain-stdlib-rpath"]}}
END
    rm -r "$work" "$arm64_cache"
    touch "$arm64_folder/complete"
}

# Builds for ARM with these arguments of `swift build`.
arm64_build() {
    arm64_make_sdk
    WHISPER_LOCAL_SYSROOT=$arm64_bundle/debian/system scripts/swift-6.2.sh build --scratch-path /build/arm64 \
        --swift-sdk debian12-arm64 --disable-local-rpath "$@"
}

# The built program $1.
arm64_program() {
    echo "${arm64_folder%"$arm64_bundle"}/build/arm64/aarch64-unknown-linux-gnu/release/$1"
}
