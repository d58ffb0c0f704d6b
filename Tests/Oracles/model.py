#!/usr/bin/env python3
"""Fixtures/model (except micro-v3/faster.json): values inside the two random models, decoding of one window under many
options, alignment, and whole transcriptions."""
import numpy as np
import torch
from torch.nn import functional
from whisper.audio import N_SAMPLES, log_mel_spectrogram, pad_or_trim
from whisper.decoding import DecodingOptions, DecodingTask
from whisper.tokenizer import LANGUAGES

import common
import ggml
from alignments import write_alignments
from models import MODELS
from tokenizer import tokenizer

CLIP = "espeak-fox"

# Noise on the encoder output, as a share of its mean magnitude.
NOISE = 2e-5

DECODING_OPTIONS = {
    "greedy": {},
    "greedy-no-timestamps": {"without_timestamps": True},
    "beam1": {"beam_size": 1},
    "beam2": {"beam_size": 2},
    "beam5": {"beam_size": 5},
    "beam5-patience2": {"beam_size": 5, "patience": 2.0},
    "beam3-patience0.5": {"beam_size": 3, "patience": 0.5},
    "beam5-penalty0": {"beam_size": 5, "length_penalty": 0.0},
    "beam5-penalty0.6": {"beam_size": 5, "length_penalty": 0.6},
    "beam5-penalty1": {"beam_size": 5, "length_penalty": 1.0},
    "beam5-no-timestamps": {"beam_size": 5, "without_timestamps": True},
    "suppress-none": {"suppress_tokens": ""},
    "suppress-two": {"suppress_tokens": "41035,25069"},
    "suppress-minus-one-and-two": {"suppress_tokens": "-1,41035,33673"},
    "blank-allowed": {"suppress_blank": False},
    "no-initial-limit": {"max_initial_timestamp": None},
    "initial-limit-0.3": {"max_initial_timestamp": 0.3},
    "sample-len-7": {"sample_len": 7},
    "sample-len-7-beam3": {"sample_len": 7, "beam_size": 3},
    "prefix": {"prefix": "The quick"},
    "prefix-sample-len-220": {"prefix": " one two three four five six seven eight nine", "sample_len": 220},
    "prompt-text": {"prompt": "Some earlier words, as context."},
    "prompt-ids": {"prompt": [400, 370, 452, 7177]},
    "prompt-long": {"prompt": [1000 + i * 37 % 20000 for i in range(300)]},
    "prompt-and-prefix": {"prompt": "Earlier.", "prefix": "Now then", "beam_size": 2},
}
MULTILINGUAL_OPTIONS = {"translate": {"task": "translate"}, "german": {"language": "de"}, "detect": {"language": None}}

TRANSCRIPTION_BASE = {"language": "en", "fp16": False, "temperature": 0.0, "compression_ratio_threshold": None,
                      "logprob_threshold": None, "no_speech_threshold": None}
TRANSCRIPTION_OPTIONS = {
    "greedy": {},
    "beam3": {"beam_size": 3},
    "words": {"word_timestamps": True},
    "no-condition": {"condition_on_previous_text": False},
    "prompt": {"initial_prompt": "Numbers and animals"},
    "carry": {"initial_prompt": "Numbers and animals", "carry_initial_prompt": True},
    "clips": {"clip_timestamps": "1.5,4,30,38.25"},
    "no-timestamps": {"without_timestamps": True},
    "words-no-condition": {"word_timestamps": True, "condition_on_previous_text": False},
}
# The random weights of micro.en emit stray timestamps there: over a hundred segments.
LEFT_OUT = {("micro.en", "no-timestamps")}


@torch.no_grad()
def main():
    folder = common.parse_output(__doc__) / "model"
    common.use_one_thread()
    for name in MODELS:
        write_model(folder / name, name)


def write_model(folder, name):
    model = ggml.load_model(common.FIXTURES / f"models/ggml-{name}.bin")
    tokens = tokenizer("multilingual-100" if model.is_multilingual else "english")
    mel = log_mel_spectrogram(pad_or_trim(common.espeak_clip("fox")), model.dims.n_mels)
    encoded = write_encoder(folder, model, mel)
    write_short_window(folder, model, mel)
    write_decoder(folder, name, model, tokens, encoded)
    if model.is_multilingual:
        write_languages(folder, model)
    write_decoding(folder, name, model, mel, encoded)
    write_alignments(folder, name, model, tokens, CLIP, mel, write_costs)
    write_transcriptions(folder, name, model)


def write_costs(path, costs):
    common.write_array(path, costs, note="the matrix given to dtw (negated mean of filtered weights)")


class Recorder:
    """Records what modules receive or return for the first item of a batch; a context manager removes its hooks."""

    def __init__(self):
        self.values, self.hooks = {}, []

    def input(self, name, module):
        self.hooks.append(module.register_forward_pre_hook(lambda _, inputs: self.record(name, inputs)))

    def output(self, name, module):
        self.hooks.append(module.register_forward_hook(lambda _, inputs, output: self.record(name, output)))

    def record(self, name, value):
        tensor = value[0] if isinstance(value, tuple) else value
        self.values[name] = tensor[0].numpy()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for hook in self.hooks:
            hook.remove()


