"""A plugin for pytest with what faster-whisper's own tests need here (faster_whisper_tests.sh): their models by name, and
the list of what cannot pass, with the reasons."""
import os
from pathlib import Path

import faster_whisper
import pytest

MODELS = Path(os.environ["WHISPER_LOCAL_MODELS"])
HAS_TINY = MODELS.joinpath("tiny").resolve().name.endswith("tiny")
#: Files of tests of what this package does not have.
INTERNALS = {"test_tokenizer.py": "internals: Tokenizer, get_suppressed_tokens",
             "test_audio.py": "internals: replaces functions of the modules"}
#: Tests that expect the text that tiny finds.
TEXT_OF_TINY = ("test_transcribe", "test_vad", "test_multilingual_transcription", "test_stereo_diarization",
                "test_prefix_with_timestamps", "test_cliptimestamps_segments")


def named(constructor):
    """The constructor of `WhisperModel`, which finds the models by their names without a hub."""
    def construct(self, model_size_or_path, *arguments, **others):
        path = MODELS / model_size_or_path
        constructor(self, str(path if path.exists() else model_size_or_path), *arguments, **others)
    return construct


def pytest_configure():
    faster_whisper.WhisperModel.__init__ = named(faster_whisper.WhisperModel.__init__)


def pytest_report_header():
    version = faster_whisper.__version__
    return [f"faster_whisper {version} in {Path(faster_whisper.__file__).parent}",
            f"tiny: {MODELS.joinpath('tiny').resolve()}",
            *(f"{name} is left out: {reason}" for name, reason in INTERNALS.items())]


def pytest_ignore_collect(collection_path):
    return True if collection_path.name in INTERNALS else None


def pytest_collection_modifyitems(items):
    for item in items:
        if item.name == "test_download_model_in_cache":
            item.add_marker(pytest.mark.xfail(reason="this package downloads nothing"))
        elif item.name in TEXT_OF_TINY and not HAS_TINY:
            item.add_marker(pytest.mark.xfail(reason="the text that tiny finds, with base"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    try:
        return (yield)
    except FileNotFoundError as error:
        if "/data/" in str(error):
            pytest.skip(f"no such recording: {error}")
        raise
