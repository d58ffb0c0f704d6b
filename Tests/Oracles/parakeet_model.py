#!/usr/bin/env python3
"""Write a FastConformer transducer or CTC model with seeded random weights in the formats of its family.

    parakeet_model.py PRESET OUT_DIR [--head tdt] [--formats hf,ggml,nemo,gguf] [--type f32,f16,q8_0]
                     [--seed 1] [--dims k=v,...] [--dtype f32] [--rate 3.0] [--blank-bias B]

PRESET: a name of PRESETS below ("micro", "0.6b-v3", ...).  --head: tdt rnnt ctc streaming streaming35
(the default belongs to the preset).  Results in OUT_DIR:
    hf    NAME/            config.json, generation_config.json, processor_config.json, tokenizer.json,
                           tokenizer_config.json, model.safetensors (--dtype f32, f16 or bf16)
    ggml  NAME-TYPE.bin    only tdt; the layout whisper.cpp 1.9 reads
    nemo  NAME.nemo        a tar as NeMo writes it (--dtype f32, f16 or bf16; needs torch)
    gguf  NAME-TYPE.gguf   NVIDIA's layout, as NeMo-Speech.cpp's converter writes it
NAME is PRESET-HEAD-sSEED or --name.

The same preset, head and seed give the same numbers in every format: each tensor is drawn from its own
generator (Philox, key = BLAKE2b-64 of "seed/nemo-tensor-name") and rounded to f16, so that f32, f16 and
safetensors files hold identical weights; only q8_0 (and bf16) differ.

So that decoding gives a plausible mix of blanks and tokens, one number is fitted: the bias of the blank
in the joint (or CTC) layer.  It is read from CALIBRATED below where the combination is listed; otherwise
it is found by running the model with transformers on --calibrate WAV (default: Tests/Fixtures/clips/say-06.wav) until about --rate tokens a second come out, and printed, so that it can be given as --blank-bias
or added to the list.  The pieces of the vocabulary are syllables; the order of ids follows the published
models (control pieces, merged pieces, then letters).

Needs numpy; torch and transformers for fitting; torch for --formats nemo.
"""
import argparse
import base64
import hashlib
import io
import json
import struct
import sys
import tarfile
from pathlib import Path

import numpy as np

# ----------------------------------------------------------------------------------------------- sizes


def _p(layers, d, heads, mels, channels, vocab, pred, pred_layers, head, bias, scale, kernel=9, ff=4, **more):
    return dict(layers=layers, d=d, heads=heads, mels=mels, channels=channels, vocab=vocab, pred=pred,
                pred_layers=pred_layers, head=head, bias=bias, scale=scale, kernel=kernel, ff=ff,
                durations=[0, 1, 2, 3, 4], max_symbols=10, left=70, lookaheads=[13, 6, 1, 0],
                prompts=128, prompt_hidden=2 * d, default_prompt=101) | more


PRESETS = {
    "micro": _p(2, 32, 4, 128, 16, 256, 32, 2, "tdt", 0, 0, left=28),
    "micro-bias": _p(2, 32, 2, 80, 16, 256, 32, 1, "tdt", 1, 1),       # biases, scaled input, one LSTM layer
    "small": _p(4, 192, 4, 128, 64, 1024, 160, 2, "tdt", 0, 0),
    "110m": _p(17, 512, 8, 80, 256, 1024, 640, 1, "tdt", 1, 1),        # parakeet-tdt_ctc-110m
    "0.6b-v2": _p(24, 1024, 8, 128, 256, 1024, 640, 2, "tdt", 0, 0),
    "0.6b-v3": _p(24, 1024, 8, 128, 256, 8192, 640, 2, "tdt", 0, 0),
    "rnnt-0.6b": _p(24, 1024, 8, 80, 256, 1024, 640, 2, "rnnt", 1, 1),
    "ctc-0.6b": _p(24, 1024, 8, 80, 256, 1024, 640, 2, "ctc", 1, 1),
    "streaming-en-0.6b": _p(24, 1024, 8, 128, 256, 1024, 640, 2, "streaming", 0, 0),
    "streaming-3.5-0.6b": _p(24, 1024, 8, 128, 256, 13087, 640, 2, "streaming35", 0, 0, left=56,
                             lookaheads=[13, 6, 3, 1, 0]),
}

# (preset, head, seed) -> bias of the blank, fitted once with --rate 3
CALIBRATED = {
    ("0.6b-v3", "tdt", 1): 7.6875,
    ("micro", "tdt", 1): 5.625,
    ("micro", "rnnt", 1): 3.0,
    ("micro", "ctc", 1): 5.5,
    ("micro", "streaming", 1): 3.1875,
    ("micro", "streaming35", 1): 3.0,
    ("micro", "streaming35", 2): 3.0,
    ("micro-bias", "tdt", 1): 4.125,
    ("micro-bias", "rnnt", 2): 7.0,
    ("micro-bias", "rnnt", 4): 5.0625,
    ("micro-bias", "ctc", 1): 4.0625,
    ("small", "tdt", 7): 6.25,
    ("small", "rnnt", 10): 6.1875,
    ("small", "ctc", 7): 6.25,
    ("small", "streaming", 8): 3.6875,
    ("micro", "tdt", 11): 4.25,
    ("micro-bias", "rnnt", 12): 4.0625,
    ("micro", "ctc", 13): 5.5,
    ("micro", "streaming", 14): 3.1875,
}

HEADS = ("tdt", "rnnt", "ctc", "streaming", "streaming35")

# ------------------------------------------------------------------------------------------ vocabulary

CONTROL = ["<unk>", "<|nospeech|>", "<pad>", "<|endoftext|>", "<|startoftranscript|>", "<|pnc|>", "<|nopnc|>",
           "<|startofcontext|>", "<|itn|>", "<|noitn|>", "<|timestamp|>", "<|notimestamp|>", "<|diarize|>",
           "<|nodiarize|>", "<|spltoken0|>", "<|spltoken1|>", "<|emo:undefined|>", "<|unklang|>", "<|en|>", "<|de|>",
           "<|fr|>", "<|es|>"]
TAGS = ["<en-US>", "<de-DE>", "<fr-FR>", "<es-ES>"]
PUNCTUATION = [".", ",", "?", "!", "'", "-", ":", "%"]
MARK = "\u2581"
CLASSES = 8


