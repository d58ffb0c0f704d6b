#!/usr/bin/env python3
"""Counts short recordings in which live recognition writes in the wrong language, with OpenAI's base.

    Benchmarks/languages.py                      100 recordings in real time: also when the first text appears
    Benchmarks/languages.py --fast               only languages, as fast as the processor allows
    Benchmarks/languages.py --skip 20 --count 8  others: 8 in each language, after the first 20
    Benchmarks/languages.py --program OTHER      of another program

The recordings are prompts of 1 to 6 s from those of `scripts/setup.sh --tests`, drawn at random. One is wrong if any
final is in another language than the prompt, or if `transcribe` reports another. Prints every wrong one.
"""
import json
import random
import statistics
import subprocess
import tempfile
import time
import wave
from pathlib import Path

from harness import argument_parser
from transcribers import add_files

LANGUAGES = ("en", "es", "fr", "it", "ru")
SECONDS = (1, 6)


def prompts(language, speech):
    """Paths of the recordings of one language in random order."""
    paths = []
    for prompt in json.loads((speech / f"{language}.json").read_text()):
        path = speech / language / prompt["file"]
        with wave.open(str(path)) as file:
            seconds = file.getnframes() / file.getframerate()
        # A few recordings are silent, and their text says so in parentheses.
        if SECONDS[0] <= seconds <= SECONDS[1] and not prompt["text"].startswith("("):
            paths.append(path)
    random.Random(language).shuffle(paths)
    return paths


def live(path, options):
    """The languages of the finals, their text, and the seconds from the start of listening to the first text."""
    speed = ["--speed", "max", "--deterministic"] if options.fast else []
    command = [options.program, "live", "--no-config", "--json", "--model", options.models / "ggml-base.bin", *speed,
               "--file", path]
    languages, text, start, first = [], "", None, None
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        for line in process.stdout:
            update, now = json.loads(line), time.monotonic()
            start = start or now
            if update["type"] in ("volatile", "final") and update["segment"] and first is None:
                first = now - start
            if update["type"] == "final":
                languages.append(update["segment"]["language"])
                text += update["segment"]["text"]
    if process.returncode:
        raise SystemExit(f"{path}: live failed")
    return languages, text, first


def recording_language(path, options):
    with tempfile.TemporaryDirectory() as folder:
        command = [options.program, "transcribe", "--no-config", "--quiet", "--model", options.models / "ggml-base.bin",
                   "--output-format", "json", "--output-dir", folder, path]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        (file,) = Path(folder).glob("*.json")
        return json.loads(file.read_text())["language"]


def main():
    parser = argument_parser(__doc__)
    add_files(parser, "languages")
    parser.add_argument("--fast", action="store_true", help="do not play in real time")
    parser.add_argument("--count", type=int, default=20, help="recordings in each language (default: %(default)s)")
    parser.add_argument("--skip", type=int, default=0, help="recordings to leave out first in each language")
    parser.add_argument("--no-transcribe", action="store_true", help="only live recognition")
    options = parser.parse_args()
    wrong, wrong_files, count, firsts = 0, 0, 0, []
    for language in LANGUAGES:
        for path in prompts(language, options.speech)[options.skip:options.skip + options.count]:
            languages, text, first = live(path, options)
            count += 1
            if first is not None:
                firsts.append(first)
            if any(found != language for found in languages):
                wrong += 1
                print(f"{language}/{path.name}: live {languages}{text}", flush=True)
            if not options.no_transcribe:
                found = recording_language(path, options)
                if found != language:
                    wrong_files += 1
                    print(f"{language}/{path.name}: transcribe {found}", flush=True)
    print(f"{count} recordings: {wrong} wrong live" + ("" if options.no_transcribe else f", {wrong_files} transcribed"))
    if not options.fast:
        print(f"first text after {statistics.mean(firsts):.2f} s, median {statistics.median(firsts):.2f} s")


if __name__ == "__main__":
    main()
