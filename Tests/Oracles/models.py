#!/usr/bin/env python3
"""Fixtures/models: two small models with random weights, micro.en and micro-v3.

They are not in the repository: `scripts/setup.sh --tests` runs this script, which needs only numpy. All golden data of
these models depend on every byte, so the files are compared with their digests.

Every tensor has a random generator of its own, seeded with its name, and every weight is a float16 number. The
weights are drawn so that the network is not degenerate: logits spread over about ±13, attention is not uniform,
the end of text becomes likelier with the position, and timestamps appear.
"""
import hashlib
import io
import struct
import sys
import zlib

import numpy as np

import common
import ggml

SEED = 1
TIMESTAMPS = 1501
MODELS = {
    "micro.en": {"n_mels": 80, "n_vocab": 51864, "heads": 2},
    "micro-v3": {"n_mels": 128, "n_vocab": 51866, "heads": 1},
}
DIGESTS = {
    "micro.en": "6c041d1a29ffb0a5b7f6f90e2b8a292db0143f1f2aeac8c9e1046b2ae556411b",
    "micro-v3": "bd10e19d9162d7d02081276bb8ac58ab53a5db10f69f2cdc2d2c023be30dc897",
}


def main():
    folder = common.parse_output(__doc__) / "models"
    folder.mkdir(parents=True, exist_ok=True)
    for name in MODELS:
        path = folder / f"ggml-{name}.bin"
        if not path.exists() or digest(path.read_bytes()) != DIGESTS[name]:
            data = random_model(name)
            if digest(data) != DIGESTS[name]:
                sys.exit(f"error: {path.name} came out with other bytes than the golden data are for")
            path.write_bytes(data)


def digest(data):
    return hashlib.sha256(data).hexdigest()


def random_model(name):
    """The bytes of a float16 file with openai-whisper's filters and vocabulary."""
    dimensions = micro_dimensions(**MODELS[name])
    file = io.BytesIO()
    ggml.write(file, dimensions, mel_filters(dimensions["n_mels"]), vocabulary(name), random_weights(dimensions))
    return file.getvalue()


def mel_filters(bands):
    filters = np.fromfile(common.FIXTURES / f"mel/filters-{bands}.f32", "<f4")
    return filters.reshape(bands, -1)


def vocabulary(name):
    """The ordinary tokens, from the program's own copy (`tokenizer.py --built-in` describes the format)."""
    kind = "english" if name.endswith(".en") else "multilingual"
    data = (common.REPOSITORY / f"Sources/CVocabularies/{kind}.vocabulary.z").read_bytes()
    count, _ = struct.unpack_from("<II", data)
    data = zlib.decompress(data[8:])
    ends = np.cumsum(np.frombuffer(data, np.uint8, count), dtype=int) + count
    return [data[end - length:end] for end, length in zip(ends, data)]


def micro_dimensions(n_mels, n_vocab, heads):
    """Two layers of width 64 on each side, and Whisper's own contexts."""
    return {"n_mels": n_mels, "n_vocab": n_vocab, "n_audio_ctx": 1500, "n_text_ctx": 448,
            "n_audio_state": 64, "n_audio_head": heads, "n_audio_layer": 2,
            "n_text_state": 64, "n_text_head": heads, "n_text_layer": 2}


def random_weights(dimensions):
    """The tensors by name, in the order of openai-whisper's state dictionary."""
    shapes = dict(tensor_shapes(dimensions))
    eot = 50256 if dimensions["n_vocab"] == 51864 else 50257
    weights = {}
    # The decoder's positions are the last, because they point at the embedding of the end of text.
    for name in sorted(shapes, key="decoder.positional_embedding".__eq__):
        weights[name] = random_tensor(name, shapes[name], weights, eot).astype(np.float16).astype(np.float32)
    return {name: weights[name] for name in shapes}


