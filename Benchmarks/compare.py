#!/usr/bin/env python3
"""Times whisper-local beside what a user would pick instead, on this machine.

    Benchmarks/compare.py                     everything (a quarter of an hour; the first time peers are installed)
    Benchmarks/compare.py --sizes tiny.en --rounds 3 --minutes 2
    Benchmarks/compare.py --name quiet-laptop

All engines are loaded once and then work in turn, round after round, so that what else the machine does falls on all of
them alike; the tables hold medians and the ratios of medians. Random weights of official dimensions time a window,
large ones in fewer rounds; the model that comes with the program times recordings, where the text counts, too. There
every engine does the same work: temperature 0 alone, and no window prompted by the text before it, so that neither luck
nor a loop decides. A peer that is not done in time is ended, and its row is empty.
Results: Benchmarks/results/NAME.md, NAME.json and NAME.svg. At the end peak.py and scaling.py measure what needs no peers.
"""
import argparse
import datetime
import json
import os
import platform
import select
import statistics
import subprocess
import sys
import time
from pathlib import Path

from chart import bars
from environment import environment, versions
from recording import compose, word_error_rate

here = Path(__file__).resolve().parent
OURS = ("float32", "bfloat16", "int8")
#: name, worker, file of the model, compute type
PEERS = [("whisper.cpp f16", "whisper_cpp", "ggml", "f16"), ("whisper.cpp q8_0", "whisper_cpp", "q8_0", "q8_0"),
         ("faster-whisper float32", "faster_whisper", "ct2", "float32"),
         ("faster-whisper int8", "faster_whisper", "ct2", "int8"),
         ("openai-whisper float32", "openai_whisper", "pt", "float32"),
         ("openai-whisper bfloat16, encoder", "openai_whisper", "pt", "bfloat16")]


#: Of so many rounds one is made for a window of this size.
SIZE_COSTS = {"base.en": 2, "small.en": 4, "medium.en": 8}
#: Seconds that a peer may take for one job.
PATIENCE = 90


class Peer:
    """A process that holds one engine with one model."""

    def __init__(self, peer, files, python, variables, threads):
        self.name, worker, self.kind, compute_type = peer
        self.command = [python, str(here / "engines" / f"{worker}_worker.py")]
        self.variables = variables
        self.model = {"model_path": files[self.kind], "threads": threads, "compute_type": compute_type}
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env=self.variables)
        self.loaded = self.ask("load", **self.model)

    def ask(self, job, **arguments):
        """The answer; `None` where the peer took too long, and was started again."""
        print(json.dumps({"job": job} | arguments), file=self.process.stdin, flush=True)
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            self.process.kill()
            self.process.wait()
            self.start()
            return None
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.name} ended while it did: {job}")
        return json.loads(answer)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Ours:
    """The program, started for each job: its times of a recording include its start and the loading of the model."""

    def __init__(self, program, compute_type, files, variables, threads):
        self.name = f"whisper-local {compute_type}"
        self.words = ["--no-config", "--model", files["ggml"], "--threads", str(threads), "--compute-type",
                      compute_type]
        self.program, self.variables = str(program), variables

    def run(self, command, *words):
        start = time.perf_counter()
        process = subprocess.Popen([self.program, command, *self.words, *words], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=self.variables)
        output, error = process.communicate()
        if process.returncode:
            raise SystemExit(f"{self.name}: {error}")
        return (time.perf_counter() - start) * 1000, output

    def ask(self, job, **arguments):
        if job == "window":
            answer = json.loads(self.run("bench", "--json", "--rounds", "2", "--beam-size", str(arguments["beams"]),
                                         "--tokens", str(arguments["tokens"]))[1])
            answer["peak_bytes"] = answer["peak_rss_bytes"]
            answer["decode_ms"] = answer["window_ms"] - answer["mel_ms"] - answer["encode_ms"]
            return answer
        batched = ["--vad-filter", "--batch-size", str(arguments["batch"])] if arguments["batch"] > 1 else []
        elapsed, text = self.run("transcribe", "--no-timestamps", "--beam-size", str(arguments["beams"]), "--temperature",
                                 "0", "--temperature-increment-on-fallback", "None",
                                 "--condition-on-previous-text=false", *batched, arguments["path"])
        return {"file_ms": elapsed, "text": text}

    def end(self):
        pass


def median(runs, field):
    values = [run[field] for run in runs if field in run]
    return statistics.median(values) if values else None


