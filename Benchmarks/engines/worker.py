"""The process that runs an engine: reads one job per line from standard input and answers each with one line, in JSON.

The engine stays loaded between jobs, so that several engines can be measured in turn.
"""
import json
import os
import resource
import sys
import time
import wave

import numpy as np

#: One window of noise: the time does not depend on what the audio contains.
WINDOW = np.random.Generator(np.random.PCG64(1)).standard_normal(480_000).astype(np.float32) * 0.1


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
        result = jobs[arguments.pop("job")](**arguments)
        result["peak_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(json.dumps(result), file=answers, flush=True)
