#!/usr/bin/env python3
"""What faster-whisper adds: Fixtures/faster, Fixtures/decoding/faster and Fixtures/model/micro-v3/faster.json.

The model is models/ggml-micro-v3.bin, converted here to CTranslate2's format.
"""
import random
import tempfile
from unittest import mock

import numpy as np
from faster_whisper import BatchedInferencePipeline, WhisperModel
from faster_whisper.transcribe import Segment, Word, restore_speech_timestamps
from faster_whisper.vad import collect_chunks

import common
import ctranslate2_model

VERSIONS = common.versions("faster-whisper", "ctranslate2", "numpy")
BASE = {"language": "en", "beam_size": 1, "temperature": 0.0, "compression_ratio_threshold": None,
        "log_prob_threshold": None, "no_speech_threshold": None}
OPTIONS = {
    "greedy": {},
    "repetition-1.3": {"repetition_penalty": 1.3},
    "repetition-0.8": {"repetition_penalty": 0.8},
    "ngram-1": {"no_repeat_ngram_size": 1},
    "ngram-2": {"no_repeat_ngram_size": 2},
    "ngram-3": {"no_repeat_ngram_size": 3},
    "both": {"repetition_penalty": 1.15, "no_repeat_ngram_size": 2},
    "hotwords": {"hotwords": "Ada Lovelace, Grace Hopper"},
    "hotwords-and-prompt": {"hotwords": "Ada Lovelace", "initial_prompt": "Earlier words."},
    "prefix": {"prefix": "The quick"},
    "prefix-hides-hotwords": {"prefix": "The quick", "hotwords": "Ada"},
    "no-timestamps": {"without_timestamps": True},
    "prefix-no-timestamps": {"prefix": "The quick", "without_timestamps": True},
    "new-tokens-10": {"max_new_tokens": 10},
    "prompt-ids": {"initial_prompt": [400, 370, 452]},
    "initial-0": {"max_initial_timestamp": 0.0},
    "suppress-list": {"suppress_tokens": [41035, 25069]},
    "no-condition": {"condition_on_previous_text": False},
    "clips": {"clip_timestamps": [1.5, 4, 30, 100]},
}
LONG_SIGNAL_OPTIONS = ("greedy", "repetition-1.3", "ngram-2", "hotwords", "prefix", "no-condition", "clips")

# Options that openai-whisper treats differently: faster-whisper puts a first timestamp before a prefix, counts the
# prefix as text of the window, and reads a latest first timestamp of 0 as "0 only".
OTHER_MEANING = ("prefix", "prefix-hides-hotwords", "prefix-no-timestamps", "prompt-ids", "initial-0")

BATCHED_OPTIONS = {
    "default": {},
    "timestamps": {"without_timestamps": False},
    "hotwords": {"hotwords": "Ada Lovelace", "initial_prompt": "Earlier words."},
}
CLIPS = [{"start": 0.0, "end": 4.5}, {"start": 36.0, "end": 40.25}, {"start": 40.25, "end": 46.0}]


def main():
    output = common.parse_output(__doc__)
    draw = random.Random(4)
    write_restored_times(output / "faster", draw)
    write_collected_chunks(output / "faster", draw)
    with tempfile.TemporaryDirectory() as folder:
        ctranslate2_model.convert(common.FIXTURES / "models/ggml-micro-v3.bin", folder)
        model = WhisperModel(folder, device="cpu", compute_type="float32", cpu_threads=1)
        signals = {"fox": common.espeak_clip("fox"), "long": common.long_signal()}
        write_decoding(output, model, signals)
        write_batched(output / "faster", model, signals)


def write_decoding(output, model, signals):
    """Writes all cases for the tests of prompts, and those comparable with openai-whisper for transcriptions."""
    cases = [decoding_case(model, "fox", signals["fox"], name) for name in OPTIONS if name != "clips"]
    cases += [decoding_case(model, "long", signals["long"], name) for name in OPTIONS if name in LONG_SIGNAL_OPTIONS]
    header = {"model": "micro-v3", "versions": VERSIONS, "signals": f"fox: espeak-fox; long: {common.LONG_SIGNAL}"}
    common.write_cases(output / "decoding/faster/decode.json", header, cases)
    common.write_cases(output / "model/micro-v3/faster.json", header,
                       [case for case in cases if case["name"] not in OTHER_MEANING])


