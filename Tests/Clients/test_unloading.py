"""Models that leave the memory when nobody uses them, and come back."""
import threading
import time

import pytest
import requests

from clips import DOOR, DOOR_TEXT
from conftest import MODELS, installed
from serving import refused_start, wait_until


def transcribe(server):
    answer = requests.post(f"{server.url}/v1/audio/transcriptions", files={"file": DOOR.open("rb")},
                           data={"model": "whisper-1"}, timeout=60)
    return answer.status_code, answer.json().get("text")


def loaded(server):
    return requests.get(f"{server.url}/api/ps", timeout=10).json()["models"]


def test_an_idle_model_is_unloaded_and_loaded_again(start):
    server = start("--cache", "off", "--unload-after", "1s", model=installed(MODELS / "ggml-tiny.en.bin"))
    assert transcribe(server)[0] == 200 and loaded(server) == ["tiny.en"]
    before = server.resident_bytes()
    assert wait_until(lambda: loaded(server) == [], 10)
    # Half of what it had: the rest is the program's own.
    assert wait_until(lambda: server.resident_bytes() < 0.5 * before, 10), (before, server.resident_bytes())
    assert requests.get(f"{server.url}/health", timeout=10).status_code == 200
    names = [model["id"] for model in requests.get(f"{server.url}/v1/models", timeout=10).json()["data"]]
    assert "tiny.en" in names
    assert server.log.count("model tiny.en loaded") == 1 and server.log.count("model tiny.en unloaded") == 1

    # Everybody waits for the same load.
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(transcribe(server))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [status for status, _ in answers] == [200] * 4
    assert server.log.count("model tiny.en loaded") == 2


def test_a_model_in_use_stays(start):
    """Requests that follow each other, for longer than the time."""
    server = start("--cache", "off", "--unload-after", "1")
    end = time.monotonic() + 3
    while time.monotonic() < end:
        assert transcribe(server) == (200, DOOR_TEXT)
    assert "unloaded" not in server.log
    assert wait_until(lambda: loaded(server) == [], 10)
    assert transcribe(server) == (200, DOOR_TEXT)


def test_a_model_that_nobody_used_is_unloaded_too(start):
    server = start("--unload-after", "0.5s")
    assert wait_until(lambda: loaded(server) == [], 10)


def test_without_the_option_models_stay(server):
    assert loaded(server) == ["nano.en"]


@pytest.mark.parametrize("time", ["", "soon", "-1", "5x", "1:99"])
def test_times_that_are_none(time):
    assert "--unload-after" in refused_start("--unload-after", time)
