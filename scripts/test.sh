#!/usr/bin/env bash
# Everything that a change must pass: formatting, all tests, the example programs, a build without FFmpeg, libcurl and
# libsoup, the server's clients, archives on a cluster, the library for other languages, the Python package, a minute of
# mutated models per format, a minute of other random input, and the packages.
#
#   scripts/test.sh              all checks
#   scripts/test.sh --quick      only the fast tests; further arguments go to `swift test`
#   scripts/test.sh --only Streaming,Server
#                                only the fast tests of these modules of the engine, of the server or of the command line
#                                (CLI), and what they use is all that is built
#   scripts/test.sh --slowest    all checks, then the 20 slowest tests, timed one at a time
set -euo pipefail
cd "$(dirname "$0")/.."

# Suites that play audio, send signals or drive a terminal in real time, in two groups of four minutes. Each group runs
# one test at a time and mostly waits; all other suites run alongside with idle priority, so that they only take CPU
# time that is left over.
sound='CLITests\.(LiveMicrophone|Dictate|DictateRemote|Portal|Typing|Microphone|PipeWire|Recording)Tests/'
terminal='CLITests\.(Live|LiveKill|LiveTerminal|Signals|Interruption|InterruptedReading|Terminal|RealTerminal|Resource|Example)Tests/'
real_time="($sound|$terminal)"

# Suites that take more than about ten seconds: they transcribe long recordings or many of them, wait for slow servers,
# make thousands of random changes, or count the instructions of the optimized program. The quick tier skips them, too.
slow_engine='BatchedReading|BatchedTranscription|ComputeType|DamagedFile|Diarizer|Draft|FFmpegSource|GuardedRecognition'
slow_engine+='|LiveAims|LiveMutant|LiveNetwork|LiveRules|LiveSpeakers|NanoParity|PackedWeights|RealConversion|RealParity'
slow_engine+='|RecognizerProperty|ShortContext'
slow_program='Channels|Completions|InstructionCount|JournalKill|KnownSpeakers|LiveScreenProperty|LiveSpeakers|MediaFormats'
slow_program+='|Memory|MovedClone|ModelFuzzer|ModelPackages|ModelsPull|NumericOption|Portability|Readme|Session|Speakers'
slow="(Engine\w+Tests\.($slow_engine)|CLITests\.($slow_program))Tests/"

# Where `scripts/setup.sh --tests` installs real models and recordings of human speech.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-local/tests
export WHISPER_LOCAL_TEST_MODELS=${WHISPER_LOCAL_TEST_MODELS:-$cache/models}
export WHISPER_LOCAL_TEST_SPEECH=${WHISPER_LOCAL_TEST_SPEECH:-$cache/speech}

log=$(mktemp)
trap 'rm -f "$log"*' EXIT

# How the tests are built: in release mode, because the numeric loops are many times slower without optimization. Without
# testable imports, the program and its tests share one build of the engine. The quick tier changes this.
mode=(-c release)
# Before Swift 6.3, release mode has none, and no option for them.
! swift test --help | grep -- --disable-testable-imports >/dev/null || mode+=(--disable-testable-imports)

# Runs `swift test` with these arguments and appends to the log. Nothing is built, so that two runs may share the folder.
run_swift_test() {
    local status start
    for _ in 1 2 3 4 5; do
        status=0
        start=$(($(stat -c %s "$log" 2>/dev/null || echo 0) + 1))
        # Report a hanging run before the CI job's time limit kills it without a message.
        timeout 2700 swift test "${mode[@]}" --skip-build --ignore-lock "$@" >>"$log" 2>&1 </dev/null || status=$?
        # Runs that start at the same moment may find the build's database locked; then no test has run.
        [ "$status" != 0 ] && tail -c "+$start" "$log" | grep -a 'database is locked' >/dev/null &&
            ! tail -c "+$start" "$log" | grep -a 'Test run started' >/dev/null || break
        sleep 1
    done
    if [ "$status" = 124 ]; then
        echo "error: the tests did not finish within 45 minutes; still running:" >&2
        pgrep -af 'whisper-local|mkfifo' >&2 || true
    fi
    return "$status"
}

