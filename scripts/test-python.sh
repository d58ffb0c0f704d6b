#!/usr/bin/env bash
# Tests the Python package from a wheel, installed without a network in an environment of its own.
#
#   scripts/test-python.sh                   builds the wheel, then all tests (two minutes on two cores)
#   scripts/test-python.sh --quick           without the comparison with what faster-whisper has recorded
#   scripts/test-python.sh --wheel FILE      with this wheel
#   scripts/test-python.sh -k batched        further arguments go to pytest
set -euo pipefail
cd "$(dirname "$0")/.."

wheel=
if [ "${1:-}" = --wheel ]; then
    wheel=${2:?--wheel needs a file}
    shift 2
fi
if [ -z "$wheel" ]; then
    scripts/wheel.sh
    wheel=$(echo dist/*.whl)
fi
. scripts/lib/pytest.sh
python=$(dirname "$(dirname "$(dirname "$python")")")/clients-python/bin/python
"$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$wheel"
WHISPER_LOCAL_WHEEL=$(realpath "$wheel")
export WHISPER_LOCAL_WHEEL
run_tests Tests/Python 600 "$@"
