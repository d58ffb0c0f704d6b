#!/usr/bin/env python3
"""Compares the speed of whisper-local with whisper.cpp, faster-whisper and openai-whisper on this machine.

    Benchmarks/compare.py                     everything (a quarter of an hour; the first run also installs the peers)
    Benchmarks/compare.py --sizes tiny.en --rounds 3 --minutes 2
    Benchmarks/compare.py --name quiet-laptop

All engines are measured once per round, so that other load on the machine affects all of them alike. The peers stay loaded
between rounds. The tables hold medians and ratios of medians. Single windows are timed with random weights of official
dimensions, in fewer rounds for larger models. Whole recordings are timed with the bundled model, because their time
depends on the text. There every engine does the same work: it decodes at temperature 0 only, without the previous text as a
prompt. A peer that times out is stopped, and its row is empty.
Results: Benchmarks/results/NAME.md, NAME.json and NAME.svg. peak.py and scaling.py, which need no peers, run at the end.
"""
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

from harness import (BENCHMARKS, COMPUTE_TYPES, NANO, ROOT, add_name, add_random_models, add_threads, argument_parser,
                     bench, processor, today, transcribe, version, write_results)
from peers import PEERS, Environment, Peer
from recording import compose, word_error_rate
from report import chart, goals, markdown

CLIP = str(ROOT / "Tests/Fixtures/clips/say-01.wav")
#: By how much to divide the number of rounds for a window of this model size.
ROUND_DIVISORS = {"base.en": 2, "small.en": 4, "medium.en": 8}
#: Ways to transcribe a recording. All rounds go to the fastest of them for engines that support it.
FASTEST_MODE = "greedy, batched"
MODES = {"greedy": {"beams": 1, "batch": 1}, FASTEST_MODE: {"beams": 1, "batch": 8},
         "beam 5": {"beams": 5, "batch": 1}, "beam 5, batched": {"beams": 5, "batch": 8}}


class WhisperLocal:
    """whisper-local, started anew for each job: the time for a recording includes start-up and loading the model."""

    load_ms = 0

    def __init__(self, program, compute_type, environment, files, threads):
        self.name = f"whisper-local {compute_type}"
        self.program = program
        self.arguments = {"model": files["ggml"], "compute_type": compute_type, "threads": threads,
                          "environment": environment.variables}

    def supports(self, job, beams, batch=1):
        return True

    def run(self, job, beams, tokens=None, path=None, batch=None):
        if job == "window":
            result = bench(self.program, tokens=tokens, beam_size=beams, rounds=2, **self.arguments)
            return result | {"peak_bytes": result["peak_rss_bytes"],
                             "decode_ms": result["window_ms"] - result["mel_ms"] - result["encode_ms"]}
        seconds, text = transcribe(self.program, path, beam_size=beams, batch_size=batch, **self.arguments)
        return {"file_ms": seconds * 1000, "text": text}

    def close(self):
        pass


def median(runs, field):
    values = [run[field] for run in runs if field in run]
    return statistics.median(values) if values else None


def interleaved(engines, job, variants, rounds, warm_up):
    """Runs every variant of a job on every engine that supports it, round after round.

    `variants` maps names to arguments; `warm_up` holds the arguments of a small job that each peer runs first. Returns
    {engine name: {variant name: results}}.
    """
    results = {engine.name: {name: [] for name in variants} for engine in engines}
    for engine in engines:
        if isinstance(engine, Peer):
            engine.run(job, **warm_up)
    for number in range(rounds):
        for name, arguments in variants.items():
            for engine in engines:
                if not engine.supports(job, arguments["beams"], arguments.get("batch", 1)):
                    continue
                start = time.perf_counter()
                result = engine.run(job, **arguments)
                print(f"round {number + 1}, {name}, {engine.name}: {time.perf_counter() - start:.1f} s",
                      file=sys.stderr)
                if result:
                    results[engine.name][name].append(result)
    return results


