#!/usr/bin/env python3
"""Counts the words that whisper-local and its peers invent in recordings without speech, with OpenAI's tiny.en and base.

    Benchmarks/invented.py                           whatever results/invented.json lacks: takes hours
    Benchmarks/invented.py --only 'tiny.en noises'   only jobs whose name contains this
    Benchmarks/invented.py --report                  only write the tables, from existing results

Noises: 200 clips of 30 s without speech (noises.py). Pauses: 40 recordings of two minutes with English prompts, each
followed by half a minute of silence or quiet noise; words beyond those in the script count as invented. Options are the
defaults, including retries at higher temperatures, except those shown in the table.

Transcripts are stored in .build/invented. Tables: docs/words.md; counts: Benchmarks/results/invented.json. Remove an
entry there to count it again.
"""
import json
import random
import subprocess
import wave

from harness import BENCHMARKS, add_threads, argument_parser, table
from peers import Environment
from transcribers import add_files, earlier_counts, engines, missing_texts, normalized, text_file, write_report

MODELS = ("tiny.en", "base")
ENGINES = ("whisper-local float32", "openai-whisper float32", "faster-whisper float32", "whisper.cpp f16")
DEFAULTS = {"previous": True, "guard": True}
UNGUARDED = {"previous": True}
WAYS = {"defaults": DEFAULTS, "--guard false": UNGUARDED, "--vad-filter": DEFAULTS | {"vad": True},
        "--vad-filter --guard false": UNGUARDED | {"vad": True}}
PROMPTS, PAUSE, RECORDINGS, RATE = 4, 25, 40, 16_000


def noises(options, environment):
    """Paths of clips without speech, and their empty scripts."""
    folder = options.texts / "noises"
    if not folder.exists():
        subprocess.run([environment.python, str(BENCHMARKS / "noises.py"), str(folder)], check=True)
    paths = sorted(folder.glob("*.wav"))
    return paths, [""] * len(paths)


def pauses(options, _):
    """Paths of recordings with long pauses after each prompt, and what is said in them."""
    folder = options.texts / "pauses"
    folder.mkdir(exist_ok=True)
    prompts = json.loads((options.speech / "en.json").read_text())
    paths, texts = [], []
    for number in range(RECORDINGS):
        generator = random.Random(number)
        chosen = generator.sample(prompts, PROMPTS)
        path = folder / f"pauses-{number:02}.wav"
        loudest = number % 4 * 20    # no noise in every fourth, then up to 0.2 % of full scale
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            for prompt in chosen:
                with wave.open(str(options.speech / "en" / prompt["file"])) as clip:
                    file.writeframes(clip.readframes(clip.getnframes()))
                noise = [generator.randint(-loudest, loudest) for _ in range(RATE)]
                file.writeframes(b"".join(sample.to_bytes(2, "little", signed=True) for sample in noise) * PAUSE)
        paths.append(path)
        texts.append(" ".join(prompt["text"] for prompt in chosen))
    return paths, texts


KINDS = {"noises": noises, "pauses": pauses}


def label(model, kind, way):
    return f"{model} {kind}, {way}"


def count_words(materials, options, environment):
    """Returns [{engine, model, kind, way, clips, words}]: recordings with invented words, and how many of these."""
    entries, texts = [], []
    for kind, (paths, said) in materials.items():
        for model in MODELS:
            for way in WAYS:
                for name in ENGINES:
                    path = text_file(name, label(model, kind, way), options)
                    heard = json.loads(path.read_text()) if path.exists() else None
                    if heard:
                        entries.append({"engine": name, "model": model, "kind": kind, "way": way, "of": len(said)})
                        texts += [("en", text) for pair in zip(said, heard) for text in pair]
    words = iter(normalized(texts, environment))
    for entry in entries:
        pairs = [(next(words), next(words)) for _ in range(entry["of"])]
        more = [max(0, len(heard) - len(said)) for said, heard in pairs]
        entry |= {"clips": sum(1 for count in more if count), "words": sum(more)}
    return entries


def markdown(entries):
    columns = [("", "engine", "{}"), ("options", "way", "{}")]
    columns += [(f"{model}, {kind}", f"{model} {kind}", "{}") for kind in KINDS for model in MODELS]
    rows = {}
    for entry in entries:
        row = rows.setdefault((ENGINES.index(entry["engine"]), list(WAYS).index(entry["way"])),
                              {"engine": entry["engine"], "way": entry["way"]})
        row[f"{entry['model']} {entry['kind']}"] = f"{entry['words']} in {entry['clips']}"
    return table(columns, [row for _, row in sorted(rows.items())])


def main():
    parser = argument_parser(__doc__)
    add_threads(parser)
    add_files(parser, "invented")
    options = parser.parse_args()
    options.texts.mkdir(parents=True, exist_ok=True)

    environment = Environment(options)
    materials = {kind: make(options, environment) for kind, make in KINDS.items()}
    if not options.report:
        counted = earlier_counts("invented")
        for kind, (paths, _) in materials.items():
            for way, features in WAYS.items():
                for model in MODELS:
                    names = [name for name in ENGINES if (name, model, None, kind, way) not in counted
                             and (name.startswith("whisper-local") or "--guard" not in way)]
                    missing_texts(engines(names, model, environment, options), features, label(model, kind, way),
                                  paths, "en", options)
    write_report("invented", count_words(materials, options, environment), markdown, environment, options)


if __name__ == "__main__":
    main()