# Runs failed tests once more, one at a time and with nothing else running: they check time limits in real time.
# More than a few failures are not due to load, nor is a run without results.
#
#   retry_failed STATUS RUN...     the exit status of the runs so far, their `--xunit-output` without `.xml`
retry_failed() {
    local status=$1 failed
    shift
    failed=$(for run; do
        awk -F'"' '/<testcase / { name = $2 "/" $4 } /<failure/ { print name }' "$run-swift-testing.xml" || echo no results
    done | sort -u)
    if [ "$status" = 0 ] || [ -z "$failed" ] || [[ $failed = *"no results"* ]] || [ "$(wc -l <<<"$failed")" -gt 5 ]; then
        return "$status"
    fi
    echo "failed while other tests were running; now one at a time:"
    sed 's/^/  /' <<<"$failed"
    run_swift_test --no-parallel --xunit-output "$log.again.xml" \
        --filter "^($(sed 's/[.()]/\\&/g' <<<"$failed" | paste -sd '|'))" &&
        # A filter that matches nothing would pass, too.
        [ "$(grep -c '<testcase ' "$log.again-swift-testing.xml")" = "$(wc -l <<<"$failed")" ]
}

# Prints failures and skipped tests from the log; fails if a test failed, or in CI if one was skipped.
report() {
    local status=$1 passed optional skipped
    grep -aE '^(✘|➜) |^[^◇✔]*error:|^Fatal|Crash:' "$log" | head -n 200 || true
    grep -aE '^[✔✘] Test run with' "$log" || true
    passed=$(grep -acE '^✔ Test ".*passed' "$log" || true)
    # Tests that need files outside the repository are marked as optional.
    optional=$(grep -acE '^➜ (Test|Suite) .*"optional: ' "$log" || true)
    skipped=$(($(grep -acE '^➜ (Test|Suite) ' "$log" || true) - optional))
    if [ "$status" != 0 ]; then
        tail -n 40 "$log"
        echo "error: tests failed" >&2
        exit 1
    fi
    if [ "${CI:-}" = true ] && [ "$skipped" != 0 ]; then
        echo "error: $skipped tests were skipped; CI must run them all" >&2
        exit 1
    fi
    echo "$passed passed, 0 failed, $skipped skipped, $optional optional ones not run"
}

# Builds the program and the tests, and installs missing models with the program meanwhile. The filter matches no test:
# `swift build` cannot disable testable imports.
build() {
    swift build -c release --product whisper-local
    scripts/install-test-models.sh "$(swift build -c release --show-bin-path)/whisper-local" \
        "$WHISPER_LOCAL_TEST_MODELS" >"$log.models" 2>&1 &
    models=$!
    swift test "${mode[@]}" --filter '^build only$' >"$log" 2>&1 || {
        cat "$log" >&2
        echo "error: the tests do not compile" >&2
        exit 1
    }
    : >"$log"
    wait $models || cat "$log.models" >&2
}

# Tests that transcribe use all cores: more than a few at a time would only wait for each other.
run_in_parallel() {
    SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 run_swift_test "$@"
}

status=0
if [ "${1:-}" = --quick ] || [ "${1:-}" = --only ]; then
    # Optimized, but not as whole modules, so that an edit recompiles only the files that depend on it: seconds instead
    # of minutes.
    mode=(-Xswiftc -O -Xcc -O2)
    if [ "$1" = --only ]; then
        export WHISPER_LOCAL_TESTS=${2:?--only needs the names of modules, such as Streaming,Server}
        shift
        swift build --product whisper-localPackageTests "${mode[@]}"
    else
        swift build --build-tests "${mode[@]}"
    fi
    shift
    run_in_parallel --skip "$real_time" --skip "$slow" "$@" || status=$?
    report "$status"
    exit
