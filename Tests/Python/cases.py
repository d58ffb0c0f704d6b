"""Calls of faster-whisper, which `record.py` makes with it and the tests with this package."""
import os
import wave
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "whisper-local/tests"
MODELS = Path(os.environ.get("WHISPER_LOCAL_TEST_MODELS", CACHE / "models"))
SPEECH = Path(os.environ.get("WHISPER_LOCAL_TEST_SPEECH", CACHE / "speech"))
RECORDED = ROOT / "Tests/Fixtures/python/faster-whisper.json"
HOLD = ROOT / "Examples/please-hold.wav"
CLIPS = ROOT / "Tests/Fixtures/clips"
#: What nano.en understands: "Drive three miles to the south, then stop at the museum. Please cancel the call …"
DRIVE = CLIPS / "say-06.wav"


def samples(path, start=0, seconds=None):
    """A part of a WAV file of 16-bit samples, 16,000 a second."""
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16000, 1, 2)
        file.setpos(int(start * 16000))
        count = file.getnframes() if seconds is None else int(seconds * 16000)
        return np.frombuffer(file.readframes(count), np.int16).astype(np.float32) / np.float32(32768)


#: What is recognized, by name.
AUDIO = {
    "hold": lambda: samples(HOLD),
    "talk": lambda: samples(SPEECH / "long-en.wav", 0, 50),
    "quiet": lambda: np.concatenate([np.zeros(48000, np.float32), samples(HOLD), np.zeros(64000, np.float32),
                                     samples(CLIPS / "say-19.wav")]),
    "french": lambda: samples(SPEECH / "long-fr.wav", 0, 25),
    "mixed": lambda: np.concatenate([samples(SPEECH / f"long-{code}.wav", 0, 30) for code in ("en", "es")]),
    "empty": lambda: np.zeros(0, np.float32),
}

#: Name: model, audio, arguments of `transcribe`.
CASES = {
    "default": ("tiny.en", "talk", {}),
    "short": ("tiny.en", "hold", {}),
    "empty": ("tiny.en", "empty", {}),
    "greedy": ("tiny.en", "talk", {"beam_size": 1}),
    "two beams": ("tiny.en", "hold", {"beam_size": 2}),
    "one temperature": ("tiny.en", "talk", {"temperature": 0}),
    "patience": ("tiny.en", "hold", {"patience": 2}),
    "length penalty 0": ("tiny.en", "hold", {"length_penalty": 0}),
    "length penalty 0.5": ("tiny.en", "talk", {"length_penalty": 0.5}),
    "repetition penalty": ("tiny.en", "hold", {"repetition_penalty": 1.5}),
    "no n-gram twice": ("tiny.en", "talk", {"no_repeat_ngram_size": 3}),
    "no thresholds": ("tiny.en", "talk", {
        "compression_ratio_threshold": None, "log_prob_threshold": None, "no_speech_threshold": None}),
    "strict no speech": ("tiny.en", "talk", {"no_speech_threshold": 0.01, "log_prob_threshold": None}),
    "without previous text": ("tiny.en", "talk", {"condition_on_previous_text": False}),
    "initial prompt": ("tiny.en", "talk", {"initial_prompt": "A telephone system, Asterisk PBX."}),
    "prompt of ids": ("tiny.en", "hold", {"initial_prompt": [317, 14735, 1080]}),
    "prefix": ("tiny.en", "hold", {"prefix": "All representatives"}),
    "prefix without timestamps": ("tiny.en", "hold", {"prefix": "All representatives", "without_timestamps": True}),
    "hotwords": ("tiny.en", "talk", {"hotwords": "household telemarketers"}),
    "blank allowed": ("tiny.en", "hold", {"suppress_blank": False}),
    "no token suppressed": ("tiny.en", "hold", {"suppress_tokens": []}),
    "a token suppressed": ("tiny.en", "hold", {"suppress_tokens": [-1, 11, 13]}),
    "without timestamps": ("tiny.en", "talk", {"without_timestamps": True}),
    "first timestamp": ("tiny.en", "quiet", {"max_initial_timestamp": 0.2}),
    "words": ("tiny.en", "talk", {"word_timestamps": True}),
    "words, no punctuation merged": ("tiny.en", "hold", {
        "word_timestamps": True, "prepend_punctuations": "", "append_punctuations": ""}),
    "speech only": ("tiny.en", "quiet", {"vad_filter": True}),
    "speech only, words": ("tiny.en", "quiet", {"vad_filter": True, "word_timestamps": True}),
    "speech only, options": ("tiny.en", "quiet", {"vad_filter": True, "vad_parameters": {
        "threshold": 0.6, "neg_threshold": 0.3, "min_silence_duration_ms": 500, "speech_pad_ms": 200,
        "min_speech_duration_ms": 250, "max_speech_duration_s": 8}}),
    "few tokens": ("tiny.en", "hold", {"max_new_tokens": 10, "temperature": 0}),
    "short windows": ("tiny.en", "talk", {"chunk_length": 15}),
    "clips": ("tiny.en", "talk", {"clip_timestamps": "5,15,20,31.5"}),
    "clips to the end": ("tiny.en", "talk", {"clip_timestamps": [30]}),
    "silence": ("tiny.en", "quiet", {"word_timestamps": True, "hallucination_silence_threshold": 2}),
    "language detected": ("base", "french", {}),
    "language given": ("base", "french", {"language": "fr"}),
    "another language given": ("base", "french", {"language": "es", "beam_size": 1}),
    "translated": ("base", "french", {"task": "translate", "language": "fr"}),
    "detected in two windows": ("base", "mixed", {
        "language_detection_segments": 2, "language_detection_threshold": 1.0, "beam_size": 1}),
    "several languages": ("base", "mixed", {"multilingual": True}),
}

