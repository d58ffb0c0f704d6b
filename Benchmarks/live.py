#!/usr/bin/env python3
"""Measures live recognition of human speech with OpenAI's tiny.en and base: wrong words, latency, retracted words.

    Benchmarks/live.py                         everything: hours on two cores; what is already there is not computed again
    Benchmarks/live.py --only 'tiny.en en'     recordings whose name contains this
    Benchmarks/live.py --options='--step 1'    with other options of `bench --live`; prints a table and writes no document
    Benchmarks/live.py --report                write the tables of what is there

The recordings are those of `scripts/setup.sh --tests`, ten minutes in each of five languages: with pauses of 0.8 s between
the prompts, without pauses, and with white noise 20 and 10 dB below the speech; then other prompts of the same voices. The
defaults were tuned on the first two in English and French. One thread and simulated time: an output appears after the
processor time of its pass. Texts are normalized as in words.py.

Results are kept in .build/live. Table: docs/streaming.md; numbers: Benchmarks/results/live.json.
"""
import array
import json
import math
import random
import shlex
import wave

from harness import (BENCHMARKS, ROOT, argument_parser, processor, replace_section, run_program, table, today, transcribe,
                     version, write_json)
from peers import LIVE_PEERS, Environment, Peer
from recording import SAMPLE_RATE, join, word_errors
from transcribers import add_files, normalized

#: Model and language.
COLUMNS = [("tiny.en", "en"), ("base", "en"), ("base", "fr"), ("base", "es"), ("base", "it"), ("base", "ru")]
#: Kinds of recordings: seconds between prompts, noise in dB below the speech, or prompts that are not in the first one.
KINDS = {"pauses": {}, "joined": {"pause": 0}, "noise at 20 dB": {"noise": 20}, "noise at 10 dB": {"noise": 10},
         "other prompts": {"others": True}, "other prompts, joined": {"others": True, "pause": 0}}
#: The recording that peers hear, too.
PEER_RECORDING = ("tiny.en", "en", "pauses")
MINUTES = 10
#: Samples above this level count as speech when noise is scaled.
AUDIBLE = 200


def recording(kind, language, options):
    """The file of a recording, made on first use, and what is said in it."""
    source, said = options.speech / f"long-{language}.wav", (options.speech / f"long-{language}.txt").read_text()
    if kind == "pauses":
        return source, said
    path = options.texts / f"{kind}, {language}.wav"
    text = path.with_suffix(".txt")
    if not text.exists():
        made = dict(KINDS[kind])
        if "noise" in made:
            add_noise(source, path, made["noise"])
        else:
            prompts = json.loads((options.speech / f"{language}.json").read_text())
            if made.pop("others", False):
                prompts = [prompt for prompt in prompts if prompt["text"] not in said]
            _, said = join(prompts, options.speech / language, path, MINUTES * 60, **made)
        text.write_text(said)
    return path, text.read_text()


def add_noise(source, path, decibels):
    with wave.open(str(source)) as file:
        samples = array.array("h", file.readframes(file.getnframes()))
    audible = [sample * sample for sample in samples if abs(sample) > AUDIBLE]
    level = math.sqrt(sum(audible) / len(audible) / 10 ** (decibels / 10))
    generator = random.Random(1)
    noisy = (round(sample + generator.gauss(0, level)) for sample in samples)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", ""))
        file.writeframes(array.array("h", (max(-32_768, min(sample, 32_767)) for sample in noisy)).tobytes())


def measure(name, model, language, kind, options):
    """What `bench --live` measures, with the texts of live recognition, of `transcribe` and of the script."""
    path = options.texts / f"{name}.json"
    if not path.exists():
        audio, said = recording(kind, language, options)
        weights = options.models / f"{model}.pt"
        result = json.loads(run_program(options.program, "bench", "--no-config", "--live", "--json", "--processor-time",
                                        "--threads", 1, "--model", weights, *shlex.split(options.options), audio))
        _, (heard,) = transcribe(options.program, [audio], weights, "auto", 1, beams=5, previous=True, fallback=True,
                                 language=language)
        path.write_text(json.dumps(result | {"said": said, "heard": heard}) + "\n")
    return json.loads(path.read_text())


