#!/usr/bin/env bash
# Installs recordings of human speech for the tests: Debian's Asterisk prompts and their text (CC BY-SA 3.0).
#
#   scripts/install-recordings.sh --folder DIR            all five languages: en fr es it ru
#   scripts/install-recordings.sh --folder DIR en fr      only these
#   scripts/install-recordings.sh --folder DIR --offline  download nothing; fail if a recording is missing
#
# For each language LANG: DIR/LANG/*.wav (over 200 prompts, 16 kHz mono), DIR/LANG.json (their text), and
# DIR/long-LANG.wav with long-LANG.txt, about ten minutes of these prompts. Needs apt-get, dpkg, ffmpeg and python3.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)

folder="" languages=() offline=no
while [ $# -gt 0 ]; do
    case "$1" in
    en | fr | es | it | ru) languages+=("$1") ;;
    --offline) offline=yes ;;
    --folder) folder="${2:?--folder needs a folder}"; shift ;;
    --help | -h) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "error: no such language or option: $1" >&2; echo "try: scripts/install-recordings.sh --help" >&2; exit 64 ;;
    esac
    shift
done
[ -n "$folder" ] || { echo "error: --folder is missing" >&2; echo "try: scripts/install-recordings.sh --help" >&2; exit 64; }
[ ${#languages[@]} != 0 ] || languages=(en fr es it ru)
mkdir -p "$folder"

# Downloads the packages of language $1 into the current folder.
download() {
    apt-get download -qq -o APT::Sandbox::User=root "asterisk-core-sounds-$1" "asterisk-core-sounds-$1-g722"
}

for language in "${languages[@]}"; do
    # This file is written last.
    [ ! -e "$folder/long-$language.txt" ] || continue
    [ "$offline" = no ] || { echo "error: $folder/$language is not installed, and --offline was given" >&2; exit 69; }
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    (
        cd "$work"
        download "$language" 2>/dev/null || {
            as_root=""
            [ "$(id -u)" = 0 ] || as_root="sudo"
            $as_root apt-get update -qq && download "$language"
        }
        for package in *.deb; do dpkg -x "$package" .; done
    ) || { echo "error: cannot download the recordings of '$language' with apt-get; is there a network?" >&2; exit 69; }
    python3 "$scripts/../Tests/Oracles/real/recordings.py" "$work" "$folder" "$language"
    rm -rf "$work"
done
