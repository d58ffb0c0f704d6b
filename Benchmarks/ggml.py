"""ggml model files: dimensions, mel filters, vocabulary and named numbers."""
import struct
from pathlib import Path

import numpy as np

KEYS = ("n_vocab n_audio_ctx n_audio_state n_audio_head n_audio_layer n_text_ctx n_text_state n_text_head "
        "n_text_layer n_mels").split()
MAGIC = 0x67676D6C
BLOCK = 32
#: The number of a type among tensors, and among whole files (thousands: version of the quantisation).
TYPES = {"f32": (0, 0), "f16": (1, 1), "q5_0": (6, 2008), "q8_0": (8, 2007)}
FLOAT32_ALWAYS = {"encoder.positional_embedding", "decoder.positional_embedding"}


def packed(numbers, kind):
    """The bytes of blocks of 32 numbers: a float16 scale, then whole numbers of 8 or of 5 bits."""
    blocks = numbers.reshape(-1, BLOCK)
    if kind == "q8_0":
        scale = np.abs(blocks).max(axis=1, keepdims=True) / 127
    else:
        # The largest in magnitude becomes -16, whatever its sign.
        scale = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=1)[:, None], 1) / -16
    scaled = np.divide(blocks, scale, out=np.zeros_like(blocks), where=scale != 0)
    head = scale.astype("<f2").view(np.uint8)
    if kind == "q8_0":
        return np.hstack([head, np.rint(scaled).astype(np.int8).view(np.uint8)]).tobytes()
    levels = np.clip(np.rint(scaled) + 16, 0, 31).astype(np.uint8)
    fifth = np.packbits(levels >> 4, axis=1, bitorder="little")
    lower = levels & 15
    return np.hstack([head, fifth, lower[:, :16] | lower[:, 16:] << 4]).tobytes()


def write_ggml(path, d, filters, vocabulary, tensors, kind="f16"):
    """A file as its converter writes it: matrices of `kind`, convolutions in float16 at least, all else in float32."""
    of_matrices, of_file = TYPES[kind]
    with open(path, "wb") as file:
        file.write(struct.pack("<12i", MAGIC, *(d[key] for key in KEYS), of_file))
        file.write(struct.pack("<2i", *filters.shape) + filters.astype("<f4").tobytes())
        file.write(struct.pack("<i", len(vocabulary)))
        for token in vocabulary:
            file.write(struct.pack("<i", len(token)) + token)
        for name, x in tensors:
            if name in ("encoder.conv1.bias", "encoder.conv2.bias"):
                x = x.reshape(-1, 1)
            plain = name.endswith("bias") or x.ndim < 2 or name in FLOAT32_ALWAYS or kind == "f32"
            number = 0 if plain else 1 if x.ndim == 3 else of_matrices
            file.write(struct.pack("<3i", x.ndim, len(name), number))
            file.write(struct.pack(f"<{x.ndim}i", *reversed(x.shape)) + name.encode())
            file.write(packed(x, kind) if number > 1 else x.astype("<f2" if number else "<f4").tobytes())


def read_ggml(path):
    """(dimensions, filters, vocabulary, {name: float32 array}) of a file in float32 or float16."""
    data = memoryview(Path(path).read_bytes())
    at = 0

    def integers(count):
        nonlocal at
        values = struct.unpack_from(f"<{count}i", data, at)
        at += 4 * count
        return values

    def array(count, kind):
        nonlocal at
        values = np.frombuffer(data, dtype=kind, count=count, offset=at)
        at += values.nbytes
        return values

    magic, *numbers, _ = integers(12)
    if magic != MAGIC:
        raise SystemExit(f"{path} is no ggml model")
    d = dict(zip(KEYS, numbers))
    bands, bins = integers(2)
    filters = array(bands * bins, "<f4").reshape(bands, bins)
    vocabulary = []
    for _ in range(integers(1)[0]):
        vocabulary.append(bytes(array(integers(1)[0], "u1")))
    tensors = {}
    while at < len(data):
        rank, length, kind = integers(3)
        shape = tuple(reversed(integers(rank)))
        name = bytes(array(length, "u1")).decode()
        if kind not in (0, 1):
            raise SystemExit(f"{path}: {name} is quantised")
        values = array(int(np.prod(shape)), "<f2" if kind else "<f4").astype(np.float32).reshape(shape)
        tensors[name] = values.reshape(-1) if name.endswith("bias") else values
    return d, filters, vocabulary, tensors
