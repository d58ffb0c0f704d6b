#!/usr/bin/env python3
"""Counts the words of quiet speech that are found: five recordings with a second speaker at -32 dB, five prompts at -20 dB.

    .build/peers/bin/python Benchmarks/quiet.py                  with base; the English ones with tiny.en, too
    .build/peers/bin/python Benchmarks/quiet.py --threshold 0.35 the detector of --vad-filter hears more

The recordings consist of prompts of `scripts/setup.sh --tests` in four languages, with pauses of 0.7 to 2.5 s between them
and noise at -75 dB. Each is transcribed with the defaults, with `--vad-filter`, and live with `--speed max`. Needs numpy.
"""
import difflib
import json
import random
import re
import wave
from pathlib import Path

import numpy as np

from harness import ROOT, add_threads, argument_parser, run_program, table

RATE, NOISE = 16_000, -75
#: Language, seed, seconds between the prompts, and the level of each prompt.
RECORDINGS = [("en", 1, 1.5, (0, -32, 0)), ("en", 2, 0.7, (0, 0, -32)), ("fr", 3, 2.5, (0, -32, 0)),
              ("es", 4, 1.5, (-32, 0, -32)), ("it", 5, 1.5, (0, -32, -32, 0))]
CLIPS = [(language, number, -20) for number, language in enumerate(("en", "en", "fr", "es", "it"))]


def chosen(speech, language, seed, count):
    """Prompts of 2.5 to 7 s that say what their script says."""
    prompts = []
    for prompt in json.loads((speech / f"{language}.json").read_text()):
        seconds = len(samples(speech / language / prompt["file"])) / RATE
        if 2.5 < seconds < 7 and "(" not in prompt["text"] and "spy" not in prompt["file"]:
            prompts.append(prompt)
    random.Random(seed).shuffle(prompts)
    return prompts[:count]


def samples(path):
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(float) / 32_768


def write(path, parts, seed):
    sound = np.concatenate(parts)
    sound = sound + np.random.default_rng(seed).normal(0, 10 ** (NOISE / 20), len(sound))
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(np.clip(np.round(sound * 32_768), -32_768, 32_767).astype("<i2").tobytes())


def make(speech, folder):
    """Returns name, language, and text and level of each prompt."""
    made = []
    for language, seed, gap, levels in RECORDINGS:
        prompts, parts = chosen(speech, language, 100 + seed, len(levels)), []
        for prompt, level in zip(prompts, levels):
            parts += [samples(speech / language / prompt["file"]) * 10 ** (level / 20), np.zeros(int(gap * RATE))]
        made.append((f"second-{seed}", language, [(p["text"], level) for p, level in zip(prompts, levels)]))
        write(folder / f"second-{seed}.wav", parts, seed)
    for language, number, level in CLIPS:
        prompt, = chosen(speech, language, 200 + number, 1)
        sound = samples(speech / language / prompt["file"]) * 10 ** (level / 20)
        made.append((f"clip-{number + 1}", language, [(prompt["text"], level)]))
        write(folder / f"clip-{number + 1}.wav", [np.zeros(RATE // 2), sound, np.zeros(RATE)], number)
    return made


def words(text):
    return re.findall(r"\w+", text.lower().replace("'", " "))


def main():
    parser = argument_parser(__doc__)
    add_threads(parser)
    parser.add_argument("--speech", type=Path, default=Path.home() / ".cache/whisper-local/tests/speech")
    parser.add_argument("--folder", type=Path, default=ROOT / ".build/quiet", help="folder for the recordings")
    parser.add_argument("--threshold", default="0.5", help="threshold of --vad-filter (default: %(default)s)")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, language, prompts in make(options.speech, options.folder):
        path = options.folder / f"{name}.wav"
        for model in ("tiny.en", "base") if language == "en" else ("base",):
            shared = ["--no-config", "--model", model, "--language", language, "--threads", options.threads]
            texts = {
                "defaults": run_program(options.program, "transcribe", "--quiet", *shared, path),
                "filter": run_program(options.program, "transcribe", "--quiet", *shared, "--vad-filter",
                                      "--vad-threshold", options.threshold, path),
                "live": run_program(options.program, "live", *shared, "--speed", "max", "--file", path)}
            row = {"name": f"{name} ({language}, {model})"}
            for way, text in texts.items():
                heard, counts = words(text), []
                for said, level in ((words(text), level) for text, level in prompts if level):
                    blocks = difflib.SequenceMatcher(None, said, heard, False).get_matching_blocks()
                    counts.append(f"{sum(block.size for block in blocks)}/{len(said)}")
                row[way] = ", ".join(counts)
            rows.append(row)
            print(row, flush=True)
    print(table([("", "name", "{}"), ("defaults", "defaults", "{}"), ("--vad-filter", "filter", "{}"),
                 ("live --speed max", "live", "{}")], rows))


if __name__ == "__main__":
    main()
