#!/usr/bin/env bash
# Everything a change must pass: set-up, lint, all tests, and a build without FFmpeg and oneDNN.
#
#   scripts/test.sh            all of it
#   scripts/test.sh --quick    the tests alone; further words go to `swift test`
set -euo pipefail
cd "$(dirname "$0")/.."

run_tests() {
    # Release: the recognizer's own loops are many times slower without optimisation.
    local log status=0
    log=$(mktemp)
    swift build -c release --build-tests
    # Many recognitions at once would take each other the cores that tests of live sound need in time.
    export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-4}"
    # 40 minutes: a run that hangs must say so while there is somebody to tell.
    timeout 2400 swift test -c release --skip-build "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" = 124 ]; then
        echo "error: the tests had not ended after 40 minutes; still running then:" >&2
        pgrep -af 'whisper-local|mkfifo' >&2 || true
    fi
    grep -E '^(✘|➜) |error:|^Fatal|crash' "$log" | head -n 200 || true
    grep -E 'tests? (passed|skipped)|Test run with' "$log" | tail -n 1 || true
    local skipped
    skipped=$(grep -cE '^➜ (Test|Suite) ' "$log" || true)
    if [ "$status" != 0 ]; then
        tail -n 40 "$log"
        echo "error: tests failed" >&2
        rm -f "$log"
        return 1
    fi
    local passed
    passed=$(grep -cE '^✔ Test ".*passed' "$log" || true)
    rm -f "$log"
    if [ "${CI:-}" = true ] && [ "$skipped" != 0 ]; then
        echo "error: $skipped tests were skipped; none may be here" >&2
        return 1
    fi
    echo "$passed passed, 0 failed, $skipped skipped"
}

if [ "${1:-}" = --quick ]; then
    shift
    run_tests "$@"
    exit
fi

scripts/setup.sh --tests
scripts/lint.sh
echo "building without FFmpeg and oneDNN"
WHISPER_LOCAL_WITHOUT=ffmpeg,onednn swift build -c release --product whisper-local --scratch-path .build/plain 2>&1 | tail -n 3
WHISPER_LOCAL_WITHOUT=ffmpeg,onednn "$(WHISPER_LOCAL_WITHOUT=ffmpeg,onednn swift build -c release --scratch-path .build/plain --show-bin-path)/whisper-local" \
    transcribe --no-timestamps Tests/Fixtures/clips/say-00.wav
run_tests
