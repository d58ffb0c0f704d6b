#!/usr/bin/env python3
"""Fixtures/vad: probabilities of Silero's network, with its published and with planted weights, and speech segments.

The clip is vad/vad_clip.flac. The published weights come with the package silero-vad. Segments are what silero-vad and
faster-whisper make of the same probabilities.
"""
import hashlib
import io
import sys
import wave
from types import ModuleType
from unittest import mock

import faster_whisper.vad
import numpy as np
import torch
from faster_whisper.audio import decode_audio

import common

# silero-vad imports torchaudio, and uses it for reading files alone. Its wheels refuse to load beside a torch that was
# built for another version of CUDA.
sys.modules.setdefault("torchaudio", ModuleType("torchaudio"))
import silero_vad  # noqa: E402

WINDOW, CONTEXT, WIDTH = 512, 64, 128
TOLERANCE = 1e-4
PLANTED_SECONDS = 2

# Tensors of the network and the scale of their planted weights, which keeps values near 1 from layer to layer. Scales
# are powers of two, so that products with them are exact.
TENSORS = {
    "stft_conv.weight": ((258, 1, 256), 0.5),
    "conv1.weight": ((128, 129, 3), 0.25), "conv1.bias": ((128,), 0.25),
    "conv2.weight": ((64, 128, 3), 0.25), "conv2.bias": ((64,), 0.25),
    "conv3.weight": ((64, 64, 3), 0.5), "conv3.bias": ((64,), 0.25),
    "conv4.weight": ((128, 64, 3), 0.5), "conv4.bias": ((128,), 0.25),
    "lstm_cell.weight_ih": ((512, 128), 0.5), "lstm_cell.weight_hh": ((512, 128), 0.5),
    "lstm_cell.bias_ih": ((512,), 0.25), "lstm_cell.bias_hh": ((512,), 0.25),
    "final_conv.weight": ((1, 128, 1), 2.0), "final_conv.bias": ((1,), 0.25),
}

SILERO_OPTIONS = [
    {}, {"threshold": 0.3},
    {"min_silence_duration_ms": 2000, "speech_pad_ms": 400, "min_speech_duration_ms": 0},
    {"max_speech_duration_s": 3.0}, {"max_speech_duration_s": 3.0, "use_max_poss_sil_at_max_speech": False},
    {"min_speech_duration_ms": 1000}, {"speech_pad_ms": 300}, {"min_silence_duration_ms": 0}]
FASTER_OPTIONS = [
    {}, {"min_speech_duration_ms": 250, "min_silence_duration_ms": 100, "speech_pad_ms": 30},
    {"max_speech_duration_s": 3.0, "min_silence_duration_ms": 100, "speech_pad_ms": 30},
    {"max_speech_duration_s": 3.0}, {"threshold": 0.5, "neg_threshold": 0.45, "min_silence_duration_ms": 100}]


def main():
    folder = common.parse_output(__doc__) / "vad"
    common.use_one_thread()
    write_published(folder)
    write_planted(folder)


def write_published(folder):
    """Writes probabilities, states and segments of the clip, computed with the published weights."""
    samples = decode_audio(str(common.FIXTURES / "vad/vad_clip.flac"))
    network = silero_vad.load_silero_vad()
    probabilities = [rounded(network(window, common.SAMPLE_RATE).item(), 9) for window in
                     torch.from_numpy(windows(samples).astype(np.float32))]
    common.write_json(folder / "vad.json", {
        "samples": len(samples), "sha256": wave_digest(samples), "tolerance": TOLERANCE,
        "probabilities": probabilities, "states": states(published_weights(network), samples, (0, 45)),
        "segments": segments(samples, probabilities)})


def write_planted(folder):
    """Writes probabilities computed with planted weights for planted samples, so that a test needs no files."""
    weights = {name: planted(1000 + index, int(np.prod(shape)), scale).reshape(shape)
               for index, (name, (shape, scale)) in enumerate(TENSORS.items())}
    loudness = np.repeat(planted(2001, 125 * PLANTED_SECONDS, 2.0), 128)
    samples = planted(2000, common.SAMPLE_RATE * PLANTED_SECONDS, 0.5) * loudness
    samples = samples.astype(np.float32).astype(np.float64)
    tensors = [{"name": name, "shape": shape, "scale": scale} for name, (shape, scale) in TENSORS.items()]
    probabilities = [probability for probability, _, _ in run_network(weights, samples)]
    common.write_json(folder / "random.json", {
        "seconds": PLANTED_SECONDS, "tensors": tensors, "probabilities": probabilities})


def planted(seed, count, scale):
    return ((common.unit_array(seed, (), count) - 0.5) * scale).astype(np.float32).astype(np.float64)


