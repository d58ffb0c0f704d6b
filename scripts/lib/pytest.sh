# Sourced by the scripts that test the program from outside. The program is $WHISPER_LOCAL_PROGRAM, by default the release
# build.

scripts/install-clients.sh
: "${WHISPER_LOCAL_PROGRAM:=$(swift build -c release --show-bin-path)/whisper-local}"
WHISPER_LOCAL_PROGRAM=$(realpath "$WHISPER_LOCAL_PROGRAM")
export WHISPER_LOCAL_PROGRAM
# The Python that runs the tests.
python=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-local/tests/clients/bin/python

# Runs the tests in folder $1 for at most $2 seconds; further arguments go to pytest. A test that hangs is stopped, and
# reports where it hung.
#
# Time limits are checked in real time, so tests that fail on a busy machine get a second chance. With status 1, pytest
# reports that all tests were run and some failed. --cache-clear makes it forget the failures of older runs.
run_tests() {
    local folder=$1 limit=$2 status=0
    shift 2
    local pytest=(
        timeout "$limit" "$python" -X faulthandler
        -m pytest -q -o cache_dir="$PWD/.build/pytest/$folder" --tb=short "$folder"
    )
    "${pytest[@]}" --cache-clear "$@" || status=$?
    if [ "$status" = 1 ]; then
        status=0
        "${pytest[@]}" --last-failed --last-failed-no-failures=none "$@" || status=$?
    fi
    return "$status"
}