def write_encoder(folder, model, mel):
    """Writes selected rows of every stage and the whole output; returns the output."""
    encoder = model.encoder
    with Recorder() as recorder:
        recorder.output("conv1-before-gelu", encoder.conv1)
        recorder.output("conv2-before-gelu", encoder.conv2)
        recorder.input("block0-input", encoder.blocks[0])
        for index, block in enumerate(encoder.blocks):
            recorder.output(f"block{index}-attention", block.attn)
            recorder.output(f"block{index}-output", block)
        encoded = encoder(mel[None])
    for name, values in recorder.values.items():
        values = values.T if name.startswith("conv") else values
        rows = selected_rows(len(values))
        common.write_array(folder / f"encoder-{name}", values[rows], rows=rows, total_rows=len(values))
    common.write_array(folder / "encoder-output", encoded[0].numpy(), clip=CLIP)
    common.write_floats(folder / "encoder-output-100-positions", encode_start(encoder, mel, 100)[0].numpy())
    return encoded


#: The log-mel value of the silence that follows the sound of short windows, `SilentWindow.level`.
SILENCE = -0.75


def write_short_window(folder, model, mel, frames=140, positions=128):
    """Writes the encoder's output for a window of which only the first positions are computed.

    The window is the first frames of the spectrogram, then silence. The computed positions attend to each other and, from
    there on, to the keys and values of a window of silence; so do the decoder's tokens, whose logits are written, too.

    Then the same for a window that has grown, of which only the last positions are computed: for those before, the keys
    and values of the first window are used, and its output.
    """
    silent = torch.full((1, *mel.shape), SILENCE)
    window = silent.clone()
    window[0, :, :frames] = mel[:, :frames]
    kept = []
    silence = run_encoder(model, silent, 1500, lambda _, k, v: kept.append((k, v)) or (k, v))
    first = []
    audio = run_encoder(model, window, positions, lambda layer, k, v: first.append((k, v)) or tuple(
        torch.cat([own, stored[:, positions:]], 1) for own, stored in zip((k, v), kept[layer])))
    common.write_floats(folder / "short-window-encoder", audio[0].numpy())
    start = [50257, 100] if not model.is_multilingual else [50258, 100]

    def write_logits(name, audio):
        logits = model.decoder(torch.tensor([start]), torch.cat([audio, silence[:, audio.shape[1]:]], 1))
        common.write_floats(folder / f"{name}-logits", logits[0, 1, ::97].numpy())

    write_logits("short-window", audio)
    window[0, :, :2 * frames] = mel[:, :2 * frames]
    computed, grown = 64, 192
    last = run_encoder(model, window, grown, lambda layer, k, v: tuple(
        torch.cat([before[:, :computed], own, stored[:, grown:]], 1)
        for before, own, stored in zip(first[layer], (k, v), kept[layer])), start=computed)
    common.write_floats(folder / "grown-window-encoder", last[0].numpy())
    write_logits("grown-window", torch.cat([audio[:, :computed], last], 1))


def run_encoder(model, mel, positions, keys_and_values, start=0):
    """The encoder's output for adjacent positions; `keys_and_values` returns those that a layer attends to."""
    encoder, heads = model.encoder, model.dims.n_audio_head
    x = functional.gelu(encoder.conv2(functional.gelu(encoder.conv1(mel)))).permute(0, 2, 1)
    x = (x + encoder.positional_embedding)[:, start:positions]
    for layer, block in enumerate(encoder.blocks):
        normed = block.attn_ln(x)
        k, v = keys_and_values(layer, block.attn.key(normed), block.attn.value(normed))
        parts = [part.unflatten(2, (heads, -1)).transpose(1, 2) for part in (block.attn.query(normed), k, v)]
        attended = functional.scaled_dot_product_attention(*parts).transpose(1, 2).flatten(2)
        x = x + block.attn.out(attended)
        x = x + block.mlp(block.mlp_ln(x))
    return encoder.ln_post(x)


def selected_rows(count):
    return sorted({0, 1, 2, 3, *range(0, count, 97), count - 1})


def encode_start(encoder, mel, positions):
    """The output for the start of the spectrogram alone, with as much of the positional table."""
    table = encoder.positional_embedding
    encoder.positional_embedding = table[:positions]
    try:
        return encoder(mel[None, :, :2 * positions])
    finally:
        encoder.positional_embedding = table


