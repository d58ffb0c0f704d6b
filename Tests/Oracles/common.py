"""Shared by all oracles: paths, the command line, file formats, planted numbers and audio signals."""
import argparse
import importlib.metadata
import json
import math
import platform
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).resolve().parent.parent.parent
FIXTURES = REPOSITORY / "Tests/Fixtures"
SAMPLE_RATE = 16_000


def parse_output(description):
    """Parses the command line of an oracle without options of its own; returns the output folder."""
    return output_parser(description).parse_args().output


def output_parser(description):
    """A parser with the option that every oracle has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=FIXTURES, metavar="FOLDER",
                        help="folder in which the fixture folders are written (default: Tests/Fixtures)")
    return parser


def versions(*packages):
    """The versions of the packages that the numbers depend on, by default those of openai-whisper and of Python."""
    if packages:
        return {name: importlib.metadata.version(name) for name in packages}
    return {"python": platform.python_version()} | versions("openai-whisper", "torch", "numpy", "tiktoken", "numba")


def use_one_thread():
    """Makes torch's results repeatable: how sums are rounded depends on the number of threads."""
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(0)


# Files


def write_array(path, array, **notes):
    """Writes PATH.f32 (little-endian, row-major) and PATH.json with its shape, statistics and notes."""
    array = np.ascontiguousarray(array, dtype="<f4")
    write_floats(path, array)
    values = array.astype(np.float64)
    write_json(path.with_name(path.name + ".json"), {
        "shape": list(array.shape), "dtype": "float32", "order": "row-major little-endian",
        "mean": values.mean(), "std": values.std(), "min": values.min(), "max": values.max(),
        "sum_abs": np.abs(values).sum(), **notes})


def write_floats(path, array):
    """Writes PATH.f32 alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name(path.name + ".f32").write_bytes(np.ascontiguousarray(array, dtype="<f4").tobytes())


def write_json(path, value, indent=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dumps(value, indent) + "\n", encoding="utf-8")


def write_cases(path, header, cases):
    """Writes the header's keys and one line per case, which keeps diffs short."""
    path.parent.mkdir(parents=True, exist_ok=True)
    start = dumps(header)[1:-1]
    lines = ",\n".join(dumps(case) for case in cases)
    path.write_text("{" + start + (", " if start else "") + '"cases": [\n' + lines + "\n]}\n", encoding="utf-8")


def dumps(value, indent=None):
    return json.dumps(plain(value), ensure_ascii=False, indent=indent)


def plain(value):
    """The value in Python's built-in types; infinities and NaN, which JSON lacks, become strings."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else str(float(value))
    return value


def runs(ids):
    """Sorted ids as inclusive runs: first, last, first, last, …"""
    flat = []
    for id in sorted(ids):
        if flat and flat[-1] == id - 1:
            flat[-1] = id
        else:
            flat += [id, id]
    return flat


# Planted numbers, the same as in Tests/Support/PlantedNumbers.swift


def unit(seed, *integers):
    """A number in [0, 1), exact in float32: integers folded into the seed with SplitMix64's finalizer."""
    return float(fraction(fold(seed, integers)))


def unit_array(seed, prefix, count):
    """[unit(seed, *prefix, i) for i in range(count)]"""
    return fraction(mix(fold(seed, prefix) ^ np.arange(count, dtype=np.uint64)))


def fold(seed, integers):
    state = mix(np.uint64(seed))
    for integer in integers:
        state = mix(state ^ np.uint64(integer))
    return state


def fraction(hash):
    return (hash >> np.uint64(40)) / 2.0**24


def mix(z):
    with np.errstate(over="ignore"):
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


# Signals

LONG_SIGNAL = "espeak-fox, 31 s of zeros, espeak-nine, espeak-fox, 2 s of zeros"


def espeak_clip(name):
    """Samples of mel/espeak-NAME.wav as openai-whisper reads them."""
    import whisper
    return whisper.load_audio(str(FIXTURES / f"mel/espeak-{name}.wav"))


def long_signal():
    """The signal described by LONG_SIGNAL."""
    fox, nine = espeak_clip("fox"), espeak_clip("nine")
    silence = np.zeros(SAMPLE_RATE * 31, np.float32)
    return np.concatenate([fox, silence, nine, fox, np.zeros(SAMPLE_RATE * 2, np.float32)])
