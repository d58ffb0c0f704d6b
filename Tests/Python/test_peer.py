"""Option by option, the text and times of faster-whisper, with the same weights, float32 and without guards.

What differs, and why, is in docs/python.md; here it is in `DIFFERENT`."""
import difflib
import json
import re

import numpy as np
import pytest

from cases import BATCHED, CASES, LANGUAGE_CASES, RECORDED
from whisper_local import BatchedInferencePipeline

THEIRS = json.loads(RECORDED.read_text())
pytestmark = [pytest.mark.peer, pytest.mark.real]
#: Cases in which the windows are not exactly the same, and what may then differ: the share of the words, at most.
SPEECH = "faster-whisper has another version of Silero's network, which moves the borders of the speech a little"
DIFFERENT = {
    "speech only": (SPEECH, 0.03), "speech only, words": (SPEECH, 0.03), "speech only, options": (SPEECH, 0.03),
    "few tokens": ("CTranslate2 ends at half of `max_new_tokens`", 0.6),
    "several languages": ("here, a window ends where another language begins", 0.3),
    "batched, default": (SPEECH, 0.05), "batched, greedy": (SPEECH, 0.05), "batched, timestamps": (SPEECH, 0.05),
    "batched, words": (SPEECH, 0.05), "batched, hotwords": (SPEECH, 0.05), "batched, initial prompt": (SPEECH, 0.05),
    "batched, options of the detector": (SPEECH, 0.05), "batched, short windows": (SPEECH, 0.1),
    "batched, language detected": (SPEECH, 0.15), "batched, several languages": (SPEECH, 0.3),
    "batched, clips": ("there, each clip is as loud as its loudest sound, here as the recording's", 0.05),
}


def words(segments):
    return re.findall(r"[\w']+", "".join(segment["text"] for segment in segments).lower())


def compare(name, segments, info, theirs):
    ours, expected, their_info = [segment._asdict() for segment in segments], theirs["segments"], theirs["info"]
    assert info.language == their_info["language"]
    assert info.duration == pytest.approx(their_info["duration"], abs=1e-3)
    if name in DIFFERENT:
        assert info.language_probability == pytest.approx(their_info["language_probability"], abs=0.02)
        assert info.duration_after_vad == pytest.approx(their_info["duration_after_vad"], abs=1)
        same = difflib.SequenceMatcher(None, words(ours), words(expected), autojunk=False).ratio()
        assert same > 1 - DIFFERENT[name][1], (words(ours), words(expected))
        return
    assert info.language_probability == pytest.approx(their_info["language_probability"], abs=2e-3)
    assert info.duration_after_vad == pytest.approx(their_info["duration_after_vad"], abs=1e-3)
    assert [segment["text"] for segment in ours] == [segment["text"] for segment in expected]
    for our, their in zip(ours, expected):
        assert [our[field] for field in ("id", "seek", "tokens", "temperature")] == [
            their[field] for field in ("id", "seek", "tokens", "temperature")]
        assert (our["start"], our["end"]) == pytest.approx((their["start"], their["end"]), abs=0.011)
        for number in ("avg_logprob", "compression_ratio", "no_speech_prob"):
            assert our[number] == pytest.approx(their[number], abs=2e-3, rel=5e-3), number
        assert (our["words"] is None) == (their["words"] is None)
        for word, reference in zip(our["words"] or [], their["words"] or [], strict=True):
            assert word["word"] == reference["word"]
            assert (word["start"], word["end"]) == pytest.approx((reference["start"], reference["end"]), abs=0.021)
            assert word["probability"] == pytest.approx(reference["probability"], abs=5e-3)


@pytest.mark.parametrize("name", CASES)
def test_transcribe(name, real, audio):
    model, recording, arguments = CASES[name]
    segments, info = real(model).transcribe(audio(recording), guard=False, **arguments)
    segments = list(segments)
    compare(name, segments, info, THEIRS["transcribe"][name])
    if "multilingual" in arguments:
        assert [segments[index].language for index in (0, -1)] == ["en", "es"]


@pytest.mark.parametrize("name", BATCHED)
def test_batched(name, real, audio):
    model, recording, arguments = BATCHED[name]
    pipeline = BatchedInferencePipeline(real(model))
    found = pipeline.transcribe(audio(recording), guard=False, **arguments)
    compare(f"batched, {name}", *found, THEIRS["batched"][name])


@pytest.mark.parametrize("name", LANGUAGE_CASES)
def test_detect_language(name, real, audio):
    recording, arguments = LANGUAGE_CASES[name]
    code, probability, languages = real("base").detect_language(audio(recording), **arguments)
    their_code, their_probability, first = THEIRS["detected"][name]
    assert (code, probability) == (their_code, pytest.approx(their_probability, abs=2e-3))
    assert [language for language, _ in languages[:3]] == [language for language, _ in first]
    assert [value for _, value in languages[:3]] == pytest.approx([value for _, value in first], abs=2e-3)
    assert len(languages) == 99 and sum(value for _, value in languages) == pytest.approx(1, abs=1e-2)


def test_detection_fails_without_audio(real):
    with pytest.raises(ValueError, match="audio"):
        real("base").detect_language()
    with pytest.raises(ValueError, match="computes features itself"):
        real("base").detect_language(features=np.zeros((80, 3000), np.float32))


def test_detection_in_speech_only(real, audio):
    options = {"threshold": 0.6, "speech_pad_ms": 100}
    assert real("base").detect_language(audio("french"), vad_filter=True, vad_parameters=options)[0] == "fr"
    with pytest.raises(ValueError, match="threshold"):
        real("base").detect_language(audio("french"), vad_filter=True, vad_parameters={"threshold": 2})


def test_languages_of_models(real, audio):
    base = real("base")
    assert len(base.supported_languages) == 99 and base.supported_languages[:2] == ["af", "am"]
    assert base.model.is_multilingual
    with pytest.raises(ValueError, match="'xx' is not a valid language code"):
        base.transcribe(audio("french"), language="xx")
    info = base.transcribe(audio("french"), languages=["en", "it"])[1]
    assert info.language in ("en", "it")
    assert info.language_probability == dict(info.all_language_probs)[info.language]
