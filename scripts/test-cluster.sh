#!/usr/bin/env bash
# Tests running on several machines: an archive on a real Slurm cluster, whose nodes are all on this host, and with GNU
# parallel, locally and over ssh.
#
#   scripts/test-cluster.sh             all tests (three minutes on two cores, with idle priority)
#   scripts/test-cluster.sh -k ssh      arguments go to pytest
#
# The program is $WHISPER_LOCAL_PROGRAM, by default the release build. Slurm, munge, parallel and sshd come with
# `scripts/setup.sh --tests`; none of them may be running or configured, because the tests start their own.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-clients.sh
: "${WHISPER_LOCAL_PROGRAM:=$(swift build -c release --show-bin-path)/whisper-local}"
WHISPER_LOCAL_PROGRAM=$(realpath "$WHISPER_LOCAL_PROGRAM")
export WHISPER_LOCAL_PROGRAM
python=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-local/tests/clients/bin/python
run() {
    timeout 1500 "$python" -X faulthandler -m pytest -q -o cache_dir="$PWD/.build/pytest-cluster" --tb=short Tests/Cluster "$@"
}
# Nodes and tasks have time limits, so tests that fail on a busy machine get a second chance.
run "$@" || run --last-failed --last-failed-no-failures=none "$@"
