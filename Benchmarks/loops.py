#!/usr/bin/env python3
"""Counts loops, and sentences lost or written twice, in speech without any pause, with OpenAI's tiny.en.

    Benchmarks/loops.py                                    all 90 recordings, options and number formats: hours
    Benchmarks/loops.py --only 'int16 --batch-size 8'      only rows whose name contains this
    Benchmarks/loops.py --offsets 0,7,13 --list            nine of the recordings; also lists what is wrong in each

Each recording is 30 English prompts of `scripts/setup.sh --tests` in one of three orders, with pauses over 80 ms
removed, and after 0 to 28 s of silence, so that windows begin anywhere; needs sox. A loop is a run of words that occurs
more than three times in a row. Of the sentences with at least four words, one is missing if more than half of its words
are, and doubled if three quarters of its words occur once more. Windows are decoded again at higher temperatures as
usual; results are saved in .build/loops and reused.
"""
import difflib
import json
import random
import re
import subprocess
import tempfile
import wave
from pathlib import Path

from harness import COMPUTE_TYPES, ROOT, add_threads, argument_parser, run_program, table

ORDERS, PROMPTS, OFFSETS = (1, 2, 3), 30, [None] + list(range(29))
WAYS = {"defaults": [], "--batch-size 8": ["--batch-size", "8"],
        "--vad-filter, no previous text": ["--vad-filter", "--condition-on-previous-text", "false"]}
WAYS |= {f"{way}, --beam-size 1": [*arguments, "--beam-size", "1"] for way, arguments in WAYS.items()}
#: A run of words may occur this many times in a row.
REPETITIONS = 3
#: Only sentences with at least this many words are counted.
SENTENCE = 4
NUMBERS = dict(zip("zero one two three four five six seven eight nine ten".split(), range(11)))


def chosen(speech, order):
    """Prompts of 2.5 to 7 s that say what their script says."""
    prompts = []
    for prompt in json.loads((speech / "en.json").read_text()):
        with wave.open(str(speech / "en" / prompt["file"])) as clip:
            seconds = clip.getnframes() / clip.getframerate()
        if 2.5 < seconds < 7 and "(" not in prompt["text"] and "spy" not in prompt["file"]:
            prompts.append(prompt)
    random.Random(order).shuffle(prompts)
    return prompts[:PROMPTS]


def recording(speech, folder, order, offset):
    """Path of a recording; `None` as offset is the recording as it is."""
    whole = folder / f"{order}-whole.wav"
    if not whole.exists():
        clips = [speech / "en" / prompt["file"] for prompt in chosen(speech, order)]
        subprocess.run(["sox", *clips, whole, *"silence -l 1 0.01 0.1% -1 0.08 0.1%".split()], check=True)
    path = folder / f"{order}-{offset:02}.wav" if offset is not None else whole
    if not path.exists():
        subprocess.run(["sox", whole, path, "pad", str(offset), "0"], check=True)
    return path


def words(text):
    """Lower case, numbers as digits, without punctuation."""
    return [str(NUMBERS.get(word, word)) for word in re.findall(r"[a-z0-9]+", text.lower().replace("'", ""))]