def in_turn(engines, jobs, rounds, warm_up):
    """{engine's name: {job's name: answers}}, a round of all engines after the other.

    `warm_up` is a small job that each engine does first.
    """
    found = {engine.name: {name: [] for name in jobs} for engine in engines}
    for engine in engines:
        if isinstance(engine, Peer):
            engine.ask(warm_up[0], **warm_up[1])
    for turn in range(rounds):
        for name, arguments in jobs.items():
            for engine in engines:
                kind, values = arguments
                if engine.name.endswith("encoder") and (kind != "window" or values["beams"] > 1):
                    continue
                # Many times slower than the others with beams, and so never the best peer.
                if engine.name.startswith("openai") and values["beams"] > 1:
                    continue
                start = time.perf_counter()
                answer = engine.ask(kind, **values)
                print(f"round {turn}, {name}, {engine.name}: {time.perf_counter() - start:.1f} s", file=sys.stderr)
                if answer:
                    found[engine.name][name].append(answer)
    return found


def windows(sizes, engines_of, rounds, tokens):
    """Rows of a table: one window of 30 s, by size and engine."""
    rows = []
    for size in sizes:
        engines = engines_of(size)
        # One beam and several are different decoders in some peers, loaded apart.
        found = in_turn(engines, {f"beams {beams}": ("window", {"beams": beams, "tokens": tokens}) for beams in (1, 5)},
                        max(1, rounds // SIZE_COSTS.get(size, 1)), ("window", {"beams": 1, "tokens": 4}))
        for engine in engines:
            greedy, beam = found[engine.name]["beams 1"], found[engine.name]["beams 5"]
            rows.append({"size": size, "engine": engine.name, "mel_ms": median(greedy, "mel_ms"),
                         "encode_ms": median(greedy + beam, "encode_ms"),
                         "greedy_ms": median(greedy, "decode_ms"), "beam_ms": median(beam, "decode_ms"),
                         "window_greedy_ms": median(greedy, "window_ms"),
                         "window_beam_ms": median(beam, "window_ms"),
                         "tokens": median(greedy, "tokens"),
                         "peak_bytes": max((run["peak_bytes"] for run in greedy + beam), default=0)})
        for engine in engines:
            engine.end()
    return rows


def recordings(engines, path, words, rounds, minutes, clip):
    """Rows of a table: one recording from its file to its text.

    The batched way is the fastest of all engines that have one, and gets the rounds; the others are for the table.
    """
    jobs = {"one by one": ("file", {"path": str(path), "beams": 1, "batch": 1}),
            "batched": ("file", {"path": str(path), "beams": 1, "batch": 8}),
            "five beams": ("file", {"path": str(path), "beams": 5, "batch": 1}),
            "five beams, batched": ("file", {"path": str(path), "beams": 5, "batch": 8})}
    rows = []
    for name, job in jobs.items():
        batched = job[1]["batch"] > 1
        taking = [engine for engine in engines
                  if not batched or engine.name.startswith(("whisper-local", "faster-whisper"))]
        found = in_turn(taking, {name: job}, rounds if name == "batched" else max(1, rounds // 2),
                        ("file", job[1] | {"path": clip}))
        for engine in taking:
            runs = found[engine.name][name]
            if not runs and not (engine.name.startswith("openai") and job[1]["beams"] > 1):
                rows.append({"work": name, "engine": engine.name, "file_ms": None, "times_real_time": None,
                             "word_error_rate": None})
            if runs:
                elapsed = median(runs, "file_ms")
                rows.append({"work": name, "engine": engine.name, "file_ms": elapsed,
                             "times_real_time": minutes * 60_000 / elapsed,
                             "word_error_rate": word_error_rate(words, runs[-1]["text"])})
    return rows


def first_text(python, variables, program, files, clip, threads, rounds):
    """Milliseconds from nothing loaded to the text of a short clip, and the most memory."""
    found = {}
    for _ in range(rounds):
        for compute_type in OURS:
            ours = Ours(program, compute_type, files, variables, threads)
            found.setdefault(ours.name, []).append(ours.ask("file", path=clip, beams=1, batch=1)["file_ms"])
        for peer in PEERS[:5]:
            engine = Peer(peer, files, python, variables, threads)
            answer = engine.ask("file", path=clip, beams=1, batch=1)
            if answer:
                found.setdefault(engine.name, []).append(engine.loaded["load_ms"] + answer["file_ms"])
            engine.end()
    return [{"engine": name, "first_text_ms": statistics.median(times)} for name, times in found.items()]


def best(rows, field, ours):
    chosen = [row for row in rows if row["engine"].startswith("whisper-local") == ours and row.get(field)]
    return min(chosen, key=lambda row: row[field]) if chosen else None


def goals(window_rows, recording_rows, first_rows):
    """(what, wanted ratio, ours, best peer) for each goal."""
    found = []

    def add(what, wanted, rows, field):
        ours, peer = best(rows, field, True), best(rows, field, False)
        if ours and peer:
            found.append({"goal": what, "wanted": wanted, "ratio": peer[field] / ours[field],
                          "ours": ours["engine"], "ours_ms": ours[field], "peer": peer["engine"],
                          "peer_ms": peer[field]})

    for size in dict.fromkeys(row["size"] for row in window_rows):
        rows = [row for row in window_rows if row["size"] == size]
        if size == "tiny.en":
            add("window, greedy, tiny.en", 5, rows, "window_greedy_ms")
            add("window, five beams, tiny.en", 5, rows, "window_beam_ms")
        plain = [row for row in rows if not row["engine"].startswith("openai")]
        add(f"encoder, {size}", 3, plain, "encode_ms")
        add(f"encoder, {size}, against PyTorch's bfloat16", 1,
            [row for row in rows if row["engine"].startswith(("whisper-local", "openai-whisper bfloat16"))], "encode_ms")
    # Of each engine its fastest way through the recording.
    add("recording, faster-whisper", 5,
        [row for row in recording_rows if row["engine"].startswith(("whisper-local", "faster"))], "file_ms")
    add("recording, whisper.cpp", 5,
        [row for row in recording_rows if row["engine"].startswith(("whisper-local", "whisper.cpp"))], "file_ms")
    add("first text of a 3 s clip, whisper.cpp", 2,
        [row for row in first_rows if row["engine"].startswith(("whisper-local", "whisper.cpp"))], "first_text_ms")
    return found


def memory(window_rows):
    """The most memory of any of our formats beside whisper.cpp's with the same float16 weights, by size."""
    found = []
    for size in dict.fromkeys(row["size"] for row in window_rows):
        peaks = {row["engine"]: row["peak_bytes"] / 1e6 for row in window_rows if row["size"] == size}
        ours = max(peak for engine, peak in peaks.items() if engine.startswith("whisper-local"))
        peer = peaks.get("whisper.cpp f16")
        if peer:
            found.append({"size": size, "ours": ours, "peer": peer, "held": "yes" if ours <= peer + 100 else "no"})
    return found


def words_lost(recording_rows):
    """Word error rates of fewer bits less float32's, in points, by way of working."""
    rates = {(row["work"], row["engine"]): row.get("word_error_rate") for row in recording_rows}
    found = []
    for work in dict.fromkeys(work for work, _ in rates):
        exact = rates.get((work, "whisper-local float32"))
        row = {"work": work}
        for kind in ("bfloat16", "int8"):
            rate = rates.get((work, f"whisper-local {kind}"))
            row[kind] = None if rate is None or exact is None else 100 * (rate - exact)
        found.append(row)
    return found


def table(columns, rows):
    lines = ["| " + " | ".join(title for title, _, _ in columns) + " |", "|" + " --- |" * len(columns)]
    for row in rows:
        cells = [("–" if row.get(key) is None else form.format(row[key])) for _, key, form in columns]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def report(about, window_rows, recording_rows, first_rows, goal_rows):
    engines = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    parts = [f"# whisper-local beside its peers on {about['processor']}",
             f"`{about['command']}`, {about['date']}, {about['threads']} threads, medians of up to {about['rounds']} "
             f"rounds in turn. {about['program']}; {engines}.",
             "## Goals", table([("goal", "goal", "{}"), ("wanted", "wanted", "{} ×"), ("measured", "ratio", "{:.2f} ×"),
                                ("ours", "ours", "{}"), ("ms", "ours_ms", "{:.0f}"), ("best peer", "peer", "{}"),
                                ("ms", "peer_ms", "{:.0f}")], goal_rows),
             "## A window", f"30 s of sound, {about['tokens']} tokens, random weights; milliseconds.",
             table([("size", "size", "{}"), ("engine", "engine", "{}"), ("log-mel", "mel_ms", "{:.1f}"),
                    ("encode", "encode_ms", "{:.0f}"), ("greedy", "greedy_ms", "{:.0f}"),
                    ("beam 5", "beam_ms", "{:.0f}"), ("window, greedy", "window_greedy_ms", "{:.0f}"),
                    ("window, beam 5", "window_beam_ms", "{:.0f}"), ("tokens", "tokens", "{:.0f}"),
                    ("peak MB", "peak_mb", "{:.0f}")],
                   [row | {"peak_mb": row["peak_bytes"] / 1e6} for row in window_rows]),
             "## A recording",
             f"{about['minutes']} minutes of speech with pauses, `nano.en`, from the file to the text. Temperature "
             "0, no text before a window. Ours includes the start of the program and the loading of the model.",
             table([("work", "work", "{}"), ("engine", "engine", "{}"), ("ms", "file_ms", "{:.0f}"),
                    ("× real time", "times_real_time", "{:.0f}"), ("word error rate", "word_error_rate", "{:.4f}")],
                   recording_rows),
             "Fewer bits against float32, in points of word error rate (aim: at most 0.5 either way). The model is small "
             "and made for short sentences: in windows of 30 s, not cut where somebody pauses, one other word may lead "
             "it elsewhere.",
             table([("work", "work", "{}"), ("bfloat16", "bfloat16", "{:+.1f}"), ("int8", "int8", "{:+.1f}")],
                   words_lost(recording_rows)),
             "## Memory",
             "MB at most for a window: the most of our formats, and whisper.cpp with the same weights in float16 (aim: "
             "at most 100 MB above it).",
             table([("size", "size", "{}"), ("ours", "ours", "{:.0f}"), ("whisper.cpp", "peer", "{:.0f}"),
                    ("held", "held", "{}")], memory(window_rows)),
             "## From nothing to the text of a 3 s clip",
             "`nano.en`. Peers without the start of Python and the import of their modules.",
             table([("engine", "engine", "{}"), ("ms", "first_text_ms", "{:.0f}")], first_rows)]
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="tiny.en,base.en,small.en")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--peers-only", action="store_true",
                        help="leave out what needs no peers: the share of the peak, and how cost grows")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--name", default="latest")
    parser.add_argument("--program", type=Path, default=here.parent / ".build/release/whisper-local")
    parser.add_argument("--environment", type=Path, default=here.parent / ".build/peers")
    parser.add_argument("--models", type=Path, default=here.parent / ".build/benchmark-models")
    options = parser.parse_args()

    python, variables = environment(options.environment)
    options.models.mkdir(parents=True, exist_ok=True)
    shipped = here.parent / "Models/nano.en.ggml.bin"

    def files(name):
        """Made by the environment's Python, which has what the formats need."""
        script = ("import json, sys; from pathlib import Path; from make_random_model import random_model\n"
                  "from models import convert\n"
                  "name, folder, shipped = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])\n"
                  "ggml = shipped if name == 'nano.en' else folder / (name + '.bin')\n"
                  "if not ggml.exists(): random_model(name, ggml)\n"
                  "print(json.dumps(convert(ggml, folder)))")
        output = subprocess.run([python, "-c", script, name, str(options.models), str(shipped)], check=True,
                                capture_output=True, text=True, cwd=here).stdout
        return json.loads(output.splitlines()[-1])

    def engines(name):
        made = files(name)
        return ([Ours(options.program, kind, made, variables, options.threads) for kind in OURS]
                + [Peer(peer, made, python, variables, options.threads) for peer in PEERS])

    window_rows = windows(options.sizes.split(","), engines, options.rounds, options.tokens)
    path = options.models / f"{options.minutes}-minutes.wav"
    words = compose(path, options.minutes * 60)
    taking = [engine for engine in engines("nano.en") if not engine.name.endswith("encoder")]
    clip = str(here.parent / "Tests/Fixtures/clips/say-01.wav")
    recording_rows = recordings(taking, path, words, max(1, options.rounds // 2), options.minutes, clip)
    for engine in taking:
        engine.end()
    first_rows = first_text(python, variables, options.program, files("nano.en"), clip, options.threads,
                            max(1, options.rounds // 2))
    goal_rows = goals(window_rows, recording_rows, first_rows)

    processor = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                      if line.startswith("model name")), platform.machine())
    about = {"processor": processor, "system": platform.platform(), "date": datetime.date.today().isoformat(),
             "command": f"Benchmarks/compare.py --sizes {options.sizes} --rounds {options.rounds} "
                        f"--minutes {options.minutes}",
             "rounds": options.rounds, "threads": options.threads, "tokens": options.tokens,
             "minutes": options.minutes, "versions": versions(python),
             "program": subprocess.run([str(options.program), "--version"], capture_output=True,
                                       text=True).stdout.splitlines()[0]}
    folder = here / "results"
    folder.mkdir(exist_ok=True)
    (folder / f"{options.name}.json").write_text(json.dumps(
        {"about": about, "goals": goal_rows, "windows": window_rows, "recordings": recording_rows,
         "first_text": first_rows}, indent=1) + "\n")
    text = report(about, window_rows, recording_rows, first_rows, goal_rows)
    (folder / f"{options.name}.md").write_text(text)
    shown = [row for row in window_rows if row["window_greedy_ms"]]
    (folder / f"{options.name}.svg").write_text(bars(
        "How many seconds of sound in a second", [(row["size"], row["engine"], 30_000 / row["window_greedy_ms"])
                                                  for row in shown]))
    print(text, flush=True)
    if options.peers_only:
        return
    for script, words in (
            ("peak.py", ["--models", str(options.models), "--sizes", options.sizes]),
            ("scaling.py", ["--rounds", str(max(1, options.rounds // 2)), "--model", str(shipped), "--name",
                            options.name.removesuffix("-peers")])):
        subprocess.run([python, str(here / script), *words, "--program", str(options.program)], check=True)


if __name__ == "__main__":
    main()
