#!/usr/bin/env bash
# What hostile clients achieve against `whisper-local serve`: broken conversations, unfinished TLS handshakes, floods of
# messages. It prints the table "Hostile clients" of docs/server.md and fails if a figure breaks a promise made there.
# test_hostile.py tries the same on a smaller scale.
#
#   scripts/test-hostile.sh                        everything (ten minutes on two cores)
#   scripts/test-hostile.sh --conversations 1000   --help lists the other arguments
#
# The program is $WHISPER_LOCAL_PROGRAM, by default the release build. The machine should be idle.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/lib/pytest.sh
"${XDG_CACHE_HOME:-$HOME/.cache}/whisper-local/tests/clients/bin/python" Tests/Clients/hostile_figures.py "$@"