def loops(heard):
    """The runs of words that occur too many times in a row."""
    found, start = [], 0
    while start < len(heard):
        best = (0, 1)
        for length in range(1, (len(heard) - start) // (REPETITIONS + 1) + 1):
            run, count = heard[start:start + length], 1
            while heard[start + count * length:start + (count + 1) * length] == run:
                count += 1
            if count > REPETITIONS:
                best = max(best, (count * length, length))
        if best[0]:
            found.append(f"{' '.join(heard[start:start + best[1]])} ({best[0] // best[1]} times)")
        start += best[0] or 1
    return found


def common(left, right):
    """How many words two texts have in common, in order."""
    return sum(block.size for block in difflib.SequenceMatcher(None, left, right, False).get_matching_blocks())


def compare(sentences, heard):
    """Returns the sentences of which most words are missing, and those written once more than they are said."""
    said = [word for sentence in sentences for word in sentence]
    matched = {}
    for block in difflib.SequenceMatcher(None, said, heard, False).get_matching_blocks():
        matched |= {block.a + index: block.b + index for index in range(block.size)}
    missing, doubled, first = [], [], 0
    # Words that stand for no word of the script, in runs.
    used, runs = set(matched.values()), [[]]
    for index, word in enumerate(heard):
        if index not in used:
            runs[-1].append(word)
        elif runs[-1]:
            runs.append([])
    for sentence in sentences:
        found = sum(1 for index in range(first, first + len(sentence)) if index in matched)
        first += len(sentence)
        if len(sentence) < SENTENCE:
            continue
        if 2 * found < len(sentence):
            missing.append(" ".join(sentence))
        if any(len(run) >= SENTENCE - 1 and 4 * common(sentence, run) >= 3 * len(sentence) for run in runs):
            doubled.append(" ".join(sentence))
    return missing, doubled


def main():
    parser = argument_parser(__doc__)
    add_threads(parser)
    parser.add_argument("--speech", type=Path, default=Path.home() / ".cache/whisper-local/tests/speech")
    parser.add_argument("--texts", type=Path, default=ROOT / ".build/loops",
                        help="folder for recordings and transcripts")
    parser.add_argument("--model", default="tiny.en", help="model (default: %(default)s)")
    parser.add_argument("--compute-types", default=",".join(COMPUTE_TYPES), help="default: %(default)s")
    parser.add_argument("--offsets", help="seconds of silence before the speech (default: none, and 0 to 28)")
    parser.add_argument("--only", default="", help="only rows whose name contains this")
    parser.add_argument("--list", action="store_true", help="also list what is wrong in each recording")
    options = parser.parse_args()
    options.texts.mkdir(parents=True, exist_ok=True)

    offsets = [int(offset) for offset in options.offsets.split(",")] if options.offsets else OFFSETS
    sentences = {
        order: [words(part) for prompt in chosen(options.speech, order)
                for part in re.split(r"(?<=[.?!])\s+", prompt["text"]) if words(part)] for order in ORDERS}
    recordings = [(order, recording(options.speech, options.texts, order, offset))
                  for offset in offsets for order in ORDERS]
    rows = []
    for kind in options.compute_types.split(","):
        for way, arguments in WAYS.items():
            name = f"{kind} {way}"
            if options.only not in name:
                continue
            folder = options.texts / re.sub(r"[^a-z0-9]+", "-", f"{options.model} {name}")
            folder.mkdir(exist_ok=True)
            untranscribed = [path for _, path in recordings if not (folder / f"{path.stem}.json").exists()]
            if untranscribed:
                with tempfile.TemporaryDirectory(dir=options.texts) as new:
                    run_program(
                        options.program, "transcribe", "--no-config", "--quiet", "--model", options.model,
                        "--language", "en", "--threads", options.threads, "--compute-type", kind, *arguments,
                        "--output-format", "json", "--output-dir", new, *untranscribed)
                    for path in Path(new).glob("*.json"):
                        path.rename(folder / path.name)
            row = {"name": name, "recordings": len(recordings), "loops": 0, "missing": 0, "doubled": 0, "clean": 0}
            for order, path in recordings:
                heard = words(json.loads((folder / f"{path.stem}.json").read_text())["text"])
                missing, doubled = compare(sentences[order], heard)
                faults = {"loops": loops(heard), "missing": missing, "doubled": doubled}
                for fault, texts in faults.items():
                    row[fault] += len(texts)
                    if options.list:
                        for text in texts:
                            print(f"{name}, {path.stem}: {fault}: {text}")
                row["clean"] += not any(faults.values())
            rows.append(row)
            print(row, flush=True)
    columns = [("", "name", "{}"), ("recordings", "recordings", "{}"), ("without fault", "clean", "{}"),
               ("loops", "loops", "{}"), ("sentences missing", "missing", "{}"), ("doubled", "doubled", "{}")]
    print(table(columns, rows))


if __name__ == "__main__":
    main()
