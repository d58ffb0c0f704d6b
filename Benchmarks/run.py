#!/usr/bin/env python3
"""Measures the speed of whisper-local on one window and writes a table.

    Benchmarks/run.py                      the bundled model
    Benchmarks/run.py MODEL…               other models, by name or path
    Benchmarks/run.py --rounds 9 --name quiet-laptop MODEL

Every combination of compute type, beam size and number of threads is measured once per round, so that other load on the
machine affects all of them alike. The table holds the medians. Results: Benchmarks/results/NAME.md and NAME.json.
"""
import platform
import statistics
from itertools import product
from pathlib import Path

from harness import (COMPUTE_TYPES, add_name, argument_parser, bench, processor, table, today, version, write_results)

MEDIANS = ("load_ms", "mel_ms", "encode_ms", "decode_ms_per_token", "window_ms")
COLUMNS = (("model", "model", "{}"), ("compute type", "compute_type", "{}"), ("beam size", "beam_size", "{}"),
           ("threads", "threads", "{}"), ("load", "load_ms", "{:.0f}"), ("log-mel", "mel_ms", "{:.1f}"),
           ("encode", "encode_ms", "{:.0f}"), ("per token", "decode_ms_per_token", "{:.2f}"),
           ("window", "window_ms", "{:.0f}"), ("× real time", "times_real_time", "{:.0f}"),
           ("peak MiB", "peak_mib", "{:.0f}"))


def summary(setting, runs, tokens):
    model, compute_type, beam_size, threads = setting
    medians = {field: statistics.median(run[field] for run in runs) for field in MEDIANS}
    return medians | {"model": Path(model).stem, "backend": runs[0]["backend"], "beam_size": beam_size,
                      "threads": threads, "compute_type": compute_type, "tokens": tokens,
                      "times_real_time": 30_000 / medians["window_ms"],
                      "peak_rss_bytes": max(run["peak_rss_bytes"] for run in runs)}


def report(about, results):
    return "\n\n".join([
        f"# {about['version']} on {about['processor']}",
        f"`{about['command']}`, {about['date']}, medians of {about['rounds']} rounds; times in milliseconds; a window is "
        f"30 s of audio and {results[0]['tokens']} tokens.",
        table(COLUMNS, [row | {"peak_mib": row["peak_rss_bytes"] / 2**20} for row in results])]) + "\n"


def main():
    parser = argument_parser(__doc__, rounds=3)
    parser.add_argument("models", nargs="*", default=["nano.en"], metavar="MODEL",
                        help="name or path of a model (default: nano.en)")
    parser.add_argument("--tokens", type=int, default=100, help="tokens to decode per window (default: %(default)s)")
    add_name(parser)
    options = parser.parse_args()

    runs = {setting: [] for setting in product(options.models, COMPUTE_TYPES, (1, 5), (1, 2))}
    for _ in range(options.rounds):
        for (model, compute_type, beam_size, threads), measured in runs.items():
            measured.append(bench(options.program, model, compute_type, threads, options.tokens, beam_size))
    results = [summary(setting, measured, options.tokens) for setting, measured in runs.items()]
    about = {"version": version(options.program), "processor": processor(), "system": platform.platform(),
             "date": today(), "rounds": options.rounds,
             "command": "Benchmarks/run.py " + " ".join(Path(model).name for model in options.models)}
    write_results(options.name, {"about": about, "results": results}, report(about, results))


if __name__ == "__main__":
    main()
