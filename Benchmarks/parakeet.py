#!/usr/bin/env python3
"""Compares the speed of whisper-local with transformers, onnx-asr and CrispASR on a Parakeet model of 600 million weights.

    Benchmarks/parakeet.py                          one thread (half an hour; asks before it installs the peers)
    Benchmarks/parakeet.py --threads 1,2 --minutes 2
    Benchmarks/parakeet.py --report                 only write the tables, from existing results
    chrt -f 10 taskset -c 0 Benchmarks/parakeet.py --pause 2
                                                    on a machine with other load: on one core, at real-time priority

The weights are random, with the dimensions of parakeet-tdt-0.6b-v3: time does not depend on their values. The peers get the
same ones, each in its own format. Measured are a window of 30 s of noise; human speech in pieces of up to 30 s, which begin
and end in speech and have no long pauses, so that whisper-local hears them whole; and a clip of 3 s with nothing loaded,
files in the page cache. The engines are measured once per round, so that other load affects all of them alike; processor time does not depend on it.
Random weights say no words: instead, tokens are compared with those of transformers in float32. An engine that takes more
than a minute for the window does not get the speech.

Needs the recordings of `scripts/setup.sh --tests`. Results are saved in .build/parakeet at once, and an interrupted race
continues from there. Tables: Benchmarks/results/parakeet.md and parakeet.json; --document writes one into
docs/performance.md.
"""
import hashlib
import json
import shlex
import subprocess
import sys
import tempfile
import time
import wave
from pathlib import Path

from harness import (ROOT, argument_parser, bench, processor, replace_section, run_program, table, today, version,
                     write_results)
from peers import PARAKEET_PEERS, ParakeetEnvironment, Peer, add_environment
from real_race import State
from recording import SAMPLE_RATE, word_errors
from rounds import finished, interleaved, median, took_long
from transcribers import CACHE
from workers import processor_seconds

PRESET, SEED = "0.6b-v3", 1
OURS = {f"whisper-local {name}": name for name in ("int8", "int16", "float32")}
REFERENCE = "transformers float32"
WINDOW_SECONDS, CLIP_SECONDS = 30, 3
#: A piece is cut at the loudest 0.1 s among its last two seconds.
CUT_SECONDS, STEP_SECONDS = 2, 0.1
STEP = int(STEP_SECONDS * SAMPLE_RATE)
#: Pieces with pauses of this length are left out; a pause has less than this power, -50 dB.
PAUSE_SECONDS, QUIET = 1.8, 1e-5 * 2**30
COLUMNS = (("program", "engine", "{}"), ("threads", "threads", "{}"), ("rounds", "rounds", "{}"), ("encoder, s", "encode", "{:.2f}"),
           ("decoder, s", "decode", "{:.3f}"), ("× real time", "speed", "{:.1f}"), ("processor, s", "processor", "{:.2f}"),
           ("memory, MB", "memory", "{:.0f}"), ("3 s clip, s", "clip", "{:.2f}"), ("tokens", "tokens", "{}"),
           ("different", "different", "{}"), ("share of peak", "share", "{:.0f} %"))


