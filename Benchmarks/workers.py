#!/usr/bin/env python3
"""Compares several processes with few threads to one process with many, on the cores of this machine: time and memory,
each without and with `--packed-weights`; and the time to transcribe a recording of two seconds.

  Benchmarks/workers.py PROGRAM MODEL [--recordings N] [--repeat N] [--starts N] [--divisions 1x2,2x1] [--folder DIR]
      [--packed DIR]

Each division is PROCESSES x THREADS. The recordings are split by `--shard`. Prints medians of the runs: wall time, CPU time,
and the peak memory of all processes together: resident set, proportional set (PSS: a page shared by several processes counts
once) and private memory. On a busy machine, compare CPU times.
"""
import argparse
import os
import re
import resource
import statistics
import subprocess
import tempfile
import time
import wave
from pathlib import Path

SPEECH = Path(os.environ.get("WHISPER_LOCAL_TEST_SPEECH", Path.home() / ".cache/whisper-local/tests/speech"))


def memory(processes):
    """MiB of all processes together: resident, proportional, private; zeros if one of them has exited."""
    sums = [0, 0, 0]
    for process in processes:
        try:
            text = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
        except OSError:
            return [0, 0, 0]
        facts = {name: int(size) for name, size in re.findall(r"^(\w+): +(\d+) kB", text, re.M)}
        if "Rss" not in facts:
            return [0, 0, 0]
        for index, names in enumerate([["Rss"], ["Pss"], ["Private_Clean", "Private_Dirty"]]):
            sums[index] += sum(facts[name] for name in names)
    return [size / 1024 for size in sums]


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def command(options, packed, threads, *more):
    return [options.program, "transcribe", "--quiet", "--no-config", "--model", options.model, "--threads", str(threads),
            "--packed-weights", packed, "--output-format", "txt", *more]


def run(options, packed, listed, processes, threads, output):
    """Wall time, CPU time, and the three sums of memory."""
    begun, before, most = time.monotonic(), processor_seconds(), [0, 0, 0]
    started = [subprocess.Popen(
        command(options, packed, threads, "--files-from", listed, "--shard", f"{number + 1}/{processes}", "--output-dir",
                output), stdout=subprocess.DEVNULL) for number in range(processes)]
    while any(process.poll() is None for process in started):
        most = max(most, memory(started), key=lambda sizes: sizes[1])
        time.sleep(0.1)
    assert not any(process.returncode for process in started)
    return [time.monotonic() - begun, processor_seconds() - before, *most]


def start(options, packed, clip, output):
    """Milliseconds of wall time and CPU time for a short recording, with an encoder window of its length."""
    begun, before = time.monotonic(), processor_seconds()
    subprocess.run(command(options, packed, 1, "--beam-size", "1", "--audio-ctx", "auto", "--output-dir", output, clip),
                   stdout=subprocess.DEVNULL, check=True)
    return [1000 * (time.monotonic() - begun), 1000 * (processor_seconds() - before)]


def cut(source, target, seconds):
    with wave.open(str(source)) as whole, wave.open(target, "wb") as part:
        part.setparams(whole.getparams())
        part.writeframes(whole.readframes(seconds * whole.getframerate()))


def medians(runs):
    return [statistics.median(values) for values in zip(*runs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("--recordings", type=int, default=24)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--starts", type=int, default=11)
    parser.add_argument("--divisions", default="1x2,2x1")
    parser.add_argument("--folder", type=Path, default=SPEECH / "en", help="recordings, *.wav")
    parser.add_argument("--packed", help="folder for packed weights; by default a temporary one")
    options = parser.parse_args()
    divisions = [tuple(map(int, division.split("x"))) for division in options.divisions.split(",")]
    with tempfile.TemporaryDirectory(prefix="whisper-local-workers-") as folder:
        recordings = sorted(options.folder.glob("*.wav"))[:options.recordings]
        listed, clip, output = Path(folder) / "list", f"{folder}/clip.wav", f"{folder}/out"
        listed.write_text("".join(f"{path}\n" for path in recordings))
        cut(recordings[0], clip, 2)
        kinds = {"own": "none", "shared": options.packed or f"{folder}/packed"}
        starts, found = {kind: [] for kind in kinds}, {}
        first = start(options, kinds["shared"], clip, output)
        for _ in range(options.starts):
            for kind, packed in kinds.items():
                starts[kind].append(start(options, packed, clip, output))
        for _ in range(options.repeat):
            for division in divisions:
                for kind, packed in kinds.items():
                    found.setdefault((division, kind), []).append(run(options, packed, listed, *division, output))
    print("| processes × threads | weights | wall time, s | CPU time, s | resident, MiB | PSS, MiB | private, MiB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for ((processes, threads), kind), runs in found.items():
        clock, processor, *sizes = medians(runs)
        print(f"| {processes} × {threads} | {kind} | {clock:.1f} | {processor:.1f} | "
              + " | ".join(f"{size:.0f}" for size in sizes) + " |")
    print("\n| two seconds of speech | wall time, ms | CPU time, ms |\n| --- | --- | --- |")
    rows = [(kind, medians(runs)) for kind, runs in starts.items()]
    for kind, (clock, processor) in [*rows, ("shared, the first process", first)]:
        print(f"| {kind} | {clock:.0f} | {processor:.0f} |")


if __name__ == "__main__":
    main()
