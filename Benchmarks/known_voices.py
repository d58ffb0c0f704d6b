#!/usr/bin/env python3
"""Measures how often `transcribe --speakers --known-speakers` names people correctly, incorrectly or not at all.

    Benchmarks/known_voices.py FOLDER VOICES [--json FILE] [RECORDING …]

FOLDER has an audio file and NAME.rttm for each recording NAME; VOICES has an audio file for each person, named as in
the RTTM files, in which nobody else speaks. Each recording is run twice: with all voices enrolled, and with only the
voices of absent people, none of whom should be named. A speaker counts as the person with whom they agree longest.
Prints a Markdown table.
"""
import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from harness import add_threads, argument_parser, run_program
from speakers import AUDIO, read_rttm, score


def main(arguments):
    parser = argument_parser(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("voices", type=Path)
    parser.add_argument("recordings", nargs="*", help="names of recordings (default: all)")
    parser.add_argument("--model", default="tiny.en", help="the Whisper model (default: tiny.en)")
    parser.add_argument("--json", type=Path, help="also write the counts of each recording to this file")
    add_threads(parser)
    options = parser.parse_args(arguments)
    voices = {file.stem: file for file in sorted(options.voices.iterdir()) if file.suffix in AUDIO}
    recordings = options.recordings or sorted(file.stem for file in options.folder.glob("*.rttm"))
    print("| recording | people | correct | not named | incorrect | absent voices | named as one of them |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        enrolled = Enrolled(folder, options)
        for voice, file in voices.items():
            enrolled.run("speakers", "enroll", voice, file)
        for name in recordings:
            rows[name] = measure(name, set(voices), enrolled, options)
            print_row(name, rows[name])
    print_row("**all**", sum(rows.values(), Counter()))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


class Enrolled:
    """The program with enrolled voices, which are kept in a folder of their own."""

    def __init__(self, folder, options):
        self.folder, self.options = Path(folder), options
        models = os.environ.get("XDG_DATA_HOME", os.path.expanduser("~/.local/share")) + "/whisper-local/models"
        self.environment = {"WHISPER_LOCAL_MODELS": models} | os.environ | {"XDG_DATA_HOME": str(self.folder)}

    def run(self, *command):
        run_program(self.options.program, *command, environment=self.environment)

    def without(self, voices, folder):
        """A copy that does not know these voices."""
        copy = Enrolled(folder, self.options)
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        for voice in voices:
            copy.run("speakers", "remove", "--yes", voice)
        return copy

    def turns(self, audio):
        with tempfile.TemporaryDirectory() as out:
            self.run("transcribe", "--no-config", "-q", "-m", self.options.model, "-t", self.options.threads,
                     "--beam-size", 1, "--speakers", "--known-speakers", "-f", "rttm", "-o", out, audio)
            file, = Path(out).glob("*.rttm")
            return [turn for turns in read_rttm(file).values() for turn in turns]


def measure(name, voices, enrolled, options):
    reference = read_rttm(options.folder / f"{name}.rttm")[name]
    audio = next(path for suffix in AUDIO if (path := options.folder / (name + suffix)).exists())
    people = {speaker for _, _, speaker in reference}
    counts = Counter(people=len(people), absent=len(voices - people))
    found = enrolled.turns(audio)
    match = score(reference, found, 0.0)[1]
    named = {speaker for _, _, speaker in found} & voices
    counts["right"] = sum(match.get(speaker) == speaker for speaker in named)
    counts["wrong"] = len(named) - counts["right"]
    counts["unnamed"] = counts["people"] - counts["right"]
    if counts["absent"]:
        with tempfile.TemporaryDirectory() as folder:
            others = enrolled.without(voices & people, folder)
            counts["impostors"] = len({speaker for _, _, speaker in others.turns(audio)} & voices)
    return counts


def print_row(name, row):
    impostors = row["impostors"] if row["absent"] else "–"
    print(f"| {name} | {row['people']} | {row['right']} | {row['unnamed']} | {row['wrong']} | {row['absent']} | "
          f"{impostors} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
