"""Code shared by the benchmark scripts: paths, options, running whisper-local, tables and results files."""
import argparse
import datetime
import json
import os
import platform
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent
ROOT = BENCHMARKS.parent
NANO = ROOT / "Models/nano.en.ggml.bin"
COMPUTE_TYPES = ("float32", "bfloat16", "int16", "int8")


def argument_parser(description, rounds=None):
    """A parser with the options that all benchmarks have; `rounds` is the default number of rounds, if there are any."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    if rounds:
        parser.add_argument("--rounds", type=int, default=rounds,
                            help="how often to repeat each measurement (default: %(default)s)")
    parser.add_argument("--program", type=Path, default=ROOT / ".build/release/whisper-local",
                        help="the whisper-local executable (default: the release build)")
    return parser


def add_name(parser):
    parser.add_argument("--name", default="latest", help="name of the results files (default: %(default)s)")


def add_threads(parser):
    parser.add_argument("--threads", type=int, default=available_cores(),
                        help="number of threads (default: one per available core, %(default)s)")


def add_random_models(parser):
    parser.add_argument("--sizes", default="tiny.en,base.en,small.en",
                        help="sizes of the random models, separated by commas (default: %(default)s)")
    parser.add_argument("--models", type=Path, default=ROOT / ".build/benchmark-models",
                        help="folder that the models are generated in (default: .build/benchmark-models)")


def available_cores():
    return len(os.sched_getaffinity(0))


def fail(what, advice, status=69):
    """Ends the program as whisper-local does."""
    print(f"error: {what}\ntry: {advice}", file=sys.stderr)
    sys.exit(status)


def stop_at_once():
    """Lets Ctrl-C, SIGTERM and SIGHUP end this process and everything that it has started, which may compute for minutes."""
    def stop(number, _):
        for process in descendants():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, stop)


def descendants():
    """The processes that descend from this one."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # `PID (NAME) STATE PARENT …`; the name may contain anything.
            parents[int(folder.name)] = int((folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            pass
    found, ancestors = set(), {os.getpid()}
    while ancestors:
        ancestors = {process for process, parent in parents.items() if parent in ancestors} - found
        found |= ancestors
    return found


def run_program(program, *arguments, environment=None):
    """Runs whisper-local and returns its standard output; if it fails, exits with its error message."""
    command = [str(argument) for argument in (program, *arguments)]
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    if result.returncode:
        raise SystemExit(f"{shlex.join(command)}\n{result.stderr}")
    return result.stdout


def bench(program, model, compute_type, threads, tokens=None, beam_size=1, rounds=3, environment=None, options=()):
    """Returns what `whisper-local bench --json` measures for one window; `tokens` and `beam_size` are for Whisper."""
    search = ["--beam-size", beam_size, "--tokens", tokens] if tokens else []
    return json.loads(run_program(
        program, "bench", "--no-config", "--json", "--rounds", rounds, "--model", model, "--compute-type", compute_type,
        "--threads", threads, *search, *options, environment=environment))


def transcribe(program, paths, model, compute_type, threads, beams=1, batch=1, language=None, previous=False, vad=False,
               guard=False, fallback=False, environment=None):
    """Returns (seconds, texts) for some recordings, including starting the program and loading the model.

    `previous`: prompt with the previous text; `fallback`: decode bad windows again at higher temperatures; `guard`: use
    the safeguards against invented text, which no other program has.
    """
    arguments = [f"--condition-on-previous-text={str(previous).lower()}", f"--guard={str(guard).lower()}"]
    arguments += ["--language", language] if language else []
    arguments += ["--batch-size", batch] if batch > 1 else []
    arguments += ["--vad-filter"] if vad else []
    arguments += [] if fallback else ["--temperature-increment-on-fallback", "None"]
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        run_program(
            program, "transcribe", "--no-config", "--quiet", "--model", model, "--beam-size", beams, "--threads", threads,
            "--compute-type", compute_type, *arguments, "--output-format", "json", "--output-dir", folder, *paths,
            environment=environment)
        seconds = time.perf_counter() - start
        return seconds, [json.loads((Path(folder) / f"{Path(path).stem}.json").read_text())["text"] for path in paths]


def version(program):
    return run_program(program, "--version").splitlines()[0]


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def today():
    return datetime.date.today().isoformat()


def table(columns, rows):
    """A Markdown table; `columns` are (title, key, format), and a missing value is shown as a dash."""
    lines = ["| " + " | ".join(title for title, _, _ in columns) + " |", "|" + " --- |" * len(columns)]
    for row in rows:
        cells = [("–" if row.get(key) is None else form.format(row[key])) for _, key, form in columns]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_results(name, data, report):
    """Writes results/NAME.json and results/NAME.md, and prints the report."""
    write_json(name, data)
    (BENCHMARKS / "results" / f"{name}.md").write_text(report)
    print(report, flush=True)


def write_json(name, data):
    folder = BENCHMARKS / "results"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n")


def replace_section(path, name, text):
    """Replaces the text between `<!-- NAME -->` and `<!-- end of NAME -->` in a document, and prints the new text."""
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = path.read_text().partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{path}: no section '{name}'")
    path.write_text(f"{before}{start}\n{text}\n\n{end}{after}")
    print(text, flush=True)
