#!/usr/bin/env python3
"""Measures how close the encoder comes to the peak arithmetic speed of this machine's cores.

    Benchmarks/peak.py                       tiny.en, base.en and small.en with random weights

The peak is the speed of the engine's own matmul on one core, as measured by `doctor`, times the number of threads. The
encoding time that `bench` reports includes the keys and values of the cross-attention, so their operations are counted
too; a multiplication and an addition are two operations. Both are measured once per round, and the medians are compared.
"""
import re
import statistics

from harness import (COMPUTE_TYPES, add_random_models, add_threads, argument_parser, bench, run_program, table)
from make_random_model import dimensions, generate_once

COLUMNS = (("size", "size", "{}"), ("compute type", "compute_type", "{}"), ("10⁹ operations", "billions", "{:.1f}"),
           ("encode", "encode_ms", "{:.1f} ms"), ("GFLOPS", "speed", "{:.0f}"), ("peak", "peak", "{:.0f}"),
           ("share of peak", "share", "{:.0f} %"))


def operations(size):
    """Operations for one window of 30 s: convolutions, encoder layers, and keys and values for each decoder layer."""
    shape = dimensions(size)
    width, positions = shape["n_audio_state"], shape["n_audio_ctx"]
    convolutions = 2 * positions * 3 * shape["n_mels"] * width + positions * 3 * width * width
    layer = positions * 12 * width * width + 2 * positions * positions * width
    cross_attention = positions * 2 * width * shape["n_text_state"]
    return 2 * (convolutions + shape["n_audio_layer"] * layer + shape["n_text_layer"] * cross_attention)


def measure(options, size):
    """Returns one row for each compute type that this processor has instructions for."""
    model = generate_once(size, options.models)
    times, peaks = {name: [] for name in COMPUTE_TYPES}, {name: [] for name in COMPUTE_TYPES}
    for _ in range(options.rounds):
        doctor = run_program(options.program, "doctor")
        for compute_type in COMPUTE_TYPES:
            match = re.search(rf"{compute_type}: (\d+) GFLOPS", doctor)
            if match:
                peaks[compute_type].append(float(match[1]) * options.threads)
                times[compute_type].append(
                    bench(options.program, model, compute_type, options.threads, tokens=1)["encode_ms"])
    rows = []
    for compute_type in COMPUTE_TYPES:
        if times[compute_type]:
            elapsed, peak = statistics.median(times[compute_type]), statistics.median(peaks[compute_type])
            speed = operations(size) / elapsed / 1e6
            rows.append({"size": size, "compute_type": compute_type, "billions": operations(size) / 1e9,
                         "encode_ms": elapsed, "speed": speed, "peak": peak, "share": 100 * speed / peak})
    return rows


def main():
    parser = argument_parser(__doc__, rounds=3)
    add_random_models(parser)
    add_threads(parser)
    options = parser.parse_args()
    print(table(COLUMNS, [row for size in options.sizes.split(",") for row in measure(options, size)]))


if __name__ == "__main__":
    main()
