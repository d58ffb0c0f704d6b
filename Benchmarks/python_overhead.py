"""Compares the Python package with the command line on the same recording: both use the same engine and have the same
options, so that the ratio should be 1. Writes its sentence in docs/python.md.

    python Benchmarks/python_overhead.py --python .build/faster-whisper/bin/python

Both are measured in processor time, which other load on the machine disturbs less, without what they take for a clip of
a few seconds: the start, and loading the model.
"""
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from harness import (
    ROOT, add_threads, argument_parser, fail, processor, replace_section, stop_at_once, today, write_json)
from recording import compose_prompts
from transcribers import BEAMS, CACHE

CLIP = ROOT / "Tests/Fixtures/clips/say-00.wav"
SCRIPT = """
import sys
from whisper_local import WhisperModel
path, model, beams, threads = sys.argv[1:]
segments, _ = WhisperModel(model, cpu_threads=int(threads)).transcribe(path, language="en", beam_size=int(beams))
print("".join(segment.text for segment in segments))
"""


def run(command):
    """The processor time of a process in seconds, and what it prints."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        fail(f"{command[0]} exited with status {process.returncode}", "look at its messages above")
    return usage.ru_utime + usage.ru_stime, text


def main():
    parser = argument_parser(__doc__, rounds=3)
    add_threads(parser)
    parser.add_argument("--python", type=Path, default=ROOT / ".build/faster-whisper/bin/python",
                        help="a Python with the package (default: .build/faster-whisper/bin/python)")
    parser.add_argument("--minutes", type=float, default=5, help="length of the recording (default: %(default)g)")
    options = parser.parse_args()
    stop_at_once()
    model = CACHE / "models/ct2-tiny.en"
    results, sentences = [], []
    with tempfile.TemporaryDirectory() as temporary:
        recording = Path(temporary) / "speech.wav"
        seconds, _ = compose_prompts(CACHE / "speech", "en", options.minutes, recording)
        for beams in (1, BEAMS):
            def command(name, path):
                if name == "package":
                    return [options.python, "-c", SCRIPT, path, model, beams, options.threads]
                return [options.program, "transcribe", "--no-config", "--no-vocabulary", "--quiet", "--model", model,
                        "--language", "en", "--beam-size", beams, "--threads", options.threads, "--no-timestamps", path]

            times, words = {}, {}
            # In turn, so that other load on the machine hits both.
            for _ in range(options.rounds):
                for path in (CLIP, recording):
                    for name in ("program", "package"):
                        spent, text = run([str(part) for part in command(name, path)])
                        times.setdefault((name, path), []).append(spent)
                        words[name] = text.split()
            if words["program"] != words["package"]:
                fail("the texts differ", "compare them with the recording")
            start = {name: statistics.median(times[name, CLIP]) for name in words}
            spent = {name: statistics.median(times[name, recording]) - start[name] for name in words}
            results.append({"beams": beams, "start": start, "seconds": spent})
            search = "greedy" if beams == 1 else f"{beams} beams"
            ratio = spent["package"] / spent["program"]
            sentences.append(f"{search}: {spent['package']:.2f} s in the package and {spent['program']:.2f} s in the "
                             f"program, ratio {ratio:.2f}")
    start = results[0]["start"]
    command = f"Benchmarks/python_overhead.py --minutes {options.minutes:g} --rounds {options.rounds}"
    about = (f"Processor time of the package and of the command line for {seconds / 60:.1f} minutes of speech: "
             f"{'; '.join(sentences)}. Starting, loading and a clip of six seconds, not in these figures, "
             f"take {start['package']:.2f} s with Python and {start['program']:.2f} s without "
             f"(tiny.en, {options.threads} threads of an {processor()}, {today()}, "
             f"medians of {options.rounds} runs in turn, `{command}`).")
    write_json("python_overhead", {"about": about, "results": results})
    replace_section(ROOT / "docs/python.md", "python_overhead.py", about)
    print(about)


if __name__ == "__main__":
    main()