def decoding_case(model, signal, samples, name):
    """The segments, and the prompt of each window."""
    prompts, get_prompt = [], model.get_prompt

    def record(*arguments, **options):
        prompts.append(get_prompt(*arguments, **options))
        return prompts[-1]

    options = BASE | OPTIONS[name]
    with mock.patch.object(model, "get_prompt", record):
        segments, _ = model.transcribe(samples, **options)
        segments = [plain_segment(segment) for segment in segments]
    return {"signal": signal, "name": name, "options": options, "prompts": prompts, "segments": segments}


def plain_segment(segment):
    keys = ("id", "seek", "start", "end", "text", "tokens", "avg_logprob", "compression_ratio", "no_speech_prob",
            "temperature")
    return {key: getattr(segment, key) for key in keys}


def write_batched(folder, model, signals):
    pipeline, cases = BatchedInferencePipeline(model), []
    for name, options in BATCHED_OPTIONS.items():
        options = BASE | options
        clips = [dict(clip) for clip in CLIPS]
        segments, info = pipeline.transcribe(signals["long"], clip_timestamps=clips, **options)
        cases.append({"name": name, "options": options, "clips": CLIPS,
                      "segments": [plain_segment(segment) for segment in segments],
                      "duration_after_vad": info.duration_after_vad})
    options = BASE | {"vad_filter": False}
    segments, _ = pipeline.transcribe(signals["fox"], **options)
    cases.append({"name": "short-file-no-vad", "signal": "fox", "options": options,
                  "segments": [plain_segment(segment) for segment in segments]})
    common.write_cases(folder / "batched.json",
                       {"model": "micro-v3", "signal": "long", "versions": VERSIONS}, cases)


def write_restored_times(folder, draw):
    """Writes times of random segments and words with silence removed, and the original times."""
    common.write_cases(folder / "restore.json", {"rate": common.SAMPLE_RATE},
                       [restored_times_case(draw) for _ in range(25)])


def restored_times_case(draw):
    chunks = random_chunks(draw, draw.randint(1, 5), pauses=(0, 80000), lengths=(3000, 60000))
    edges = np.cumsum([chunk["end"] - chunk["start"] for chunk in chunks]) / common.SAMPLE_RATE
    segments = [random_segment(draw, index, edges) for index in range(6)]
    before = times(segments)
    return {"chunks": chunks, "before": before,
            "after": times(restore_speech_timestamps(segments, chunks, common.SAMPLE_RATE))}


def random_chunks(draw, count, pauses, lengths):
    """Ranges of samples that hold speech."""
    position, chunks = 0, []
    for _ in range(count):
        start = position + draw.randrange(*pauses)
        position = start + draw.randrange(*lengths)
        chunks.append({"start": start, "end": position})
    return chunks


def random_segment(draw, index, edges):
    """A segment that often starts or ends at the edge of a chunk; every second one has words."""
    kept = edges[-1]
    start, end = sorted((draw.uniform(0, kept), draw.choice([draw.uniform(0, kept), float(draw.choice(list(edges)))])))
    words = None
    if index % 2:
        cuts = sorted(draw.uniform(start, end) for _ in range(3))
        words = [Word(first, last, " w", 0.5) for first, last in zip([start, *cuts], [*cuts, end])]
    return Segment(id=index, seek=0, start=start, end=end, text=" x", tokens=[], avg_logprob=0, compression_ratio=1,
                   no_speech_prob=0, words=words, temperature=0)


def times(segments):
    return [{"start": segment.start, "end": segment.end,
             "words": segment.words and [[word.start, word.end] for word in segment.words]} for segment in segments]


def write_collected_chunks(folder, draw):
    """Writes how ranges of speech are packed into parts of limited length."""
    cases = []
    for _ in range(20):
        chunks = random_chunks(draw, draw.randint(0, 9), pauses=(0, 3000), lengths=(100, 9000))
        samples = np.zeros((chunks[-1]["end"] if chunks else 0) + 100, np.float32)
        for limit in (1.0, 0.5, float("inf")):
            parts, described = collect_chunks(samples, [dict(chunk) for chunk in chunks], max_duration=limit)
            cases.append({"chunks": chunks, "max_seconds": limit, "lengths": [len(part) for part in parts],
                          "offsets": [part["offset"] for part in described],
                          "durations": [part["duration"] for part in described]})
    common.write_cases(folder / "collect.json", {"rate": common.SAMPLE_RATE}, cases)


if __name__ == "__main__":
    main()
