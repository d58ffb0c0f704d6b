"""Who speaks when, as the tests' oracle in numpy finds it."""
import sys
from pathlib import Path

from worker import samples, serve, timed

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Tests/Oracles/speakers"))

import networks  # noqa: E402
import pipeline  # noqa: E402

weights = None


def load(path):
    global weights
    weights = networks.load(path)
    return {}


def speakers(path, count):
    elapsed, turns = timed(lambda: pipeline.diarize(samples(path), *weights, count))
    return {"file_ms": elapsed, "turns": [[float(a), float(b), f"speaker {int(k) + 1}"] for a, b, k in turns]}


serve({"load": load, "speakers": speakers})
