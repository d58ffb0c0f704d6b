#!/usr/bin/env bash
# Everything a change must pass: set-up, lint, all tests, a build without FFmpeg and oneDNN, and the packages.
#
#   scripts/test.sh            all of it
#   scripts/test.sh --quick    the tests alone; further words go to `swift test`
set -euo pipefail
cd "$(dirname "$0")/.."

# Suites in which sound, signals or a terminal happen in real time. They run after all others and one test at a time, so
# that nothing takes them the processor when they need it.
in_real_time='CLITests\.(Live|LiveKill|LiveMicrophone|LiveTerminal|Dictate|Microphone|PipeWire|Recording|Signals|Interruption|InterruptedReading|Terminal|Resource)Tests/'

# Runs tests into the log, with the words of `swift test` that are given.
run_swift_test() {
    local status=0
    # A run that hangs must say so while there is somebody to tell.
    timeout 1500 swift test -c release --skip-build "$@" >>"$log" 2>&1 </dev/null || status=$?
    if [ "$status" = 124 ]; then
        echo "error: the tests had not ended after 25 minutes; still running then:" >&2
        pgrep -af 'whisper-local|mkfifo' >&2 || true
    fi
    return "$status"
}

run_tests() {
    # Release: the recognizer's own loops are many times slower without optimisation.
    local status=0
    log=$(mktemp)
    swift build -c release --build-tests
    if [ $# -gt 0 ]; then
        run_swift_test "$@" || status=$?
    else
        # Each recognition uses all cores: more at once only wait for each other.
        SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 run_swift_test --skip "$in_real_time" || status=$?
        run_swift_test --no-parallel --filter "$in_real_time" || status=$?
    fi
    grep -E '^(✘|➜) |error:|^Fatal|crash' "$log" | head -n 200 || true
    grep -E 'Test run with' "$log" || true
    local passed by_hand skipped
    passed=$(grep -cE '^✔ Test ".*passed' "$log" || true)
    # What needs files that may not be copied here is run by hand and says so.
    by_hand=$(grep -cE '^➜ (Test|Suite) .*"by hand: ' "$log" || true)
    skipped=$(($(grep -cE '^➜ (Test|Suite) ' "$log" || true) - by_hand))
    if [ "$status" != 0 ]; then
        tail -n 40 "$log"
        echo "error: tests failed" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
    if [ "${CI:-}" = true ] && [ "$skipped" != 0 ]; then
        echo "error: $skipped tests were skipped; none may be here" >&2
        return 1
    fi
    echo "$passed passed, 0 failed, $skipped skipped, $by_hand left to be run by hand"
}

if [ "${1:-}" = --quick ]; then
    shift
    run_tests "$@"
    exit
fi

scripts/setup.sh --tests
scripts/lint.sh
echo "building without FFmpeg and oneDNN"
# Debug: it compiles in a fifth of the time, and shows the same.
plain=(--scratch-path .build/plain)
export WHISPER_LOCAL_WITHOUT=ffmpeg,onednn
swift build --product whisper-local "${plain[@]}" 2>&1 | tail -n 3
"$(swift build "${plain[@]}" --show-bin-path)/whisper-local" transcribe --no-timestamps Tests/Fixtures/clips/say-00.wav
unset WHISPER_LOCAL_WITHOUT
scripts/package-test.sh
run_tests