def write_decoder(folder, name, model, tokens, encoded):
    """Writes the values for a sequence with a prompt, text and timestamps, given at once."""
    previous = tokens.encode(" previous words of the text")
    text = tokens.encode(" The quick brown fox jumps over the lazy dog.")
    zero = tokens.timestamp_begin
    start = [tokens.sot_prev, *previous, *tokens.sot_sequence]
    ids = [*start, zero, *text, zero + 130, zero + 130, *text[:4], zero + 200, tokens.eot]
    decoder = model.decoder
    with Recorder() as recorder:
        recorder.input("block0-input", decoder.blocks[0])
        for index, block in enumerate(decoder.blocks):
            recorder.output(f"block{index}-self-attention", block.attn)
            recorder.output(f"block{index}-cross-attention", block.cross_attn)
            recorder.output(f"block{index}-output", block)
        recorder.output("after-final-norm", decoder.ln)
        logits = decoder(torch.tensor([ids]), encoded)[0].numpy()
    for stage, values in recorder.values.items():
        common.write_array(folder / f"decoder-{stage}", values)
    common.write_array(folder / "logits-first-rows", logits[:4])
    common.write_array(folder / "logits-every-97th", logits[:, ::97], columns="0, 97, 194, ...")
    difference = np.abs(incremental_logits(model, ids, len(start), encoded) - logits).max()
    sot = ids.index(tokens.sot)
    common.write_json(folder / "decoder.json", {
        "model": name, "clip": CLIP, "tokens": ids, "incremental_prefix_length": len(start),
        "incremental_max_difference": difference,
        "no_speech_probability_at": {"position": sot,
                                     "value": torch.tensor(logits[sot]).softmax(0)[tokens.no_speech].item()},
        "positions": [position_summary(index, id, row) for index, (id, row) in enumerate(zip(ids, logits))],
        "versions": common.versions()})


def incremental_logits(model, ids, prefix_length, encoded):
    """The logits with a cache: the prefix at once, then token by token."""
    cache, hooks = model.install_kv_cache_hooks()
    chunks = [ids[:prefix_length], *([id] for id in ids[prefix_length:])]
    logits = [model.decoder(torch.tensor([chunk]), encoded, kv_cache=cache)[0].numpy() for chunk in chunks]
    for hook in hooks:
        hook.remove()
    return np.concatenate(logits)


def position_summary(position, token, logits):
    best = np.argsort(-logits, kind="stable")[:10]
    values = logits.astype(np.float64)
    logsumexp = np.log(np.exp(values - values.max()).sum()) + values.max()
    return {"position": position, "token": token, "top": {"ids": best, "logits": logits[best]},
            "logsumexp": logsumexp, "mean": values.mean(), "std": values.std(), "sum": values.sum()}


def write_languages(folder, model):
    cases = []
    for clip in ("fox", "nine"):
        mel = log_mel_spectrogram(common.espeak_clip(clip), model.dims.n_mels, padding=N_SAMPLES)
        token, probabilities = model.detect_language(pad_or_trim(mel, 3000))
        cases.append({"clip": f"espeak-{clip}", "token": int(token),
                      "language": max(probabilities, key=probabilities.get),
                      "probabilities": {code: probabilities[code] for code in LANGUAGES if code in probabilities}})
    common.write_cases(folder / "languages.json",
                       {"note": "mel of the whole file with 30 s of zeros, cut to 3000 frames"}, cases)


def write_decoding(folder, name, model, mel, encoded):
    """Writes what decode() makes of one window, and whether noise changes it."""
    noise, cases = torch.Generator().manual_seed(5), []
    for label, options in (DECODING_OPTIONS | (MULTILINGUAL_OPTIONS if model.is_multilingual else {})).items():
        options = {"language": "en", **options}
        full_options = DecodingOptions(fp16=False, **options)
        result, task = model.decode(mel, full_options), DecodingTask(model, full_options)
        noisy = [encoded + NOISE * encoded.abs().mean() * torch.randn(encoded.shape, generator=noise)
                 for _ in range(2)]
        stable = all(model.decode(output, full_options)[0].tokens == result.tokens for output in noisy)
        cases.append({"name": label, "options": options, "initial_tokens": task.initial_tokens,
                      "sample_begin": task.sample_begin, "sot_index": task.sot_index, "stable": stable,
                      **decoding_result(result)})
    note = "stable: the same tokens came out with noise of 2e-5 added to the encoder output"
    common.write_cases(folder / "decode.json",
                       {"model": name, "clip": CLIP, "note": note}, cases)


def decoding_result(result):
    return {key: getattr(result, key) for key in ("tokens", "text", "avg_logprob", "no_speech_prob",
                                                  "compression_ratio", "language", "temperature")}


def write_transcriptions(folder, name, model):
    samples, cases = common.long_signal(), []
    for label, options in TRANSCRIPTION_OPTIONS.items():
        if (name, label) not in LEFT_OUT:
            options = TRANSCRIPTION_BASE | options
            cases.append({"name": label, "options": options, "result": model.transcribe(samples, **options)})
    common.write_cases(folder / "transcribe.json",
                       {"model": name, "signal": common.LONG_SIGNAL, "samples": len(samples)}, cases)


if __name__ == "__main__":
    main()
