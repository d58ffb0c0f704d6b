"""The networks for speaker diarization in plain numpy, as an oracle. Everything is float32 unless a comment says otherwise.

    segmenter, encoder = load("speakers.safetensors")
    logits = segmentation(segmenter, samples)["logits"]       # (frames, 7), or (frames, 3) of the network of 2022
    vector = campplus(encoder, fbank80(samples))["embedding"]
"""
import json
import struct
from pathlib import Path

import numpy as np


def read_safetensors(path):
    data = Path(path).read_bytes()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data[8 + size:][slice(*entry["data_offsets"])], np.float32).reshape(entry["shape"])
            for name, entry in header.items()}


def load(path):
    """The tensors of both networks."""
    tensors = read_safetensors(path)
    return tuple({name[len(prefix):]: value for name, value in tensors.items() if name.startswith(prefix)}
                 for prefix in ("segmentation.", "embedding."))

# ---------------------------------------------------------------- shared pieces


def sigmoid(x):
    return 0.5 + 0.5 * np.tanh(0.5 * x)          # 1 / (1 + exp(-x)) without overflow


def leaky_relu(x):
    return np.where(x > 0, x, np.float32(0.01) * x)


def conv1d(x, weight, bias=None, stride=1, dilation=1, padding=0):
    """x (channels, time), weight (out, channels, taps) -> (out, time')."""
    if padding:
        x = np.pad(x, ((0, 0), (padding, padding)))
    taps = weight.shape[2]
    length = (x.shape[1] - dilation * (taps - 1) - 1) // stride + 1
    columns = np.stack([x[:, k * dilation:k * dilation + stride * (length - 1) + 1:stride]
                        for k in range(taps)], axis=1)          # (channels, taps, time')
    y = weight.reshape(weight.shape[0], -1) @ columns.reshape(-1, length)
    return y if bias is None else y + bias[:, None]


def max_pool3(x):
    n = x.shape[1] // 3
    return x[:, :3 * n].reshape(x.shape[0], n, 3).max(axis=2)


def instance_norm(x, weight, bias):
    """Mean and biased variance over time, for each channel on its own; epsilon 1e-5."""
    mean = x.mean(axis=1, keepdims=True)
    variance = x.var(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * weight[:, None] + bias[:, None]


def lstm(x, w_ih, w_hh, b_ih, b_hh, reverse=False):
    """x (batch, time, in) -> (batch, time, hidden). Gate rows: input, forget, cell, output."""
    batch, steps, _ = x.shape
    hidden = w_hh.shape[1]
    gates_in = x @ w_ih.T + (b_ih + b_hh)
    h = np.zeros((batch, hidden), np.float32)
    c = np.zeros((batch, hidden), np.float32)
    out = np.empty((batch, steps, hidden), np.float32)
    for t in (range(steps - 1, -1, -1) if reverse else range(steps)):
        i, f, g, o = np.split(gates_in[:, t] + h @ w_hh.T, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out[:, t] = h
    return out

# ---------------------------------------------------------------- segmentation


def sinc_filters(w):
    """The 80 filters of 251 taps, made once from 2 x 40 learned frequencies."""
    p = "sincnet.conv1d.0.filterbank."
    window, n = w[p + "window_"], w[p + "n_"]                     # (125,), (1, 125)
    low = 50.0 + np.abs(w[p + "low_hz_"])                         # (40, 1)
    high = np.clip(low + 50.0 + np.abs(w[p + "band_hz_"]), 50.0, 8000.0)
    band = high - low
    a, b = low @ n, high @ n
    even = (np.sin(b) - np.sin(a)) / (n / 2) * window
    odd = (np.cos(a) - np.cos(b)) / (n / 2) * window
    even = np.concatenate([even, 2 * band, even[:, ::-1]], axis=1) / (2 * band)
    odd = np.concatenate([odd, np.zeros_like(band), -odd[:, ::-1]], axis=1) / (2 * band)
    return np.concatenate([even, odd]).astype(np.float32)[:, None, :]   # (80, 1, 251)


def seconds(w):
    """The length of the windows that the network was trained on."""
    return 10 if len(w["classifier.bias"]) == len(POWERSET) else 5


def segmentation(w, samples):
    """One chunk (seconds(w) of 16 kHz samples in -1...1) -> checkpoints and logits."""
    x = instance_norm(samples[None].astype(np.float32),
                      w["sincnet.wav_norm1d.weight"], w["sincnet.wav_norm1d.bias"])
    x = np.abs(conv1d(x, sinc_filters(w), stride=10))
    for k in range(3):
        if k:
            x = conv1d(x, w[f"sincnet.conv1d.{k}.weight"], w[f"sincnet.conv1d.{k}.bias"])
        x = leaky_relu(instance_norm(max_pool3(x), w[f"sincnet.norm1d.{k}.weight"],
                                     w[f"sincnet.norm1d.{k}.bias"]))
    sinc = x.T                                                    # (frames, 60)
    y = sinc[None]
    for layer in range(4):
        sides = []
        for side in ("", "_reverse"):
            names = [f"lstm.{kind}_l{layer}{side}" for kind in
                     ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            sides.append(lstm(y, *[w[n] for n in names], reverse=bool(side)))
        y = np.concatenate(sides, axis=2)                         # forward first
    recurrent = y[0]                                              # (frames, 256)
    y = leaky_relu(recurrent @ w["linear.0.weight"].T + w["linear.0.bias"])
    y = leaky_relu(y @ w["linear.1.weight"].T + w["linear.1.bias"])
    logits = y @ w["classifier.weight"].T + w["classifier.bias"]
    return {"sinc": sinc, "lstm": recurrent, "logits": logits}


# class k of the 7 -> which of the three local speakers talk
POWERSET = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1],
                     [1, 1, 0], [1, 0, 1], [0, 1, 1]], np.float32)


