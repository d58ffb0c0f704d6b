#!/usr/bin/env bash
# Tests `whisper-local serve` from outside: with the official clients of the cloud services, and with requests that they
# never send.
#
#   scripts/test-server.sh                 all tests (four minutes on two cores)
#   scripts/test-server.sh --quick         without real-time waits and load
#   scripts/test-server.sh --sanitize      only load, malformed requests and frames, on a build with AddressSanitizer
#   scripts/test-server.sh -k openai       further arguments go to pytest
#
# The program is $WHISPER_LOCAL_PROGRAM, by default the release build. WHISPER_LOCAL_LOAD_SECONDS=60 makes the mixed load
# last a minute instead of five seconds; scripts/test-load.sh is for longer ones.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --sanitize ]; then
    shift
    swift build -c release --sanitize address --scratch-path .build/asan --product whisper-local
    WHISPER_LOCAL_PROGRAM=.build/asan/release/whisper-local
    # AddressSanitizer quarantines freed memory to detect later use; its default of 256 MiB would hide growth. Models
    # are never freed.
    export ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=0
    export WHISPER_LOCAL_LOAD_SECONDS=${WHISPER_LOCAL_LOAD_SECONDS:-20}
    set -- -k "random_disconnects or test_http or test_multipart or test_web_socket" "$@"
fi
. scripts/lib/pytest.sh
run_tests Tests/Clients $((900 + ${WHISPER_LOCAL_LOAD_SECONDS:-5})) "$@"
