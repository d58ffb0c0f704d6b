#!/usr/bin/env python3
"""Scores `whisper-local align` on recordings whose sentences' times are known.

    Benchmarks/alignment.py                          the recordings that the report in docs/alignment.md uses
    Benchmarks/alignment.py --part tuning            those on which it was tuned: other prompts, two languages
    Benchmarks/alignment.py --part gaps              a quarter of an hour with minutes of silence, and music, between sentences
    Benchmarks/alignment.py --hour                   time and memory for an hour, beside `transcribe` with the same settings
    Benchmarks/alignment.py --words FILE.json        scores any program's words instead, in place of ours (with --only)
    Benchmarks/alignment.py --self-test

The recordings are joined from the prompts that `scripts/setup.sh --tests` installs, with pauses of 0.3 to 6 s and one of
20 s; half of each language's prompts are for tuning, the others for the report. Each has five texts: `clean`; `changed` and
`omitted`, in which 5 % of the words are replaced or missing; `missing`, without every eighth sentence; and `extra`, with ten
sentences that nobody says. They are kept in .build/alignment.

Errors are in seconds, of a sentence's first word's start and last word's end against the speech's: median, 90 % and bias.
`lost`: sentences more than 2 s off or without a time. `ghosts`: words of sentences that nobody says with more than 0.3 s of
time each. Of words that have no time (null) the program says that nobody says them.
"""
import array
import difflib
import json
import math
import random
import re
import subprocess
import time
import unicodedata
import wave
import zlib
from pathlib import Path

from harness import ROOT, add_threads, argument_parser

RATE = 16000
KINDS = ["clean", "changed", "omitted", "missing", "extra"]
PARTS = {"tuning": ["en", "fr"], "report": ["en", "es", "fr", "it", "ru"], "gaps": ["en", "fr"]}
#: What the part `gaps` has before every fifth prompt, in turns: seconds of silence or of music.
GAPS = [("silence", 60), ("music", 40), ("silence", 180), ("music", 15)]
MODELS = {"en": ["tiny.en", "base"]}
PROMPTS = Path.home() / ".cache/whisper-local/tests/speech"
WORK = ROOT / ".build/alignment"


