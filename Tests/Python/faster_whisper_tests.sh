#!/usr/bin/env bash
# Runs faster-whisper's own tests, unchanged, with this package in its place. They are not part of this project: name a
# clone of their repository.
#
#   FASTER_WHISPER=~/faster-whisper Tests/Python/faster_whisper_tests.sh
#   FASTER_WHISPER=… Tests/Python/faster_whisper_tests.sh --python FILE     with this Python, and what is installed there:
#                                                                           this package, or faster-whisper to compare
#   FASTER_WHISPER=… Tests/Python/faster_whisper_tests.sh -k hotwords       further arguments go to pytest
#
# Their model is tiny; where it is not among the test models, base, whose text differs. faster_whisper_tests.py has the
# list of what cannot pass.
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=${FASTER_WHISPER:?name a clone of faster-whisper: FASTER_WHISPER=~/faster-whisper}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-local/tests
models=${WHISPER_LOCAL_TEST_MODELS:-$cache/models}
python=
if [ "${1:-}" = --python ]; then
    python=${2:?--python needs a file}
    shift 2
else
    python=$cache/clients-python/bin/python
    "$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall dist/*.whl
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$models/ct2-tiny.en" "$work/tiny.en"
ln -s "$models/ct2-$([ -e "$models/ct2-tiny" ] && echo tiny || echo base)" "$work/tiny"
export WHISPER_LOCAL_MODELS=$work PYTHONPATH=$PWD/Tests/Python HF_HUB_OFFLINE=1
# The folder shim/ would hide faster-whisper itself.
"$python" -c 'import ctranslate2' 2>/dev/null || PYTHONPATH=$PWD/Tests/Python/shim:$PYTHONPATH
"$python" -m pytest -p faster_whisper_tests -p no:cacheprovider -q --tb=short -rA --show-capture=no "$suite/tests" "$@"