def window_rows(engines, size, rounds, tokens):
    """One row per engine for a window of 30 s."""
    results = interleaved(engines, "window", {f"beam {beams}": {"beams": beams, "tokens": tokens} for beams in (1, 5)},
                          max(1, rounds // ROUND_DIVISORS.get(size, 1)), {"beams": 1, "tokens": 4})
    rows = []
    for engine in engines:
        greedy, beam = results[engine.name]["beam 1"], results[engine.name]["beam 5"]
        rows.append({"size": size, "engine": engine.name, "mel_ms": median(greedy, "mel_ms"),
                     "encode_ms": median(greedy + beam, "encode_ms"),
                     "greedy_ms": median(greedy, "decode_ms"), "beam_ms": median(beam, "decode_ms"),
                     "window_greedy_ms": median(greedy, "window_ms"), "window_beam_ms": median(beam, "window_ms"),
                     "tokens": median(greedy, "tokens"),
                     "peak_bytes": max((run["peak_bytes"] for run in greedy + beam), default=0)})
    return rows


def recording_rows(engines, path, words, rounds, minutes):
    """One row per mode and engine for a whole recording, from file to text."""
    rows = []
    for mode, arguments in MODES.items():
        supporting = [engine for engine in engines if engine.supports("recording", **arguments)]
        results = interleaved(supporting, "recording", {mode: arguments | {"path": str(path)}},
                              rounds if mode == FASTEST_MODE else max(1, rounds // 2), arguments | {"path": CLIP})
        for engine in supporting:
            runs = results[engine.name][mode]
            elapsed = median(runs, "file_ms")
            rows.append({"work": mode, "engine": engine.name, "file_ms": elapsed,
                         "times_real_time": minutes * 60_000 / elapsed if runs else None,
                         "word_error_rate": word_error_rate(words, runs[-1]["text"]) if runs else None})
    return rows


def first_text_rows(load, rounds):
    """Milliseconds from nothing loaded to the text of a short clip; `load` returns an iterator that loads each engine."""
    times = {}
    for _ in range(rounds):
        for engine in load():
            result = engine.run("recording", path=CLIP, beams=1, batch=1)
            if result:
                times.setdefault(engine.name, []).append(engine.load_ms + result["file_ms"])
            engine.close()
    return [{"engine": name, "first_text_ms": statistics.median(values)} for name, values in times.items()]


def main():
    parser = argument_parser(__doc__, rounds=4)
    add_random_models(parser)
    add_threads(parser)
    parser.add_argument("--tokens", type=int, default=100, help="tokens to decode per window (default: %(default)s)")
    parser.add_argument("--minutes", type=int, default=10, help="length of the recording (default: %(default)s)")
    parser.add_argument("--environment", type=Path, default=ROOT / ".build/peers",
                        help="virtual environment for the peers (default: .build/peers)")
    parser.add_argument("--peers-only", action="store_true", help="do not run peak.py and scaling.py at the end")
    add_name(parser)
    options = parser.parse_args()

    environment = Environment(options.environment)

    def engines(files, peers):
        """Loads each engine when the iterator reaches it."""
        for compute_type in COMPUTE_TYPES:
            yield WhisperLocal(options.program, compute_type, environment, files, options.threads)
        for peer in peers:
            yield Peer(*peer, environment, files, options.threads)

    windows = []
    for size in options.sizes.split(","):
        loaded = list(engines(environment.model_files(size, options.models), PEERS))
        windows += window_rows(loaded, size, options.rounds, options.tokens)
        for engine in loaded:
            engine.close()
    path = options.models / f"{options.minutes}-minutes.wav"
    words = compose(path, options.minutes * 60)
    nano, recognizers = environment.model_files("nano.en", options.models), PEERS[:-1]
    loaded = list(engines(nano, recognizers))
    recordings = recording_rows(loaded, path, words, max(1, options.rounds // 2), options.minutes)
    for engine in loaded:
        engine.close()
    first_text = first_text_rows(lambda: engines(nano, recognizers), max(1, options.rounds // 2))

    about = {"processor": processor(), "system": platform.platform(), "date": today(),
             "command": f"Benchmarks/compare.py --sizes {options.sizes} --rounds {options.rounds} "
                        f"--minutes {options.minutes}",
             "rounds": options.rounds, "threads": options.threads, "tokens": options.tokens,
             "minutes": options.minutes, "versions": environment.versions(), "program": version(options.program)}
    results = {"about": about, "goals": goals(windows, recordings, first_text), "windows": windows,
               "recordings": recordings, "first_text": first_text}
    write_results(options.name, results, markdown(results))
    (BENCHMARKS / "results" / f"{options.name}.svg").write_text(chart(windows))
    if options.peers_only:
        return
    for script, arguments in (
            ("peak.py", ["--models", str(options.models), "--sizes", options.sizes]),
            ("scaling.py", ["--rounds", str(max(1, options.rounds // 2)), "--model", str(NANO), "--name",
                            options.name.removesuffix("-peers")])):
        # With the peers' Python, because peak.py needs numpy.
        subprocess.run([environment.python, str(BENCHMARKS / script), *arguments, "--program", str(options.program)],
                       check=True)


if __name__ == "__main__":
    main()
