#!/usr/bin/env python3
"""Fixtures/real/conversions.json: size, digest and precision of tiny.en and base as whisper.cpp's quantizer writes them.

Needs the weights and the recordings that scripts/install-test-models.sh and scripts/install-recordings.sh install, and a C++
compiler: the quantizer is compiled from the source package of pywhispercpp, whose libraries it uses.

With --program also converts the models with whisper-local and prints the table of docs/models.md: whether both files are
the same, their precision, and how whisper.cpp transcribes five prompts with the converted file.
"""
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
import tarfile
import wave
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
import common  # noqa: E402

MODELS = ("tiny.en", "base")
QUANTIZED = ("q8_0", "q5_1", "q5_0", "q4_1", "q4_0")
PROMPTS = 5
BLOCK = 32
#: Of the tensor types: their numbers, and the bytes of a block.
TYPES = {0: "f32", 1: "f16", 2: "q4_0", 3: "q4_1", 6: "q5_0", 7: "q5_1", 8: "q8_0", 30: "bf16"}
BLOCK_BYTES = {"f32": 128, "f16": 64, "bf16": 64, "q4_0": 18, "q4_1": 20, "q5_0": 22, "q5_1": 24, "q8_0": 34}


def main():
    parser = common.output_parser(__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("WHISPER_LOCAL_TEST_MODELS"), metavar="FOLDER")
    parser.add_argument("--speech", type=Path, default=os.environ.get("WHISPER_LOCAL_TEST_SPEECH"), metavar="FOLDER")
    parser.add_argument("--source", type=Path, required=True, metavar="FILE",
                        help="the source package of the installed version of pywhispercpp (.tar.gz)")
    parser.add_argument("--program", type=Path, metavar="FILE", help="compare whisper-local's files with the fixture")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        folder = Path(folder)
        files = {name: Quantizer(folder, arguments.source).files(arguments.models / f"ggml-{name}.bin")
                 for name in MODELS}
        path = arguments.output / "real/conversions.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"versions": common.versions("pywhispercpp"), "models": files}, indent=1) + "\n")
        if arguments.program:
            print_table(arguments.program.resolve(), arguments, files, folder / "converted.bin")


