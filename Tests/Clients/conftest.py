"""Servers for the tests. Each is started once, when the first test asks for it."""
import os
from pathlib import Path

import pytest

import skipping
import slow_clients as slow
import time_limit
from serving import STOPPED, Server, make_certificate

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "whisper-local/tests"
MODELS = Path(os.environ.get("WHISPER_LOCAL_TEST_MODELS", CACHE / "models"))
SPEECH = Path(os.environ.get("WHISPER_LOCAL_TEST_SPEECH", CACHE / "speech"))
KEY = "correct-horse-battery-staple"
ORIGIN = "http://app.example"
#: The longest test is the one under load, which waits for connections to end.
TEST_SECONDS = 100 + float(os.environ.get("WHISPER_LOCAL_LOAD_SECONDS", "5"))
pytest_runtest_protocol = time_limit.hook(TEST_SECONDS)
pytest_runtest_makereport = skipping.hook()


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", help="leave out real-time waits and load")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: waits in real time, or loads the machine")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--quick"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="--quick"))


def serving(*options, **arguments):
    server = Server(*options, **arguments)
    yield server
    assert server.is_running, f"the server ended by itself:\n{server.log}"
    assert server.stop() in STOPPED, f"the server did not end:\n{server.log}"


@pytest.fixture(scope="session")
def key_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("key") / "key"
    path.write_text(KEY + "\n")
    path.chmod(0o600)
    return path


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    """A self-signed certificate for localhost: `.certificate` and `.key` are paths."""
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="session")
def server():
    """The server with default options but no cache: every request is recognized."""
    yield from serving("--cache", "off")


@pytest.fixture(scope="session")
def secured(key_file):
    """Requires `KEY`, and accepts pages of `ORIGIN`."""
    yield from serving("--cache", "off", "--api-key-file", key_file, "--cors-origin", ORIGIN)


@pytest.fixture(scope="session")
def tls(key_file, certificate):
    """Requires `KEY`, and uses TLS."""
    yield from serving("--cache", "off", "--api-key-file", key_file, "--tls-cert", certificate.certificate, "--tls-key",
                       certificate.key)


@pytest.fixture(scope="session")
def strict():
    """As strict as the cloud services."""
    yield from serving("--cache", "off", "--strict-api", "--strict-models")


@pytest.fixture(scope="session")
def small():
    """Small limits: one recognition running and one waiting, 1 MiB, 30 s of audio, two streaming sessions."""
    yield from serving("--cache", "off", "--workers", "1", "--max-queue", "1", "--max-upload", "1MiB", "--max-duration",
                       "30", "--max-sessions", "2")


@pytest.fixture(scope="session")
def videos():
    """With a cache in memory and the store of recipes."""
    yield from serving("--cache", "memory", "--enable-recipes")


@pytest.fixture
def start():
    """Starts further servers, which stop at the end of the test."""
    servers = []

    def started(*options, **arguments):
        servers.append(Server(*options, **arguments))
        return servers[-1]

    yield started
    for server in servers:
        server.stop()


def installed(path):
    """A file that `scripts/setup.sh --tests` installs."""
    if not path.exists():
        pytest.skip(f"{path.name} is not installed: scripts/setup.sh --tests")
    return path


@pytest.fixture(scope="session")
def multilingual():
    """With OpenAI's model base."""
    yield from serving("--cache", "off", model=installed(MODELS / "ggml-base.bin"))


@pytest.fixture(scope="session")
def diarizing():
    """With OpenAI's model base, the speaker networks, and a cache.

    Three people speak three languages: tiny.en, which knows one, skips or invents what two of them say."""
    folder = installed(MODELS / "speakers.safetensors").parent
    yield from serving("--model-dir", folder, model=installed(MODELS / "ggml-base.bin"))


@pytest.fixture(scope="session", autouse=True)
def slow_clients(request):
    """Runs alongside all other tests, if its own tests are selected."""
    wanted = not request.config.getoption("--quick") and any(
        item.path.name == "test_time_limits.py" for item in request.session.items)
    if not wanted:
        yield None
        return
    with slow.running() as futures:
        yield futures
