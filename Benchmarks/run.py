#!/usr/bin/env python3
"""Times whisper-local on this machine and writes a table.

    Benchmarks/run.py                      the model that comes with the program
    Benchmarks/run.py MODEL…               other models, by name or path
    Benchmarks/run.py --rounds 9 --name quiet-laptop MODEL

Every combination of number format, beams and threads is measured in turn, several times over, so that what else the machine
does falls on all of them alike; the table holds the medians. Results: Benchmarks/results/NAME.md and NAME.json.
"""
import argparse
import datetime
import json
import platform
import statistics
import subprocess
from pathlib import Path

here = Path(__file__).resolve().parent
program = here.parent / ".build/release/whisper-local"
FIELDS = ("load_ms", "mel_ms", "encode_ms", "decode_ms_per_token", "window_ms")


def measure(model, kind, beams, threads, tokens):
    words = [str(program), "bench", "--no-config", "--json", "--rounds", "3", "--model", model, "--compute-type", kind,
             "--beam-size", str(beams), "--threads", str(threads), "--tokens", str(tokens)]
    answer = subprocess.run(words, capture_output=True, text=True)
    if answer.returncode:
        raise SystemExit(f"{' '.join(words)}\n{answer.stderr}")
    return json.loads(answer.stdout)


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=["nano.en"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--name", default="latest")
    options = parser.parse_args()

    rows = [(model, kind, beams, threads) for model in options.models for kind in ("float32", "bfloat16", "int8")
            for beams in (1, 5) for threads in (1, 2)]
    found = {row: [] for row in rows}
    for _ in range(options.rounds):
        for row in rows:
            found[row].append(measure(*row, options.tokens))

    results = []
    for (model, kind, beams, threads), runs in found.items():
        medians = {field: statistics.median(run[field] for run in runs) for field in FIELDS}
        medians |= {"model": Path(model).stem, "backend": runs[0]["backend"], "beam_size": beams, "threads": threads,
                    "compute_type": kind, "tokens": options.tokens,
                    "times_real_time": 30_000 / medians["window_ms"],
                    "peak_rss_bytes": max(run["peak_rss_bytes"] for run in runs)}
        results.append(medians)

    version = subprocess.run([str(program), "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    about = {"version": version, "processor": processor(), "system": platform.platform(),
             "date": datetime.date.today().isoformat(), "rounds": options.rounds,
             "command": "Benchmarks/run.py " + " ".join(Path(model).name for model in options.models)}
    folder = here / "results"
    folder.mkdir(exist_ok=True)
    (folder / f"{options.name}.json").write_text(json.dumps({"about": about, "results": results}, indent=1) + "\n")
    lines = [f"# {version} on {about['processor']}", "",
             f"`{about['command']}`, {about['date']}, medians of {options.rounds} runs in turn; milliseconds; a window is "
             f"30 s of sound and {options.tokens} tokens.", "",
             "| model | format | beams | threads | load | mel | encode | a token | window | × real time | MiB at most |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in results:
        lines.append(
            f"| {row['model']} | {row['compute_type']} | {row['beam_size']} | {row['threads']} "
            f"| {row['load_ms']:.0f} | {row['mel_ms']:.1f} | {row['encode_ms']:.0f} | {row['decode_ms_per_token']:.2f} "
            f"| {row['window_ms']:.0f} | {row['times_real_time']:.0f} | {row['peak_rss_bytes'] / 2**20:.0f} |")
    text = "\n".join(lines) + "\n"
    (folder / f"{options.name}.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