def tensor_shapes(dimensions):
    """The names and shapes of openai-whisper's state dictionary, in its order; both sides have the same width."""
    width = dimensions["n_audio_state"]
    yield "encoder.positional_embedding", (dimensions["n_audio_ctx"], width)
    yield from linear("encoder.conv1", (width, dimensions["n_mels"], 3))
    yield from linear("encoder.conv2", (width, width, 3))
    for layer in range(dimensions["n_audio_layer"]):
        yield from block(f"encoder.blocks.{layer}", width, ["attn"])
    yield from linear("encoder.ln_post", (width,))
    yield "decoder.positional_embedding", (dimensions["n_text_ctx"], width)
    yield "decoder.token_embedding.weight", (dimensions["n_vocab"], width)
    for layer in range(dimensions["n_text_layer"]):
        yield from block(f"decoder.blocks.{layer}", width, ["attn", "cross_attn"])
    yield from linear("decoder.ln", (width,))


def block(name, width, attentions):
    for attention in attentions:
        yield from linear(f"{name}.{attention}.query", (width, width))
        yield f"{name}.{attention}.key.weight", (width, width)
        yield from linear(f"{name}.{attention}.value", (width, width))
        yield from linear(f"{name}.{attention}.out", (width, width))
        yield from linear(f"{name}.{attention}_ln", (width,))
    yield from linear(f"{name}.mlp.0", (4 * width, width))
    yield from linear(f"{name}.mlp.2", (width, 4 * width))
    yield from linear(f"{name}.mlp_ln", (width,))


def linear(name, shape):
    """A weight and its bias, one number per row."""
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[:1]


def random_tensor(name, shape, weights, eot):
    if name == "encoder.positional_embedding":
        return sinusoids(*shape).astype(np.float32)     # rounded twice, as PyTorch would
    tensor = normal(name, shape)
    if name == "decoder.token_embedding.weight":
        tensor = scaled(tensor, 3.0, shape[1])
        tensor[-TIMESTAMPS:] *= 1.12                            # timestamps appear now and then
    elif name == "decoder.positional_embedding":
        tensor = scaled(tensor, 6.0, shape[1])
        tensor += towards(weights["decoder.token_embedding.weight"][eot], len(tensor))
    elif len(shape) == 1:
        is_gain = "ln" in name.split(".")[-2] and name.endswith("weight")
        tensor = 1.0 + 0.1 * tensor if is_gain else 0.1 * tensor
    elif len(shape) == 3:
        tensor = scaled(tensor, 1.5, shape[1] * shape[2])
    else:
        tensor = scaled(tensor, gain(name), shape[1])
    return tensor


def scaled(tensor, gain, inputs):
    """Random numbers scaled to a layer's number of inputs, in float64: numpy 1 and 2 would choose different types."""
    return (tensor.astype(np.float64) * (gain / np.sqrt(inputs))).astype(np.float32)


def sinusoids(positions, channels):
    """whisper.model.sinusoids in double precision."""
    half = channels // 2
    frequencies = np.exp(-np.log(10000.0) / (half - 1) * np.arange(half))
    angles = np.arange(positions)[:, None] * frequencies
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def normal(name, shape):
    digest = hashlib.blake2b(f"{SEED}/{name}".encode(), digest_size=8).digest()
    generator = np.random.Generator(np.random.Philox(key=int.from_bytes(digest, "little")))
    return generator.standard_normal(shape, dtype=np.float32)


def towards(embedding, positions):
    """What is added to each position so that this token grows likelier with the position."""
    ramp = np.minimum(0.12 * np.sqrt(2) * np.arange(positions), 60.0)
    # In float64, because the rounding of a float32 norm depends on the processor.
    norm = np.float32(np.linalg.norm(embedding.astype(np.float64)))
    return ramp[:, None] * (embedding / norm)


def gain(name):
    if ".query." in name or ".key." in name:
        return 2.0                      # attention clearly away from uniform
    if name.startswith("decoder") and ".mlp.2." in name:
        return 3.0                      # the next token depends strongly on the present one
    if ".cross_attn.out" in name:
        return 0.8
    return 1.0


if __name__ == "__main__":
    main()
