#!/usr/bin/env python3
"""Recordings with what is said in them, from unpacked packages of Asterisk prompts.

    recordings.py UNPACKED FOLDER LANGUAGE          needs ffmpeg

Writes FOLDER/LANGUAGE/*.wav (16 kHz, mono: the prompts of four words or more), FOLDER/LANGUAGE.json (file and text of
each, in a shuffled order that is always the same), and long-LANGUAGE.wav with long-LANGUAGE.txt: the prompts in that
order with pauses of 0.8 s, at most ten minutes.
"""
import gzip
import json
import random
import re
import subprocess
import sys
import wave
from pathlib import Path

RATE, PAUSE, LONGEST = 16_000, 0.8, 600
SAMPLE_BYTES = 2


def main(unpacked, folder, language):
    unpacked, folder = Path(unpacked), Path(folder)
    (folder / language).mkdir(parents=True, exist_ok=True)
    script, = unpacked.rglob("core-sounds-*.txt.gz")
    # The prompts lie in a folder for each voice, some of them in folders below that.
    sounds = next(path.parent for path in unpacked.rglob("*.g722") if path.parent.parent.name == "sounds")
    prompts, clips = [], {}
    for name, text in spoken(script).items():
        source, clip = sounds / f"{name}.g722", folder / language / f"{name.replace('/', '_')}.wav"
        if source.exists():
            clips[source] = clip
            prompts.append({"file": clip.name, "text": text})
    convert(clips)
    random.Random(7).shuffle(prompts)
    (folder / f"{language}.json").write_text(json.dumps(prompts, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    seconds, text = join(prompts, folder / language, folder / f"long-{language}.wav")
    (folder / f"long-{language}.txt").write_text(text + "\n", encoding="utf-8")
    print(f"installed {len(prompts)} recordings in '{folder / language}', and {seconds:.0f} s of them in one")


def spoken(script):
    """{name: text} of the prompts of four words or more without a remark in brackets."""
    texts = {}
    for line in gzip.open(script, "rt", encoding="utf-8", errors="replace"):
        name, colon, text = line.strip().partition(":")
        if colon and not line.startswith(";") and len(text.split()) >= 4 and not re.search(r"[\[\]<>]", text):
            texts[name.strip()] = text.strip()
    return texts


def convert(clips):
    """Converts {source: clip}, many with each start of ffmpeg."""
    pairs = list(clips.items())
    for first in range(0, len(pairs), 50):
        inputs, outputs = [], []
        for index, (source, clip) in enumerate(pairs[first:first + 50]):
            inputs += ["-f", "g722", "-i", source]
            outputs += ["-map", str(index), "-ar", str(RATE), "-ac", "1", clip]
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *inputs, *outputs], check=True)


def join(prompts, clips, path, longest=LONGEST, pause=PAUSE):
    """Writes as many prompts as fit in `longest` seconds, with pauses; returns the length in seconds and what is said."""
    silence, texts, length = bytes(SAMPLE_BYTES * int(RATE * pause)), [], 0
    with wave.open(str(path), "wb") as file:
        file.setparams((1, SAMPLE_BYTES, RATE, 0, "NONE", ""))
        for prompt in prompts:
            with wave.open(str(clips / prompt["file"])) as clip:
                audio = clip.readframes(clip.getnframes()) + silence
            if length + len(audio) > SAMPLE_BYTES * RATE * longest:
                break
            file.writeframes(audio)
            texts.append(prompt["text"])
            length += len(audio)
    return length / SAMPLE_BYTES / RATE, " ".join(texts)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
