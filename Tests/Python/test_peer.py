"""Option by option, the text and times of faster-whisper, with the same weights, float32 and without guards.

What differs, and why, is in docs/python.md; here it is in `DIFFERENT`."""
import json

import pytest

from cases import BATCHED, CASES, LANGUAGE_CASES, RECORDED
from whisper_local import BatchedInferencePipeline

THEIRS = json.loads(RECORDED.read_text())
pytestmark = [pytest.mark.peer, pytest.mark.real]
#: Cases whose text or times are allowed to differ: what is compared instead.
DIFFERENT = {}


def words(segments):
    return "".join(segment["text"] for segment in segments).lower().replace(",", "").replace(".", "").split()


def as_dictionaries(segments):
    return [segment._asdict() for segment in segments]


def compare(ours, theirs, info, their_info, allowed, seconds=0.0):
    """`allowed` are fields that may differ; times may differ by `seconds`."""
    assert info.language == their_info["language"]
    assert info.language_probability == pytest.approx(their_info["language_probability"], abs=2e-3)
    assert info.duration == pytest.approx(their_info["duration"], abs=1e-3)
    assert info.duration_after_vad == pytest.approx(their_info["duration_after_vad"], abs=0.5 if seconds else 1e-3)
    if "text" in allowed:
        assert words(ours) == words(theirs)
        return
    assert [segment["text"] for segment in ours] == [segment["text"] for segment in theirs]
    for our, their in zip(ours, theirs):
        assert our["id"] == their["id"]
        assert our["temperature"] == their["temperature"]
        if "tokens" not in allowed:
            assert our["tokens"] == their["tokens"]
        for time in ("start", "end"):
            assert our[time] == pytest.approx(their[time], abs=0.011 + seconds), (our, their)
        for number in {"avg_logprob", "compression_ratio", "no_speech_prob"} - set(allowed):
            assert our[number] == pytest.approx(their[number], abs=2e-3, rel=5e-3), number
        assert (our["words"] is None) == (their["words"] is None)
        assert [word["word"] for word in our["words"] or []] == [word["word"] for word in their["words"] or []]
        for word, expected in zip(our["words"] or [], their["words"] or []):
            assert (word["start"], word["end"]) == pytest.approx((expected["start"], expected["end"]), abs=0.021 + seconds)
            assert word["probability"] == pytest.approx(expected["probability"], abs=5e-3)


@pytest.mark.parametrize("name", CASES)
def test_transcribe(name, real, audio):
    model, recording, arguments = CASES[name]
    segments, info = real(model).transcribe(audio(recording), guard=False, **arguments)
    theirs = THEIRS["transcribe"][name]
    compare(as_dictionaries(segments), theirs["segments"], info, theirs["info"], **DIFFERENT.get(name, {"allowed": ()}))


@pytest.mark.parametrize("name", BATCHED)
def test_batched(name, real, audio):
    model, recording, arguments = BATCHED[name]
    segments, info = BatchedInferencePipeline(real(model)).transcribe(audio(recording), guard=False, **arguments)
    theirs = THEIRS["batched"][name]
    compare(as_dictionaries(segments), theirs["segments"], info, theirs["info"],
            **DIFFERENT.get(f"batched, {name}", {"allowed": ()}))


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


def test_languages_of_models(real, audio):
    base = real("base")
    assert len(base.supported_languages) == 99 and base.supported_languages[:2] == ["af", "am"]
    assert base.model.is_multilingual
    with pytest.raises(ValueError, match="'xx' is not a valid language code"):
        base.transcribe(audio("french"), language="xx")
    info = base.transcribe(audio("french"), languages=["en", "it"])[1]
    assert info.language in ("en", "it") and info.all_language_probs[0] == (info.language, info.language_probability)
