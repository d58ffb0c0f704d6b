"""Parakeet in CrispASR (ggml), which prints times to standard error."""
import os
import re
import tempfile

import crispasr

from worker import hears, timed

session = None


def load(path, threads, compute_type):
    global session
    os.environ["CRISPASR_PARAKEET_BENCH"] = "1"
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
        found = dict(re.findall(r"parakeet_bench: (\w+) +([\d.]+) ms", messages.read()))
    times = {f"{name}_ms": float(found[part]) for name, part in (("mel", "mel"), ("encode", "encoder"), ("decode", "decode"))}
    return times, [token.text for segment in segments for token in segment.tokens]


hears(load, hear)
