# Sourced by the scripts that run something in a minimal Debian. They need root, for chroot, and set $cache, the folder
# that keeps the minimal systems and the downloaded packages, and $work, a folder to build them in.

fail() {
    echo "error: $1" >&2
    exit 1
}

PATH=$PATH:/usr/sbin:/sbin
command -v debootstrap >/dev/null || {
    echo "error: debootstrap is missing" >&2
    echo "try: scripts/setup.sh --tests --packages-only" >&2
    exit 69
}

# Prints apt's sources for release $1, security updates included, as lines of sources.list: those of this system, or the
# same of another release.
sources() {
    local lines own
    own=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    # shellcheck disable=SC2016  # apt's variables
    lines=$(apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' \
        'Created-By: Packages' 'Origin: Debian' 2>/dev/null | sed "s/ $own/ $1/" |
        grep -E " $1(-updates|-security)? main$" | sort -u || true)
    grep -q " $1 main$" <<<"$lines" || fail "apt has no source for Debian $1"
    echo "$lines"
}

# Makes a minimal Debian $1 in the tar file $2; further arguments are packages that it has besides.
make_base() {
    local suite=$1 base=$2 packages
    shift 2
    packages=$(IFS=,; echo "$*")
    echo "fetching a minimal Debian ($suite)"
    local root=$work/base mirror proxy=""
    rm -rf "$root"
    mkdir "$root"
    mkdir -p "$cache/archives/partial"
    mirror=$(sources "$suite" | sed -n "s/^deb \([^ ]*\) $suite main$/\1/p" | head -n 1)
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    http_proxy=${http_proxy:-$proxy} debootstrap --variant=minbase --cache-dir="$cache/archives" \
        ${packages:+--include="$packages"} --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
        "$suite" "$root" "$mirror" >"$cache/debootstrap.log" ||
        { tail -n 20 "$cache/debootstrap.log" >&2; fail "no minimal Debian from $mirror"; }
    sources "$suite" >"$root/etc/apt/sources.list"
    apt-config dump | grep -E '^Acquire::(http|https)::' >"$root/etc/apt/apt.conf.d/90host" || true
    chroot "$root" apt-get update -qq
    tar -C "$root" --exclude='./var/cache/apt/archives/*.deb' -cf "$base.new" .
    mv "$base.new" "$base"
    rm -rf "$root"
}

# Unpacks a minimal Debian from the tar file $1 into $root.
unpack_base() {
    rm -rf "${root:?}"
    mkdir "$root"
    tar -C "$root" -xf "$1"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
}
