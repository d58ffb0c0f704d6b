"""The process that runs an engine: reads one job per line from standard input and answers each with one line, in JSON.

The engine stays loaded between jobs, so that several engines can be measured in turn.
"""
import json
import os
import re
import resource
import sys
import time
import wave

import numpy as np

#: One window of noise: the time does not depend on what the audio contains.
WINDOW = np.random.Generator(np.random.PCG64(1)).standard_normal(480_000).astype(np.float32) * 0.1
#: Pieces of a vocabulary that are not text.
SPECIAL = re.compile("<.*>")


def samples(path):
    """Reads a 16-bit mono WAV file at 16 kHz."""
    with wave.open(path) as file:
        return np.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(np.float32) / 32_768


def timed(function):
    """Returns (milliseconds, result)."""
    start = time.perf_counter()
    result = function()
    return (time.perf_counter() - start) * 1000, result


def serve(jobs):
    """Runs jobs until the end of the input; `jobs` maps names to functions that return dictionaries."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)   # keeps the engines' own output out of the answers
    for line in sys.stdin:
        arguments = json.loads(line)
        start = time.process_time()
        result = jobs[arguments.pop("job")](**arguments)
        result["processor_ms"] = (time.process_time() - start) * 1000
        result["peak_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(json.dumps(result), file=answers, flush=True)


def hears(load, hear):
    """Serves an engine that hears a recording in one pass: `hear` takes samples and returns times and pieces of text."""
    def heard(audio):
        elapsed, (times, pieces) = timed(lambda: hear(audio))
        tokens = [piece.replace("\u2581", " ") for piece in pieces]
        return times | {"file_ms": elapsed, "tokens": [token for token in tokens if not SPECIAL.fullmatch(token)]}

    serve({"load": load, "window": lambda: heard(WINDOW), "recording": lambda path: heard(samples(path))})