class WhisperLocal:
    """whisper-local, started for each job."""

    def __init__(self, name, model, options, environment, threads):
        self.name = name
        self.program, self.variables = options.program, environment.variables
        self.arguments = {"model": model, "compute_type": OURS[name], "threads": threads}
        ids = json.loads((Path(model) / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
        self.pieces = {number: piece.replace("\u2581", " ") for piece, number in ids.items()}

    def run(self, job, paths=()):
        if job == "window":
            result = bench(self.program, rounds=1, environment=self.variables, **self.arguments)
            return result | {"peak_bytes": result["peak_rss_bytes"],
                             "decode_ms": result["window_ms"] - result["mel_ms"] - result["encode_ms"]}
        settings = [text for name, value in self.arguments.items() for text in (f"--{name.replace('_', '-')}", value)]
        with tempfile.TemporaryDirectory() as folder:
            start, before = time.perf_counter(), processor_seconds()
            run_program(self.program, "transcribe", "--no-config", "--quiet", *settings, "--guard=false", "--output-format",
                        "json", "--output-dir", folder, *paths, environment=self.variables)
            elapsed, used = time.perf_counter() - start, processor_seconds() - before
            texts = [json.loads((Path(folder) / f"{Path(path).stem}.json").read_text()) for path in paths]
        tokens = [[self.pieces[number] for segment in text["segments"] for number in segment["tokens"]] for text in texts]
        return {"file_ms": elapsed * 1000, "processor_ms": used * 1000, "tokens": tokens}

    def close(self):
        pass


class ParakeetPeer(Peer):
    """A peer; a clip is heard by a new process, without the time that Python takes to start."""

    def __init__(self, name, environment, files, threads, pause):
        super().__init__(name, environment, files, threads)
        self.pause = pause

    def run(self, job, paths=(), **arguments):
        if job == "clip":
            self.close()
        if job not in ("clip", "pieces"):
            return super().run(job, **arguments)
        results = []
        for path in paths:
            results.append(super().run("recording", path=path))
            if not results[-1]:
                return None
            time.sleep(self.pause)
        if job == "clip":
            # Models in memory would leave no room for the page cache.
            self.close()
        sums = {name: sum(result[name] for result in results) for name in ("file_ms", "processor_ms", "decode_ms")}
        sums["file_ms"] += self.load_ms if job == "clip" else 0
        return sums | {"tokens": [result["tokens"] for result in results], "peak_bytes": results[-1]["peak_bytes"]}


def generate_once(options, environment):
    """Returns the folder of the model."""
    folder = options.models / f"{PRESET}-tdt-s{SEED}"
    if not (folder / "model.safetensors").exists():
        subprocess.run([environment.python, str(ROOT / "Tests/Oracles/parakeet_model.py"), PRESET, str(options.models),
                        "--dtype", "f16", "--seed", str(SEED)], check=True, stdout=sys.stderr)
    return folder


def cut(source, folder, seconds):
    """Writes the pieces of a recording, and a short clip; returns the paths of the pieces, that of the clip, and the
    seconds in the pieces."""
    with wave.open(str(source)) as file:
        samples = memoryview(file.readframes(int(seconds * SAMPLE_RATE))).cast("h")
    powers = [sum(value * value for value in samples[at:at + STEP:4]) * 4 / STEP
              for at in range(0, len(samples) - STEP + 1, STEP)]

    def loudest(last):
        """The middle of the loudest place in the seconds before this one."""
        steps = range(int((last - CUT_SECONDS) / STEP_SECONDS), min(len(powers), int(last / STEP_SECONDS)))
        return max(steps, key=powers.__getitem__) * STEP + STEP // 2

    first = start = loudest(CUT_SECONDS)
    pieces, length = [], 0
    while start + WINDOW_SECONDS * SAMPLE_RATE <= len(samples):
        end = loudest(start / SAMPLE_RATE + WINDOW_SECONDS)
        if not has_pause(powers[start // STEP:end // STEP]):
            pieces.append(write(folder / f"piece-{len(pieces):02}.wav", samples[start:end]))
            length += (end - start) / SAMPLE_RATE
        start = end
    return pieces, write(folder / "clip.wav", samples[first:first + CLIP_SECONDS * SAMPLE_RATE]), length


def has_pause(powers):
    """Whether there is a pause at which whisper-local would divide a piece."""
    quiet = "".join(".#"[power < QUIET] for power in powers)
    return "#" * int(PAUSE_SECONDS / STEP_SECONDS) in quiet


def write(path, samples):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", ""))
        file.writeframes(samples)
    return str(path)


def limits(model, options, environment):
    """The least milliseconds for the encoder on this machine, by compute type and number of threads."""
    return {f"{name}, {threads}": bench(
                options.program, model, name, threads, rounds=1, environment=environment.variables,
                options=["--limits"])["stages"]["encoder"]["limit_ms"]
            for name in OURS.values() for threads in options.threads.split(",")}


def race(state, model, files, recordings, options, environment):
    """Measures everything that the state does not have yet."""
    pieces, clip, _ = recordings
    if "limits" not in state.results:
        state.results["limits"] = limits(model, options, environment)

    def save():
        state.save()
        time.sleep(options.pause)

    def supports(engine, job, _):
        windows = state.of(f"window, {threads}").get(engine.name, {}).values()
        return options.only in engine.name and not (job == "pieces" and any(map(took_long, windows)))

    for threads in map(int, options.threads.split(",")):
        engines = [WhisperLocal(name, model, options, environment, threads) for name in OURS]
        engines += [ParakeetPeer(name, environment, files, threads, options.pause) for name in PARAKEET_PEERS]
        for job, rounds, arguments, warm_up in (("window", options.rounds, {}, {}),
                                                ("pieces", 1, {"paths": pieces}, {"paths": [clip]}),
                                                ("clip", options.rounds, {"paths": [clip]}, {"paths": [clip]})):
            work = f"{job}, {threads}"
            interleaved(engines, job, {work: arguments}, rounds, warm_up, supports, state.of(work), save)
        for engine in engines:
            engine.close()


def rows_of(state, model, seconds, options):
    """One row per number of threads and engine."""
    rows, threads = [], list(map(int, options.threads.split(",")))
    references = [state.of(work).get(REFERENCE, {}).get(work, []) for work in (f"pieces, {count}" for count in threads)]
    reference = next(filter(None, map(finished, references)), None)
    for count in threads:
        for name in [*OURS, *PARAKEET_PEERS]:
            window, pieces, clip = (state.of(work).get(name, {}).get(work, []) for work in (
                f"{job}, {count}" for job in ("window", "pieces", "clip")))
            if not window:
                continue
            encode = median(window, "encode_ms")
            row = {"engine": name, "threads": count, "rounds": len(window), "encode": in_seconds(encode),
                   "decode": in_seconds(median(window, "decode_ms")), "clip": in_seconds(median(clip, "file_ms")),
                   "memory": max((run["peak_bytes"] for run in finished(window + pieces) if "peak_bytes" in run),
                                 default=0) / 1e6 or None}
            if finished(pieces):
                row |= {"speed": seconds * 1000 / median(pieces, "file_ms"),
                        "processor": median(pieces, "processor_ms") / 1000 / seconds * WINDOW_SECONDS,
                        "tokens": sum(map(len, pieces[-1]["tokens"]))}
                if "decode_ms" in pieces[-1]:
                    row["decode"] = median(pieces, "decode_ms") / 1000 / seconds * WINDOW_SECONDS
                if reference:
                    row["different"] = sum(map(word_errors, reference[-1]["tokens"], pieces[-1]["tokens"]))
            limit = state.results["limits"].get(f"{OURS.get(name)}, {count}")
            if limit and encode:
                row["share"] = 100 * limit / encode
            rows.append(row)
    return rows


def in_seconds(milliseconds):
    return None if milliseconds is None else milliseconds / 1000


def short(results):
    about = results["about"]
    peers = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    return (f"parakeet-tdt-0.6b-v3 with random weights on an {about['processor']}, {about['date']}, `{about['command']}`, "
            f"{about['program']}; {peers}:\n\n{table(COLUMNS, results['rows'])}\n\n"
            "Encoder: seconds for a window of 30 s, medians of the rounds. Decoder: for 30 s of speech; for whisper-local, "
            f"and where no speech was measured, in noise, whose tokens are others. Times real time: {about['seconds'] / 60:.1f} minutes of speech in pieces "
            "of 28 to 30 s; whisper-local starts and loads the model in this time, the others are already loaded. Processor: its "
            "time, user and system, for 30 s of this speech. 3 s clip: from loading the model, whose files are in the page cache, "
            "to the text; for the others without starting Python. Different: tokens to insert, delete or replace "
            f"to get those of {REFERENCE} for the same speech. Share of peak: the least time for the encoder at the peak "
            "of the processor's instructions, as `bench --limits` measures it.")


def write_report(state, model, recordings, options, environment):
    seconds = recordings[2]
    command = ["Benchmarks/parakeet.py", "--rounds", str(options.rounds), "--minutes", f"{options.minutes:g}", "--threads",
               options.threads]
    about = {"processor": processor(), "date": today(), "rounds": options.rounds, "seconds": seconds,
             "command": shlex.join(command), "versions": environment.versions(), "program": version(options.program),
             "limits": state.results["limits"]}
    results = {"about": about, "rows": rows_of(state, model, seconds, options)}
    text = short(results)
    write_results("parakeet", results, f"# Parakeet: whisper-local and its peers\n\n{text}\n")
    if options.document:
        replace_section(ROOT / "docs/performance.md", "parakeet", text)


def main():
    parser = argument_parser(__doc__, rounds=3)
    parser.add_argument("--threads", default="1", help="numbers of threads, separated by commas (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=10, help="length of the speech (default: %(default)s)")
    parser.add_argument("--speech", type=Path, default=CACHE / "speech/long-fr.wav", help="recording to cut pieces from")
    parser.add_argument("--models", type=Path, default=ROOT / ".build/benchmark-models",
                        help="folder that the model is generated in (default: .build/benchmark-models)")
    parser.add_argument("--work", type=Path, default=ROOT / ".build/parakeet",
                        help="folder for results, pieces and the peers' files, 6 GB (default: .build/parakeet)")
    add_environment(parser, ParakeetEnvironment)
    parser.add_argument("--only", default="", help="run only engines whose name contains this")
    parser.add_argument("--pause", type=float, default=0, metavar="SECONDS",
                        help="leave the processor to other programs between jobs")
    parser.add_argument("--report", action="store_true", help="run nothing, only write the tables")
    parser.add_argument("--document", action="store_true", help="write the table into docs/performance.md")
    options = parser.parse_args()

    environment = ParakeetEnvironment(options)
    options.work.mkdir(parents=True, exist_ok=True)
    model = generate_once(options, environment)
    recordings = cut(options.speech, options.work, options.minutes * 60)
    state = State(options.work / "results.json", {
        "program": hashlib.sha256(options.program.read_bytes()).hexdigest(), "processor": processor(),
        "seconds": recordings[2], "versions": environment.versions()})
    if not options.report:
        files = environment.model_files(model, options.work / model.name, "convert_parakeet.py")
        race(state, model, files, recordings, options, environment)
    write_report(state, model, recordings, options, environment)


if __name__ == "__main__":
    main()
