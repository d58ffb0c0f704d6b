#!/usr/bin/env bash
# Ten minutes of mixed load on `whisper-local serve`: the official clients of all protocols at once, of which many
# disconnect at a random moment. It prints the table "Mixed load" of docs/server.md, and fails if a recording that was not
# disconnected did not get its whole text, if anything is left of the clients, or if the memory grows. test_load.py does the
# same for some seconds.
#
#   scripts/test-load.sh                 ten minutes
#   scripts/test-load.sh --minutes 1     --help lists the other arguments
#
# The program is $WHISPER_LOCAL_PROGRAM, by default the release build.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/lib/pytest.sh
exec "$python" Tests/Clients/mixed_load.py "$@"