def edges(samples):
    """First and last sample of the speech: 10 ms frames 12 dB above the quietest tenth, which is speech as well where a prompt
    has no pauses, so that all frames count which are at most 20 dB below the loudest."""
    size = RATE // 100
    power = [sum(x * x for x in samples[i:i + size]) / size for i in range(0, len(samples) - size + 1, size)]
    ranked = sorted(power)
    loudest = ranked[len(ranked) * 95 // 100]
    limit = max(min(16 * ranked[len(ranked) // 10], loudest / 100), loudest / 3000, 100.0)
    loud = [i for i in range(len(power) - 2) if min(power[i:i + 3]) >= limit] or [0, len(power) - 3]
    return loud[0] * size, min((loud[-1] + 3) * size, len(samples))


def prompts(language, part):
    """The prompts of a part, in a random order that is always the same."""
    items = [i for i in json.loads((PROMPTS / f"{language}.json").read_text())
             if part == "hour" or zlib.crc32(i["file"].encode()) % 2 == (part != "tuning")]
    items = [i for i in items if not re.search(r"[*#()<>]|\.\.\.", i["text"])]
    random.Random(3).shuffle(items)
    return items


def music(seconds, rng):
    """Chords, a melody and a beat, as loud as speech."""
    sound = [0.0] * int(seconds * RATE)

    def note(frequency, start, length, level):
        for i in range(min(int(length * RATE), len(sound) - start)):
            phase, fade = 2 * math.pi * frequency * i / RATE, math.exp(-3 * i / RATE / length)
            sound[start + i] += level * fade * (math.sin(phase) + 0.4 * math.sin(2 * phase) + 0.2 * math.sin(3 * phase))
    for beat in range(int(seconds * 2)):
        start, root = beat * RATE // 2, 110 * 2 ** ([0, 5, 7, 3][beat // 8 % 4] / 12)
        if beat % 4 == 0:
            for step in (0, 4, 7):
                note(root * 2 ** (step / 12), start, 2, 1500)
        note(2 * root * 2 ** (rng.choice([0, 2, 4, 7, 9, 12]) / 12), start, 0.5, 2500)
        for i in range(RATE // 20):
            sound[start + i] += rng.gauss(0, 1500) * (1 - 20 * i / RATE)
    return array.array("h", (max(-32768, min(32767, round(x))) for x in sound))


def make(language, part, minutes=5):
    """Writes a recording and its texts unless they exist; returns their folder."""
    out = WORK / part
    if (out / f"{language}-extra.json").exists():
        return out
    out.mkdir(parents=True, exist_ok=True)
    items, rng = prompts(language, part), random.Random(3)
    sound, sentences = array.array("h"), []
    number = 0
    while len(sound) < minutes * 60 * RATE and (number < len(items) or part == "hour"):
        item = items[number % len(items)]
        sound.extend([0] * int(RATE * (20 if number % 60 == 12 else rng.choice([0.3, 0.5, 0.8, 0.8, 1.5, 3, 6]))))
        if part == "gaps" and number % 5 == 4:
            kind, seconds = GAPS[number // 5 % len(GAPS)]
            sound.extend(music(seconds, rng) if kind == "music" else [0] * RATE * seconds)
        number += 1
        with wave.open(str(PROMPTS / language / item["file"])) as file:
            clip = array.array("h", file.readframes(file.getnframes()))
        first, last = edges(clip)
        sentences.append({"text": " ".join(item["text"].split()), "start": round((len(sound) + first) / RATE, 2),
                          "end": round((len(sound) + last) / RATE, 2)})
        sound.extend(clip)
    with wave.open(str(out / f"{language}.wav"), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(sound.tobytes())
    pool = [w for s in sentences for w in s["text"].split()]
    spare = [" ".join(i["text"].split()) for i in items[len(sentences):]] or [s["text"] for s in sentences[::-1]]

    def change(text, drop):
        words = text.split()
        kept = [w if rng.random() >= 0.05 else (None if drop else rng.choice(pool)) for w in words]
        return " ".join(w for w in kept if w) or words[0]
    versions = {"clean": sentences, "changed": [dict(s, text=change(s["text"], False)) for s in sentences],
                "omitted": [dict(s, text=change(s["text"], True)) for s in sentences],
                "missing": [s for i, s in enumerate(sentences) if i % 8 != 5]}
    extra = list(sentences)
    for text in spare[:10]:
        extra.insert(rng.randrange(len(extra)), {"text": text, "start": None, "end": None})
    versions["extra"] = extra
    for kind, list_ in versions.items():
        (out / f"{language}-{kind}.txt").write_text("\n".join(s["text"] for s in list_) + "\n")
        (out / f"{language}-{kind}.json").write_text(json.dumps(list_, ensure_ascii=False, indent=0))
    return out


def timed_words(path):
    found = json.loads(Path(path).read_text())
    if isinstance(found, dict):
        found = [w for s in found["segments"] for w in s["words"]]
    return [{"word": w["word"].strip(), "start": w["start"], "end": w["end"]} for w in found]


def normal(word):
    return re.sub(r"\W+", "", unicodedata.normalize("NFKC", word)).casefold()


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def score(sentences, words):
    text = [(w, n) for n, s in enumerate(sentences) for w in s["text"].split()]
    a, b = [normal(w) for w, _ in text], [normal(w["word"]) for w in words]
    times = {}
    # Words without a time are matched, too: otherwise, equal words of other sentences would take their places.
    for block in difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks():
        pairs = ((block.a + k, words[block.b + k]) for k in range(block.size))
        times.update((place, word) for place, word in pairs if word["start"] is not None)
    first, last = {}, {}
    for i, (_, n) in enumerate(text):
        first.setdefault(n, i)
        last[n] = i
    starts, ends, lost, ghosts = [], [], [], 0
    for n, s in enumerate(sentences):
        if s["start"] is None:
            ghosts += sum(1 for i in range(first[n], last[n] + 1)
                          if i in times and times[i]["end"] - times[i]["start"] > 0.3)
            continue
        begin, end = times.get(first[n]), times.get(last[n])
        if not begin or not end or abs(begin["start"] - s["start"]) > 2 or abs(end["end"] - s["end"]) > 2:
            lost.append(s["text"])
        if begin:
            starts.append(begin["start"] - s["start"])
        if end:
            ends.append(end["end"] - s["end"])

    def errors(values):
        absolute = [abs(x) for x in values]
        return ", ".join("–" if x is None else f"{x:.2f}" for x in (
            percentile(absolute, .5), percentile(absolute, .9), percentile(values, .5)))
    return {"sentences": sum(s["start"] is not None for s in sentences), "lost": lost, "start": errors(starts),
            "end": errors(ends), "ghosts": ghosts}


def align(program, model, language, sound, text, out, threads):
    out.mkdir(parents=True, exist_ok=True)
    command = [program, "align", "-q", "-m", model, "-l", language, "--threads", str(threads), "-f", "json", "-o", out,
               sound, text]
    subprocess.run([str(c) for c in command], check=True)
    return out / f"{sound.stem}.json"


def hour(program, model, threads):
    """Time and memory for an hour of changed text."""
    folder = make("en", "hour", 60)
    sound = folder / "en.wav"

    def measure(*command):
        start = time.monotonic()
        process = subprocess.Popen([str(c) for c in command])
        usage = [0]
        while process.poll() is None:
            try:
                status = Path(f"/proc/{process.pid}/status").read_text()
                usage.append(int(re.search(r"VmHWM:\s*(\d+)", status)[1]))
            except (OSError, TypeError):
                pass
            time.sleep(0.2)
        if process.returncode:
            raise SystemExit(f"exit status {process.returncode}")
        return time.monotonic() - start, max(usage) / 1024
    options = ["-q", "-m", model, "-l", "en", "--threads", threads, "-f", "json", "-o"]
    base = measure(program, "transcribe", *options, WORK / "hour/recognized", "--word-timestamps", "--beam-size", 1,
                   "--condition-on-previous-text", "false", sound)
    rows = [("transcribe", *base)]
    for kind in ("clean", "changed"):
        rows.append((f"align, {kind}", *measure(program, "align", *options, WORK / f"hour/{kind}", sound,
                                                folder / f"en-{kind}.txt")))
    print("| an hour of English, " + model + " | time | memory |\n| --- | --- | --- |")
    for name, seconds, memory in rows:
        print(f"| {name} | {seconds:.0f} s ({seconds / base[0]:.2f}) | {memory:.0f} MiB |")
    for kind in ("clean", "changed"):
        row(f"an hour, {kind}", json.loads((folder / f"en-{kind}.json").read_text()), WORK / f"hour/{kind}/en.json")


def row(name, sentences, words, lists=False):
    r = score(sentences, timed_words(words))
    print(f"| {name} | {len(r['lost'])} of {r['sentences']} | {r['start']} | {r['end']} | {r['ghosts']} |", flush=True)
    for text in r["lost"] if lists else []:
        print(f"    lost: {text}")


def self_test():
    sentences = [{"text": "One two.", "start": 1.0, "end": 2.0}, {"text": "never said", "start": None, "end": None},
                 {"text": "Three", "start": 5.0, "end": 6.0}]
    words = [{"word": w, "start": s, "end": e} for w, s, e in
             (("One", 1.1, 1.4), ("two.", 1.5, 2.3), ("never", 2.3, 2.9), ("said", None, None), ("Three", 9.0, 9.5))]
    r = score(sentences, words)
    assert (r["lost"], r["ghosts"], r["sentences"]) == (["Three"], 1, 2), r
    print("ok")


def main():
    parser = argument_parser(__doc__)
    add_threads(parser)
    parser.add_argument("--part", choices=PARTS, default="report")
    parser.add_argument("--only", default="", help="only rows whose name contains this")
    parser.add_argument("--list", action="store_true", help="list the sentences that are lost")
    parser.add_argument("--hour", action="store_true")
    parser.add_argument("--words", type=Path)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if options.hour:
        return hour(options.program, "tiny.en", options.threads)
    print("| | lost | start: median, 90 %, bias | end: median, 90 %, bias | ghosts |\n| --- | --- | --- | --- | --- |")
    for language in PARTS[options.part]:
        for model in MODELS.get(language, ["base"]):
            for kind in KINDS:
                name = f"{language}, {model}: {kind}"
                if options.only not in name:
                    continue
                folder = make(language, options.part, 15 if options.part == "gaps" else 5)
                out = WORK / options.part / f"{model}-{kind}"
                words = options.words or align(options.program, model, language, folder / f"{language}.wav",
                                               folder / f"{language}-{kind}.txt", out, options.threads)
                row(name, json.loads((folder / f"{language}-{kind}.json").read_text()), words, options.list)


if __name__ == "__main__":
    main()
