#!/usr/bin/env python3
"""Fixtures/parakeet/beams.json: what a beam search over the transducers of parakeet.py finds, by its definition.

A decoder at a frame draws a token or the blank, and with TDT independently a duration; it advances by that, a blank by
at least one frame, and so does the last of `max_symbols_per_step` tokens at a frame. The probability of a text is the
sum over all ways to draw it. The search keeps beams, pairs of text and frame. Those at the earliest frame are extended
by the blank and by their `size` best tokens, each with all durations; equal pairs add up. Of the beams at each later
frame the `size` best remain, and of those still at the same frame as many as belong to the `size` best of all. So beams
wait until their frame is reached, as in the modified adaptive expansion search (Kim et al., "Accelerating RNN
Transducer Inference via Adaptive Expansion Search", 2020), and only those that have heard the same audio compete. TDT
is that of Xu et al., "Efficient Sequence Transduction by Jointly Predicting Tokens and Durations", 2023.

Reads the encoder's frames and the weights that parakeet.py wrote. Planted numbers take the place of a network, too:
with them, more texts compete. Texts are tuples, probabilities float64.
"""
import json
from functools import cache

import numpy as np
from safetensors.numpy import load_file

import common

SETS, SIZES = ("rnnt", "tdt", "tdt-bias"), (2, 4, 5, 8)


def main():
    path = common.parse_output(__doc__) / "parakeet/beams.json"
    cases = []
    for name in SETS:
        model = Transducer(common.FIXTURES / "parakeet" / name)
        cases += [{"set": name, "size": size} | search(model, size) for size in SIZES]
    for durations in (None, (0, 1, 2, 3, 4), (0, 2, 7), (1, 3)):
        cases += [{"durations": durations, "size": size} | search(Planted(durations), size) for size in SIZES]
    common.write_cases(path, {"versions": common.versions("numpy", "safetensors")}, cases)


class Transducer:
    def __init__(self, folder):
        config = json.loads((folder / "model/config.json").read_text())
        self.weights = {key: x.astype(float) for key, x in load_file(folder / "model/model.safetensors").items()}
        self.blank, self.limit = config["blank_token_id"], config["max_symbols_per_step"]
        self.durations, self.layers = config.get("durations"), config["num_decoder_layers"]
        frames = np.fromfile(folder / "projected.f32", "<f4").astype(float)
        self.frames = frames.reshape(-1, config["decoder_hidden_size"])
        self.predict = cache(self.predict)

    def linear(self, name, x):
        return self.weights[name + ".weight"] @ x + self.weights[name + ".bias"]

    def predict(self, text):
        """The projected output of the prediction network after a text, and the states of its layers."""
        w = self.weights
        states = self.predict(text[:-1])[1] if text else [(0, 0)] * self.layers
        x, after = w["decoder.embedding.weight"][text[-1] if text else self.blank], []
        for layer, (hidden, cell) in enumerate(states):
            gates = sum(w[f"decoder.lstm.{name}_l{layer}"] for name in ("bias_ih", "bias_hh"))
            gates = gates + w[f"decoder.lstm.weight_ih_l{layer}"] @ x
            if text:
                gates = gates + w[f"decoder.lstm.weight_hh_l{layer}"] @ hidden
            i, f, g, o = np.split(gates, 4)
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            x = sigmoid(o) * np.tanh(cell)
            after.append((x, cell))
        return self.linear("decoder.decoder_projector", x), after

    def logprobs(self, frame, text):
        return split(self, self.linear("joint.head", np.maximum(self.frames[frame] + self.predict(text)[0], 0)))


class Planted:
    """Scores that depend on the frame, the number of tokens before and the last two of them."""

    def __init__(self, durations):
        self.blank, self.limit, self.durations, self.frames = 20, 3, durations, range(40)

    def logprobs(self, frame, text):
        place = [frame, len(text), *[self.blank, self.blank, *text][-2:]]
        scores = 8 * common.unit_array(7, place, self.blank + 1 + len(self.durations or ()))
        return split(self, scores)


def split(model, scores):
    """The logarithms of the probabilities of tokens and blank, and pairs of a duration and its logarithm."""
    tokens, durations = np.split(scores, [model.blank + 1])
    durations = zip(model.durations, log_softmax(durations)) if model.durations else [(None, 0)]
    return log_softmax(tokens), list(durations)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def log_softmax(x):
    return x - np.logaddexp.reduce(x)


def search(model, size):
    """The best text with the way to draw it that had the largest part in its probability; `margin` is the smallest
    difference between a beam that remains and the next one that does not."""
    beams, count, here, last = {((), 0): (0.0, ())}, len(model.frames), 0, 0
    margin = np.inf
    while (frame := min(frame for _, frame in beams)) < count:
        here, last = (here if frame == last else 0), frame
        found = [(text, at, score, way) for (text, at), (score, way) in beams.items() if at > frame]
        for (text, at), (score, way) in beams.items():
            if at == frame:
                found += extend(model, size, text, frame, score, way, here)
        here += 1
        merged = {}
        for text, at, score, way in sorted(found, key=lambda x: -x[2]):
            if (text, at) in merged:
                total, first = merged[text, at]
                merged[text, at] = np.logaddexp(total, score), first
            else:
                merged[text, at] = score, way
        ranked = sorted(merged.items(), key=lambda x: -x[1][0])
        beams = {}
        for place in {at for _, at in merged}:
            own = [x for x in ranked if x[0][1] == place]
            kept = size if place > frame else sum(x[0][1] == frame for x in ranked[:size])
            if 0 < kept < len(own):
                margin = min(margin, own[kept - 1][1][0] - own[kept][1][0])
            beams |= dict(own[:kept])
    ranked = sorted(beams.items(), key=lambda x: -x[1][0])
    (text, _), (score, way) = ranked[0]
    margin = min([margin] + [score - other for _, (other, _) in ranked[1:2]])
    return {"tokens": text, "starts": [start for start, _, _ in way], "ends": [end for _, end, _ in way],
            "logprobs": [logprob for _, _, logprob in way], "score": score, "margin": margin}


def extend(model, size, text, frame, score, way, here):
    tokens, durations = model.logprobs(frame, text)
    best = [int(id) for id in np.argsort(-tokens, kind="stable") if id != model.blank][:size] + [model.blank]
    for id in best:
        for duration, logprob in durations:
            advance, total = duration or 0, score + tokens[id] + logprob
            if advance == 0 and (id == model.blank or here + 1 == model.limit):
                advance = 1
            at = min(frame + advance, len(model.frames))
            if id == model.blank:
                yield text, at, total, way
            else:
                end = frame + (1 if duration is None else duration)
                yield text + (id,), at, total, way + ((frame, end, tokens[id]),)


if __name__ == "__main__":
    main()