def active(logits):
    """Frames x 3 of 0 and 1."""
    if logits.shape[-1] == 3:
        return (logits > 0).astype(np.float32)
    return POWERSET[logits.argmax(axis=-1)]


def expected(logits):
    """How many people talk in each frame, by the probabilities of the classes or of each speaker."""
    if logits.shape[-1] == 3:
        return sigmoid(logits).sum(axis=-1)
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return (p @ POWERSET.sum(axis=1)) / p.sum(axis=-1)

# ---------------------------------------------------------------- CAM++


def kaldi_filters(bands=80, fft=512, rate=16000, low=20.0):
    """Triangles in the mel domain, 1127 ln(1 + f / 700), 20 to 8000 Hz, height 1."""
    def mel(f):
        return 1127 * np.log(1 + np.asarray(f, np.float64) / 700)
    step = (mel(rate / 2) - mel(low)) / (bands + 1)
    left = mel(low) + step * np.arange(bands)[:, None]
    m = mel(np.arange(fft // 2) * rate / fft)[None]
    up, down = (m - left) / step, (left + 2 * step - m) / step
    return np.maximum(0, np.minimum(up, down)).astype(np.float32)                 # (80, 256)


def fbank80(samples, mean=True):
    """Log mel as Kaldi makes it; frames of 400 every 160, none padded; mean over time removed."""
    x = samples.astype(np.float32)
    if len(x) < 400:
        x = np.pad(x, (0, 400 - len(x)))
    frames = np.lib.stride_tricks.sliding_window_view(x, 400)[::160].astype(np.float32)
    frames = frames - frames.mean(axis=1, keepdims=True)
    before = np.concatenate([frames[:, :1], frames[:, :-1]], axis=1)
    frames = frames - np.float32(0.97) * before
    povey = ((0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 399)) ** 0.85).astype(np.float32)
    power = np.abs(np.fft.rfft(frames * povey, 512, axis=1)) ** 2
    energy = power[:, :256].astype(np.float32) @ kaldi_filters().T
    features = np.log(np.maximum(energy, np.float32(1.1920929e-07)))
    return (features - features.mean(axis=0)) if mean else features


def batch_norm(w, name, x):
    """Inference form; x has its channels first. Works with or without scale and shift."""
    shape = (-1,) + (1,) * (x.ndim - 1)
    scale = 1 / np.sqrt(w[name + ".running_var"] + 1e-5)
    shift = -w[name + ".running_mean"] * scale
    if name + ".weight" in w:
        scale, shift = scale * w[name + ".weight"], shift * w[name + ".weight"] + w[name + ".bias"]
    return x * scale.reshape(shape) + shift.reshape(shape)


def conv2d(x, weight, stride=1):
    """x (channels, bands, time); 3 x 3 with padding 1, or 1 x 1; stride along bands only."""
    k = weight.shape[2]
    if k == 3:
        x = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    rows = (x.shape[1] - k) // stride + 1
    time = x.shape[2] - k + 1
    columns = np.stack([x[:, i:i + stride * (rows - 1) + 1:stride, j:j + time]
                        for i in range(k) for j in range(k)], axis=1)
    return (weight.reshape(weight.shape[0], -1) @ columns.reshape(-1, rows * time)).reshape(
        weight.shape[0], rows, time)


def segment_means(x, length=100):
    """Every column replaced by the mean of its run of 100 (the last run is shorter)."""
    out = np.empty_like(x)
    for start in range(0, x.shape[1], length):
        out[:, start:start + length] = x[:, start:start + length].mean(axis=1, keepdims=True)
    return out


def campplus(w, features):
    """features (frames, 80) -> checkpoints and the embedding of 192 numbers (not normalised)."""
    relu = lambda a: np.maximum(0, a)
    x = relu(batch_norm(w, "head.bn1", conv2d(features.T[None], w["head.conv1.weight"])))
    for name, stride in (("layer1.0", 2), ("layer1.1", 1), ("layer2.0", 2), ("layer2.1", 1)):
        p = f"head.{name}."
        y = relu(batch_norm(w, p + "bn1", conv2d(x, w[p + "conv1.weight"], stride)))
        y = batch_norm(w, p + "bn2", conv2d(y, w[p + "conv2.weight"]))
        if p + "shortcut.0.weight" in w:
            x = batch_norm(w, p + "shortcut.1", conv2d(x, w[p + "shortcut.0.weight"], stride))
        x = relu(y + x)
    x = relu(batch_norm(w, "head.bn2", conv2d(x, w["head.conv2.weight"], 2)))     # (32, 10, time)
    head = x.reshape(-1, x.shape[2])                                              # (320, time)
    x = conv1d(head, w["xvector.tdnn.linear.weight"], stride=2, padding=2)
    x = relu(batch_norm(w, "xvector.tdnn.nonlinear.batchnorm", x))
    for block, layers, dilation in ((1, 12, 1), (2, 24, 2), (3, 16, 2)):
        for layer in range(1, layers + 1):
            p = f"xvector.block{block}.tdnnd{layer}."
            y = relu(batch_norm(w, p + "nonlinear1.batchnorm", x))
            y = conv1d(y, w[p + "linear1.weight"])
            y = relu(batch_norm(w, p + "nonlinear2.batchnorm", y))
            local = conv1d(y, w[p + "cam_layer.linear_local.weight"], dilation=dilation,
                           padding=dilation)
            context = y.mean(axis=1, keepdims=True) + segment_means(y)
            gate = relu(conv1d(context, w[p + "cam_layer.linear1.weight"],
                               w[p + "cam_layer.linear1.bias"]))
            gate = sigmoid(conv1d(gate, w[p + "cam_layer.linear2.weight"],
                                  w[p + "cam_layer.linear2.bias"]))
            x = np.concatenate([x, local * gate])
        p = f"xvector.transit{block}."
        x = conv1d(relu(batch_norm(w, p + "nonlinear.batchnorm", x)), w[p + "linear.weight"])
    x = relu(batch_norm(w, "xvector.out_nonlinear.batchnorm", x))                 # (512, time)
    count = x.shape[1]
    spread = x.std(axis=1, ddof=1) if count > 1 else np.full(x.shape[0], 0.01, np.float32)
    pooled = np.concatenate([x.mean(axis=1), spread])                             # (1024,)
    y = conv1d(pooled[:, None], w["xvector.dense.linear.weight"])[:, 0]
    y = batch_norm(w, "xvector.dense.nonlinear.batchnorm", y)
    return {"head": head, "pooled": pooled, "embedding": y}