class Quantizer:
    """whisper.cpp's program `quantize`."""

    def __init__(self, folder, package):
        self.folder, self.program = folder, folder / "quantize"
        if self.program.exists():
            return
        source = self.unpack(package)
        libraries = Path(importlib.util.find_spec("_pywhispercpp").origin).parent
        examples = source / "examples"
        subprocess.run(
            ["c++", "-std=c++17", "-O2", "-o", self.program, examples / "quantize/quantize.cpp", examples / "common.cpp",
             examples / "common-ggml.cpp", *(f"-I{source / path}" for path in ("include", "ggml/include", "examples")),
             f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-lggml", "-lggml-base", "-lggml-cpu"], check=True)

    def unpack(self, package):
        """Unpacks whisper.cpp's sources from the package."""
        with tarfile.open(package) as file:
            file.extractall(self.folder, filter="data")
        return self.folder / f"pywhispercpp-{importlib.metadata.version('pywhispercpp')}" / "whisper.cpp"

    def files(self, model):
        """What is known about the quantized files of a model, by type."""
        result, path = {}, self.folder / "quantized.bin"
        for name in QUANTIZED:
            subprocess.run([self.program, model, path, name], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            result[name] = facts(path, model)
        return result


def facts(path, original):
    """Size, digest, and the errors of the tensors with another type than in the original."""
    data = path.read_bytes()
    squares, count, largest = 0.0, 0, 0.0
    for (name, type, values), (_, old_type, old_values) in zip(tensors(data), tensors(original.read_bytes()), strict=True):
        if type != old_type:
            errors = np.abs(floats(values, type) - floats(old_values, old_type))
            squares, count = squares + float(np.square(errors).sum()), count + errors.size
            largest = max(largest, float(errors.max()))
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "largest": largest,
            "rms": (squares / max(1, count)) ** 0.5}


def tensors(data):
    """Name, type and bytes of each tensor of a ggml file."""
    def integers(count, offset):
        return np.frombuffer(data, "<i4", count, offset).tolist()

    bands, bins = integers(2, 48)
    offset = 56 + 4 * bands * bins
    tokens = integers(1, offset)[0]
    offset += 4
    for _ in range(tokens):
        offset += 4 + integers(1, offset)[0]
    while offset < len(data):
        rank, length, number = integers(3, offset)
        count = int(np.prod(integers(rank, offset + 12)))
        offset += 12 + 4 * rank
        name, start = data[offset:offset + length].decode(), offset + length
        offset = start + count * BLOCK_BYTES[TYPES[number]] // BLOCK
        yield name, TYPES[number], np.frombuffer(data, np.uint8, offset - start, start)


def floats(data, type):
    """The numbers, in double precision, by the definition of the type."""
    if type in ("f32", "f16"):
        return data.view("<f4" if type == "f32" else "<f2").astype(np.float64)
    if type == "bf16":
        return (data.view("<u2").astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    blocks = data.reshape(-1, BLOCK_BYTES[type])
    has_minimum = type.endswith("_1")
    # The scale and perhaps the minimum; then the fifth bits; then the numbers.
    head = blocks[:, :4 if has_minimum else 2].copy().view("<f2").astype(np.float64)
    rest = blocks[:, 4 if has_minimum else 2:]
    if type == "q8_0":
        return (head * rest.view(np.int8)).ravel()
    high = 0
    if type.startswith("q5"):
        high = np.unpackbits(rest[:, :4], axis=1, bitorder="little").astype(np.int64) << 4
        rest = rest[:, 4:]
    levels = np.hstack([rest & 15, rest >> 4]).astype(np.int64) | high
    if has_minimum:
        return (head[:, :1] * levels + head[:, 1:]).ravel()
    return (head * (levels - (16 if type.startswith("q5") else 8))).ravel()


def print_table(program, arguments, files, path):
    print("| model | type | size | largest error | RMS error | whisper.cpp's | words wrong |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in MODELS:
        original = arguments.models / f"ggml-{name}.bin"
        for type in ("f32", "f16", "bf16", *QUANTIZED):
            subprocess.run([program, "models", "convert", "--force", "--type", type, original, path],
                           check=True, stdout=subprocess.DEVNULL)
            found, theirs = facts(path, original), files[name].get(type)
            if theirs:
                verdict = "the same bytes" if found == theirs else f"{theirs['largest']:.3g}, {theirs['rms']:.3g}"
            else:
                verdict = "the same bytes" if path.read_bytes() == original.read_bytes() else "–"
            with ProcessPoolExecutor(1) as pool:
                try:
                    words = "{} of {}".format(*pool.submit(words_wrong, path, arguments.speech).result())
                except BrokenProcessPool:
                    words = "aborts"
            print(f"| {name} | {type} | {found['bytes'] / 1e6:.1f} MB | {found['largest']:.3g} | {found['rms']:.3g} "
                  f"| {verdict} | {words} |", flush=True)


def words_wrong(path, speech):
    """The number of wrong words in whisper.cpp's transcriptions of the first English prompts, and of all words."""
    from pywhispercpp.model import Model
    model = Model(str(path), n_threads=1, print_progress=False, print_realtime=False, redirect_whispercpp_logs_to=None)
    wrong = count = 0
    for item in json.loads((speech / "en.json").read_text())[:PROMPTS]:
        with wave.open(str(speech / "en" / item["file"])) as file:
            samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768
        expected = words(item["text"])
        text = " ".join(segment.text for segment in model.transcribe(samples, language="en"))
        wrong, count = wrong + distance(expected, words(text)), count + len(expected)
    return wrong, count


def words(text):
    return re.sub(r"[^a-z0-9' ]", " ", text.lower()).split()


def distance(one, other):
    """The edit distance of two lists."""
    row = list(range(len(other) + 1))
    for index, item in enumerate(one, 1):
        diagonal, row[0] = row[0], index
        for column, candidate in enumerate(other, 1):
            diagonal, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, diagonal + (item != candidate))
    return row[-1]


if __name__ == "__main__":
    main()
