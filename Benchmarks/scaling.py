#!/usr/bin/env python3
"""Measures how the time for a recording grows with its length, the beam size, the batch size and the number of threads.

    Benchmarks/scaling.py                    nano.en, 1 s to 1 h (several minutes)
    Benchmarks/scaling.py --rounds 3 --longest 600 --name quiet-laptop

Every setting is measured once per round; the table holds the medians. Times include starting the program and loading the
model. Results: Benchmarks/results/scaling-NAME.md and scaling-NAME.json.
"""
import statistics
import tempfile
from pathlib import Path

from harness import add_name, argument_parser, available_cores, table, today, transcribe, version, write_results
from recording import compose

SECONDS = (1, 3, 10, 30, 60, 300, 600, 3600)
BEAM_SIZES = (1, 2, 5, 10)
BATCH_SIZES = (1, 2, 4, 8, 16)
#: Recordings of this many seconds or more are measured in the first round only.
LONG = 1800
COLUMNS = (("audio", "seconds", "{} s"), ("beam size", "beams", "{}"), ("batch size", "batch", "{}"),
           ("threads", "threads", "{}"), ("seconds", "elapsed", "{:.2f}"), ("× real time", "speed", "{:.0f}"))


def settings(longest):
    """One dictionary per row of the table: a base setting, varied in one respect at a time."""
    threads = available_cores()
    base = {"seconds": min(300, longest), "beams": 1, "batch": 1, "threads": threads}
    rows = [base | {"seconds": seconds} for seconds in SECONDS if seconds <= longest]
    rows += [base | {"beams": size} for size in BEAM_SIZES]
    rows += [base | {"batch": size} for size in BATCH_SIZES]
    rows += [base | {"threads": count} for count in (1, 2) if count <= threads]
    return [dict(row) for row in dict.fromkeys(tuple(row.items()) for row in rows)]


def measure(options, rows):
    """Adds the median time in seconds to each row, as `elapsed`."""
    with tempfile.TemporaryDirectory() as folder:
        recordings = {seconds: Path(folder) / f"{seconds}.wav" for seconds in {row["seconds"] for row in rows}}
        for seconds, path in recordings.items():
            compose(path, seconds)
        times = [[] for _ in rows]
        for number in range(options.rounds):
            for row, measured in zip(rows, times):
                if number == 0 or row["seconds"] < LONG:
                    measured.append(transcribe(
                        options.program, [recordings[row["seconds"]]], options.model, options.compute_type,
                        row["threads"], row["beams"], row["batch"])[0])
    for row, measured in zip(rows, times):
        row["elapsed"] = statistics.median(measured)


def main():
    parser = argument_parser(__doc__, rounds=3)
    parser.add_argument("--model", default="nano.en", help="name or path of a model (default: %(default)s)")
    parser.add_argument("--compute-type", default="auto", help="as for `whisper-local transcribe` (default: %(default)s)")
    parser.add_argument("--longest", type=int, default=SECONDS[-1], metavar="SECONDS",
                        help="skip longer recordings (default: %(default)s)")
    add_name(parser)
    options = parser.parse_args()

    rows = settings(options.longest)
    measure(options, rows)
    program = version(options.program)
    command = (f"Benchmarks/scaling.py --rounds {options.rounds} --longest {options.longest} "
               f"--compute-type {options.compute_type}")
    report = "\n\n".join([
        f"# Time by length and settings: {program}, {Path(options.model).name}",
        f"`{command}`, {today()}, medians of {options.rounds} rounds; one round for recordings of half an hour or more.",
        table(COLUMNS, [row | {"speed": row["seconds"] / row["elapsed"]} for row in rows])]) + "\n"
    write_results(f"scaling-{options.name}", {"version": program, "command": command, "rows": rows}, report)


if __name__ == "__main__":
    main()