def pieces_of(head, size):
    """[(piece, kind)] with kind 2 unknown, 4 user defined, 1 normal; exactly `size` entries."""
    if head == "tdt":
        control = [(p, 2 if p == "<unk>" else 4) for p in CONTROL]
    elif head == "streaming35":
        control = [("<unk>", 2)] + [(t, 4) for t in TAGS]
    else:
        control = [("<unk>", 2)]
    low, vowels = "abcdefghijklmnopqrstuvwxyz", "aeiou"
    cons = [c for c in "bcdfghjklmnprstvwz"]
    letters = list(low) + list(low.upper()) + list("0123456789") + PUNCTUATION
    if size > 512:
        letters += list("\u00e4\u00f6\u00fc\u00df\u00e9\u00e8\u00f1\u00e7\u00f8\u0142\u010d\u017e\u0434\u043e\u043c\u03b1")
    alphabet = [MARK] + letters
    merged, known = [], set(alphabet)

    def add(p):
        if p not in known:
            known.add(p)
            merged.append(p)

    for c in cons:
        for v in vowels:
            add(c + v)
    for c in low + low.upper():
        add(MARK + c)
    for c in cons:
        for v in vowels:
            add(MARK + c + v)
    for c in cons:
        for v in vowels:
            for e in "nrst":
                add(c + v + e)
    for c in cons:
        for v in vowels:
            for e in "nrst":
                add(MARK + c + v + e)
    for c in cons:
        for v in vowels:
            for e in cons:
                for w in vowels:
                    add(c + v + e + w)
    for c in cons:
        for v in vowels:
            for e in cons:
                for w in vowels:
                    add(MARK + c + v + e + w)
    room = size - len(control) - len(alphabet)
    if room < 0:
        sys.exit(f"a vocabulary of {size} is too small: {len(control) + len(alphabet)} at least")
    if room > len(merged):
        sys.exit(f"a vocabulary of {size} is too large")
    return control + [(p, 1) for p in merged[:room]] + [(p, 1) for p in alphabet]


def merges_of(pieces):
    """Pairs in the order of the pieces that they make."""
    rank = {p: i for i, (p, kind) in enumerate(pieces) if kind == 1}
    out = []
    for p in rank:
        for cut in range(1, len(p)):
            if p[:cut] in rank and p[cut:] in rank:
                out.append((rank[p], rank[p[:cut]], rank[p[cut:]], p[:cut], p[cut:]))
    return [[a, b] for _, _, _, a, b in sorted(out)]


def added_tokens(head, pieces):
    """[(id, content, special)] as the published conversions add them, and the names of pad and blank."""
    extra = [(i, p, p == "<unk>" or (head == "streaming35" and p in TAGS)) for i, (p, k) in enumerate(pieces) if k != 1]
    n = len(pieces)
    if head == "tdt":
        extra = [(i, p, s or p == "<pad>") for i, p, s in extra]
        return extra + [(n, "<blank>", True)], "<pad>"
    if head == "rnnt":
        return extra + [(n, "<blank>", True)], "<blank>"
    if head == "ctc":
        return extra + [(n, "<pad>", True)], "<pad>"
    return extra + [(n, "<pad>", True), (n + 1, "<blank>", True)], "<pad>"   # as the converter does: blank is id n

# --------------------------------------------------------------------------------------------- weights


