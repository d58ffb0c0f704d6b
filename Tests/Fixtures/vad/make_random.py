#!/usr/bin/env python3
"""Probabilities of a voice activity network with planted weights, written to random.json. Needs numpy.

The network is Silero's for 16 kHz, computed here in float64 straight from its description; weights and sound come from
the function unit() that the tests share, so that neither needs a file."""
import json
import pathlib

import numpy as np

MASK = (1 << 64) - 1
SHAPES = [("stft_conv.weight", (258, 1, 256)),
          ("conv1.weight", (128, 129, 3)), ("conv1.bias", (128,)), ("conv2.weight", (64, 128, 3)), ("conv2.bias", (64,)),
          ("conv3.weight", (64, 64, 3)), ("conv3.bias", (64,)), ("conv4.weight", (128, 64, 3)), ("conv4.bias", (128,)),
          ("lstm_cell.weight_ih", (512, 128)), ("lstm_cell.weight_hh", (512, 128)),
          ("lstm_cell.bias_ih", (512,)), ("lstm_cell.bias_hh", (512,)),
          ("final_conv.weight", (1, 128, 1)), ("final_conv.bias", (1,))]


def mix(z):
    with np.errstate(over="ignore"):
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        return z ^ z >> np.uint64(31)


def unit(seed, count):
    h = mix(np.full(1, seed, np.uint64))
    return (mix(h ^ np.arange(count, dtype=np.uint64)) >> np.uint64(40)) / 2.0**24


def planted(seed, count, scale):
    return np.float32((unit(seed, count) - 0.5) * scale).astype(np.float64)


def scale(name, shape):
    """Keeps values near 1 from layer to layer; powers of two, so that the product is exact."""
    return {"stft_conv.weight": 0.5, "conv1.weight": 0.25, "conv2.weight": 0.25, "conv3.weight": 0.5, "conv4.weight": 0.5,
            "lstm_cell.weight_ih": 0.5, "lstm_cell.weight_hh": 0.5, "final_conv.weight": 2.0}.get(name, 0.25)


def conv(x, w, b, stride):
    x = np.pad(x, ((0, 0), (1, 1)))
    out = [np.tensordot(w, x[:, t:t + 3], ([1, 2], [0, 1])) + b for t in range(0, x.shape[1] - 2, stride)]
    return np.maximum(np.stack(out, 1), 0)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


w = {name: planted(1000 + i, int(np.prod(shape)), scale(name, shape)).reshape(shape) for i, (name, shape) in enumerate(SHAPES)}
seconds = 2
sound = planted(2000, 16000 * seconds, 0.5) * np.repeat(planted(2001, 125 * seconds, 2.0), 128)
sound = np.float32(sound).astype(np.float64)
h, c, context, probabilities = np.zeros(128), np.zeros(128), np.zeros(64), []
for start in range(0, len(sound), 512):
    window = sound[start:start + 512]
    window = np.pad(window, (0, 512 - len(window)))
    x = np.concatenate([context, window])
    x = np.concatenate([x, x[-2:-66:-1]])
    context = window[-64:]
    f = np.stack([w["stft_conv.weight"][:, 0] @ x[128 * j:128 * j + 256] for j in range(4)], 1)
    a = np.sqrt(f[:129] ** 2 + f[129:] ** 2)
    for n, stride in ((1, 1), (2, 2), (3, 2), (4, 1)):
        a = conv(a, w[f"conv{n}.weight"], w[f"conv{n}.bias"], stride)
    g = w["lstm_cell.weight_ih"] @ a[:, 0] + w["lstm_cell.bias_ih"] + w["lstm_cell.weight_hh"] @ h + w["lstm_cell.bias_hh"]
    i, forget, cell, o = g.reshape(4, 128)
    c = sigmoid(forget) * c + sigmoid(i) * np.tanh(cell)
    h = sigmoid(o) * np.tanh(c)
    probabilities.append(float(sigmoid(w["final_conv.weight"][0, :, 0] @ np.maximum(h, 0) + w["final_conv.bias"][0])))
path = pathlib.Path(__file__).with_name("random.json")
path.write_text(json.dumps({"seconds": seconds, "tensors": [{"name": n, "shape": s, "scale": scale(n, s)} for n, s in SHAPES],
                            "probabilities": probabilities}) + "\n")
print(min(probabilities), max(probabilities), np.std(probabilities), len(probabilities))
