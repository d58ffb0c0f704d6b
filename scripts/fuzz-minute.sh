#!/usr/bin/env bash
# Runs the release build for a minute with random options, damaged session databases and damaged recordings, in
# parallel. Every run prints its new seed; failing inputs are saved in crashers/. (For models, see `scripts/fuzz.sh`.)
#
#   scripts/fuzz-minute.sh                 60 s
#   scripts/fuzz-minute.sh --seconds 600   longer
#   scripts/fuzz-minute.sh --seed 17       repeat a run that found something
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=60 seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
while [ $# -gt 0 ]; do
    case "$1" in
    --seconds) seconds=${2:?--seconds needs a number}; shift ;;
    --seed) seed=${2:?--seed needs a number}; shift ;;
    --help | -h) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "error: unknown option $1" >&2; echo "try: scripts/fuzz-minute.sh --help" >&2; exit 64 ;;
    esac
    shift
done

folder=$(swift build -c release --show-bin-path)
if [ ! -x "$folder/whisper-local" ]; then
    echo "error: $folder/whisper-local is missing" >&2
    echo "try: swift build -c release --product whisper-local" >&2
    exit 69
fi
export PATH="$folder:$PATH"

running=()
for kind in options databases sound; do
    Tests/Fixtures/cli/tools/fuzz "$kind" "$seconds" "$seed" &
    running+=($!)
done
status=0
for process in "${running[@]}"; do wait "$process" || status=1; done
exit "$status"
