#!/usr/bin/env python3
"""Fixtures/timing: median filter, dynamic time warping, alignment, punctuation, and the rules for words' times."""
import copy
import random
from types import SimpleNamespace
from unittest import mock

import numpy as np
import torch
import whisper.timing
from whisper.audio import log_mel_spectrogram, pad_or_trim
from whisper.timing import WordTiming, add_word_timestamps, dtw_cpu, median_filter, merge_punctuations

import common
import ggml
from alignments import word_timing, write_alignments
from models import MODELS
from tokenizer import tokenizer

PREPENDED, APPENDED = "\"'“¿([{-", "\"'.。,，!！?？:：”)]}、"


def main():
    folder = common.parse_output(__doc__) / "timing"
    common.use_one_thread()
    write_medians(folder)
    write_paths(folder)
    write_planted_alignments(folder)
    write_punctuation(folder)
    write_word_timestamps(folder)
    for name in MODELS:
        write_model_alignments(folder / name, name)


def planted(seed, rows, columns):
    """x[i][j] = f32(unit(seed, i, j))"""
    return np.stack([common.unit_array(seed, (row,), columns) for row in range(rows)]).astype(np.float32)


def write_medians(folder):
    cases = []
    for index, (rows, columns) in enumerate(((1, 1), (1, 3), (1, 4), (2, 5), (3, 7), (2, 8), (3, 20), (2, 50))):
        matrix, has_ties = planted(100 + index, rows, columns), index == 5
        if has_ties:
            matrix = np.round(matrix * 4) / 4
        for width in (1, 3, 5, 7, 13):
            result = median_filter(torch.from_numpy(matrix), width).numpy()
            cases.append({"seed": 100 + index, "rows": rows, "cols": columns, "rounded_to_quarters": has_ties,
                          "width": width, "result": result, "unchanged": (matrix == result).all()})
    common.write_cases(folder / "median.json", {
        "input": "x[i][j] = f32(unit(seed, i, j)), row by row; filtered along j",
        "note": "returned unchanged when cols <= width / 2"}, cases)


# Dynamic time warping

SIZES = [(1, 1), (1, 7), (7, 1), (2, 2), (3, 5), (5, 3), (10, 20), (32, 16), (12, 100), (40, 300), (6, 6)]
FLAVORS = {
    "plain": lambda costs: costs,
    "negative": lambda costs: -costs,
    "ties": lambda costs: np.floor(costs * 3),
    "zero": np.zeros_like,
    "ridge": lambda costs: costs - 2 * ridge(*costs.shape),
}


def ridge(rows, columns):
    """1 along the diagonal."""
    matrix = np.zeros((rows, columns), np.float32)
    for row in range(rows):
        matrix[row, min(columns - 1, int((row + 0.5) * columns / rows))] = 1
    return matrix


def write_paths(folder):
    cases = []
    for index, (rows, columns) in enumerate(SIZES):
        for flavor, transform in FLAVORS.items():
            costs = transform(planted(300 + index, rows, columns))
            path_rows, path_columns = dtw_cpu(costs.astype(np.float64))
            cases.append({"seed": 300 + index, "rows": rows, "cols": columns, "flavour": flavor,
                          "path_rows": path_rows, "path_cols": path_columns})
    common.write_cases(folder / "dtw.json", {
        "input": "x[i][j] = f32(unit(seed, i, j)); negative: -x; ties: floor(f32(3x)); zero: all 0; "
                 "ridge: x[i][min(cols-1, int((i+0.5)*cols/rows))] -= 2 (f32)"}, cases)


# Alignment from planted attention

LAYERS, HEADS, AUDIO_POSITIONS = 3, 2, 1500


class PlantedBlock(torch.nn.Module):
    """A decoder block that is its own cross-attention and returns planted scores."""

    def __init__(self, scores):
        super().__init__()
        self.scores = scores
        self.cross_attn = self

    def forward(self, x):
        return x, self.scores


class PlantedModel(torch.nn.Module):
    """A model with planted attention scores and logits, as far as alignment needs one."""

    def __init__(self, seed, alignment_heads, token_count, vocabulary_size, lean):
        super().__init__()
        self.dims = SimpleNamespace(n_text_layer=LAYERS, n_text_head=HEADS, n_text_ctx=448,
                                    n_audio_ctx=AUDIO_POSITIONS)
        self.device = torch.device("cpu")
        self.decoder = SimpleNamespace(blocks=torch.nn.ModuleList(
            PlantedBlock(planted_scores(seed * 100 + layer * 10, token_count, lean)) for layer in range(LAYERS)))
        mask = torch.zeros(LAYERS, HEADS, dtype=torch.bool)
        for layer, head in alignment_heads:
            mask[layer, head] = True
        self.alignment_heads = mask.to_sparse()
        self.seed, self.vocabulary_size = seed, vocabulary_size

    def forward(self, mel, tokens):
        for block in self.decoder.blocks:
            block(None)
        rows = [8.0 * common.unit_array(self.seed, (7, row), self.vocabulary_size) for row in range(tokens.shape[1])]
        return torch.from_numpy(np.stack(rows).astype(np.float32))[None]


def planted_scores(seed, token_count, lean):
    """Scores of both heads, where attention moves on by `lean` positions from token to token."""
    scores = np.stack([6.0 * planted(seed + head, token_count, AUDIO_POSITIONS) for head in range(HEADS)])
    for row in range(token_count):
        position = int(lean * row)
        scores[:, row, position:position + 12] += 5.0
    return torch.from_numpy(scores)[None]