def tensor_shapes(s):
    """(NeMo name, shape) of every tensor, in NeMo's order."""
    d, k, c, ff = s["d"], s["kernel"], s["channels"], s["ff"] * s["d"]
    streaming = s["head"].startswith("streaming")
    out = []

    def linear(name, rows, columns, bias):
        out.append((name + ".weight", (rows, columns)))
        if bias:
            out.append((name + ".bias", (rows,)))

    def pair(name, n):
        out.extend([(name + ".weight", (n,)), (name + ".bias", (n,))])

    bins = s["mels"]
    for _ in range(3):
        bins = bins // 2 + 1 if streaming else (bins + 1) // 2
    linear("encoder.pre_encode.out", d, c * bins, True)
    for i, shape in (("0", (c, 1, 3, 3)), ("2", (c, 1, 3, 3)), ("3", (c, c, 1, 1)), ("5", (c, 1, 3, 3)),
                     ("6", (c, c, 1, 1))):
        out.extend([(f"encoder.pre_encode.conv.{i}.weight", shape), (f"encoder.pre_encode.conv.{i}.bias", (c,))])
    for i in range(s["layers"]):
        p = f"encoder.layers.{i}."
        b = s["bias"]
        pair(p + "norm_feed_forward1", d)
        linear(p + "feed_forward1.linear1", ff, d, b)
        linear(p + "feed_forward1.linear2", d, ff, b)
        pair(p + "norm_conv", d)
        for name, shape in (("pointwise_conv1", (2 * d, d, 1)), ("depthwise_conv", (d, 1, k))):
            out.append((p + f"conv.{name}.weight", shape))
            if b:
                out.append((p + f"conv.{name}.bias", (shape[0],)))
        pair(p + "conv.batch_norm", d)
        if not streaming:
            out.extend([(p + "conv.batch_norm.running_mean", (d,)), (p + "conv.batch_norm.running_var", (d,)),
                        (p + "conv.batch_norm.num_batches_tracked", ())])
        out.append((p + "conv.pointwise_conv2.weight", (d, d, 1)))
        if b:
            out.append((p + "conv.pointwise_conv2.bias", (d,)))
        pair(p + "norm_self_att", d)
        out.extend([(p + "self_attn.pos_bias_u", (s["heads"], d // s["heads"])),
                    (p + "self_attn.pos_bias_v", (s["heads"], d // s["heads"]))])
        for part in ("q", "k", "v", "out"):
            linear(p + "self_attn.linear_" + part, d, d, b)
        linear(p + "self_attn.linear_pos", d, d, False)
        pair(p + "norm_feed_forward2", d)
        linear(p + "feed_forward2.linear1", ff, d, b)
        linear(p + "feed_forward2.linear2", d, ff, b)
        pair(p + "norm_out", d)
    if s["head"] == "streaming35":
        linear("prompt_kernel.0", s["prompt_hidden"], d + s["prompts"], True)
        linear("prompt_kernel.2", d, s["prompt_hidden"], True)
    if s["head"] == "ctc":
        out.extend([("decoder.decoder_layers.0.weight", (s["vocab"] + 1, d, 1)),
                    ("decoder.decoder_layers.0.bias", (s["vocab"] + 1,))])
        return out
    h = s["pred"]
    out.append(("decoder.prediction.embed.weight", (s["vocab"] + 1, h)))
    for i in range(s["pred_layers"]):
        q = "decoder.prediction.dec_rnn.lstm."
        out.extend([(f"{q}weight_ih_l{i}", (4 * h, h)), (f"{q}weight_hh_l{i}", (4 * h, h)),
                    (f"{q}bias_ih_l{i}", (4 * h,)), (f"{q}bias_hh_l{i}", (4 * h,))])
    linear("joint.pred", h, h, True)
    linear("joint.enc", h, d, True)
    extra = len(s["durations"]) if s["head"] == "tdt" else 0
    linear("joint.joint_net.2", s["vocab"] + 1 + extra, h, True)
    return out


class Weights:
    def __init__(self, sizes, seed, blank_bias):
        self.s, self.seed, self.blank_bias = sizes, seed, blank_bias
        self.shapes = tensor_shapes(sizes)
        self.pieces = pieces_of(sizes["head"], sizes["vocab"])

    def _normal(self, name, shape):
        key = int.from_bytes(hashlib.blake2b(f"{self.seed}/{name}".encode(), digest_size=8).digest(), "little")
        return np.random.Generator(np.random.Philox(key=key)).standard_normal(shape, dtype=np.float32)

    def get(self, name, shape):
        if name.endswith("num_batches_tracked"):
            return np.array(1000, dtype=np.int64)
        x = self._normal(name, shape)
        s = self.s
        last = name.split(".")[-1]
        if name.endswith("running_mean"):
            x *= 0.3
        elif name.endswith("running_var"):
            x = 0.25 + np.minimum(np.abs(x), 3.0)
        elif "norm" in name:
            x = 1.0 + 0.1 * x if last == "weight" else 0.1 * x
        elif name.startswith("encoder.pre_encode.conv"):
            if last == "bias":
                x *= 0.1
            else:
                if name.endswith("conv.0.weight") and s["head"].startswith("streaming"):
                    x -= x.mean((2, 3), keepdims=True)            # these features have no mean of zero
                x *= np.sqrt(2.0 / (9.0 if shape[1] == 1 else shape[1]))
        elif "pos_bias" in name:
            x *= 0.5
        elif last == "bias" or "bias_" in last:
            x = self._bias(name, x)
        elif "depthwise_conv" in name:
            x *= 1.2 / np.sqrt(shape[2])
        elif name == "decoder.prediction.embed.weight":
            x[s["vocab"]] = 0.0                                   # the blank's row: NeMo pads with it
        elif "lstm.weight" in name:
            x *= 1.8 / np.sqrt(shape[1])
        else:
            gain = 1.0
            if "linear_q" in name or "linear_k" in name or "linear_pos" in name:
                gain = 1.5                                        # attention clearly away from uniform
            elif "linear_out" in name:
                gain = 0.5
            elif ".linear2" in name:
                gain = 2.0
            elif "conv.pointwise_conv2" in name:
                gain = 1.5
            elif name == "joint.enc.weight":
                gain = 2.0
            elif name == "joint.pred.weight":
                gain = 1.2
            elif name == "prompt_kernel.2.weight":
                gain = 2.5
            elif name in ("joint.joint_net.2.weight", "decoder.decoder_layers.0.weight"):
                gain = 2.0
            if (name == "encoder.pre_encode.out.weight" or ".linear2" in name or "pointwise_conv2" in name
                    or name in ("joint.joint_net.2.weight", "prompt_kernel.2.weight")):
                x -= x.mean(1, keepdims=True)      # what every frame has in common after a ReLU or SiLU drops out
            if name in ("joint.joint_net.2.weight", "decoder.decoder_layers.0.weight"):
                x *= np.sqrt(shape[1]) / np.sqrt((x * x).sum(1, keepdims=True))        # no favourite tokens
            x *= gain / np.sqrt(shape[1])
            if name == "joint.joint_net.2.weight" and s["head"] == "tdt":
                x[s["vocab"] + 1:] *= 0.5
        if s["head"] != "ctc":
            self._classes(name, x)
        return x.astype(np.float16).astype(np.float32)

    def _classes(self, name, x):
        """Eight units carry the class (id modulo 8) of the last token to the joint network unchanged.

        A token may only follow one of the three classes before its own, and duration 0 needs class 0 or 1
        before it: no endless repetition, which random weights would otherwise fall into.  Eight more units
        tell from the encoder which classes a frame favours, about one.  Without durations (RNNT) they are
        directions in a plane, and a token must lie away from the last one's: mostly one token a frame."""
        s, n, h = self.s, CLASSES, self.s["pred"]
        if name == "decoder.prediction.embed.weight":
            x[:, :n] = 0.0
            ids = np.arange(s["vocab"])
            x[ids, ids % n] = 4.0
        elif "lstm.weight_" in name:
            rows = np.concatenate([np.arange(n) + g * h for g in range(4)])
            x[rows] = 0.0
            if "_ih_" in name:
                x[2 * h + np.arange(n), np.arange(n)] = 1.0 if name.endswith("l0") else 4.0
        elif "lstm.bias_" in name:
            for gate, value in enumerate((4.0, -4.0, 0.0, 4.0)):              # in, forget, cell, out; twice
                x[gate * h:gate * h + n] = value
        elif name in ("joint.pred.weight", "joint.enc.weight"):
            x[:n] = 0.0
            if name == "joint.pred.weight":
                x[n:2 * n] = 0.0
                x[np.arange(n), np.arange(n)] = 4.0
            elif s["head"] != "tdt":                                          # eight directions in a plane
                angle = 2.0 * np.pi * np.arange(n)[:, None] / n
                x[n:2 * n] = np.cos(angle) * x[n] + np.sin(angle) * x[n + 1]
        elif name == "joint.pred.bias":
            x[:n] = -0.5
            x[n:2 * n] = 0.0
        elif name == "joint.enc.bias":
            x[:n] = 0.0
            x[n:2 * n] = -3.0 if s["head"] == "tdt" else -1.0
        elif name == "joint.joint_net.2.weight":
            v = s["vocab"]
            x[v] *= 0.2
            if s["head"] != "tdt":
                x[:v] *= 0.3
            x[:, :2 * n] = 0.0
            x[np.arange(v), n + np.arange(v) % n] = 4.0 if s["head"] == "tdt" else 5.0
            step = (np.arange(v)[:, None] - np.arange(n)[None, :]) % n        # from the last class to the token's
            low, high = (1, 3) if s["head"] == "tdt" else (3, 5)
            x[:v, :n] = np.where((step >= low) & (step <= high), 0.0, -12.0)
            if s["head"] == "tdt":
                for i, duration in enumerate(s["durations"]):
                    if duration == 0:
                        x[v + 1 + i, :2] = 5.0

    def _bias(self, name, x):
        s = self.s
        if name not in ("joint.joint_net.2.bias", "decoder.decoder_layers.0.bias"):
            x = x * 0.1
            return x
        x = x * 0.1
        v = s["vocab"]
        for i, (piece, kind) in enumerate(self.pieces):
            if kind != 1:
                x[i] = -30.0                                      # control pieces never come
            elif piece in PUNCTUATION:
                x[i] += {"tdt": 0.9, "ctc": 0.5}.get(s["head"], 0.3)     # some punctuation does
            elif piece == MARK:
                x[i] -= 4.0
        x[v] = self.blank_bias
        if s["head"] == "tdt":
            for i, duration in enumerate(s["durations"]):
                x[v + 1 + i] = {0: -12.0, 1: 0.5, 2: 0.6, 3: 0.3, 4: 0.0}.get(duration, -0.5)
        return x

    def items(self):
        for name, shape in self.shapes:
            yield name, self.get(name, shape)

# ------------------------------------------------------------------------------------- features' tables


def filter_bank(mels, n_fft=512, rate=16000):
    """Triangles on the Slaney mel scale with Slaney's area normalization, float32 [mels, n_fft/2 + 1]."""
    top = 15.0 + np.log(rate / 2 / 1000.0) / (np.log(6.4) / 27.0)
    mel = np.linspace(0.0, top, mels + 2)
    hz = np.where(mel < 15.0, mel * 200.0 / 3.0, 1000.0 * np.exp((mel - 15.0) * np.log(6.4) / 27.0))
    bins = np.arange(n_fft // 2 + 1) * rate / n_fft
    out = np.zeros((mels, len(bins)))
    for m in range(mels):
        up = (bins - hz[m]) / (hz[m + 1] - hz[m])
        down = (hz[m + 2] - bins) / (hz[m + 2] - hz[m + 1])
        out[m] = np.maximum(0.0, np.minimum(up, down)) * 2.0 / (hz[m + 2] - hz[m])
    return out.astype(np.float32)


def hann(n=400):
    return (0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(n) / (n - 1))).astype(np.float32)

# --------------------------------------------------------------------------------------- Hugging Face


def hf_name(name, streaming):
    p = name.split(".")
    if name.startswith("encoder.pre_encode.conv."):
        if not streaming:
            return f"encoder.subsampling.layers.{p[3]}.{p[4]}"
        return "encoder.subsampling." + {"0": "conv_in", "2": "layers.0.depthwise_conv", "3": "layers.0.pointwise_conv",
                                         "5": "layers.1.depthwise_conv", "6": "layers.1.pointwise_conv"}[p[3]] + "." + p[4]
    for old, new in (("encoder.pre_encode.out", "encoder.subsampling.linear"), ("conv.batch_norm.", "conv.norm."),
                     ("linear_out", "o_proj"), ("linear_q", "q_proj"), ("linear_k", "k_proj"), ("linear_v", "v_proj"),
                     ("linear_pos", "relative_k_proj"), ("pos_bias_", "bias_"),
                     ("decoder.prediction.embed", "decoder.embedding"),
                     ("decoder.prediction.dec_rnn.lstm", "decoder.lstm"), ("joint.enc", "encoder_projector"),
                     ("joint.pred", "decoder.decoder_projector"), ("joint.joint_net.2", "joint.head"),
                     ("decoder.decoder_layers.0", "ctc_head"), ("prompt_kernel.0", "prompt_projector.linear_1"),
                     ("prompt_kernel.2", "prompt_projector.linear_2")):
        name = name.replace(old, new)
    return name


def config_json(s):
    streaming = s["head"].startswith("streaming")
    enc = {"activation_dropout": 0.1, "attention_bias": bool(s["bias"]), "attention_dropout": 0.1,
           "conv_kernel_size": s["kernel"], "convolution_bias": bool(s["bias"]), "dropout": 0.1,
           "dropout_positions": 0.0, "hidden_act": "silu", "hidden_size": s["d"], "initializer_range": 0.02,
           "intermediate_size": s["ff"] * s["d"], "layerdrop": 0.0, "max_position_embeddings": 5000,
           "model_type": "nemotron_asr_streaming_encoder" if streaming else "parakeet_encoder",
           "num_attention_heads": s["heads"], "num_hidden_layers": s["layers"], "num_key_value_heads": s["heads"],
           "num_mel_bins": s["mels"], "scale_input": bool(s["scale"]), "subsampling_conv_channels": s["channels"],
           "subsampling_conv_kernel_size": 3, "subsampling_conv_stride": 2, "subsampling_factor": 8}
    if streaming:
        enc |= {"default_num_lookahead_tokens": s["lookaheads"][0], "sliding_window": s["left"] + 1}
    kind, cls = {"tdt": ("parakeet_tdt", "ParakeetForTDT"), "rnnt": ("parakeet_rnnt", "ParakeetForRNNT"),
                 "ctc": ("parakeet_ctc", "ParakeetForCTC"),
                 "streaming": ("nemotron_asr_streaming", "NemotronAsrStreamingForRNNT"),
                 "streaming35": ("nemotron3_5_asr", "Nemotron3_5AsrForRNNT")}[s["head"]]
    v = s["vocab"]
    out = {"architectures": [cls], "dtype": "float32", "encoder_config": enc, "initializer_range": 0.02,
           "model_type": kind, "transformers_version": "5.24.0", "vocab_size": v + 1}
    if s["head"] == "ctc":
        return out | {"ctc_loss_reduction": "mean", "ctc_zero_infinity": True, "pad_token_id": v}
    out |= {"blank_token_id": v, "decoder_hidden_size": s["pred"], "hidden_act": "relu", "is_encoder_decoder": True,
            "max_symbols_per_step": s["max_symbols"], "num_decoder_layers": s["pred_layers"],
            "pad_token_id": 2 if s["head"] == "tdt" else 0}
    if s["head"] == "tdt":
        out["durations"] = s["durations"]
    if s["head"] == "streaming35":
        out |= {"default_prompt_id": s["default_prompt"], "num_prompts": s["prompts"],
                "prompt_intermediate_size": s["prompt_hidden"]}
    return out


def processor_json(s):
    streaming = s["head"].startswith("streaming")
    fe = {"feature_extractor_type": "NemotronAsrStreamingFeatureExtractor" if streaming else "ParakeetFeatureExtractor",
          "feature_size": s["mels"], "hop_length": 160, "n_fft": 512, "padding_side": "right", "padding_value": 0.0,
          "preemphasis": 0.97, "return_attention_mask": True, "sampling_rate": 16000, "win_length": 400}
    if not streaming:
        return {"blank_token": "<blank>", "decoder_type": s["head"], "feature_extractor": fe,
                "processor_class": "ParakeetProcessor"}
    fe["mel_filters_dtype"] = "float32"
    out = {"blank_token": "<blank>", "default_num_lookahead_tokens": s["lookaheads"][0], "feature_extractor": fe,
           "processor_class": "NemotronAsrStreamingProcessor", "supported_num_lookahead_tokens": s["lookaheads"]}
    if s["head"] == "streaming35":
        out |= {"processor_class": "Nemotron3_5AsrProcessor", "num_prompts": s["prompts"],
                "prompt_dictionary": {"en-US": 0, "en": 0, "es-ES": 2, "fr-FR": 8, "fr": 8, "de-DE": 9, "de": 9, "auto": 101}}
    return out


def tokenizer_json(s, pieces):
    added, _ = added_tokens(s["head"], pieces)
    sequence = [{"Sequence": {"id": "A", "type_id": 0}}]
    space = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": True}
    return {"version": "1.0", "truncation": None, "padding": None,
            "added_tokens": [{"id": i, "content": p, "single_word": False, "lstrip": False, "rstrip": False,
                              "normalized": False, "special": special} for i, p, special in added],
            "normalizer": {"type": "Sequence", "normalizers": [
                {"type": "Strip", "strip_left": False, "strip_right": True},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": MARK}]},
            "pre_tokenizer": space,
            "post_processor": {"type": "TemplateProcessing", "single": sequence,
                               "pair": sequence + [{"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": {}},
            "decoder": space,
            "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                      "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
                      "vocab": {p: i for i, (p, _) in enumerate(pieces)}, "merges": merges_of(pieces)}}


def write_hf(folder, s, weights, dtype):
    folder.mkdir(parents=True, exist_ok=True)
    streaming = s["head"].startswith("streaming")
    _, pad = added_tokens(s["head"], weights.pieces)

    def put(name, value):
        (folder / name).write_text(json.dumps(value, indent=2, ensure_ascii=False, sort_keys=False) + "\n")

    config = config_json(s)
    config["dtype"] = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}[dtype]
    put("config.json", config)
    generation = {"_from_model_config": True, "pad_token_id": config["pad_token_id"], "transformers_version": "5.24.0"}
    if s["head"] != "ctc":
        generation["decoder_start_token_id"] = s["vocab"]
    if s["head"] == "tdt":
        generation["suppress_tokens"] = [s["vocab"] + 1 + i for i in range(len(s["durations"]))]
    put("generation_config.json", generation)
    put("processor_config.json", processor_json(s))
    put("tokenizer.json", tokenizer_json(s, weights.pieces))
    put("tokenizer_config.json", {
        "backend": "tokenizers", "clean_up_tokenization_spaces": False,
        "model_max_length": 1000000000000000019884624838656, "pad_token": pad,
        "processor_class": processor_json(s)["processor_class"], "tokenizer_class": "ParakeetTokenizer",
        "unk_token": "<unk>"})
    size = {"f32": 4, "f16": 2, "bf16": 2}[dtype]
    code = {"f32": "F32", "f16": "F16", "bf16": "BF16"}[dtype]
    header, at = {"__metadata__": {"format": "pt"}}, 0
    names = sorted((hf_name(n, streaming), n, shape) for n, shape in weights.shapes)
    for new, old, shape in names:
        integer = old.endswith("num_batches_tracked")
        length = 8 if integer else size * int(np.prod(shape))
        header[new] = {"dtype": "I64" if integer else code, "shape": list(shape), "data_offsets": [at, at + length]}
        at += length
    raw = json.dumps(header, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % 8)
    with open(folder / "model.safetensors", "wb") as f:
        f.write(struct.pack("<Q", len(raw)) + raw)
        for _, old, shape in names:
            x = weights.get(old, shape)
            if x.dtype == np.int64:
                f.write(x.astype("<i8").tobytes())
            elif dtype == "f32":
                f.write(x.astype("<f4").tobytes())
            elif dtype == "f16":
                f.write(x.astype("<f2").tobytes())
            else:
                u = np.ascontiguousarray(x, dtype="<f4").view("<u4").astype(np.uint64)
                f.write(((u + 0x7FFF + ((u >> 16) & 1)) >> 16).astype("<u2").tobytes())

# ------------------------------------------------------------------------------------------------ ggml

GGML_TYPES = {"f32": (0, 0), "f16": (1, 1), "q8_0": (8, 2007)}      # name -> (tensor type, file type)


def q8_0(x):
    """Rows, a multiple of 32 wide, to blocks of one f16 scale and 32 signed bytes."""
    b = np.ascontiguousarray(x, dtype=np.float32).reshape(-1, 32)
    d = np.abs(b).max(1) / np.float32(127)
    inv = np.where(d != 0, np.float32(1) / np.where(d != 0, d, 1), 0).astype(np.float32)
    y = b * inv[:, None]
    q = (np.sign(y) * np.floor(np.abs(y) + np.float32(0.5))).astype(np.int8)
    return np.concatenate([d.astype(np.float16).view(np.uint8).reshape(-1, 2), q.view(np.uint8)], axis=1).tobytes()


def ggml_items(s, weights):
    """Names and arrays as the file holds them: one bias per LSTM layer, gates i f o g, 1x1 convolutions as matrices."""
    lstm, h = "decoder.prediction.dec_rnn.lstm.", s["pred"]
    for name, shape in weights.shapes:
        if name.startswith(lstm + "bias_ih"):
            continue
        x = weights.get(name, shape)
        if name.startswith(lstm):
            if "bias_hh" in name:
                other = name.replace("bias_hh", "bias_ih")
                x = x + weights.get(other, shape)
                name = name.replace("bias_hh", "bias_h")
            x = np.concatenate([x[:2 * h], x[3 * h:], x[2 * h:3 * h]])
        elif name.startswith("encoder.pre_encode.conv.") and x.ndim == 1:
            x = x.reshape(1, -1, 1, 1)
        elif x.ndim == 3:
            x = x.squeeze()
        yield name, x


def write_ggml(path, s, weights, kind):
    if s["head"] != "tdt" or s["bias"] or s["scale"]:
        sys.exit("the ggml layout holds only tdt models without biases and without input scaling")
    ttype, ftype = GGML_TYPES[kind]
    with open(path, "wb") as f:
        f.write(struct.pack("<16i", 0x67676D6C, s["vocab"], 5000, s["d"], s["heads"], s["layers"], s["mels"], ftype,
                            512, 8, s["channels"], s["kernel"], s["pred"], s["pred_layers"], len(s["durations"]),
                            s["max_symbols"]))
        fb = filter_bank(s["mels"])
        f.write(struct.pack("<2i", *fb.shape) + fb.astype("<f4").tobytes())
        w = hann()
        f.write(struct.pack("<i", len(w)) + w.astype("<f4").tobytes())
        f.write(struct.pack(f"<{len(s['durations'])}I", *s["durations"]))
        f.write(struct.pack("<i", len(weights.pieces)))
        for piece, _ in weights.pieces:
            raw = piece.encode()
            f.write(struct.pack("<i", len(raw)) + raw)
        for name, x in ggml_items(s, weights):
            x = np.asarray(x, dtype=np.float32)
            matrix = x.ndim == 2 and "depthwise_conv" not in name and "pos_bias" not in name
            t = ttype if matrix else 0
            if t == 8 and x.shape[1] % 32:
                sys.exit(f"{name}: rows of {x.shape[1]} do not divide into blocks of 32")
            raw = name.encode()
            f.write(struct.pack("<3i", x.ndim, len(raw), t) + struct.pack(f"<{x.ndim}i", *reversed(x.shape)) + raw)
            f.write(x.astype("<f4").tobytes() if t == 0 else x.astype("<f2").tobytes() if t == 1 else q8_0(x))

# ------------------------------------------------------------------------------------------------ nemo


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def sentencepiece_model(pieces):
    """A SentencePiece BPE model as protocol buffer bytes."""
    def field(number, value):
        return varint(number << 3 | 2) + varint(len(value)) + value

    out, rank = b"", 0
    for piece, kind in pieces:
        score = 0.0
        if kind == 1:
            score, rank = -float(rank), rank + 1
        body = field(1, piece.encode()) + varint(2 << 3 | 5) + struct.pack("<f", score)
        if kind != 1:
            body += varint(3 << 3) + varint(kind)
        out += field(1, body)
    trainer = varint(3 << 3) + varint(2) + varint(4 << 3) + varint(len(pieces))
    trainer += varint(40 << 3) + varint(0) + varint(41 << 3) + varint(-1) + varint(42 << 3) + varint(-1)
    trainer += varint(43 << 3) + varint(-1) + field(45, b"<unk>")
    normalizer = field(1, b"nmt_nfkc") + varint(3 << 3) + varint(1) + varint(4 << 3) + varint(1) + varint(5 << 3) + varint(1)
    return out + field(2, trainer) + field(3, normalizer)


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def model_yaml(s, pieces, tag):
    head, d = s["head"], s["d"]
    streaming = head.startswith("streaming")
    context = [[s["left"], r] for r in s["lookaheads"]] if streaming else [-1, -1]
    lines = ["sample_rate: 16000", "labels:"] + ["- " + quoted(p) for p, _ in pieces]
    lines += ["preprocessor:",
              "  _target_: nemo.collections.asr.modules.AudioToMelSpectrogramPreprocessor", "  sample_rate: 16000",
              "  normalize: " + ("NA" if streaming else "per_feature"), "  window_size: 0.025", "  window_stride: 0.01",
              "  window: hann", f"  features: {s['mels']}", "  n_fft: 512", "  frame_splicing: 1", "  dither: 1.0e-05",
              "  pad_to: 0"]
    lines += ["encoder:", "  _target_: nemo.collections.asr.modules.ConformerEncoder", f"  feat_in: {s['mels']}",
              "  feat_out: -1", f"  n_layers: {s['layers']}", f"  d_model: {d}",
              f"  use_bias: {str(bool(s['bias'])).lower()}", "  subsampling: dw_striding", "  subsampling_factor: 8",
              f"  subsampling_conv_channels: {s['channels']}", f"  causal_downsampling: {str(streaming).lower()}",
              f"  ff_expansion_factor: {s['ff']}", "  self_attention_model: rel_pos", f"  n_heads: {s['heads']}",
              f"  att_context_size: {json.dumps(context)}",
              "  att_context_style: " + ("chunked_limited" if streaming else "regular"),
              f"  xscaling: {str(bool(s['scale'])).lower()}", "  untie_biases: true", "  pos_emb_max_len: 5000",
              f"  conv_kernel_size: {s['kernel']}", "  conv_norm_type: " + ("layer_norm" if streaming else "batch_norm"),
              "  conv_context_size: " + ("causal" if streaming else "null"), "  dropout: 0.1", "  dropout_pre_encoder: 0.1",
              "  dropout_emb: 0.0", "  dropout_att: 0.1", "  stochastic_depth_drop_prob: 0.0"]
    if head == "ctc":
        lines += ["decoder:", "  _target_: nemo.collections.asr.modules.ConvASRDecoder", f"  feat_in: {d}",
                  f"  num_classes: {s['vocab']}", "decoding:", "  strategy: greedy_batch"]
    else:
        lines += ["decoder:", "  _target_: nemo.collections.asr.modules.RNNTDecoder", "  normalization_mode: null",
                  "  random_state_sampling: false", "  blank_as_pad: true", "  prednet:", f"    pred_hidden: {s['pred']}",
                  f"    pred_rnn_layers: {s['pred_layers']}", "    t_max: null", "    dropout: 0.2",
                  f"  vocab_size: {s['vocab']}",
                  "joint:", "  _target_: nemo.collections.asr.modules.RNNTJoint", "  log_softmax: null",
                  "  preserve_memory: false", "  fuse_loss_wer: true", "  fused_batch_size: 4", "  jointnet:",
                  f"    joint_hidden: {s['pred']}", "    activation: relu", "    dropout: 0.2",
                  f"    encoder_hidden: {d}", f"    pred_hidden: {s['pred']}", f"  num_classes: {s['vocab']}"]
        if head == "tdt":
            lines.append(f"  num_extra_outputs: {len(s['durations'])}")
        lines += ["decoding:", "  strategy: greedy_batch"]
        if head == "tdt":
            lines += ["  model_type: tdt", f"  durations: {json.dumps(s['durations'])}"]
        lines += ["  greedy:", f"    max_symbols: {s['max_symbols']}", "  beam:", "    beam_size: 2"]
        lines += ["model_defaults:", f"  enc_hidden: {d}", f"  pred_hidden: {s['pred']}", f"  joint_hidden: {s['pred']}"]
        if head == "tdt":
            lines += [f"  tdt_durations: {json.dumps(s['durations'])}", f"  num_tdt_durations: {len(s['durations'])}"]
        if head == "streaming35":
            lines += [f"  num_prompts: {s['prompts']}", "  prompt_dictionary:"]
            lines += [f"    {quoted(k)}: {v}" for k, v in processor_json(s)["prompt_dictionary"].items()]
    lines += ["tokenizer:", "  dir: null", "  type: bpe", f"  model_path: nemo:{tag}_tokenizer.model",
              f"  vocab_path: nemo:{tag}_vocab.txt", f"  spe_tokenizer_vocab: nemo:{tag}_tokenizer.vocab"]
    kind = {"tdt": "EncDecRNNTBPEModel", "rnnt": "EncDecRNNTBPEModel", "ctc": "EncDecCTCModelBPE",
            "streaming": "EncDecRNNTBPEModel", "streaming35": "EncDecRNNTBPEModelWithPrompt"}[head]
    lines += [f"target: nemo.collections.asr.models.{kind}", "nemo_version: 2.5.0"]
    return "\n".join(lines) + "\n"


def write_nemo(path, s, weights, dtype="f32"):
    import torch
    kind = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[dtype]
    state = {}
    window, fb = hann(), filter_bank(s["mels"])
    state["preprocessor.featurizer.window"] = torch.from_numpy(window)
    state["preprocessor.featurizer.fb"] = torch.from_numpy(fb[None])
    for name, x in weights.items():
        state[name] = torch.from_numpy(np.ascontiguousarray(x)).to(kind) if x.ndim else torch.tensor(int(x))
    buffer = io.BytesIO()
    torch.save(state, buffer)
    tag = hashlib.blake2b(f"{s}".encode(), digest_size=16).hexdigest()
    rank, vocab = 0, []
    for piece, kind in weights.pieces:
        vocab.append(f"{piece}\t{-rank if kind == 1 else 0}")
        rank += kind == 1
    files = [("./model_config.yaml", model_yaml(s, weights.pieces, tag).encode()),
             ("./model_weights.ckpt", buffer.getvalue()),
             (f"./{tag}_tokenizer.model", sentencepiece_model(weights.pieces)),
             (f"./{tag}_tokenizer.vocab", ("\n".join(vocab) + "\n").encode()),
             (f"./{tag}_vocab.txt", ("\n".join(p for p, k in weights.pieces if k != 2) + "\n").encode())]
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            info.mtime = 1.5                           # a fraction, as in files on disk, needs a header of pax
            tar.addfile(info, io.BytesIO(data))

# ------------------------------------------------------------------------------------------------ gguf

GGUF_ALIGNMENT = 32


def gguf_string(text):
    raw = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(raw)) + raw


def gguf_value(value):
    """The type and the bytes of a value: u32 for numbers that are not negative, else i32."""
    if isinstance(value, bool):
        return struct.pack("<IB", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value) if value >= 0 else struct.pack("<Ii", 5, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, (str, bytes)):
        return struct.pack("<I", 8) + gguf_string(value)
    items = [gguf_value(x) if isinstance(x, str) else struct.pack("<Ii", 5, x) for x in value]
    return struct.pack("<I", 9) + items[0][:4] + struct.pack("<Q", len(items)) + b"".join(x[4:] for x in items)


def gguf_settings(s, pieces, positions):
    head = s["head"]
    streaming = head.startswith("streaming")
    left, right = (s["left"], s["lookaheads"][0]) if streaming else (0, 0)
    e = {"d_model": s["d"], "n_layers": s["layers"], "n_heads": s["heads"], "d_ff": s["ff"] * s["d"],
         "conv_kernel_size": s["kernel"], "subsampling_factor": 8, "subsampling_conv_channels": s["channels"],
         "feat_in": s["mels"], "xscaling": bool(s["scale"]), "use_bias": bool(s["bias"]), "q8_layout": "block_q8_0",
         "qkv_q8_layout": "block_q8_0", "pos_emb_max_len": positions, "cache_supported": streaming,
         "train_left_ctx": left, "train_right_ctx": right, "offline_left_ctx": left or -1,
         "offline_right_ctx": right or -1, "conv_norm": "layer_norm" if streaming else "batch_norm",
         "conv_context": "causal" if streaming else "symmetric",
         "att_context_style": "chunked_limited" if streaming else "regular"}
    f = {"sample_rate": 16000, "window_size": 0.025, "window_stride": 0.01, "n_fft": 512, "features": s["mels"],
         "normalize": "NA" if streaming else "per_feature", "preemph": 0.97, "dither": 1e-5,
         "stft_center_window": True, "hann_periodic": False, "mask_invalid_frames": True}
    out = {"general.architecture": "asr", "general.name": "test",
           "asr.head_type": "rnnt" if streaming else head, "general.file_type": 1}
    out |= {f"asr.encoder.{k}": v for k, v in e.items()} | {f"asr.preprocessor.{k}": v for k, v in f.items()}
    if head == "ctc":
        out |= {"asr.ctc.num_classes": s["vocab"], "asr.ctc.blank_id": s["vocab"]}
    else:
        out |= {"asr.rnnt.vocab_size": s["vocab"] + 1, "asr.rnnt.blank_id": s["vocab"],
                "asr.rnnt.pred_embed_dim": s["pred"], "asr.rnnt.pred_hidden": s["pred"],
                "asr.rnnt.pred_num_layers": s["pred_layers"], "asr.rnnt.joint_dim": s["pred"],
                "asr.rnnt.max_symbols_per_step": s["max_symbols"],
                "asr.rnnt.num_prompts": s["prompts"] if head == "streaming35" else 0}
    if head == "streaming35":
        out["asr.rnnt.prompt_dictionary"] = [f"{k}:{v}" for k, v in processor_json(s)["prompt_dictionary"].items()]
    if head == "tdt":
        out["asr.tdt.durations"] = s["durations"]
    model = base64.b64encode(sentencepiece_model(pieces))
    return out | {"asr.tokenizer.type": "sentencepiece_bpe", "asr.tokenizer.vocab": [p for p, _ in pieces],
                  "asr.tokenizer.spm_model": model}


def gguf_items(s, weights, positions):
    """(name, array, whether it is a linear layer's) in NVIDIA's names."""
    distance = np.arange(positions - 1, -positions, -1)[:, None]
    angle = distance * 10000.0 ** (-np.arange(0, s["d"], 2) / s["d"])
    yield "encoder.pos_enc.pe", np.stack([np.sin(angle), np.cos(angle)], 2).reshape(len(distance), -1), "F32"
    yield "preprocessor.fb", filter_bank(s["mels"]), "F32"
    for name, x in weights.items():
        if name.endswith("num_batches_tracked"):
            continue
        kind = "F32"
        if "depthwise_conv.weight" in name or "pre_encode.conv" in name and name.endswith("weight") or ".embed." in name:
            kind = "F16"
        elif x.ndim > 1 and "pos_bias" not in name and "decoder_layers" not in name:
            kind = "linear"
        if ".pointwise_conv" in name and x.ndim == 3:
            x = x[:, :, 0]
        if ".lstm." in name:
            prefix, _, last = name.rpartition(".")
            part, _, layer = last.partition("_")
            name = f"{prefix}.{layer}.{part}"
        yield name, x, kind


def write_gguf(path, s, weights, kind, positions=5000):
    types = {"F32": 0, "F16": 1, "linear": GGML_TYPES[kind][0]}
    infos, data, count = b"", b"", 0
    for name, x, form in gguf_items(s, weights, positions):
        code = types[form]
        if code == 8 and x.shape[-1] % 32:
            sys.exit(f"{name}: rows of {x.shape[-1]} do not divide into blocks of 32")
        infos += gguf_string(name) + struct.pack("<I", x.ndim) + struct.pack(f"<{x.ndim}Q", *reversed(x.shape))
        infos += struct.pack("<IQ", code, len(data))
        x = np.ascontiguousarray(x, dtype=np.float32)
        data += x.astype("<f4").tobytes() if code == 0 else x.astype("<f2").tobytes() if code == 1 else q8_0(x)
        data += bytes(-len(data) % GGUF_ALIGNMENT)
        count += 1
    settings = gguf_settings(s, weights.pieces, positions)
    head = b"GGUF" + struct.pack("<IQQ", 3, count, len(settings))
    head += b"".join(gguf_string(key) + gguf_value(value) for key, value in settings.items()) + infos
    Path(path).write_bytes(head + bytes(-len(head) % GGUF_ALIGNMENT) + data)

# --------------------------------------------------------------------------------------------- fitting


def fit(sizes, seed, rate, wav, prompt=None):
    """The bias of the blank (a multiple of 1/16) that gives about `rate` tokens a second on `wav`."""
    import tempfile
    import wave

    import torch
    import transformers
    transformers.logging.set_verbosity_error()
    with wave.open(str(wav)) as w:
        audio = np.frombuffer(w.readframes(w.getnframes()), dtype="<i2").astype(np.float32) / 32768
    seconds = len(audio) / 16000
    with tempfile.TemporaryDirectory() as tmp:
        folder = Path(tmp) / "m"
        write_hf(folder, sizes, Weights(sizes, seed, 0.0), "f32")
        config = config_json(sizes)
        model = getattr(transformers, config["architectures"][0]).from_pretrained(folder).eval()
        processor = transformers.AutoProcessor.from_pretrained(folder)
    inputs = processor(audio, sampling_rate=16000)
    v = sizes["vocab"]
    with torch.no_grad():
        if sizes["head"] == "ctc":
            out = model.encoder(**inputs)
            logits = model.ctc_head(out.last_hidden_state)[0, :int(out.attention_mask.sum())]
        else:
            out = model.get_audio_features(**inputs)
            frames = out.pooler_output[0, :int(out.attention_mask.sum())]

        def count(bias):
            if sizes["head"] == "ctc":
                x = logits.clone()
                x[:, v] += bias
                ids = x.argmax(-1).tolist()
                return sum(a != b and a != v for a, b in zip(ids, [v] + ids))
            cache = transformers.models.parakeet.generation_parakeet.ParakeetRNNTDecoderCache(model.config)
            pred = model.decoder(torch.tensor([[v]]), cache=cache)
            t = n = here = 0
            while t < len(frames) and n < 20 * seconds:
                x = model.joint(decoder_hidden_states=pred, encoder_hidden_states=frames[t][None, None])[0, 0].clone()
                x[v] += bias
                token = int(x[:v + 1].argmax())
                step = sizes["durations"][int(x[v + 1:].argmax())] if sizes["head"] == "tdt" else int(token == v)
                if token == v:
                    t, here = t + max(step, 1), 0
                    continue
                n += 1
                pred = model.decoder(torch.tensor([[token]]), cache=cache).clone()
                here += 1
                if step or here >= sizes["max_symbols"]:
                    t, here = t + max(step, 1), 0
            return n

        low, high = (3.0 if sizes["head"] in ("rnnt", "streaming", "streaming35") else -16.0), 48.0
        while high - low > 1 / 16:
            middle = (low + high) / 2
            low, high = (middle, high) if count(middle) > rate * seconds else (low, middle)
        low = np.floor(16 * low) / 16
        best = float(min((low, low + 1 / 16, low + 1 / 8), key=lambda b: abs(count(b) - rate * seconds)))
        print(f"fitted: {count(best)} tokens in {seconds:.1f} s with blank bias {best}", file=sys.stderr)
    return best

# ------------------------------------------------------------------------------------------------ main


def sizes_of(preset, head=None, dims=None):
    s = dict(PRESETS[preset])
    s["head"] = head or s["head"]
    if s["head"] == "streaming35" and 3 not in s["lookaheads"]:
        s["lookaheads"] = [13, 6, 3, 1, 0]
    for item in filter(None, (dims or "").split(",")):
        key, value = item.split("=")
        if key not in s:
            sys.exit(f"unknown size {key}: {' '.join(k for k in s if k != 'head')}")
        s[key] = [int(x) for x in value.split("/")] if isinstance(s[key], list) else int(value)
    s["prompt_hidden"] = 2 * s["d"]
    return s


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("preset", choices=sorted(PRESETS))
    p.add_argument("out", type=Path)
    p.add_argument("--head", choices=HEADS)
    p.add_argument("--formats", default="hf")
    p.add_argument("--type", default="f32", help="of the ggml or GGUF file: f32 f16 q8_0, several allowed")
    p.add_argument("--dtype", default="f32", choices=("f32", "f16", "bf16"), help="of the safetensors or .nemo file")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--dims", help="changes to the preset: layers=3,d=64,durations=0/1/2, ...")
    p.add_argument("--rate", type=float, default=3.0)
    p.add_argument("--blank-bias", type=float)
    p.add_argument("--calibrate", type=Path, default=Path(__file__).resolve().parent.parent / "Fixtures/clips/say-06.wav")
    p.add_argument("--name")
    a = p.parse_args()
    s = sizes_of(a.preset, a.head, a.dims)
    bias = a.blank_bias
    if bias is None and not a.dims and a.rate == 3.0:
        bias = CALIBRATED.get((a.preset, s["head"], a.seed))
    if bias is None:
        bias = fit(s, a.seed, a.rate, a.calibrate)
    weights = Weights(s, a.seed, bias)
    name = a.name or f"{a.preset}-{s['head']}-s{a.seed}"
    a.out.mkdir(parents=True, exist_ok=True)
    for form in a.formats.split(","):
        if form == "hf":
            write_hf(a.out / name, s, weights, a.dtype)
            print(a.out / name)
        elif form == "ggml":
            for kind in a.type.split(","):
                write_ggml(a.out / f"{name}-{kind}.bin", s, weights, kind)
                print(a.out / f"{name}-{kind}.bin")
        elif form == "nemo":
            write_nemo(a.out / f"{name}.nemo", s, weights, a.dtype)
            print(a.out / f"{name}.nemo")
        elif form == "gguf":
            for kind in a.type.split(","):
                write_gguf(a.out / f"{name}-{kind}.gguf", s, weights, kind)
                print(a.out / f"{name}-{kind}.gguf")
        else:
            sys.exit(f"unknown format {form}: hf ggml nemo gguf")


if __name__ == "__main__":
    main()
