"""`compare.py --real`: the race between whisper-local and its peers with OpenAI's models and human speech.

    Benchmarks/compare.py --real                                everything: hours on two cores
    Benchmarks/compare.py --real --minutes 1 --rounds 1 --skip 'openai-whisper float32, beam 5'
    Benchmarks/compare.py --real --instruction-set avx2         with older instruction sets only
    Benchmarks/compare.py --real --report                       only write the tables, from existing results

The encoder alone (tiny.en and base), and a recording (tiny.en in English, base in French or --languages): greedy and with
beam size 5, one window after another and in batches. The engines run in turn, round after round; jobs of more than a
minute run once. Peers stay loaded; whisper-local is started for each job. All engines decode bad windows again at higher
temperatures, as they do by default, and none is prompted with the previous text. Wrong words are counted in the same runs.

Needs the models and recordings of `scripts/setup.sh --tests`. Results are saved in .build/race at once, and an
interrupted race continues from there. Tables: Benchmarks/results/real-SET.md and real-SET.json, by instruction set.
"""
import argparse
import hashlib
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from harness import (add_threads, argument_parser, processor, replace_section, run_program, today, version,
                     write_results)
from peers import INSTRUCTION_SETS, RECOGNIZERS, Environment
from real_report import aims, judge, markdown, short, slower
from recording import compose_prompts, word_errors
from rounds import finished, interleaved, median, took_long
from transcribers import MODES, OURS, add_files, engines, normalized

#: The engines, in the order of the tables. auto is int16 wherever there are kernels for it.
NAMES = [name for name in [*OURS, *RECOGNIZERS] if not name.endswith(("int16", "q5_0"))]
MODELS = ("tiny.en", "base")
#: Only the encoder's time counts, so few tokens are decoded.
WINDOW = {"beams": 1, "tokens": 4}
#: Minutes that an engine transcribes to warm up before it is measured.
WARM_UP_MINUTES = 0.25


@dataclass
class Work:
    """A job that all engines run."""

    name: str
    model: str
    #: `encoder` or a way to transcribe, one of `MODES`.
    mode: str
    language: str | None
    job: str
    arguments: dict
    warm_up: dict

    def supports(self, options):
        """Returns a predicate for `interleaved`: which engines run this job."""
        def supports(engine, job, arguments):
            name = f"{engine.name}, {self.name}"
            return (engine.supports(job, **arguments) and options.only in name
                    and not any(part in name for part in options.skip))
        return supports


@dataclass
class Recording:
    path: str
    warm_up: str
    seconds: float
    said: str


def compose_recordings(options):
    """{language: recording}"""
    recordings = {}
    for language in ["en", *options.languages.split(",")]:
        path, warm_up = (options.texts / f"{language}-{minutes:g}-minutes.wav"
                         for minutes in (options.minutes, WARM_UP_MINUTES))
        compose_prompts(options.speech, language, WARM_UP_MINUTES, warm_up)
        seconds, said = compose_prompts(options.speech, language, options.minutes, path)
        recordings[language] = Recording(str(path), str(warm_up), seconds, said)
    return recordings


def all_works(recordings):
    """All jobs, in the order in which they are measured."""
    works = []
    for model in MODELS:
        works.append(Work(f"encoder, {model}", model, "encoder", None, "window", WINDOW, WINDOW))
        for language, recording in recordings.items():
            if (language == "en") == model.endswith(".en"):
                for mode, way in MODES.items():
                    way = way | {"language": language, "fallback": True}
                    works.append(Work(f"{mode}, {model}, {language}", model, mode, language, "recording",
                                      way | {"path": recording.path}, way | {"path": recording.warm_up}))
    return works


class State:
    """The results so far, stored in a file: {name of work: {engine: {name of work: [result of each round]}}}."""

    def __init__(self, path, setting):
        self.path, self.setting, self.results = path, setting, {}
        if path.exists():
            content = json.loads(path.read_text())
            if content["setting"] != setting:
                raise SystemExit(f"{path} has results for other settings or another program; delete it to start over")
            self.results = content["results"]

    def of(self, work):
        return self.results.setdefault(work, {})

    def save(self):
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps({"setting": self.setting, "results": self.results}, ensure_ascii=False))
        new.rename(self.path)


def race(works, state, options, environment):
    """Measures everything that the state does not have yet."""
    for model in MODELS:
        loaded = engines(NAMES, model, environment, options, options.timeout)
        for work in works:
            if work.model == model:
                interleaved(loaded, work.job, {work.name: work.arguments}, options.rounds, work.warm_up,
                            work.supports(options), state.of(work.name), state.save)
        for engine in loaded:
            engine.close()