#: The same for `BatchedInferencePipeline.transcribe`.
BATCHED = {
    "default": ("tiny.en", "talk", {}),
    "empty": ("tiny.en", "empty", {}),
    "short": ("tiny.en", "hold", {"vad_filter": False}),
    "greedy": ("tiny.en", "talk", {"beam_size": 1, "batch_size": 2}),
    "timestamps": ("tiny.en", "talk", {"without_timestamps": False}),
    "words": ("tiny.en", "talk", {"word_timestamps": True}),
    "clips": ("tiny.en", "talk", {"clip_timestamps": [{"start": 0, "end": 20}, {"start": 21.5, "end": 30}]}),
    "hotwords": ("tiny.en", "talk", {"hotwords": "household telemarketers"}),
    "initial prompt": ("tiny.en", "talk", {"initial_prompt": "A telephone system, Asterisk PBX."}),
    "options of the detector": ("tiny.en", "quiet", {"vad_parameters": {"min_silence_duration_ms": 500}}),
    "short windows": ("tiny.en", "talk", {"chunk_length": 15}),
    "language detected": ("base", "french", {}),
    "several languages": ("base", "mixed", {"multilingual": True}),
}

#: Arguments of `get_speech_timestamps`.
SPEECH_CASES = {
    "default": ("quiet", {}),
    "quick": ("quiet", {"min_silence_duration_ms": 300, "speech_pad_ms": 100}),
    "long speech divided": ("talk", {"max_speech_duration_s": 5, "min_silence_duration_ms": 160}),
    "short speech dropped": ("talk", {
        "min_speech_duration_ms": 1500, "min_silence_duration_ms": 100, "speech_pad_ms": 0}),
    "high threshold": ("talk", {"threshold": 0.9, "neg_threshold": 0.8, "min_silence_duration_ms": 100}),
}

#: Arguments of `detect_language`.
LANGUAGE_CASES = {
    "french": ("french", {}),
    "first window": ("mixed", {}),
    "speech only": ("french", {"vad_filter": True}),
    "majority": ("mixed", {"language_detection_segments": 2, "language_detection_threshold": 1.0}),
}
