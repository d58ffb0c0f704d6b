"""Models and samples for the tests of the installed package."""
import os

import pytest

import skipping
import time_limit
import whisper_local
from cases import AUDIO, CLIPS, DRIVE, MODELS, ROOT, SPEECH, samples
from whisper_local import WhisperModel

pytest_runtest_protocol = time_limit.hook(200)
pytest_runtest_makereport = skipping.hook()
NANO = ROOT / "Models/nano.en.ggml.bin"


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", help="leave out the comparison with faster-whisper")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--quick"):
        for item in items:
            if item.get_closest_marker("peer"):
                item.add_marker(pytest.mark.skip(reason="--quick"))


def pytest_report_header():
    return f"whisper_local {whisper_local.__version__} in {os.path.dirname(whisper_local.__file__)}"


def installed(path):
    """A file that `scripts/setup.sh --tests` installs."""
    if not path.exists():
        pytest.skip(f"{path.name} is not installed: scripts/setup.sh --tests")
    return path


@pytest.fixture(scope="session")
def nano():
    return WhisperModel(str(NANO))


@pytest.fixture(scope="session")
def real():
    """OpenAI's models as faster-whisper computes them: `real("tiny.en")`."""
    loaded = {}

    def model(name):
        if name not in loaded:
            loaded[name] = WhisperModel(str(installed(MODELS / f"ct2-{name}")), compute_type="float32")
        return loaded[name]

    return model


@pytest.fixture(scope="session")
def audio():
    """The samples of a recording in `cases.AUDIO`."""
    loaded = {}

    def found(name):
        if name not in loaded:
            if name in ("talk", "french", "mixed"):
                installed(SPEECH / "long-en.wav")
            loaded[name] = AUDIO[name]()
        return loaded[name]

    return found


@pytest.fixture(scope="session")
def drive():
    """Nine seconds of synthetic speech, which nano.en understands."""
    return samples(DRIVE)


@pytest.fixture(scope="session")
def clip():
    """The path of a clip by its number."""
    return lambda number: CLIPS / f"say-{number:02}.wav"


@pytest.fixture(autouse=True)
def forgets_warnings():
    """Each test sees the warnings that come once in a process."""
    from whisper_local import errors
    errors._warned.clear()
