#!/usr/bin/env python3
"""Measures how well terms are recognized with `--terms`, and how often they are invented.

    Benchmarks/vocabulary.py FOLDER TERMS [--distractors FILE] [--counts none,0,100,1000] [--ways beams,greedy,live,hotwords]
                             [--model tiny.en,base] [--score REGEX]
    Benchmarks/vocabulary.py FILE.wav TERMS --rounds 3 …

FOLDER has ID.wav for each entry {"id", "text", "terms"} of set.json, a list; "terms" are those of the list that the text
contains. Entries with a "voice", such as those of Benchmarks/vocabulary, are spoken by espeak-ng or flite instead. TERMS and
the distractors, which are never said, have one term a line. Prints a Markdown table with a row for each model, way and number
of distractors (`none` is without any terms). The ways are `transcribe` with five beams and without, `live`, and
faster-whisper with five beams and the terms as `hotwords`, which is installed if you agree.

  recall     terms that were said and written, of those that were said, whatever their letter case; exact: with it
  precision  terms in the text that were said, of all terms in it
  false      terms written where they were not said, in recordings with a term and in those without
  WER        word errors in percent: of all recordings, of those without a term, and of the words that are no part of a term
  seconds    of processor time for all recordings

The texts are kept in .build/vocabulary/FOLDER, and an interrupted run continues from there; delete a file to measure it again.

With --rounds, only the time where no term is said: a recording, without those of the terms that FILE.txt, its text, contains.
The rows take turns, nothing is kept, and the table has

  seconds    of processor time, the median
  more       than the first row of the same model and way in percent, the median of what it is in each round
  words      that differ from that row's text
"""
import json
import re
import resource
import shlex
import sys
import tempfile
import unicodedata
from collections import Counter
from pathlib import Path
from statistics import median

from harness import add_threads, argument_parser, run_program, table
from peers import Peer, Environment
from transcribers import add_files

DIGITS = {word: str(digit) for digit, word in enumerate("zero one two three four five six seven eight nine ten".split())}
COLUMNS = ("", "recall", "exact", "precision", "false", "WER", "without a term", "outside terms", "seconds")
TIME_COLUMNS = ("", "seconds", "more", "words")


def words(text, folds=True):
    found = re.findall(r"[^\W_]+(?:['’][^\W_]+)*", unicodedata.normalize("NFC", text))
    return [DIGITS.get(word, word) for word in (w.lower().replace("’", "'") for w in found)] if folds else found


def places(phrase, text):
    """Where a list of words begins in another, without overlap."""
    found, index = [], 0
    while phrase and index + len(phrase) <= len(text):
        is_here = text[index:index + len(phrase)] == phrase
        if is_here:
            found.append(index)
        index += len(phrase) if is_here else 1
    return found


