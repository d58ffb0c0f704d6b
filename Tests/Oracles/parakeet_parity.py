#!/usr/bin/env python3
"""What transformers hears in recordings with a Parakeet model of any size, for ParakeetParityTests.

    parakeet_parity.py MODEL RECORDING ... --output FOLDER [--minutes 60]

MODEL is a Hugging Face folder, such as one of parakeet_model.py. Recordings in any format are joined, and cut into pieces
of 2 to 30 seconds, each of which is heard by itself. FOLDER gets audio.wav and cases.json, and `model`, a link to MODEL.
Then: WHISPER_LOCAL_TEST_PARAKEET=FOLDER swift test -c release --filter ParakeetParityTests
"""
import argparse
import json
import subprocess
import wave
from pathlib import Path

import numpy as np
import torch
import transformers

SECONDS = [30, 7.3, 2.05, 19.99, 11.11, 29.5, 4.4]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("recordings", type=Path, nargs="+")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=60)
    arguments = parser.parse_args()
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    samples = np.concatenate([decoded(path) for path in arguments.recordings])[:int(arguments.minutes * 60 * 16000)]
    arguments.output.mkdir(parents=True, exist_ok=True)
    with wave.open(str(arguments.output / "audio.wav"), "wb") as file:
        file.setparams((1, 2, 16000, 0, "NONE", ""))
        file.writeframes(samples.tobytes())
    link = arguments.output / "model"
    link.unlink(missing_ok=True)
    link.symlink_to(arguments.model.resolve())
    config = json.loads((arguments.model / "config.json").read_text())
    model = getattr(transformers, config["architectures"][0]).from_pretrained(
        arguments.model, dtype=torch.float32).eval()
    processor = transformers.AutoProcessor.from_pretrained(arguments.model)
    cases, at = [], 0
    for number in range(10 ** 6):
        end = at + int(16000 * SECONDS[number % len(SECONDS)])
        if end > len(samples):
            break
        piece = samples[at:end].astype(np.float32) / 32768
        cases.append({"start": at, "end": end} | heard(model, processor, config, piece))
        at = end
    (arguments.output / "cases.json").write_text(json.dumps(cases))
    print(len(cases), "pieces,", sum(len(case["tokens"]) for case in cases), "tokens,", at / 960000, "minutes")


def decoded(path):
    command = ["ffmpeg", "-v", "error", "-i", path, "-f", "s16le", "-ac", "1", "-ar", "16000", "-"]
    return np.frombuffer(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout, dtype="<i2")


def heard(model, processor, config, piece):
    """Tokens with the frames at which they begin and end."""
    inputs = processor(piece, sampling_rate=16000, return_tensors="pt")
    with torch.no_grad():
        out = model.generate(**inputs)
    blank = config["vocab_size"] - 1
    if config["model_type"] == "parakeet_ctc":
        ids, tokens, spans = out[0].tolist(), [], []
        for frame, id in enumerate(ids):
            if id != blank and frame > 0 and ids[frame - 1] == id:
                spans[-1][1] = frame + 1
            elif id != blank:
                tokens.append(id)
                spans.append([frame, frame + 1])
    else:
        frame, tokens, spans = 0, [], []
        for id, step in zip(out.sequences[0].tolist()[1:], out.durations[0].tolist()[1:]):
            if id != blank:
                tokens.append(id)
                spans.append([frame, frame + (step if "durations" in config else 1)])
            frame += step
    return {"tokens": tokens, "starts": [a for a, _ in spans], "ends": [b for _, b in spans]}


if __name__ == "__main__":
    main()
