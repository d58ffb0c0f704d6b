#!/usr/bin/env python3
"""Measures how well `transcribe --terms` recognizes names and terms, and how often it invents them.

    Benchmarks/vocabulary.py FOLDER TERMS [--distractors FILE] [--counts none,0,100,1000] [--beams 5,1] [--model MODEL]

FOLDER has ID.wav for each entry {"id", "text", "terms"} of set.json, a list; "terms" are those of the list that the text
contains. TERMS and the distractors, which are never said, have one term a line. Prints a Markdown table with a row for
each number of beams and of distractors (`none` is without any terms):

  recall     terms that were said and written, of those that were said, whatever their letter case; exact: with it
  precision  terms in the text that were said, of all terms in it
  false      terms written where they were not said, in recordings with a term and in those without
  WER        word errors in percent: of all recordings, of those without a term, and of the words around terms
  seconds    of computing for all recordings
"""
import json
import re
import resource
import tempfile
import unicodedata
from collections import Counter
from pathlib import Path

from harness import add_threads, argument_parser, run_program, table

DIGITS = {word: str(digit) for digit, word in enumerate("zero one two three four five six seven eight nine ten".split())}
COLUMNS = ("", "recall", "exact", "precision", "false", "WER", "without a term", "around terms", "seconds")


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
        total["around", "errors"] += is_wrong and not touches_term
        last = last if i is None else i
    total[group, "words"] += len(said)
    total["around", "words"] += len(said) - len(inside)


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
            *(percent(total[group, "errors"], total[group, "words"]) for group in ("without", "around"))]


def lines(path):
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line]


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("terms", type=Path)
    parser.add_argument("--distractors", type=Path)
    parser.add_argument("--counts", default="none,0", help="numbers of distractors (default: %(default)s)")
    parser.add_argument("--beams", default="5,1", help="numbers of beams (default: %(default)s)")
    parser.add_argument("--model", default="tiny.en")
    add_threads(parser)
    options = parser.parse_args()
    items = json.loads((options.folder / "set.json").read_text(encoding="utf-8"))
    terms, distractors = lines(options.terms), lines(options.distractors) if options.distractors else []
    rows = []
    for beams in options.beams.split(","):
        for count in options.counts.split(","):
            listed = terms if count == "none" else list(dict.fromkeys(terms + distractors[:int(count)]))
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            with tempfile.TemporaryDirectory() as out:
                run_program(
                    options.program, "transcribe", "--no-config", "--quiet", "--model", options.model, "--language", "en",
                    "--threads", options.threads, "--beam-size", beams, "--output-format", "txt", "--output-dir", out,
                    *([] if count == "none" else ["--terms", ",".join(listed)]),
                    *(options.folder / f"{item['id']}.wav" for item in items))
                texts = {path.stem: path.read_text(encoding="utf-8") for path in Path(out).glob("*.txt")}
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            name = "no terms" if count == "none" else f"{len(terms)} terms, {count} distractors"
            rows.append([f"{beams} beams, {name}", *score(items, texts, listed), f"{seconds:.0f}"])
    print(table([(title, index, "{}") for index, title in enumerate(COLUMNS)], [dict(enumerate(row)) for row in rows]))


if __name__ == "__main__":
    main()
