"""Parakeet in CrispASR (ggml), which prints the decoder's time and none of the encoder's."""
import os
import re
import tempfile

import crispasr

from worker import hears, timed

session = None


def load(path, threads, compute_type):
    global session
    os.environ["CRISPASR_PARAKEET_DECODE_TIMING"] = "1"
    elapsed, session = timed(lambda: crispasr.Session(path, n_threads=threads, backend="parakeet"))
    return {"load_ms": elapsed}


def hear(audio):
    with tempfile.TemporaryFile("w+", errors="replace") as messages:
        error = os.dup(2)
        os.dup2(messages.fileno(), 2)
        elapsed, segments = timed(lambda: session.transcribe(audio))
        os.dup2(error, 2)
        os.close(error)
        messages.seek(0)
        decode = sum(float(found) for found in re.findall(r"tdt_decode ([\d.]+) ms", messages.read()))
    tokens = [token.text for segment in segments for token in segment.tokens]
    return {"encode_ms": elapsed - decode, "decode_ms": decode}, tokens


hears(load, hear)
