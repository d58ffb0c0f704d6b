#!/usr/bin/env python3
"""Counts wrong words in recordings of human speech, for whisper-local and its peers, with OpenAI's tiny.en and base.

    Benchmarks/words.py                          whatever results/words.json lacks: takes hours
    Benchmarks/words.py --only 'base fr long'    only jobs whose name contains this
    Benchmarks/words.py --report                 only write the tables, from existing results

The recordings are those of `scripts/setup.sh --tests`: for each of five languages over 200 prompts by one voice, as single
files and as one ten-minute recording. Texts are compared after normalization with openai-whisper's normalizers: the English
one for English, the basic one otherwise. All engines use beam size 5 and otherwise their own defaults, so windows that
fail a check are decoded again at higher temperatures.

Transcripts are stored in .build/words. Tables: docs/words.md; counts: Benchmarks/results/words.json. Remove an
entry there to count it again.
"""
import json

from harness import add_threads, argument_parser, table
from peers import RECOGNIZERS, Environment
from recording import word_errors
from transcribers import BATCH, OURS, add_files, earlier_counts, engines, missing_texts, normalized, text_file, write_report

#: The engines, in the order of the tables.
NAMES = [name for name in OURS if name != "whisper-local auto"] + RECOGNIZERS
#: Model and language of each column.
COLUMNS = [("tiny.en", "en"), ("base", "en"), ("base", "fr"), ("base", "es"), ("base", "it"), ("base", "ru")]
#: Ways to transcribe a long recording.
WAYS = {
    "defaults": {"previous": True, "guard": True},
    "--guard false": {"previous": True},
    "without previous text": {"guard": True},
    "--vad-filter": {"previous": True, "vad": True, "guard": True},
    "--batch-size 8": {"batch": BATCH, "guard": True},
}
#: Options that only whisper-local has.
OWN_WAYS = ("--guard false", "without previous text")
#: What is measured, the most telling first.
TABLES = ([("long", "defaults"), ("prompts", "defaults")] + [("long", way) for way in list(WAYS)[1:]]
          + [("prompts", "--guard false")])
#: Running everything would take days on two cores. With default options all formats run, the peers' only on ten minutes
#: of speech; with other options, ours in these formats (single prompts only in float32), and the peers that support
#: speech detection and batches.
PEER_FORMATS = ("float32", "f16")
OTHER_FORMATS = ("float32", "bfloat16", "int8")
REFERENCE, OWN = "openai-whisper float32", "whisper-local float32"
#: Aims in percentage points: float32 and the reference, faster formats and float32, every format and the best peer.
TO_REFERENCE, TO_FLOAT32, TO_BEST = 0.1, 0.3, 0.3


def recordings(kind, language, speech):
    """Paths and what is said in them."""
    if kind == "long":
        return [speech / f"long-{language}.wav"], [(speech / f"long-{language}.txt").read_text()]
    prompts = json.loads((speech / f"{language}.json").read_text())
    return [speech / language / prompt["file"] for prompt in prompts], [prompt["text"] for prompt in prompts]


def label(model, language, kind, way):
    return f"{model} {language} {kind}, {way}"


def is_measured(name, kind, way):
    if way == "defaults":
        return name in OURS or kind == "long" or name.endswith(PEER_FORMATS)
    if kind == "prompts":
        return name == OWN
    return name.endswith(OTHER_FORMATS) and (name in OURS or way not in OWN_WAYS)


def transcribe_all(options, environment):
    counted = earlier_counts("words")
    for kind, way in TABLES:
        for model, language in COLUMNS:
            paths, _ = recordings(kind, language, options.speech)
            names = [name for name in NAMES
                     if is_measured(name, kind, way) and (name, model, language, kind, way) not in counted]
            missing_texts(engines(names, model, environment, options), WAYS[way], label(model, language, kind, way),
                          paths, language, options)


def count_errors(options, environment):
    """Returns [{engine, model, language, kind, way, errors, words}] for all existing transcripts."""
    entries, texts = [], []
    for kind, way in TABLES:
        for model, language in COLUMNS:
            for name in NAMES:
                path = text_file(name, label(model, language, kind, way), options)
                if not path.exists():
                    continue
                said, heard = recordings(kind, language, options.speech)[1], json.loads(path.read_text())
                entries.append({"engine": name, "model": model, "language": language, "kind": kind, "way": way,
                                "errors": None, "words": None, "texts": len(said) if heard else 0})
                for pair in zip(said, heard or []):
                    texts += [(language, text) for text in pair]
    words = iter(normalized(texts, environment))
    for entry in entries:
        pairs = [(next(words), next(words)) for _ in range(entry.pop("texts"))]
        if pairs:
            entry["errors"] = sum(word_errors(*pair) for pair in pairs)
            entry["words"] = sum(len(said) for said, _ in pairs)
    return entries


def percentages(entries, kind, way):
    """{engine: {column: percentage of wrong words}}"""
    rates = {}
    for entry in entries:
        if (entry["kind"], entry["way"]) == (kind, way) and entry["words"]:
            column = f"{entry['model']} {entry['language']}"
            rates.setdefault(entry["engine"], {})[column] = 100 * entry["errors"] / entry["words"]
    return rates


def misses(engine, column, rates, defaults):
    """Whether a figure of ours misses a target. Where no peer has the option, it is compared with their defaults."""
    ours = rates[engine]

    def peers_of(rows):
        return {name: row[column] for name, row in rows.items() if not name.startswith("whisper-local") and column in row}

    peers = peers_of(rates) or peers_of(defaults)
    targets = [(min(peers.values(), default=None), TO_BEST)]
    if engine == OWN:
        targets.append((peers.get(REFERENCE), TO_REFERENCE))
    else:
        targets.append((rates.get(OWN, {}).get(column), TO_FLOAT32))
    return engine.startswith("whisper-local") and any(
        other is not None and ours[column] - other > target + 1e-9 for other, target in targets)


def markdown(entries):
    columns = [("", "engine", "{}"), ("options", "way", "{}")]
    columns += [(f"{model}, {language}", f"{model} {language}", "{}") for model, language in COLUMNS]
    parts = []
    for title, kind in (("Ten minutes", "long"), ("Single prompts", "prompts")):
        rows = []
        defaults = percentages(entries, kind, "defaults")
        for way in WAYS:
            rates = percentages(entries, kind, way)
            for name in NAMES:
                if name in rates:
                    figures = {column: f"{rate:.1f}" + (" \\*" if misses(name, column, rates, defaults) else "")
                               for column, rate in rates[name].items()}
                    rows.append({"engine": name, "way": way} | figures)
        if rows:
            parts += [f"### {title}", table(columns, rows)]
    return "\n\n".join(parts)


def main():
    parser = argument_parser(__doc__)
    add_threads(parser)
    add_files(parser, "words")
    options = parser.parse_args()
    options.texts.mkdir(parents=True, exist_ok=True)

    environment = Environment(options)
    if not options.report:
        transcribe_all(options, environment)
    write_report("words", count_errors(options, environment), markdown, environment, options)


if __name__ == "__main__":
    main()