def windows(samples):
    """The samples as rows of one window each; the last one is padded with zeros."""
    return np.pad(samples, (0, -len(samples) % WINDOW)).reshape(-1, WINDOW)


def wave_digest(samples):
    """The SHA-256 of the samples as a WAV file of 16 bits."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 2, common.SAMPLE_RATE, 0, "NONE", ""))
        writer.writeframes(np.round(samples * 32768).astype("<i2").tobytes())
    return hashlib.sha256(file.getvalue()).hexdigest()


def published_weights(network):
    """The weights of the 16 kHz network by the names of TENSORS."""
    state = network.state_dict()
    names = {"stft_conv.weight": "stft.forward_basis_buffer"}
    for name in TENSORS:
        layer, kind = name.split(".")
        if layer == "lstm_cell":
            names[name] = f"decoder.rnn.{kind}"
        elif layer == "final_conv":
            names[name] = f"decoder.decoder.2.{kind}"
        elif layer != "stft_conv":
            names[name] = f"encoder.{int(layer[-1]) - 1}.reparam_conv.{kind}"
    return {name: state[f"_model.{published}"].double().numpy() for name, published in names.items()}


def states(weights, samples, chosen):
    """The states of the network after the chosen windows, in float64."""
    outputs = list(run_network(weights, samples))
    return [{"window": window, "probability": outputs[window][0],
             "h_128": [rounded(value, 8) for value in outputs[window][1]],
             "c_128": [rounded(value, 8) for value in outputs[window][2]]} for window in chosen]


def rounded(value, digits):
    return float(f"{value:.{digits}g}")


# The network, written out in float64


def run_network(weights, samples):
    """Yields the probability, h and c of each window."""
    h, c, context = np.zeros(WIDTH), np.zeros(WIDTH), np.zeros(CONTEXT)
    for window in windows(samples).astype(np.float64):
        features = encode(weights, np.concatenate([context, window]))
        h, c = lstm_cell(weights, features, h, c)
        score = weights["final_conv.weight"][0, :, 0] @ np.maximum(h, 0) + weights["final_conv.bias"][0]
        yield float(sigmoid(score)), h, c
        context = window[-CONTEXT:]


def encode(weights, samples):
    """Magnitudes of four short-time spectra, then four convolutions down to one column."""
    samples = np.concatenate([samples, samples[-2:-CONTEXT - 2:-1]])        # reflected at the end
    basis = weights["stft_conv.weight"][:, 0]
    spectra = np.stack([basis @ samples[128 * frame:128 * frame + 256] for frame in range(4)], axis=1)
    values = np.hypot(spectra[:129], spectra[129:])
    for layer, stride in (("conv1", 1), ("conv2", 2), ("conv3", 2), ("conv4", 1)):
        values = convolve(values, weights[f"{layer}.weight"], weights[f"{layer}.bias"], stride)
    return values[:, 0]


def convolve(values, kernel, bias, stride):
    """A convolution of width 3 with padding 1, and ReLU."""
    values = np.pad(values, ((0, 0), (1, 1)))
    columns = [np.tensordot(kernel, values[:, start:start + 3], ([1, 2], [0, 1])) + bias
               for start in range(0, values.shape[1] - 2, stride)]
    return np.maximum(np.stack(columns, axis=1), 0)


def lstm_cell(weights, features, h, c):
    gates = (weights["lstm_cell.weight_ih"] @ features + weights["lstm_cell.bias_ih"]
             + weights["lstm_cell.weight_hh"] @ h + weights["lstm_cell.bias_hh"])
    enter, forget, cell, leave = gates.reshape(4, WIDTH)
    c = sigmoid(forget) * c + sigmoid(enter) * np.tanh(cell)
    return sigmoid(leave) * np.tanh(c), c


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# Segments


def segments(samples, probabilities):
    """Segments in samples that both programs make of the probabilities."""
    cases = [case("A (silero)", options, silero_segments(samples, probabilities, options))
             for options in SILERO_OPTIONS]
    return cases + [case("B (faster-whisper)", options, faster_segments(samples, probabilities, options))
                    for options in FASTER_OPTIONS]


def case(algorithm, options, found):
    return {"algorithm": algorithm, "options": options, "unit": "samples",
            "segments": [[segment["start"], segment["end"]] for segment in found]}


def silero_segments(samples, probabilities, options):
    network = mock.Mock(side_effect=map(torch.tensor, probabilities))
    return silero_vad.get_speech_timestamps(torch.from_numpy(samples), network, **options)


def faster_segments(samples, probabilities, options):
    with mock.patch.object(faster_whisper.vad, "get_vad_model", return_value=lambda _: np.array(probabilities)):
        return faster_whisper.vad.get_speech_timestamps(samples, **options)


if __name__ == "__main__":
    main()
