"""Compares the Python package with faster-whisper: seconds and wrong words of the same recording through both, one
window at a time and batched, greedy and with five beams, in one run. Writes the table of docs/python.md.

    python -m venv .build/faster-whisper && .build/faster-whisper/bin/pip install faster-whisper==1.2.1
    .build/faster-whisper/bin/pip install dist/*.whl
    python Benchmarks/python_package.py
"""
import json
import os
import subprocess
import tempfile
from pathlib import Path

from harness import BENCHMARKS, ROOT, add_threads, argument_parser, processor, replace_section, table, today, write_json
from recording import compose_prompts, normalized, word_errors
from transcribers import BATCH, BEAMS, CACHE

MODES = {"greedy": {"beam_size": 1, "batch": 0}, f"{BEAMS} beams": {"beam_size": BEAMS, "batch": 0},
         "greedy, batched": {"beam_size": 1, "batch": BATCH},
         f"{BEAMS} beams, batched": {"beam_size": BEAMS, "batch": BATCH}}
#: Column: package, compute type, further arguments.
PACKAGES = {"faster-whisper, float32": ("faster_whisper", "float32", {}),
            "faster-whisper, int8": ("faster_whisper", "int8", {}),
            "whisper_local": ("whisper_local", "default", {}),
            "whisper_local, int8": ("whisper_local", "int8", {}),
            "whisper_local, float32, `guard=False`": ("whisper_local", "float32", {"guard": False})}


class Package:
    """A process with a package and a model in memory."""

    def __init__(self, python, package, compute_type, model, threads):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}
        self.process = subprocess.Popen(
            [str(python), str(BENCHMARKS / "engines/package_worker.py"), package], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env=environment | {"HF_HUB_OFFLINE": "1"})
        self.run("load", path=str(model), threads=threads, compute_type=compute_type)

    def run(self, job, **arguments):
        self.process.stdin.write(json.dumps({"job": job, **arguments}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the worker exited during this job: {job}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argument_parser(__doc__, rounds=2)
    add_threads(parser)
    parser.add_argument("--python", type=Path, default=ROOT / ".build/faster-whisper/bin/python",
                        help="a Python with both packages (default: .build/faster-whisper/bin/python)")
    parser.add_argument("--minutes", type=float, default=10, help="length of the recording (default: %(default)g)")
    parser.add_argument("--model", default="tiny.en", help="a model of scripts/setup.sh --tests (default: %(default)s)")
    parser.add_argument("--language", default="en", help="of the recording (default: %(default)s)")
    options = parser.parse_args()
    folder = CACHE / "models"
    with tempfile.TemporaryDirectory() as temporary:
        recording = Path(temporary) / "speech.wav"
        seconds, text = compose_prompts(CACHE / "speech", options.language, options.minutes, recording)
        path = folder / f"ct2-{options.model}"
        packages = {name: Package(options.python, package, compute_type, path, options.threads)
                    for name, (package, compute_type, _) in PACKAGES.items()}
        results = {}
        # In turn, so that other load on the machine hits all of them.
        for round in range(options.rounds + 1):
            for mode, arguments in MODES.items():
                for name, package in packages.items():
                    found = package.run("recording", path=str(recording), language=options.language, **arguments,
                                        **PACKAGES[name][2])
                    # The first round warms up.
                    if round or options.rounds == 0:
                        results.setdefault((mode, name), []).append(found)
        for package in packages.values():
            package.close()
    reference = normalized(text)
    rows, data = [], []
    for mode in MODES:
        row = {"mode": mode}
        for name in PACKAGES:
            runs = results[mode, name]
            fastest = min(run["seconds"] for run in runs)
            errors = word_errors(reference, normalized(runs[-1]["text"])) / len(reference)
            row[name] = f"{fastest:.1f} s, {errors:.1%}"
            data.append({"mode": mode, "package": name, "seconds": fastest, "word_error_rate": errors})
        best = min(entry["seconds"] for entry in data[-len(PACKAGES):] if entry["package"].startswith("faster-whisper"))
        default = next(entry["seconds"] for entry in data[-len(PACKAGES):] if entry["package"] == "whisper_local")
        row["ratio"] = f"{best / default:.1f}"
        rows.append(row)
    columns = [("", "mode", "{}")] + [(name, name, "{}") for name in PACKAGES] + [("times as fast", "ratio", "{}")]
    script = ("import importlib.metadata as m\nprint(', '.join(f'{n} {m.version(n)}' for n in "
              "('faster-whisper', 'ctranslate2', 'whisper-local-engine')))")
    versions = subprocess.run(
        [str(options.python), "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    command = f"Benchmarks/python_package.py --minutes {options.minutes:g} --rounds {options.rounds}"
    command += "" if options.model == "tiny.en" else f" --model {options.model} --language {options.language}"
    about = (f"{seconds / 60:.1f} minutes of speech, {options.model}, {options.threads} threads of an {processor()}, "
             f"{today()}, `{command}`, with {versions}. Seconds from the call to the last segment, and wrong words; the "
             "last column compares whisper_local's default with the faster of faster-whisper's.")
    write_json("python_package", {"about": about, "results": data})
    replace_section(ROOT / "docs/python.md", "python_package.py", f"{about}\n\n{table(columns, rows)}")


if __name__ == "__main__":
    main()
