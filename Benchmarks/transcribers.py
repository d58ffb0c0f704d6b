"""whisper-local and its peers with OpenAI's models, in several number formats: recordings in, texts out."""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import BENCHMARKS, ROOT, processor, replace_section, run_program, today, version, write_json
from peers import Peer

#: Where `scripts/setup.sh --tests` installs models and recordings.
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "whisper-local/tests"
BEAMS, BATCH = 5, 8
#: Files of each model; those without a name are converted from the checkpoint.
FILES = {"pt": "{}.pt", "ct2": "ct2-{}", "ggml": "ggml-{}.bin", "q8_0": None, "q5_0": None}
#: whisper-local's number formats: name, model file, compute type.
OURS = [("float32", "pt", "float32"), ("bfloat16", "pt", "bfloat16"), ("int8", "pt", "int8"), ("q8_0", "q8_0", "float32"),
        ("q5_0", "q5_0", "float32")]
PEERS = [("faster-whisper float32", "faster_whisper", "ct2", "float32"),
         ("faster-whisper int8", "faster_whisper", "ct2", "int8"),
         ("whisper.cpp f16", "whisper_cpp", "ggml", "f16"), ("whisper.cpp q8_0", "whisper_cpp", "q8_0", "q8_0"),
         ("whisper.cpp q5_0", "whisper_cpp", "q5_0", "q5_0"),
         ("openai-whisper float32", "openai_whisper", "pt", "float32")]
NAMES = [f"whisper-local {name}" for name, _, _ in OURS] + [name for name, _, _, _ in PEERS]


def add_files(parser, texts):
    """Options for the folders that are read and written; `texts` is the name of the folder in .build."""
    parser.add_argument("--models", type=Path, default=CACHE / "models", help="folder of the models (default: %(default)s)")
    parser.add_argument("--speech", type=Path, default=CACHE / "speech",
                        help="folder of the recordings (default: %(default)s)")
    parser.add_argument("--texts", type=Path, default=ROOT / f".build/{texts}",
                        help=f"folder for what the engines wrote (default: .build/{texts})")
    parser.add_argument("--environment", type=Path, default=ROOT / ".build/peers",
                        help="virtual environment for the peers (default: .build/peers)")
    parser.add_argument("--only", default="", help="run only jobs whose name contains this")
    parser.add_argument("--report", action="store_true", help="run nothing, only write the tables")


class WhisperLocal:
    """whisper-local, with the way to transcribe given by names: previous, vad, batch, guard."""

    def __init__(self, name, file, compute_type, options, files):
        self.name, self.program = f"whisper-local {name}", options.program
        self.common = ["--no-config", "--quiet", "--model", files[file], "--compute-type", compute_type, "--beam-size",
                       BEAMS, "--threads", options.threads]

    def supports(self, way):
        return True

    def texts(self, paths, language, way):
        """What is heard in each recording."""
        arguments = [f"--condition-on-previous-text={str(way.get('previous', False)).lower()}"]
        arguments += ["--vad-filter"] if way.get("vad") else []
        arguments += ["--batch-size", way["batch"]] if way.get("batch") else []
        arguments += ["--guard"] if way.get("guard") else []
        with tempfile.TemporaryDirectory() as folder:
            run_program(self.program, "transcribe", *self.common, "--language", language, *arguments,
                        "--output-format", "json", "--output-dir", folder, *paths)
            return [json.loads((Path(folder) / f"{path.stem}.json").read_text())["text"] for path in paths]

    def close(self):
        pass


class PeerTexts:
    """A peer that is started for its first job."""

    def __init__(self, name, engine, file, compute_type, environment, files, threads):
        self.name, self.engine = name, engine
        self.start = lambda: Peer(name, engine, file, compute_type, environment, files, threads, timeout=3600)
        self.peer = None

    def supports(self, way):
        return "guard" not in way and (self.engine == "faster_whisper" or not {"vad", "batch"} & way.keys())

    def texts(self, paths, language, way):
        """What is heard in each recording; `None` if one of them takes more than an hour, because it may never end."""
        self.peer = self.peer or self.start()
        results = [self.peer.run("recording", path=str(path), beams=BEAMS, language=language,
                                 fallback=True, **way) for path in paths]
        return [result["text"] for result in results] if all(results) else None

    def close(self):
        if self.peer:
            self.peer.close()
            self.peer = None


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
    """Runs the engines that have not transcribed these recordings yet, and keeps what they heard."""
    for engine in engines:
        path = text_file(engine.name, label, options)
        if path.exists() or not engine.supports(way) or options.only not in path.stem:
            continue
        start = time.perf_counter()
        path.write_text(json.dumps(engine.texts(paths, language, way), ensure_ascii=False) + "\n")
        engine.close()
        print(f"{path.stem}: {time.perf_counter() - start:.0f} s", file=sys.stderr)


def text_file(engine, label, options):
    return options.texts / f"{engine}, {label}.json"


def all_engines(model, environment, options):
    files = model_files(model, options)
    return ([WhisperLocal(*row, options, files) for row in OURS]
            + [PeerTexts(*row, environment, files, options.threads) for row in PEERS])


def normalized(texts, environment):
    """The words of each (language, text)."""
    result = subprocess.run([environment.python, str(BENCHMARKS / "engines/normalize.py")], input=json.dumps(texts),
                            capture_output=True, text=True, check=True, env=environment.variables)
    return [text.split() for text in json.loads(result.stdout)]


def write_report(name, counts, markdown, environment, options):
    """Writes results/NAME.json, and the table into its section of docs/words.md."""
    about = {"processor": processor(), "date": today(), "versions": environment.versions(),
             "program": version(options.program)}
    write_json(name, {"about": about, "counts": counts})
    replace_section(ROOT / "docs/words.md", f"{name}.py", markdown(counts))
