"""What every engine's process does: it reads one job a line, does it, and answers with one line, both JSON.

The engines stay loaded while they wait, so that jobs can go to them in turn.
"""
import json
import os
import resource
import sys
import time
import wave

import numpy as np

#: Sound for timing: what is heard does not change the work.
WINDOW = np.random.Generator(np.random.PCG64(1)).standard_normal(480_000).astype(np.float32) * 0.1


def samples(path):
    """A 16-bit mono WAV at 16 kHz."""
    with wave.open(path) as file:
        return np.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(np.float32) / 32_768


def timed(work):
    start = time.perf_counter()
    result = work()
    return (time.perf_counter() - start) * 1000, result


def resident():
    """Bytes of memory in use now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def serve(jobs):
    """`jobs`: name -> function of the job's keyword arguments, which returns a dictionary."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)   # what the engines print themselves is no answer
    for line in sys.stdin:
        job = json.loads(line)
        name = job.pop("job")
        answer = jobs[name](**job)
        answer["peak_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(json.dumps(answer), file=answers, flush=True)
