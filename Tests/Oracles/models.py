#!/usr/bin/env python3
"""Fixtures/models: two small models with random weights, micro.en and micro-v3.

Every tensor has a random generator of its own, seeded with its name, and every weight is a float16 number. The
weights are drawn so that the network is not degenerate: logits spread over about ±13, attention is not uniform,
the end of text becomes likelier with the position, and timestamps appear.
"""
import hashlib

import numpy as np
from whisper.model import ModelDimensions, Whisper

import common
import ggml

SEED = 1
TIMESTAMPS = 1501
MODELS = {
    "micro.en": {"n_mels": 80, "n_vocab": 51864, "heads": 2},
    "micro-v3": {"n_mels": 128, "n_vocab": 51866, "heads": 1},
}


def main():
    folder = common.parse_output(__doc__) / "models"
    for name, options in MODELS.items():
        dimensions = micro_dimensions(**options)
        ggml.write(folder / f"ggml-{name}.bin", dimensions, random_weights(dimensions))


def micro_dimensions(n_mels, n_vocab, heads):
    """Two layers of width 64 on each side, and Whisper's own contexts."""
    return {"n_mels": n_mels, "n_vocab": n_vocab, "n_audio_ctx": 1500, "n_text_ctx": 448,
            "n_audio_state": 64, "n_audio_head": heads, "n_audio_layer": 2,
            "n_text_state": 64, "n_text_head": heads, "n_text_layer": 2}


def random_weights(dimensions):
    """The tensors by name, in the order of openai-whisper's state dictionary."""
    state = Whisper(ModelDimensions(**dimensions)).state_dict()
    shapes = {name: tuple(tensor.shape) for name, tensor in state.items()}
    eot = 50256 if dimensions["n_vocab"] == 51864 else 50257
    weights = {}
    # The decoder's positions are the last, because they point at the embedding of the end of text.
    for name in sorted(shapes, key="decoder.positional_embedding".__eq__):
        weights[name] = random_tensor(name, shapes[name], weights, eot).astype(np.float16).astype(np.float32)
    return {name: weights[name] for name in shapes}


def random_tensor(name, shape, weights, eot):
    if name == "encoder.positional_embedding":
        return sinusoids(*shape).astype(np.float32)     # rounded twice, as PyTorch would
    tensor = normal(name, shape)
    if name == "decoder.token_embedding.weight":
        tensor *= 3.0 / np.sqrt(shape[1])
        tensor[-TIMESTAMPS:] *= 1.12                            # timestamps appear now and then
    elif name == "decoder.positional_embedding":
        tensor *= 6.0 / np.sqrt(shape[1])
        tensor += towards(weights["decoder.token_embedding.weight"][eot], len(tensor))
    elif len(shape) == 1:
        is_gain = "ln" in name.split(".")[-2] and name.endswith("weight")
        tensor = 1.0 + 0.1 * tensor if is_gain else 0.1 * tensor
    elif len(shape) == 3:
        tensor *= 1.5 / np.sqrt(shape[1] * shape[2])
    else:
        tensor *= gain(name) / np.sqrt(shape[1])
    return tensor


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