fi

scripts/setup.sh --tests --packages-only
scripts/lint.sh

echo "building"
# Builds the program without FFmpeg, libcurl and libsoup, but with AddressSanitizer, and lets it open mutated
# models for a minute per format, different ones in each run. In debug mode, which compiles in a fifth of the time, and
# with idle priority: the build of the tests keeps only one core busy most of the time.
reduced() {
    chrt --idle --pid 0 "$BASHPID" >/dev/null
    export WHISPER_LOCAL_WITHOUT=ffmpeg,curl,soup
    # Foundation leaks a few bytes for each process that it starts.
    export ASAN_OPTIONS=detect_leaks=0
    local folder=.build/reduced product
    for product in whisper-local model-fuzzer; do
        swift build --product "$product" --scratch-path $folder --sanitize address >"$log.build" 2>&1 ||
            { cat "$log.build" >&2; exit 1; }
    done
    $folder/debug/whisper-local transcribe --no-timestamps Tests/Fixtures/clips/say-00.wav |
        grep -ix 'turn the fan down to 5%. .*'
    # A command that needs a missing library must name it.
    ($folder/debug/whisper-local serve 2>&1 || true) |
        grep -x 'error: this build has no server: it was built without libsoup'
    $folder/debug/model-fuzzer --seconds 240 --seed "$SRANDOM" --save crashers
}
reduced >"$log.reduced" 2>&1 &
reduced=$!
build
echo "built after $SECONDS s"

# Runs tests with a separate log.
run_apart() {
    local log=$log.$1
    shift
    "$@" --xunit-output "$log.xml"
}

# The same with idle priority.
run_beside() {
    chrt --idle --pid 0 "$BASHPID" >/dev/null
    run_apart "$1" run_in_parallel "${@:2}"
}

# In two processes: each has as many threads as the machine has cores, and most tests of the program block one of them
# until the program has exited.
run_beside engine --filter '^(Engine\w+|Server)Tests\.' &
engine=$!
run_beside program --filter '^CLITests\.' --skip "$real_time" &
program=$!
run_apart sound run_swift_test --no-parallel --filter "$sound" &
audio=$!
others=0
run_apart terminal run_swift_test --no-parallel --filter "$terminal" || status=$?
wait $audio || status=$?
echo "real-time suites done after $SECONDS s"
# While the remaining tests are still running: the clients mostly wait, and the cluster's tasks have idle priority.
scripts/test-cluster.sh >"$log.cluster" 2>&1 &
cluster=$!
chrt --idle 0 scripts/test-arm64.sh >"$log.arm64" 2>&1 &
arm64=$!
scripts/test-server.sh --quick || others=$?
wait $cluster || others=$?
wait $arm64 || others=$?
wait $reduced || others=$?
cat "$log".{cluster,reduced,arm64}
wait $engine || status=$?
wait $program || status=$?
echo "all suites done after $SECONDS s"
# Nothing else may use the build's database now.
scripts/test-library.sh || others=$?
scripts/test-python.sh || others=$?
echo "library and Python package done after $SECONDS s"
cat "$log".{sound,terminal,engine,program} >>"$log"
retry_failed "$status" "$log".{sound,terminal,engine,program} && status=$others || status=$?
report "$status"
echo "tests done after $SECONDS s"
# As with the mutants of models, the input differs in each run: failing inputs are in crashers/, and the seed reproduces
# them.
scripts/fuzz-minute.sh
scripts/package-test.sh

if [ "${1:-}" = --slowest ]; then
    : >"$log"
    run_swift_test --no-parallel --skip "$real_time" || status=$?
    sed -nE 's/^✔ Test (".*") (with .* )?passed after ([0-9.]+) seconds.*/\3 s  \1/p' "$log" | sort -rn | head -n 20
    exit "$status"
fi