def write_planted_alignments(folder):
    cases = []
    for vocabulary, text in (("english", " Hello, world! This is \"fine\" - isn't it?"),
                             ("multilingual-99", " Numbers: 1,234.5 and naïve café."),
                             ("multilingual-99/ja", "こんにちは世界。"),
                             ("english", " Hi")):
        for heads in ([[1, 0], [1, 1], [2, 0], [2, 1]], [[0, 1], [2, 0]]):
            for frames in (3000, 731, 200):
                cases.append(planted_alignment(vocabulary, text, heads, frames, seed=500 + len(cases)))
    common.write_cases(folder / "align.json", {
        "scores": "layer l (0..2), head h (0..1), token row i, audio position t (0..1499): "
                  "qk = f32(f32(6 * f32(unit(seed*100 + l*10 + h, i, t))) + (5 if int(lean*i) <= t < int(lean*i)+12 "
                  "else 0)), before softmax",
        "logits": "row i, id v: f32(8 * unit(seed, 7, i, v))"}, cases)


def planted_alignment(vocabulary, text, heads, frames, seed):
    tokens = tokenizer(*vocabulary.split("/"))
    ids = tokens.encode(text)
    rows = len(tokens.sot_sequence) + 1 + len(ids) + 1
    lean = (frames // 2 - 20) / rows
    model = PlantedModel(seed, heads, rows, tokens.encoding.n_vocab, lean)
    words = whisper.timing.find_alignment(model, tokens, ids, torch.zeros(80, 3000), frames)
    return {"vocabulary": vocabulary, "text": text, "tokens": ids, "heads": heads, "num_frames": frames, "seed": seed,
            "lean": lean, "rows": rows, "words": [word_timing(word) for word in words]}


# Rules for words

WORDS = [" the", " cat", ",", ".", " \"", "\"", " (", ")", " -", "-", " Hello", "!", "?", " it", "'s", " ¿", "。", " [",
         "]", " world", "...", " ,", " 'tis", "”", " “", " $", ""]


def random_words(draw, count):
    time, words = draw.random(), []
    for index in range(count):
        duration = draw.choice([0.0, 0.02, 0.1, 0.2, 0.3, 0.34, 0.5, 0.9, 2.4])
        pause = draw.choice([0, 0, 0, 0.1, 1.5])
        words.append(WordTiming(draw.choice(WORDS), [100 + index], round(time, 2), round(time + duration, 2),
                                round(draw.random(), 3)))
        time += duration + pause
    return words


def write_punctuation(folder):
    draw, cases = random.Random(5), []
    for index in range(80):
        words = random_words(draw, draw.randint(0, 9))
        before = [word_timing(word) for word in words]
        prepended, appended = (PREPENDED, APPENDED) if index % 5 else ("", "")
        merge_punctuations(words, prepended, appended)
        cases.append({"prepended": prepended, "appended": appended, "before": before,
                      "after": [word_timing(word) for word in words]})
    common.write_cases(folder / "merge-punctuations.json", {}, cases)


def write_word_timestamps(folder):
    draw = random.Random(9)
    common.write_cases(folder / "word-timestamps.json", {
        "vocabulary": "english", "note": "alignment is what the alignment step returned (relative to the window)",
        "punctuation": {"prepend": PREPENDED, "append": APPENDED}},
        [word_timestamps_case(draw) for _ in range(120)])


def word_timestamps_case(draw):
    """What add_word_timestamps makes of a random alignment and of segments whose times roughly match it."""
    seek = draw.choice([0, 0, 1000, 4321])
    offset = seek * 160 / common.SAMPLE_RATE
    sizes = [draw.randint(0, 5) for _ in range(draw.randint(1, 3))]
    words = random_words(draw, sum(sizes))
    for index, word in enumerate(words):
        word.tokens = [300 + index] * draw.randint(1, 3)
    segments, position = [], 0
    for size in sizes:
        segments.append(random_segment(draw, words[position:position + size], seek, offset))
        position += size
    last_speech = draw.choice([0.0, offset, max(0.0, offset - 3)])
    before, alignment = copy.deepcopy(segments), [word_timing(word) for word in words]
    with mock.patch.object(whisper.timing, "find_alignment", return_value=words):
        add_word_timestamps(segments=segments, model=None, tokenizer=tokenizer("english"), mel=None, num_frames=3000,
                            last_speech_timestamp=last_speech)
    result = [{key: segment[key] for key in ("start", "end", "words")} for segment in segments]
    return {"segments": before, "alignment": alignment, "last_speech_timestamp": last_speech, "result": result}


def random_segment(draw, words, seek, offset):
    start = offset + (words[0].start if words else 0) + draw.choice([0, 0, 0, -0.3, 0.8])
    end = offset + (words[-1].end if words else 1) + draw.choice([0, 0, 0, -0.9, 0.4])
    zero = tokenizer("english").timestamp_begin
    ids = [id for word in words for id in word.tokens]
    return {"seek": seek, "start": max(0.0, round(start, 2)), "end": round(end, 2), "tokens": [zero, *ids, zero + 50]}


def write_model_alignments(folder, name):
    """Writes the same alignments as the oracle `model`, without the statistics of the matrices."""
    model = ggml.load_model(common.FIXTURES / f"models/ggml-{name}.bin")
    mel = log_mel_spectrogram(pad_or_trim(common.espeak_clip("fox")), model.dims.n_mels)
    tokens = tokenizer("multilingual-100" if model.is_multilingual else "english")
    write_alignments(folder, name, model, tokens, "espeak-fox", mel, common.write_floats)


if __name__ == "__main__":
    main()
