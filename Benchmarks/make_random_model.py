#!/usr/bin/env python3
"""Writes a ggml model of any Whisper size with random weights, for benchmarks in which the text does not matter.

    Benchmarks/make_random_model.py SIZE FILE [--type f32|f16|q8_0|q5_0] [--seed N]

    Benchmarks/make_random_model.py large-v3 /tmp/ggml-large-v3.bin --type q5_0

SIZE is tiny, base, small, medium, large-v1, large-v2, large-v3 or large-v3-turbo; the first four also exist with `.en`.
The same size, type and seed always produce the same file. The weights are drawn such that the model never predicts the
end of the text, so every engine decodes exactly as many tokens as requested. The mel filters are computed, and the
vocabulary is that of the English model in Models/, also for multilingual sizes, so nothing is downloaded. Needs numpy.
"""
import argparse
import hashlib

import numpy as np

from ggml import DIMENSIONS, TYPES, read_ggml, write_ggml
from harness import NANO

AUDIO_CONTEXT, TEXT_CONTEXT, FREQUENCY_BINS = 1500, 448, 201
END_OF_TEXT = 50_256
#: Width, heads, encoder layers, decoder layers.
SHAPES = {
    "tiny": (384, 6, 4, 4), "base": (512, 8, 6, 6), "small": (768, 12, 12, 12), "medium": (1024, 16, 24, 24),
    "large-v1": (1280, 20, 32, 32), "large-v2": (1280, 20, 32, 32), "large-v3": (1280, 20, 32, 32),
    "large-v3-turbo": (1280, 20, 32, 4),
}
SIZES = list(SHAPES) + [f"{name}.en" for name in ("tiny", "base", "small", "medium")]


def dimensions(size):
    width, heads, encoder_layers, decoder_layers = SHAPES[size.removesuffix(".en")]
    is_v3 = size.startswith("large-v3")
    vocabulary = 51_864 if size.endswith(".en") else 51_866 if is_v3 else 51_865
    return dict(zip(DIMENSIONS, (vocabulary, AUDIO_CONTEXT, width, heads, encoder_layers, TEXT_CONTEXT, width, heads,
                                 decoder_layers, 128 if is_v3 else 80)))


def tensor_shapes(dimensions):
    """The name, as in openai-whisper, and the shape of every tensor."""
    shapes = []

    def attention(name, width):
        for projection in ("query", "key", "value", "out"):
            shapes.append((f"{name}.{projection}.weight", (width, width)))
            if projection != "key":
                shapes.append((f"{name}.{projection}.bias", (width,)))

    def norm(name, width):
        shapes.extend([(f"{name}.weight", (width,)), (f"{name}.bias", (width,))])

    def block(name, width, has_cross_attention):
        attention(f"{name}.attn", width)
        norm(f"{name}.attn_ln", width)
        if has_cross_attention:
            attention(f"{name}.cross_attn", width)
            norm(f"{name}.cross_attn_ln", width)
        shapes.extend([(f"{name}.mlp.0.weight", (4 * width, width)), (f"{name}.mlp.0.bias", (4 * width,)),
                       (f"{name}.mlp.2.weight", (width, 4 * width)), (f"{name}.mlp.2.bias", (width,))])
        norm(f"{name}.mlp_ln", width)

    width = dimensions["n_audio_state"]
    shapes.append(("encoder.positional_embedding", (dimensions["n_audio_ctx"], width)))
    shapes.extend([("encoder.conv1.weight", (width, dimensions["n_mels"], 3)), ("encoder.conv1.bias", (width,)),
                   ("encoder.conv2.weight", (width, width, 3)), ("encoder.conv2.bias", (width,))])
    for layer in range(dimensions["n_audio_layer"]):
        block(f"encoder.blocks.{layer}", width, has_cross_attention=False)
    norm("encoder.ln_post", width)
    width = dimensions["n_text_state"]
    shapes.append(("decoder.positional_embedding", (dimensions["n_text_ctx"], width)))
    shapes.append(("decoder.token_embedding.weight", (dimensions["n_vocab"], width)))
    for layer in range(dimensions["n_text_layer"]):
        block(f"decoder.blocks.{layer}", width, has_cross_attention=True)
    norm("decoder.ln", width)
    return shapes


def random_tensor(name, shape, seed):
    """A tensor whose values fit into float16; each tensor has its own random generator."""
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
    """Slaney's triangular filters, each with an area of 1, for a 400-point FFT at 16 kHz."""

    def frequency(mel):
        return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))

    highest_mel = 15 + 27 * np.log(8000 / 1000) / np.log(6.4)
    edges = frequency(np.linspace(0, highest_mel, bands + 2))
    bins = np.linspace(0, 8000, FREQUENCY_BINS)
    rising = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None]
    falling = (edges[2:, None] - bins) / np.diff(edges)[1:, None]
    triangles = np.maximum(0, np.minimum(rising, falling))
    return (triangles * 2 / (edges[2:] - edges[:-2])[:, None]).astype("<f4")


def generate(size, path, type="f16", seed=1):
    """Writes a model of this size."""
    shape = dimensions(size)
    _, _, vocabulary, _ = read_ggml(NANO)
    # Multilingual vocabularies have one more token, which is empty.
    vocabulary = vocabulary[:END_OF_TEXT] + ([] if size.endswith(".en") else [b""])
    tensors = ((name, random_tensor(name, shape, seed)) for name, shape in tensor_shapes(shape))
    write_ggml(path, shape, mel_filters(shape["n_mels"]), vocabulary, tensors, type)


def generate_once(size, folder):
    """Returns the path of a float16 model of this size, which is written unless it exists."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{size}.bin"
    if not path.exists():
        generate(size, path)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", choices=SIZES, metavar="SIZE", help="model size, such as tiny.en or large-v3")
    parser.add_argument("file", metavar="FILE", help="file to write")
    parser.add_argument("--type", choices=TYPES, default="f16", help="format of the matrices (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the weights (default: %(default)s)")
    options = parser.parse_args()
    generate(options.size, options.file, options.type, options.seed)


if __name__ == "__main__":
    main()
