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

. scripts/lib/pytest.sh
run_tests Tests/Cluster 1500 "$@"
