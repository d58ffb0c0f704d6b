"""The package has faster-whisper's names, arguments, defaults and fields."""
import dataclasses
import importlib
import inspect
import json

import pytest

import whisper_local
from cases import RECORDED
from whisper_local import BatchedInferencePipeline, WhisperModel

THEIRS = json.loads(RECORDED.read_text())
OURS = {
    "WhisperModel": WhisperModel.__init__, "BatchedInferencePipeline": BatchedInferencePipeline.__init__,
}


def found(name):
    """A function by its name in the recorded table, which is its path in the package."""
    if name in OURS:
        return OURS[name]
    *path, last = name.split(".")
    place = whisper_local
    for part in path:
        place = getattr(place, part, None) or importlib.import_module(f"whisper_local.{part}")
    return getattr(place, last)


@pytest.mark.parametrize("name", THEIRS["signatures"])
def test_arguments_and_defaults(name):
    parameters = inspect.signature(found(name)).parameters
    ours = [[parameter, value.kind.name, None if value.default is value.empty else repr(value.default)]
            for parameter, value in parameters.items()]
    theirs = THEIRS["signatures"][name]
    assert ours[:len(theirs)] == theirs
    # What only this package has must be named, so that it is in nobody's way.
    assert {kind for _, kind, _ in ours[len(theirs):]} <= {"KEYWORD_ONLY"}


@pytest.mark.parametrize("name", THEIRS["fields"])
def test_fields(name):
    ours = [field.name for field in dataclasses.fields(getattr(whisper_local, name))]
    assert ours[:len(THEIRS["fields"][name])] == THEIRS["fields"][name]


def test_further_fields_have_defaults():
    word = whisper_local.Word(0.0, 0.5, " Hello", 0.9)
    segment = whisper_local.Segment(1, 0, 0.0, 0.5, " Hello", [1], -0.1, 1.0, 0.0, [word], 0.0)
    assert list(segment._asdict()) == THEIRS["fields"]["Segment"]
    assert list(segment._asdict()["words"][0]) == list(word._asdict()) == THEIRS["fields"]["Word"]
    segment.speaker = word.speaker = "Anna"
    assert segment._asdict()["speaker"] == segment._asdict()["words"][0]["speaker"] == "Anna"


def test_both_pipelines_have_the_same_arguments():
    ours, batched = (set(inspect.signature(kind.transcribe).parameters)
                     for kind in (WhisperModel, BatchedInferencePipeline))
    assert batched - ours == {"batch_size"} and ours <= batched


def test_exports():
    assert set(THEIRS["exports"]) <= set(whisper_local.__all__)
    assert all(hasattr(whisper_local, name) for name in whisper_local.__all__)
    assert whisper_local.available_models() == THEIRS["models"]


@pytest.mark.parametrize("module, names", [
    ("transcribe", "WhisperModel BatchedInferencePipeline Segment Word TranscriptionInfo TranscriptionOptions"),
    ("audio", "decode_audio pad_or_trim"),
    ("vad", "VadOptions get_speech_timestamps collect_chunks SpeechTimestampsMap"),
    ("utils", "available_models download_model format_timestamp get_logger"),
    ("tokenizer", "_LANGUAGE_CODES"),
    ("version", "__version__"),
])
def test_modules(module, names):
    imported = importlib.import_module(f"whisper_local.{module}")
    assert all(hasattr(imported, name) for name in names.split())


def test_languages():
    from whisper_local.tokenizer import _LANGUAGE_CODES
    assert list(_LANGUAGE_CODES) == THEIRS["languages"]
