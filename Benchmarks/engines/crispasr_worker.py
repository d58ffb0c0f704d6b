"""Parakeet in CrispASR (ggml), which prints times to standard error."""
import os
import re
import tempfile

import crispasr

from worker import hears, timed

session = None


def load(path, threads, compute_type):
    global session
    # Without the second passes over places that the first may have missed.
    os.environ |= {"CRISPASR_PARAKEET_BENCH": "1", "CRISPASR_GAP_FILL": "0"}
    elapsed, session = timed(lambda: crispasr.Session(path, n_threads=threads, backend="parakeet"))
    return {"load_ms": elapsed}


def hear(audio):
    with tempfile.TemporaryFile("w+", errors="replace") as messages:
        error = os.dup(2)
        os.dup2(messages.fileno(), 2)
        segments = session.transcribe(audio)
        os.dup2(error, 2)
        os.close(error)
        messages.seek(0)
        found = re.findall(r"parakeet_bench: (\w+) +([\d.]+) ms", messages.read())
    # It may divide the audio.
    times = {f"{name}_ms": sum(float(time) for part, time in found if part.startswith(name))
             for name in ("mel", "encode", "decode")}
    return times, [token.text for segment in segments for token in segment.tokens]


hears(load, hear)
