#!/usr/bin/env python3
"""How the cost of a recording grows with its length, the beams, the batch and the threads.

    Benchmarks/scaling.py                    nano.en, 1 s to 1 h (some minutes)
    Benchmarks/scaling.py --rounds 3 --longest 600 --name quiet-laptop

Every setting is measured in turn, several times over; the table holds the medians, start of the program and loading of
the model included. Results: Benchmarks/results/scaling-NAME.md and .json.
"""
import argparse
import datetime
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from recording import compose

here = Path(__file__).resolve().parent
LENGTHS = (1, 3, 10, 30, 60, 300, 600, 3600)
BEAMS = (1, 2, 5, 10)
BATCHES = (1, 2, 4, 8, 16)
#: No window is decoded twice or prompted by the text before it: the work depends on the sound alone.
SAME_WORK = ("--temperature", "0", "--temperature-increment-on-fallback", "None", "--condition-on-previous-text=false")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="nano.en")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--compute-type", default="auto")
    parser.add_argument("--longest", type=int, default=LENGTHS[-1], help="seconds")
    parser.add_argument("--name", default="latest")
    parser.add_argument("--program", type=Path, default=here.parent / ".build/release/whisper-local")
    options = parser.parse_args()
    threads = len(os.sched_getaffinity(0))

    with tempfile.TemporaryDirectory() as folder:
        sounds = {}

        def sound(seconds):
            if seconds not in sounds:
                sounds[seconds] = Path(folder) / f"{seconds}.wav"
                compose(sounds[seconds], seconds)
            return sounds[seconds]

        middle = min(300, options.longest)
        plain = {"seconds": middle, "beams": 1, "batch": 1, "threads": threads}
        settings = [plain | {"seconds": seconds} for seconds in LENGTHS if seconds <= options.longest]
        settings += [plain | {"beams": beams} for beams in BEAMS]
        settings += [plain | {"batch": batch} for batch in BATCHES]
        settings += [plain | {"threads": count} for count in (1, 2) if count <= threads]
        settings = [dict(row) for row in dict.fromkeys(tuple(row.items()) for row in settings)]
        times = [[] for _ in settings]
        for turn in range(options.rounds):
            for row, measured in zip(settings, times):
                # Half an hour and more is long enough to be measured once.
                if turn > 0 and row["seconds"] >= 1800:
                    continue
                words = [str(options.program), "transcribe", "--no-config", "--no-timestamps", "--model", options.model,
                         "--beam-size", str(row["beams"]), "--threads", str(row["threads"]), "--compute-type",
                         options.compute_type, *SAME_WORK]
                if row["batch"] > 1:
                    words += ["--vad-filter", "--batch-size", str(row["batch"])]
                start = time.perf_counter()
                subprocess.run([*words, str(sound(row["seconds"]))], check=True, capture_output=True)
                measured.append(time.perf_counter() - start)
        for row, measured in zip(settings, times):
            row["elapsed"] = statistics.median(measured)

    version = subprocess.run([str(options.program), "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    command = f"Benchmarks/scaling.py --rounds {options.rounds} --longest {options.longest} --compute-type {options.compute_type}"
    lines = [f"# How cost grows: {version}, {Path(options.model).name}", "",
             f"`{command}`, {datetime.date.today().isoformat()}, medians of {options.rounds} rounds in turn, one for an hour.", "",
             "| sound | beams | batch | threads | seconds | × real time |", "| --- | --- | --- | --- | --- | --- |"]
    lines += [f"| {row['seconds']} s | {row['beams']} | {row['batch']} | {row['threads']} | {row['elapsed']:.2f} "
              f"| {row['seconds'] / row['elapsed']:.0f} |" for row in settings]
    text = "\n".join(lines) + "\n"
    results = here / "results"
    results.mkdir(exist_ok=True)
    (results / f"scaling-{options.name}.md").write_text(text)
    (results / f"scaling-{options.name}.json").write_text(
        json.dumps({"version": version, "command": command, "rows": settings}, indent=1) + "\n")
    print(text)


if __name__ == "__main__":
    main()