def measure_peer(name, engine, environment, options):
    path = options.texts / f"{name}.json"
    if not path.exists():
        model, language, kind = PEER_RECORDING
        audio, said = recording(kind, language, options)
        peer = Peer(engine, environment, {"ct2": str(options.models / f"ct2-{model}")}, threads=1, timeout=3600)
        result = peer.run("live", path=str(audio), language=language)
        peer.close()
        path.write_text(json.dumps(result | {"said": said}) + "\n")
    return json.loads(path.read_text())


def peer_row(name, result, environment):
    language = PEER_RECORDING[1]
    said, live = normalized([(language, result[text]) for text in ("said", "text")], environment)
    return {"name": name, "live": 100 * word_errors(said, live) / len(said),
            **{key: result[key] for key in ("final", "final95", "pass", "speed")}}


def row(name, result, language, environment):
    said, live, heard = normalized([(language, result[text]) for text in ("said", "text", "heard")], environment)
    aware = result["aware"]
    return {"name": name, "live": 100 * word_errors(said, live) / len(said), "file": 100 * word_errors(said, heard) / len(said),
            "final": aware["final_latency"]["mean"], "final95": aware["final_latency"]["p95"],
            "instant": result["unaware"]["final_latency"]["mean"], "volatile": aware["volatile_latency"]["mean"],
            "flicker": aware["flicker"], "lost": aware["accuracy"]["lost"], "doubled": aware["accuracy"]["doubled"],
            "pass": result["pass"]["mean"], "speed": result["real_time_factor"]}


def markdown(rows):
    return table([("recording", "name", "{}"), ("wrong words: live", "live", "{:.1f} %"), ("`transcribe`", "file", "{:.1f} %"),
                  ("final: mean", "final", "{:.2f}"), ("95 %", "final95", "{:.2f} s"),
                  ("if passes took no time", "instant", "{:.2f} s"), ("volatile", "volatile", "{:.2f} s"),
                  ("flicker", "flicker", "{:.2f}"), ("lost", "lost", "{:.1f}"), ("doubled", "doubled", "{:.1f}"),
                  ("a pass", "pass", "{:.2f} s"), ("seconds per second", "speed", "{:.2f}")], rows)


def main():
    parser = argument_parser(__doc__)
    add_files(parser, "live")
    parser.add_argument("--options", default="", help="options of `bench --live`")
    options = parser.parse_args()
    options.texts.mkdir(parents=True, exist_ok=True)

    environment = Environment(options)
    rows = []
    for kind in KINDS:
        for model, language in COLUMNS:
            name = f"{model} {language}, {kind}"
            file = f"{name} {options.options}".strip()
            if options.only not in name or options.report and not (options.texts / f"{file}.json").exists():
                continue
            rows.append(row(name, measure(file, model, language, kind, options), language, environment))
            print(markdown(rows[-1:]).splitlines()[-1], flush=True)
    for engine in [] if options.options else LIVE_PEERS:
        name = f"{engine}, {', '.join(PEER_RECORDING)}"
        if options.only in name and not (options.report and not (options.texts / f"{name}.json").exists()):
            rows.append(peer_row(name, measure_peer(name, engine, environment, options), environment))
            print(markdown(rows[-1:]).splitlines()[-1], flush=True)
    if options.options or options.only:
        print(markdown(rows))
        return
    # Rows that other machines measured stay until they are measured here.
    earlier = json.loads((BENCHMARKS / "results/live.json").read_text())["rows"]
    names = [row["name"] for row in rows]
    about = {"processor": processor(), "date": today(), "program": version(options.program)}
    rows = [row for row in earlier if row["name"] not in names] + [row | about for row in rows]
    rows.sort(key=lambda row: row["name"].startswith(tuple(LIVE_PEERS)))
    write_json("live", {"rows": rows})
    replace_section(ROOT / "docs/streaming.md", "live.py", markdown(rows))


if __name__ == "__main__":
    main()