def rows_of(works, state, recordings, environment):
    """One row per work and engine, with the words counted in all rounds."""
    rows, texts = [], []
    for work in works:
        recording = recordings.get(work.language)
        for name in NAMES:
            runs = state.of(work.name).get(name, {}).get(work.name)
            if not runs:
                continue
            elapsed = median(runs, "file_ms" if recording else "encode_ms")
            heard = [run["text"] for run in finished(runs)] if recording else []
            texts += [(work.language, text) for text in [recording.said, *heard]] if recording else []
            rows.append({"work": work.name, "model": work.model, "mode": work.mode, "language": work.language,
                         "engine": name, "setting": f"{name}, {work.mode}", "ms": elapsed, "rounds": len(runs),
                         "times_real_time": recording.seconds * 1000 / elapsed if recording and elapsed else None,
                         "texts": len(heard), "remark": "stopped" if took_long(runs) and not elapsed else ""})
    words = iter(normalized(texts, environment))
    for row in rows:
        count, row["word_error_rate"] = row.pop("texts"), None
        said = next(words) if row["language"] else []
        errors = sum(word_errors(said, next(words)) for _ in range(count))
        if count:
            row["word_error_rate"] = errors / count / len(said)
    return rows


def write_report(works, state, recordings, options, environment, instruction_set):
    rows = rows_of(works, state, recordings, environment)
    judge(rows)
    command = ["Benchmarks/compare.py", "--real", "--rounds", str(options.rounds), "--minutes", f"{options.minutes:g}",
               "--languages", options.languages]
    command += ["--instruction-set", options.instruction_set] if options.instruction_set else []
    command += [word for text in options.skip for word in ("--skip", text)]
    about = {"processor": processor(), "instruction_set": instruction_set, "limited": bool(options.instruction_set),
             "date": today(), "rounds": options.rounds, "threads": options.threads, "minutes": options.minutes,
             "command": shlex.join(command),
             "versions": environment.versions(), "program": version(options.program)}
    results = {"about": about, "aims": aims(rows, instruction_set), "slower": slower(rows), "rows": rows}
    write_results(options.name or f"real-{instruction_set}", results, markdown(results))
    for path in options.document:
        replace_section(path, f"real-{instruction_set}", short(results))


def instruction_set_in_use(program, environment):
    """The instruction set whose kernels whisper-local uses."""
    shown = run_program(program, "doctor", environment=environment.variables)
    return re.search(r"^processor .*, (\w+) kernels", shown, re.MULTILINE)[1]


def setting_of(options, environment, instruction_set):
    """The settings that must be the same in all rounds."""
    return {"program": hashlib.sha256(options.program.read_bytes()).hexdigest(), "processor": processor(),
            "instruction_set": instruction_set, "limited": bool(options.instruction_set), "threads": options.threads,
            "minutes": options.minutes, "versions": environment.versions()}


def main():
    parser = argument_parser(__doc__, rounds=3)
    parser.add_argument("--real", action="store_true", required=True, help=argparse.SUPPRESS)
    add_threads(parser)
    add_files(parser, "race")
    parser.add_argument("--skip", action="append", default=[], metavar="TEXT",
                        help="skip jobs whose name contains this, such as 'openai-whisper float32, beam 5'")
    parser.add_argument("--minutes", type=float, default=10, help="length of the recordings (default: %(default)s)")
    parser.add_argument("--languages", default="fr", help="languages for base, separated by commas (default: %(default)s)")
    parser.add_argument("--timeout", type=float, default=7200,
                        help="seconds that a peer may spend on one job (default: %(default)s)")
    parser.add_argument("--instruction-set", choices=INSTRUCTION_SETS,
                        help="limit whisper-local, PyTorch and CTranslate2 to this instruction set")
    parser.add_argument("--name", help="name of the results files (default: real-SET)")
    parser.add_argument("--document", action="append", default=[], metavar="FILE", type=Path,
                        help="also write a short table into this document's section real-SET")
    options = parser.parse_args()
    options.texts.mkdir(parents=True, exist_ok=True)

    environment = Environment(options)
    if options.instruction_set:
        environment.limit(options.instruction_set)
    instruction_set = instruction_set_in_use(options.program, environment)
    recordings = compose_recordings(options)
    works = all_works(recordings)
    state = State(options.texts / f"{options.name or f'real-{instruction_set}'}.json",
                  setting_of(options, environment, instruction_set))
    if not options.report:
        race(works, state, options, environment)
    write_report(works, state, recordings, options, environment, instruction_set)
