#!/usr/bin/env python3
"""How near the encoder comes to what this machine's cores can multiply.

    Benchmarks/peak.py                       tiny.en, base.en and small.en with random weights

`doctor` measures the engine's own product on one core; times the threads, that is the peak. `bench` times encoder and
keys and values of cross-attention together, so both are counted: two operations for each multiplication with its
addition. Both are run in turn, several times, and the medians are compared.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
from pathlib import Path

from make_random_model import dimensions, random_model

here = Path(__file__).resolve().parent
TYPES = ("float32", "bfloat16", "int8")


def operations(size):
    """Of a window of 30 s: convolutions, encoder layers, keys and values for each layer of the decoder."""
    d = dimensions(size)
    n, positions = d["n_audio_state"], d["n_audio_ctx"]
    convolutions = 2 * positions * 3 * d["n_mels"] * n + positions * 3 * n * n
    layer = positions * 12 * n * n + 2 * positions * positions * n
    cross = positions * 2 * n * d["n_text_state"]
    return 2 * (convolutions + d["n_audio_layer"] * layer + d["n_text_layer"] * cross)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="tiny.en,base.en,small.en")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--program", type=Path, default=here.parent / ".build/release/whisper-local")
    parser.add_argument("--models", type=Path, default=here.parent / ".build/benchmark-models")
    options = parser.parse_args()
    options.models.mkdir(parents=True, exist_ok=True)
    print("| size | format | 10⁹ operations | encode | GFLOPS | peak | share |\n" + "|" + " --- |" * 7)
    for size in options.sizes.split(","):
        path = options.models / f"{size}.bin"
        if not path.exists():
            random_model(size, path)
        times, peaks = {kind: [] for kind in TYPES}, {kind: [] for kind in TYPES}
        for _ in range(options.rounds):
            shown = subprocess.run([options.program, "doctor"], check=True, capture_output=True, text=True).stdout
            for kind in TYPES:
                found = re.search(rf"{kind}: (\d+) GFLOPS", shown)
                if not found:
                    continue
                peaks[kind].append(float(found[1]) * options.threads)
                answer = subprocess.run(
                    [options.program, "bench", "--json", "--model", path, "--compute-type", kind, "--tokens", "1",
                     "--rounds", "3", "--threads", str(options.threads)], check=True, capture_output=True, text=True)
                times[kind].append(json.loads(answer.stdout)["encode_ms"])
        for kind in TYPES:
            if times[kind]:
                elapsed, peak = statistics.median(times[kind]), statistics.median(peaks[kind])
                speed = operations(size) / elapsed / 1e6
                print(f"| {size} | {kind} | {operations(size) / 1e9:.1f} | {elapsed:.1f} ms | {speed:.0f} | {peak:.0f} "
                      f"| {100 * speed / peak:.0f} % |")


if __name__ == "__main__":
    main()