def alignment(reference, hypothesis):
    """Pairs of indices with the fewest errors; `None` for a word that the other text lacks."""
    rows = [list(range(len(hypothesis) + 1))]
    for i, word in enumerate(reference, 1):
        row = [i]
        for j, other in enumerate(hypothesis, 1):
            row.append(min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (word != other)))
        rows.append(row)
    i, j, pairs = len(reference), len(hypothesis), []
    while i or j:
        if i and j and rows[i][j] == rows[i - 1][j - 1] + (reference[i - 1] != hypothesis[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif i and rows[i][j] == rows[i - 1][j] + 1:
            i -= 1
            pairs.append((i, None))
        else:
            j -= 1
            pairs.append((None, j))
    return pairs[::-1]


def count_errors(item, said, heard, total):
    group = "with" if item["terms"] else "without"
    inside = {place + offset for term in item["terms"] for place in places(words(term), said)
              for offset in range(len(words(term)))}
    last = -1
    for i, j in alignment(said, heard):
        is_wrong = i is None or j is None or said[i] != heard[j]
        touches_term = i in inside if i is not None else last in inside or last + 1 in inside
        total[group, "errors"] += is_wrong
        total["outside", "errors"] += is_wrong and not touches_term
        last = last if i is None else i
    total[group, "words"] += len(said)
    total["outside", "words"] += len(said) - len(inside)


def score(items, texts, listed):
    total = Counter()
    for item in items:
        text = texts.get(item["id"], "")
        said, heard = words(item["text"]), words(text)
        count_errors(item, said, heard, total)
        for term, count in Counter(item["terms"]).items():
            total["said"] += count
            total["found"] += min(count, len(places(words(term), heard)))
            total["exact"] += min(count, len(places(words(term, False), words(text, False))))
        for term in listed:
            expected = max(len(places(words(term), said)), item["terms"].count(term))
            total["false", bool(item["terms"])] += max(0, len(places(words(term), heard)) - expected)
    def percent(part, whole):
        return f"{100 * part / whole:.1f}" if whole else "–"
    invented = total["false", True] + total["false", False]
    errors = total["with", "errors"] + total["without", "errors"]
    return [percent(total["found"], total["said"]), percent(total["exact"], total["said"]),
            percent(total["found"], total["found"] + invented), f"{total['false', True]} + {total['false', False]}",
            percent(errors, total["with", "words"] + total["without", "words"]),
            *(percent(total[group, "errors"], total[group, "words"]) for group in ("without", "outside"))]


def lines(path):
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line]


def recording(item, options):
    """The file of a recording, made on first use if a synthesizer is to speak it."""
    path = options.folder / f"{item['id']}.wav"
    if "voice" not in item or path.exists():
        return path
    path = options.texts / f"{item['id']}.wav"
    if not path.exists():
        program, _, voice = item["voice"].partition(":")
        raw, part = path.with_suffix(".raw.wav"), path.with_suffix(".part.wav")
        run_program(*{"espeak": ("espeak-ng", "-v", voice, "-s", "150", "-w", raw, item["text"]),
                      "flite": ("flite", "-voice", voice, "-t", item["text"], "-o", raw)}[program])
        # With half a second of silence on both sides.
        run_program("ffmpeg", "-v", "error", "-y", "-i", raw, "-ar", "16000", "-ac", "1", "-af", "adelay=500,apad=pad_dur=0.5",
                    "-bitexact", part)
        raw.unlink()
        part.rename(path)
    return path


def label(model):
    """The name of a model that is given by name or as a file."""
    return Path(model).stem if "/" in model else model


def transcribe(way, model, listed, items, options):
    """The text of each recording by its id."""
    paths = {item["id"]: recording(item, options) for item in items}
    if way == "hotwords":
        files = {"ct2": str(options.models / f"ct2-{label(model)}")}
        peer = Peer("faster-whisper int8", Environment(options), files, options.threads, timeout=3600)
        texts = peer.texts(paths.values(), beams=5, fallback=True, hotwords=", ".join(listed) or None)
        peer.close()
        return dict(zip(paths, texts))
    common = ["--no-config", "--no-vocabulary", "--model", model, "--language", "en", "--threads", options.threads,
              *shlex.split(options.options), *(["--terms", ",".join(listed)] if listed else [])]
    if way == "live":
        return {name: run_program(options.program, "live", "--no-timestamps", "--deterministic", "--speed", "max", "--file", path, *common)
                for name, path in paths.items()}
    with tempfile.TemporaryDirectory() as out:
        run_program(options.program, "transcribe", "--quiet", *common, "--beam-size", 5 if way == "beams" else 1,
                    "--output-format", "txt", "--output-dir", out, *paths.values())
        return {path.stem: path.read_text(encoding="utf-8") for path in Path(out).glob("*.txt")}


def timed(*arguments):
    """Returns (seconds of processor time, texts)."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    texts = transcribe(*arguments)
    return used() - before, texts


def measure(name, *arguments, options):
    """The texts and the processor time of a row, which is computed on first use."""
    path = options.texts / f"{name}.json"
    if not path.exists() and options.report:
        return None
    if not path.exists():
        print(name, file=sys.stderr, flush=True)
        seconds, texts = timed(*arguments, options)
        path.write_text(json.dumps({"seconds": round(seconds, 1), "texts": texts}, ensure_ascii=False, indent=0) + "\n")
    return json.loads(path.read_text())


#: Their names in the table.
WAYS = {"beams": "5 beams", "greedy": "greedy", "live": "live", "hotwords": "faster-whisper, 5 beams, `hotwords`"}


def jobs(options):
    """(name, way, model, the terms and distractors) of each row."""
    terms, distractors = lines(options.terms), lines(options.distractors) if options.distractors else []
    for model in options.model.split(","):
        for way in options.ways.split(","):
            for count in options.counts.split(","):
                listed = [] if count == "none" else list(dict.fromkeys(terms + distractors[:int(count)]))
                with_terms = "no terms" if count == "none" else f"{len(terms)} terms, {count} distractors"
                name = f"{label(model)}, {WAYS[way]}, {with_terms}"
                name += f", `{options.options}`" if options.options else ""
                if options.only in name:
                    yield name, way, model, listed


def scores(options):
    """The rows of the table."""
    items = json.loads((options.folder / "set.json").read_text(encoding="utf-8"))
    scored = [item for item in items if options.score.search(item["id"])]
    for name, way, model, listed in jobs(options):
        found = measure(name.replace("`", ""), way, model, listed, items, options=options)
        if found:
            yield [name, *score(scored, found["texts"], listed or lines(options.terms)), f"{found['seconds']:.0f}"]


def times(options):
    """The rows of the table with --rounds."""
    said = words(options.folder.with_suffix(".txt").read_text(encoding="utf-8"))
    path, name = options.folder, options.folder.stem
    options.folder = path.parent
    rows = {job[0]: [] for job in jobs(options)}
    for _ in range(options.rounds):
        for row, way, model, listed in jobs(options):
            unsaid = [term for term in listed if not places(words(term), said)]
            rows[row].append(timed(way, model, unsaid, [{"id": name}], options))
    firsts = {}
    for row, way, model, _ in jobs(options):
        first = firsts.setdefault((way, model), rows[row])
        text, other = (words(found[0][1][name]) for found in (rows[row], first))
        differences = sum(i is None or j is None or text[i] != other[j] for i, j in alignment(text, other))
        more = median(100 * (own / before - 1) for (own, _), (before, _) in zip(rows[row], first))
        yield [row, f"{median(seconds for seconds, _ in rows[row]):.2f}", f"{more:+.1f}", differences]


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("terms", type=Path)
    parser.add_argument("--distractors", type=Path)
    parser.add_argument("--counts", default="none,0", help="numbers of distractors (default: %(default)s)")
    parser.add_argument("--ways", default="beams,greedy", help=f"some of {','.join(WAYS)} (default: %(default)s)")
    parser.add_argument("--model", default="tiny.en", help="names or files, separated by commas (default: %(default)s)")
    parser.add_argument("--options", default="", help="further options of whisper-local, such as --options='--audio-ctx auto'")
    parser.add_argument("--score", type=re.compile, metavar="REGEX", default=re.compile(""), help="score only recordings whose id matches")
    parser.add_argument("--rounds", type=int, metavar="N", help="measure only the time, in N rounds")
    add_threads(parser)
    add_files(parser, "vocabulary")
    options = parser.parse_args()
    if options.rounds:
        columns, rows = TIME_COLUMNS, times(options)
    else:
        options.texts /= options.folder.resolve().name
        options.texts.mkdir(parents=True, exist_ok=True)
        columns, rows = COLUMNS, scores(options)
    print(table([(title, index, "{}") for index, title in enumerate(columns)], [dict(enumerate(row)) for row in rows]))


if __name__ == "__main__":
    main()
