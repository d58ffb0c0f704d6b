#!/usr/bin/env python3
"""Scores the subtitles of whisper-local, openai-whisper, faster-whisper and stable-ts, and prints the tables of
docs/subtitles.md.

    Benchmarks/subtitles.py                         all languages (an hour; asks before it installs the peers)
    Benchmarks/subtitles.py --languages es,it --only whisper-local
    Benchmarks/subtitles.py --report                only print the tables, from existing files

Each program writes subtitles of the ten-minute recordings of `scripts/setup.sh --tests` with the model base. English and
French are the recordings on which the costs of the breaks were tuned. Every row is scored with the limits of its own style
(42 columns, 2 lines and 20 characters a second for programs that have none). Files are kept in .build/subtitles, and an
interrupted run continues from there; delete a folder to run its program again.
"""
import sys
from pathlib import Path

from harness import ROOT, add_threads, argument_parser, fail, run_program, table
from peers import Peer, SubtitleEnvironment, add_environment
from subtitle_score import read, score, speech_spans
from transcribers import CACHE

MODEL = "base"
LANGUAGES = {"es": "Spanish", "it": "Italian", "ru": "Russian", "en": "English", "fr": "French"}
TUNED = {"en", "fr"}
#: Name in the tables: options.
OURS = {"whisper-local": (), "whisper-local, `--word-timestamps`": ("--word-timestamps",),
        "whisper-local, `--subtitles netflix`": ("--subtitles", "netflix"),
        "whisper-local, `--subtitles bbc`": ("--subtitles", "bbc")}
#: Name in the tables: peer, with word times. openai-whisper divides cues only with them.
PEERS = {"openai-whisper": ("openai-whisper float32", False),
         "openai-whisper, 42 columns, 2 lines": ("openai-whisper float32", True),
         "faster-whisper, `vad_filter`": ("faster-whisper int8", False),
         "stable-ts": ("stable-ts float32", True)}
COLUMNS = (("", "name", "{}"), *((name, key, "{}") for name, key in (
    ("cues", "cues"), ("wide", "wide"), ("lines", "lines"), ("short", "short"), ("long", "long"), ("fast", "fast"),
    ("gap", "gap"), ("over", "over"), ("early", "early"), ("late", "late"), ("cut", "cut"), ("hangs", "hangs"),
    ("pause", "pause"), ("lost", "lost"), ("bad", "bad"), ("mid", "mid"), ("open", "open"), ("orphan", "orphan"), ("uneven", "uneven"))))


def limits(name, language):
    """What the scorer takes for a style."""
    if "netflix" in name:
        return {"width": 39 if language == "ru" else 42, "cps": 20 if language == "en" else 17}
    if "bbc" in name:
        return {"width": 37, "cps": 17, "gap": 0}
    return {}


def subtitle_file(options, language, name):
    folder = options.texts / name.replace("`", "").replace(" ", "-").replace(",", "")
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"long-{language}.srt"


def write_missing(options, languages):
    """Runs the programs whose files do not exist yet."""
    model, environment = options.models / f"{MODEL}.pt", None
    for name, arguments in OURS.items():
        for language in languages:
            path = subtitle_file(options, language, name)
            if options.only in name and not path.exists():
                print(f"{name}: {language}", file=sys.stderr, flush=True)
                run_program(options.program, "transcribe", "--no-config", "--quiet", "-m", model, "-l", language, "-f", "srt",
                            "--threads", options.threads, *arguments, "-o", path.parent, options.speech / path.with_suffix(".wav").name)
    for name, (kind, words) in PEERS.items():
        missing = [path for path in (subtitle_file(options, language, name) for language in languages) if not path.exists()]
        if options.only not in name or not missing:
            continue
        environment = environment or SubtitleEnvironment(options)
        files = {"pt": str(model), "ct2": str(options.models / f"ct2-{MODEL}")}
        peer = Peer(kind, environment, files, options.threads, timeout=7200)
        for path in missing:
            print(f"{name}: {path.stem}", file=sys.stderr, flush=True)
            part = path.with_suffix(".part.srt")
            if peer.run("subtitles", path=str(options.speech / f"{path.stem}.wav"), output=str(part),
                        language=path.stem[-2:], words=words) is None:
                fail(f"{name} has not finished {path.stem} in two hours", "run it again on a faster machine")
            part.rename(path)
        peer.close()


def main():
    parser = argument_parser(__doc__)
    add_threads(parser)
    parser.add_argument("--languages", default=",".join(LANGUAGES), help="languages, separated by commas (default: %(default)s)")
    parser.add_argument("--models", type=Path, default=CACHE / "models", help="folder of the models (default: %(default)s)")
    parser.add_argument("--speech", type=Path, default=CACHE / "speech", help="folder of the recordings (default: %(default)s)")
    parser.add_argument("--texts", type=Path, default=ROOT / ".build/subtitles",
                        help="folder for the subtitles (default: .build/subtitles)")
    parser.add_argument("--only", default="", help="run only programs whose name contains this")
    parser.add_argument("--report", action="store_true", help="run nothing, only print the tables")
    add_environment(parser, SubtitleEnvironment)
    options = parser.parse_args()
    languages = options.languages.split(",")
    if not options.report:
        write_missing(options, languages)
    for language in languages:
        spans = speech_spans(options.speech / f"long-{language}.wav")
        paths = [(name, subtitle_file(options, language, name)) for name in (*OURS, *PEERS)]
        rows = [{"name": name} | score(read(path), spans, language, **limits(name, language))
                for name, path in paths if path.exists()]
        if rows:
            print(f"{LANGUAGES[language]}{' (tuned on)' if language in TUNED else ''}:\n\n{table(COLUMNS, rows)}\n")


if __name__ == "__main__":
    main()
