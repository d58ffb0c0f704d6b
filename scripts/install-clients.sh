#!/usr/bin/env bash
# Installs the official clients of the cloud services from PyPI, which the tests of `whisper-local serve` drive, and what
# builds and tests the Python package.
#
#   scripts/install-clients.sh                 into ~/.cache/whisper-local/tests/clients, …-realtime and …-python
#   scripts/install-clients.sh --folder DIR    into DIR, DIR-realtime and DIR-python
#   scripts/install-clients.sh --offline       download nothing; fail if they are missing
#   scripts/install-clients.sh --python        only what the Python package needs
#
# Versions and SHA-256 are in Tests/Clients/*.txt and Tests/Python/requirements.txt. The real-time client of AssemblyAI is
# an old version of the same package as its successor, and openai-agents needs older packages, so they have their own
# environment. Needs python3 and python3-venv.
set -euo pipefail
tests=$(cd "$(dirname "$0")/../Tests" && pwd)

folder=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-local/tests/clients offline=no all=yes
while [ $# -gt 0 ]; do
    case "$1" in
    --folder) folder="${2:?--folder needs a folder}"; shift ;;
    --offline) offline=yes ;;
    --python) all=no ;;
    --help | -h) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "error: unknown option $1" >&2; echo "try: scripts/install-clients.sh --help" >&2; exit 64 ;;
    esac
    shift
done

# Creates environment $1 with the packages listed in $2, unless it already has exactly these.
install() {
    local environment=$1 list=$2 state
    state=$(python3 --version && sha256sum <"$list")
    [ "$state" != "$(cat "$environment/installed" 2>/dev/null)" ] || return 0
    [ "$offline" = no ] || { echo "error: the clients are not installed, and --offline was given" >&2; exit 69; }
    echo "installing $(grep -c == "$list") packages in $environment"
    python3 -m venv --clear "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
        --requirement "$list" || { echo "error: pip could not install the clients; is there a network?" >&2; exit 69; }
    echo "$state" >"$environment/installed"
}
install "$folder-python" "$tests/Python/requirements.txt"
[ "$all" = yes ] || exit 0
install "$folder" "$tests/Clients/requirements.txt"
install "$folder-realtime" "$tests/Clients/realtime.txt"
