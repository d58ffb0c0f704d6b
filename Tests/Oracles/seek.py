#!/usr/bin/env python3
"""Fixtures/seek: the loop of transcribe() over windows, driven by scripted decoding results (see seek_scripts.py).

The model is a stub that returns the scripted results in order. The spectrogram consists of frame numbers, so that the
recorded calls show which frames each window received. Word timings are scripted as well: only the alignment step is
replaced, everything after it is openai-whisper's own code.
"""
import sys
from types import SimpleNamespace
from unittest import mock

import numpy as np
import torch
import whisper
import whisper.timing
from whisper.decoding import DecodingResult
from whisper.timing import WordTiming

import common
from alignments import word_timing
from seek_scripts import SCRIPTS
from tokenizer import tokenizer

TRANSCRIBE = sys.modules["whisper.transcribe"]      # whisper.transcribe is the function


def main():
    folder = common.parse_output(__doc__) / "seek"
    common.use_one_thread()
    cases = [run(**script) for script in SCRIPTS]
    common.write_cases(folder / "cases.json", {"versions": common.versions(), "note": "see README.md"}, cases)


class ScriptedModel:
    """Returns the scripted windows in order; the last one again if there are too few."""

    def __init__(self, windows, multilingual, language_probabilities, first_temperature):
        self.windows, self.first_temperature = windows, first_temperature
        self.is_multilingual, self.num_languages = multilingual, 99
        self.language_probabilities = language_probabilities
        self.tokenizer = tokenizer("multilingual-99" if multilingual else "english")
        self.dims = SimpleNamespace(n_mels=80, n_audio_ctx=1500, n_text_ctx=448, n_text_layer=4)
        self.device = torch.device("cpu")
        self.calls, self.alignments, self.detect_frames = [], [], None
        self.index, self.window = -1, None

    def detect_language(self, mel):
        self.detect_frames = int((mel[0] > 0).sum())
        return None, self.language_probabilities

    def decode(self, mel, options):
        if not self.calls or options.temperature == self.first_temperature:
            self.index += 1
        window = self.windows[min(self.index, len(self.windows) - 1)]
        retries = window.get("by_temperature", {})
        self.window = window | retries.get(str(round(options.temperature, 1)), {})
        tokens = token_ids(self.tokenizer, self.window["tokens"])
        returned = {"avg_logprob": -0.3, "no_speech_prob": 0.01, "compression_ratio": 1.2}
        returned = {key: self.window.get(key, default) for key, default in returned.items()}
        self.calls.append({
            "seek": int(mel[0][0]) - 1, "frames": int((mel[0] > 0).sum()), "temperature": options.temperature,
            "prompt": list(options.prompt), "beam_size": options.beam_size, "best_of": options.best_of,
            "patience": options.patience, "language": options.language, "tokens": tokens, "returned": returned})
        return DecodingResult(audio_features=None, language=options.language, tokens=tokens,
                              text=self.tokenizer.decode(tokens).strip(), temperature=options.temperature, **returned)

    def find_alignment(self, model, tokens, text_tokens, mel, num_frames, **_):
        """Gives each word the scripted (start, end, probability) in turn, or 0.3 s without a script."""
        if not text_tokens:
            return []
        words, word_tokens = tokens.split_to_word_tokens([*text_tokens, tokens.eot])
        script = self.window.get("alignment") or []
        aligned = []
        for index, (word, ids) in enumerate(list(zip(words, word_tokens))[:-1]):
            evenly = (round(0.3 * index, 2), round(0.3 * index + 0.3, 2), 0.9)
            aligned.append(WordTiming(word, ids, *(script[index] if index < len(script) else evenly)))
        self.alignments.append({"num_frames": num_frames, "text_tokens": text_tokens,
                                "words": [word_timing(word) for word in aligned]})
        return aligned


def token_ids(tokens, items):
    """Texts become their tokens, seconds their timestamp."""
    ids = []
    for item in items:
        ids += tokens.encode(item) if isinstance(item, str) else [tokens.timestamp_begin + round(item / 0.02)]
    return ids


def run(name, seconds, windows, multilingual=False, language_probabilities=None, **options):
    """transcribe() over a scripted recording, with everything that it asked for."""
    frames = int(seconds * 100)
    options = {"temperature": 0.0, "fp16": False, **options}
    temperature = options["temperature"]
    model = ScriptedModel(windows, multilingual, language_probabilities,
                          temperature[0] if isinstance(temperature, tuple) else temperature)
    numbers = torch.cat([torch.arange(1.0, frames + 1), torch.zeros(3000)])[None].repeat(80, 1)
    with (mock.patch.object(TRANSCRIBE, "log_mel_spectrogram", return_value=numbers),
          mock.patch.object(whisper.timing, "find_alignment", model.find_alignment)):
        result = whisper.transcribe(model, np.zeros(1, np.float32), **options)
    case = {"name": name, "content_frames": frames, "vocabulary": "multilingual-99" if multilingual else "english",
            "options": options, "calls": model.calls, "alignments": model.alignments, "result": result}
    if language_probabilities:
        case |= {"language_probabilities": language_probabilities, "detect_frames": model.detect_frames}
    return case


if __name__ == "__main__":
    main()
