"""whisper-local, and its peers with OpenAI's models, in several number formats: recordings in, texts out."""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from harness import (BENCHMARKS, ROOT, bench, processor, replace_section, run_program, today, transcribe, version,
                     write_json)
from peers import Peer, add_environment

#: Where `scripts/setup.sh --tests` installs models and recordings.
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "whisper-local/tests"
BEAMS, BATCH = 5, 8
#: Ways to transcribe a recording, compared by speed.
MODES = {"greedy": {"beams": 1}, "greedy, batched": {"beams": 1, "batch": BATCH},
         f"beam {BEAMS}": {"beams": BEAMS}, f"beam {BEAMS}, batched": {"beams": BEAMS, "batch": BATCH}}
#: Files of each model; those without a name are converted from the checkpoint.
FILES = {"pt": "{}.pt", "ct2": "ct2-{}", "ggml": "ggml-{}.bin", "q8_0": None, "q5_0": None}
#: whisper-local's number formats: name in the tables, model file, compute type.
OURS = {f"whisper-local {name}": (file, compute_type) for name, file, compute_type in (
    ("auto", "pt", "auto"), ("float32", "pt", "float32"), ("bfloat16", "pt", "bfloat16"), ("int16", "pt", "int16"),
    ("int8", "pt", "int8"), ("q8_0", "q8_0", "auto"), ("q5_0", "q5_0", "auto"))}


def add_files(parser, texts):
    """Options for the folders that are read and written; `texts` is the name of the folder in .build."""
    parser.add_argument("--models", type=Path, default=CACHE / "models", help="folder of the models (default: %(default)s)")
    parser.add_argument("--speech", type=Path, default=CACHE / "speech",
                        help="folder of the recordings (default: %(default)s)")
    parser.add_argument("--texts", type=Path, default=ROOT / f".build/{texts}",
                        help=f"folder for the engines' transcripts (default: .build/{texts})")
    add_environment(parser)
    parser.add_argument("--only", default="", help="run only jobs whose name contains this")
    parser.add_argument("--report", action="store_true", help="run nothing, only write the tables")


class WhisperLocal:
    """whisper-local, started for each job: the time for a recording includes startup and loading the model."""

    load_ms = 0

    def __init__(self, name, model, compute_type, program, environment, threads):
        self.name = name
        self.arguments = {"program": program, "model": model, "compute_type": compute_type, "threads": threads,
                          "environment": environment.variables}

    def supports(self, job, **_):
        return True

    def run(self, job, beams, tokens=None, path=None, **way):
        if job == "window":
            result = bench(tokens=tokens, beam_size=beams, rounds=2, **self.arguments)
            return result | {"peak_bytes": result["peak_rss_bytes"],
                             "decode_ms": result["window_ms"] - result["mel_ms"] - result["encode_ms"]}
        seconds, (text,) = transcribe(paths=[path], beams=beams, **way, **self.arguments)
        return {"file_ms": seconds * 1000, "text": text}

    def texts(self, paths, **way):
        """The transcript of each recording."""
        return transcribe(paths=paths, **way, **self.arguments)[1]

    def close(self):
        pass


def model_files(model, options):
    """The files of a model by format; quantized ones are converted once."""
    files = {}
    for name, pattern in FILES.items():
        path = options.models / pattern.format(model) if pattern else options.texts / f"ggml-{model}-{name}.bin"
        if not pattern and not path.exists():
            run_program(options.program, "models", "convert", options.models / f"{model}.pt", path, "--type", name)
        files[name] = str(path)
    return files


def missing_texts(engines, way, label, paths, language, options):
    """Runs the engines that have not transcribed these recordings yet, and stores their transcripts."""
    for engine in engines:
        path = text_file(engine.name, label, options)
        if path.exists() or not engine.supports("recording", **way) or options.only not in path.stem:
            continue
        start = time.perf_counter()
        texts = engine.texts(paths, beams=BEAMS, language=language, fallback=True, **way)
        path.write_text(json.dumps(texts, ensure_ascii=False) + "\n")
        engine.close()
        print(f"{path.stem}: {time.perf_counter() - start:.0f} s", file=sys.stderr)


def text_file(engine, label, options):
    return options.texts / f"{engine}, {label}.json"


def engines(names, model, environment, options, timeout=3600):
    """The engines with these names, in this order; a peer may spend `timeout` seconds on a recording."""
    files = model_files(model, options)

    def engine(name):
        if name in OURS:
            file, compute_type = OURS[name]
            return WhisperLocal(name, files[file], compute_type, options.program, environment, options.threads)
        return Peer(name, environment, files, options.threads, timeout)

    return [engine(name) for name in names]


def normalized(texts, environment):
    """The normalized words of each (language, text)."""
    result = subprocess.run([environment.python, str(BENCHMARKS / "engines/normalize.py")], input=json.dumps(texts),
                            capture_output=True, text=True, check=True, env=environment.variables)
    return [text.split() for text in json.loads(result.stdout)]


def job(entry):
    """What identifies a count: all of it except the numbers and where they come from."""
    return tuple(entry.get(key) for key in ("engine", "model", "language", "kind", "way"))


def earlier_counts(name):
    """The counts in results/NAME.json by job, also those of other machines."""
    path = BENCHMARKS / f"results/{name}.json"
    return {job(entry): entry for entry in json.loads(path.read_text())["counts"]} if path.exists() else {}


def write_report(name, counts, markdown, environment, options):
    """Adds the counts to results/NAME.json, and writes the table into its section of docs/words.md."""
    about = {"processor": processor(), "date": today(), "versions": environment.versions(),
             "program": version(options.program)}
    counts = list((earlier_counts(name) | {job(entry): entry | {"processor": processor()} for entry in counts}).values())
    write_json(name, {"about": about, "counts": counts})
    replace_section(ROOT / "docs/words.md", f"{name}.py", markdown(counts))
