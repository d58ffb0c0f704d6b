#!/usr/bin/env python3
"""Writes a ggml model of any Whisper size with random weights, to measure what no text depends on.

    Benchmarks/make_random_model.py SIZE FILE [--type f32|f16|q8_0|q5_0] [--seed N]

    Benchmarks/make_random_model.py large-v3 /tmp/ggml-large-v3.bin --type q5_0

SIZE is tiny, base, small, medium, large-v1, large-v2, large-v3 or large-v3-turbo, the first four also with `.en`.
The same size, type and seed give the same file. Vocabulary and mel filters need nothing from elsewhere: the pieces
are those of the English model in Models/, which serve a multilingual model as well as any. Needs numpy.
"""
import argparse
import struct
import zlib
from pathlib import Path

import numpy as np

MAGIC = 0x67676D6C
CONTEXT, TEXT_CONTEXT, BINS = 1500, 448, 201
BLOCK = 32

# Width, heads, layers of the encoder, layers of the decoder.
SHAPES = {
    "tiny": (384, 6, 4, 4), "base": (512, 8, 6, 6), "small": (768, 12, 12, 12), "medium": (1024, 16, 24, 24),
    "large-v1": (1280, 20, 32, 32), "large-v2": (1280, 20, 32, 32), "large-v3": (1280, 20, 32, 32),
    "large-v3-turbo": (1280, 20, 32, 4),
}
# The number of a type among tensors, and among whole files (thousands: version of the quantisation).
TYPES = {"f32": (0, 0), "f16": (1, 1), "q5_0": (6, 2008), "q8_0": (8, 2007)}


def sizes():
    return list(SHAPES) + [name + ".en" for name in ("tiny", "base", "small", "medium")]


def tensors(width, encoder_layers, decoder_layers, bands, vocabulary):
    """Names and shapes, the slowest dimension first, in the order of a converted checkpoint."""

    def layer(prefix, has_cross):
        attentions = ["attn", "cross_attn"] if has_cross else ["attn"]
        for attention in attentions:
            for part in ("query", "key", "value", "out"):
                yield f"{prefix}.{attention}.{part}.weight", (width, width)
                if part != "key":
                    yield f"{prefix}.{attention}.{part}.bias", (width,)
            yield from norm(f"{prefix}.{attention}_ln")
        yield f"{prefix}.mlp.0.weight", (4 * width, width)
        yield f"{prefix}.mlp.0.bias", (4 * width,)
        yield f"{prefix}.mlp.2.weight", (width, 4 * width)
        yield f"{prefix}.mlp.2.bias", (width,)
        yield from norm(f"{prefix}.mlp_ln")

    def norm(name):
        yield f"{name}.weight", (width,)
        yield f"{name}.bias", (width,)

    yield "encoder.positional_embedding", (CONTEXT, width)
    yield "encoder.conv1.weight", (width, bands, 3)
    yield "encoder.conv1.bias", (width, 1)
    yield "encoder.conv2.weight", (width, width, 3)
    yield "encoder.conv2.bias", (width, 1)
    for index in range(encoder_layers):
        yield from layer(f"encoder.blocks.{index}", False)
    yield from norm("encoder.ln_post")
    yield "decoder.positional_embedding", (TEXT_CONTEXT, width)
    yield "decoder.token_embedding.weight", (vocabulary, width)
    for index in range(decoder_layers):
        yield from layer(f"decoder.blocks.{index}", True)
    yield from norm("decoder.ln")


def values(name, shape, seed):
    """Float32 numbers of a size that keeps the network's activations near 1."""
    if name == "encoder.positional_embedding":
        length, width = shape
        steps = np.exp(-np.log(10_000) * np.arange(width // 2) / (width // 2 - 1))
        angles = np.arange(length)[:, None] * steps
        return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
    # A generator for each tensor: it does not matter which others there are.
    random = np.random.default_rng([seed, zlib.crc32(name.encode())])
    numbers = random.standard_normal(shape, dtype=np.float32)
    if name.endswith("ln.weight") or name.endswith("ln_post.weight"):
        return 1 + numbers / 10
    if "bias" in name:
        return numbers / 10
    # Embeddings are the last product, too: their size is the spread of the logits.
    spread = 3 if "embedding" in name else 1
    return numbers * np.float32(spread / np.sqrt(np.prod(shape[1:])))


def mel_filters(bands):
    """Slaney's triangles, each of area 1, over the bins of a 400-point transform at 16 kHz."""

    def frequency(mel):
        return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))

    top = 15 + 27 * np.log(8000 / 1000) / np.log(6.4)
    edges = frequency(np.linspace(0, top, bands + 2))
    bins = np.linspace(0, 8000, BINS)
    rising = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None]
    falling = (edges[2:, None] - bins) / np.diff(edges)[1:, None]
    triangles = np.maximum(0, np.minimum(rising, falling))
    return (triangles * 2 / (edges[2:] - edges[:-2])[:, None]).astype("<f4")


def english_pieces():
    data = (Path(__file__).resolve().parent.parent / "Models/nano.en.ggml.bin").read_bytes()
    bands, bins = struct.unpack_from("<2i", data, 48)
    place = 56 + 4 * bands * bins
    (count,) = struct.unpack_from("<i", data, place)
    place += 4
    pieces = []
    for _ in range(min(count, 50_256)):
        (length,) = struct.unpack_from("<i", data, place)
        pieces.append(data[place + 4:place + 4 + length])
        place += 4 + length
    return pieces


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


def write(path, size, kind, seed):
    width, heads, encoder_layers, decoder_layers = SHAPES[size.removesuffix(".en")]
    is_new = size.startswith("large-v3")
    bands = 128 if is_new else 80
    vocabulary = 51_864 if size.endswith(".en") else 51_866 if is_new else 51_865
    pieces = english_pieces() + ([] if size.endswith(".en") else [b""])
    matrix_type, file_type = TYPES[kind]
    with open(path, "wb") as out:
        out.write(struct.pack(
            "<12i", MAGIC, vocabulary, CONTEXT, width, heads, encoder_layers, TEXT_CONTEXT, width, heads,
            decoder_layers, bands, file_type))
        out.write(struct.pack("<2i", bands, BINS) + mel_filters(bands).tobytes())
        out.write(struct.pack("<i", len(pieces)))
        out.write(b"".join(struct.pack("<i", len(piece)) + piece for piece in pieces))
        for name, shape in tensors(width, encoder_layers, decoder_layers, bands, vocabulary):
            numbers = values(name, shape, seed)
            if name.endswith("bias") or len(shape) == 1 or "positional" in name or kind == "f32":
                number, data = 0, numbers.astype("<f4").tobytes()
            elif len(shape) == 3 or kind == "f16":
                number, data = 1, numbers.astype("<f2").tobytes()
            else:
                number, data = matrix_type, packed(numbers, kind)
            out.write(struct.pack(f"<{3 + len(shape)}i", len(shape), len(name), number, *reversed(shape)))
            out.write(name.encode() + data)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", choices=sizes())
    parser.add_argument("file")
    parser.add_argument("--type", choices=TYPES, default="f16")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    write(options.file, options.size, options.type, options.seed)


if __name__ == "__main__":
    main()
