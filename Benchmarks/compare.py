#!/usr/bin/env python3
"""Compares the speed of whisper-local with whisper.cpp, faster-whisper and openai-whisper on this machine.

    Benchmarks/compare.py                     everything (a quarter of an hour; asks before it installs the peers)
    Benchmarks/compare.py --sizes tiny.en --rounds 3 --minutes 2
    Benchmarks/compare.py --name quiet-laptop
    Benchmarks/compare.py --real --help       the race with OpenAI's models and human speech

All engines are measured once per round, so that other load on the machine affects all of them alike. The peers stay loaded
between rounds. The tables hold medians and ratios of medians. Single windows are timed with random weights of official
dimensions, in fewer rounds for larger models. Whole recordings are timed with the bundled model, because their time
depends on the text. There every engine does the same work: it decodes at temperature 0 only, without the previous text as a
prompt. A peer that times out is stopped, and its row is empty.
Results: Benchmarks/results/NAME.md, NAME.json and NAME.svg. scaling.py, which needs no peers, runs at the end.
"""
import platform
import statistics
import subprocess
import sys
from pathlib import Path

import real_race
from harness import (BENCHMARKS, COMPUTE_TYPES, NANO, ROOT, add_name, add_random_models, add_threads, argument_parser,
                     processor, today, version, write_results)
from peers import PEERS, RECOGNIZERS, Environment, Peer, add_environment
from recording import compose, word_error_rate
from report import chart, goals, markdown
from rounds import finished, interleaved, median
from transcribers import MODES, WhisperLocal

CLIP = str(ROOT / "Tests/Fixtures/clips/say-01.wav")
#: Divide the number of rounds by this for a window of this model size.
ROUND_DIVISORS = {"base.en": 2, "small.en": 4, "medium.en": 8}
#: All rounds go to the fastest way to transcribe a recording for engines that support it.
FASTEST_MODE = "greedy, batched"
#: The peers' number formats that are compared.
FORMATS = [name for name in PEERS if not name.endswith("q5_0")]


def supports(engine, job, arguments):
    """openai-whisper's beam search is many times slower than the others', so it is never the best peer."""
    return engine.supports(job, **arguments) and (arguments["beams"] == 1 or "openai-whisper" not in engine.name)


def window_rows(engines, size, rounds, tokens):
    """One row per engine for a window of 30 s."""
    results = interleaved(engines, "window", {f"beam {beams}": {"beams": beams, "tokens": tokens} for beams in (1, 5)},
                          max(1, rounds // ROUND_DIVISORS.get(size, 1)), {"beams": 1, "tokens": 4}, supports)
    rows = []
    for engine in engines:
        greedy, beam = results[engine.name]["beam 1"], results[engine.name]["beam 5"]
        rows.append({"size": size, "engine": engine.name, "mel_ms": median(greedy, "mel_ms"),
                     "encode_ms": median(greedy + beam, "encode_ms"),
                     "greedy_ms": median(greedy, "decode_ms"), "beam_ms": median(beam, "decode_ms"),
                     "window_greedy_ms": median(greedy, "window_ms"), "window_beam_ms": median(beam, "window_ms"),
                     "tokens": median(greedy, "tokens"),
                     "peak_bytes": max((run["peak_bytes"] for run in finished(greedy + beam)), default=0)})
    return rows


def recording_rows(engines, path, words, rounds, minutes):
    """One row per mode and engine for a whole recording, from file to text."""
    rows = []
    for mode, arguments in MODES.items():
        supporting = [engine for engine in engines if supports(engine, "recording", arguments)]
        results = interleaved(supporting, "recording", {mode: arguments | {"path": str(path)}},
                              rounds if mode == FASTEST_MODE else max(1, rounds // 2), arguments | {"path": CLIP}, supports)
        for engine in supporting:
            runs = finished(results[engine.name][mode])
            elapsed = median(runs, "file_ms")
            rows.append({"work": mode, "engine": engine.name, "file_ms": elapsed,
                         "times_real_time": minutes * 60_000 / elapsed if runs else None,
                         "word_error_rate": word_error_rate(words, runs[-1]["text"]) if runs else None})
    return rows


def first_text_rows(engines, rounds):
    """Milliseconds from nothing loaded to the text of a short clip."""
    times = {}
    for _ in range(rounds):
        for engine in engines:
            result = engine.run("recording", path=CLIP, beams=1)
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
    add_environment(parser)
    parser.add_argument("--peers-only", action="store_true", help="do not run scaling.py at the end")
    add_name(parser)
    options = parser.parse_args()

    environment = Environment(options)

    def engines(model, peers):
        files = environment.model_files(model, options.models)
        ours = [WhisperLocal(f"whisper-local {name}", files["ggml"], name, options.program, environment, options.threads)
                for name in COMPUTE_TYPES]
        return ours + [Peer(name, environment, files, options.threads) for name in peers]

    windows = []
    for size in options.sizes.split(","):
        loaded = engines(size, FORMATS)
        windows += window_rows(loaded, size, options.rounds, options.tokens)
        for engine in loaded:
            engine.close()
    path = options.models / f"{options.minutes}-minutes.wav"
    words = compose(path, options.minutes * 60)
    loaded = engines("nano.en", [name for name in FORMATS if name in RECOGNIZERS])
    recordings = recording_rows(loaded, path, words, max(1, options.rounds // 2), options.minutes)
    for engine in loaded:
        engine.close()
    first_text = first_text_rows(loaded, max(1, options.rounds // 2))

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
    sys.exit(subprocess.run(
        [sys.executable, str(BENCHMARKS / "scaling.py"), "--rounds", str(max(1, options.rounds // 2)), "--model", str(NANO),
         "--name", options.name.removesuffix("-peers"), "--program", str(options.program)]).returncode)


if __name__ == "__main__":
    real_race.main() if "--real" in sys.argv else main()
