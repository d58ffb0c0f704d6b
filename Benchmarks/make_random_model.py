#!/usr/bin/env python3
"""Writes a ggml model of any Whisper size with random weights, to measure what no text depends on.

    Benchmarks/make_random_model.py SIZE FILE [--type f32|f16|q8_0|q5_0] [--seed N]

    Benchmarks/make_random_model.py large-v3 /tmp/ggml-large-v3.bin --type q5_0

SIZE is tiny, base, small, medium, large-v1, large-v2, large-v3 or large-v3-turbo, the first four also with `.en`.
The same size, type and seed give the same file. Weights are drawn so that the text never ends by itself, hence every
engine produces as many tokens as it is told to. Vocabulary and mel filters need nothing from elsewhere: the pieces
are those of the English model in Models/, which serve a multilingual model as well as any. Needs numpy.
"""
import argparse
import hashlib
from pathlib import Path

import numpy as np

from ggml import KEYS, TYPES, read_ggml, write_ggml

CONTEXT, TEXT_CONTEXT, BINS = 1500, 448, 201
END_OF_TEXT = 50_256
# Width, heads, layers of the encoder, layers of the decoder.
SHAPES = {
    "tiny": (384, 6, 4, 4), "base": (512, 8, 6, 6), "small": (768, 12, 12, 12), "medium": (1024, 16, 24, 24),
    "large-v1": (1280, 20, 32, 32), "large-v2": (1280, 20, 32, 32), "large-v3": (1280, 20, 32, 32),
    "large-v3-turbo": (1280, 20, 32, 4),
}


def sizes():
    return list(SHAPES) + [name + ".en" for name in ("tiny", "base", "small", "medium")]


def dimensions(size):
    width, heads, encoder_layers, decoder_layers = SHAPES[size.removesuffix(".en")]
    is_new = size.startswith("large-v3")
    vocabulary = 51_864 if size.endswith(".en") else 51_866 if is_new else 51_865
    return dict(zip(KEYS, (vocabulary, CONTEXT, width, heads, encoder_layers, TEXT_CONTEXT, width, heads,
                           decoder_layers, 128 if is_new else 80)))


def shapes(d):
    """(name, shape) of every tensor in openai-whisper's names."""
    found = []

    def attention(name, n):
        for part in ("query", "key", "value", "out"):
            found.append((f"{name}.{part}.weight", (n, n)))
            if part != "key":
                found.append((f"{name}.{part}.bias", (n,)))

    def norm(name, n):
        found.extend([(name + ".weight", (n,)), (name + ".bias", (n,))])

    def block(name, n, crosses):
        attention(name + ".attn", n)
        norm(name + ".attn_ln", n)
        if crosses:
            attention(name + ".cross_attn", n)
            norm(name + ".cross_attn_ln", n)
        found.extend([(name + ".mlp.0.weight", (4 * n, n)), (name + ".mlp.0.bias", (4 * n,)),
                      (name + ".mlp.2.weight", (n, 4 * n)), (name + ".mlp.2.bias", (n,))])
        norm(name + ".mlp_ln", n)

    n, m = d["n_audio_state"], d["n_text_state"]
    found.append(("encoder.positional_embedding", (d["n_audio_ctx"], n)))
    found.extend([("encoder.conv1.weight", (n, d["n_mels"], 3)), ("encoder.conv1.bias", (n,)),
                  ("encoder.conv2.weight", (n, n, 3)), ("encoder.conv2.bias", (n,))])
    for layer in range(d["n_audio_layer"]):
        block(f"encoder.blocks.{layer}", n, False)
    norm("encoder.ln_post", n)
    found.append(("decoder.positional_embedding", (d["n_text_ctx"], m)))
    found.append(("decoder.token_embedding.weight", (d["n_vocab"], m)))
    for layer in range(d["n_text_layer"]):
        block(f"decoder.blocks.{layer}", m, True)
    norm("decoder.ln", m)
    return found


def random_tensor(name, shape, seed):
    if name == "encoder.positional_embedding":
        half = shape[1] // 2
        rates = np.exp(-np.log(10_000.0) / (half - 1) * np.arange(half))
        angles = np.arange(shape[0])[:, None] * rates[None, :]
        return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
    key = int.from_bytes(hashlib.blake2b(f"{seed}/{name}".encode(), digest_size=8).digest(), "little")
    x = np.random.Generator(np.random.Philox(key=key)).standard_normal(shape, dtype=np.float32)
    if name.endswith("token_embedding.weight"):
        x *= 3.0 / np.sqrt(shape[1])
        x[END_OF_TEXT] *= 0.01
    elif name == "decoder.positional_embedding":
        x *= 6.0 / np.sqrt(shape[1])
    elif len(shape) == 1:
        is_gain = "ln" in name.split(".")[-2] and name.endswith("weight")
        x = 1.0 + 0.1 * x if is_gain else 0.1 * x
    elif len(shape) == 3:
        x *= 1.5 / np.sqrt(shape[1] * shape[2])
    else:
        gain = 1.0
        if ".query." in name or ".key." in name:
            gain = 2.0
        elif name.startswith("decoder") and ".mlp.2." in name:
            gain = 3.0
        x *= gain / np.sqrt(shape[1])
    return x.astype(np.float16).astype(np.float32)


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
    return read_ggml(Path(__file__).resolve().parent.parent / "Models/nano.en.ggml.bin")[2][:END_OF_TEXT]


def random_model(size, path, kind="f16", seed=1):
    d = dimensions(size)
    # Models of several languages have one more piece, and it is empty.
    pieces = english_pieces() + ([] if size.endswith(".en") else [b""])
    write_ggml(path, d, mel_filters(d["n_mels"]), pieces,
               ((name, random_tensor(name, shape, seed)) for name, shape in shapes(d)), kind)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", choices=sizes())
    parser.add_argument("file")
    parser.add_argument("--type", choices=TYPES, default="f16")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random_model(options.size, options.file, options.type, options.seed)


if __name__ == "__main__":
    main()
