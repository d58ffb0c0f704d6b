"""Models that leave the memory when nobody uses them, and come back."""
import threading
import time

import pytest
import requests

from clips import DOOR, DOOR_TEXT, RATE, chunks, samples
from conftest import MODELS, installed
from openai_realtime import FIRST, RATE as REALTIME_RATE, SENTENCES, SPEECH, TEXT_EVENT, Session, settings
from serving import refused_start, wait_until
from web_socket import BINARY, TEXT, WebSocket, frame


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
    metrics = requests.get(f"{server.url}/metrics", timeout=10).text.splitlines()
    assert {"whisper_local_model_loads_total 2", "whisper_local_model_unloads_total 1"} <= set(metrics)


def test_a_model_in_use_stays(start):
    """Requests that follow each other, for longer than the time."""
    server = start("--cache", "off", "--unload-after", "1")
    end = time.monotonic() + 3
    while time.monotonic() < end:
        assert transcribe(server) == (200, DOOR_TEXT)
    assert "unloaded" not in server.log
    assert wait_until(lambda: loaded(server) == [], 10)
    assert transcribe(server) == (200, DOOR_TEXT)


def test_a_silent_session_gives_its_model_back(start):
    """And gets it again at the next sound, with times that count on."""
    server = start("--cache", "off", "--unload-after", "1s")
    spoken, quiet = samples(DOOR) + bytes(2 * RATE), bytes(2 * 3 * RATE)

    def turn(content):
        """The next turn, after which the model goes."""
        for piece in chunks(content):
            socket.send(frame(BINARY, piece))
        message = socket.message()
        while not message.get("end_of_turn"):
            message = socket.message()
        assert wait_until(lambda: loaded(server) == [], 10)
        return message

    with WebSocket(server) as socket:
        first, second = turn(spoken), turn(quiet + spoken)
        # Neither silence nor the end brings it back.
        for piece in chunks(quiet):
            socket.send(frame(BINARY, piece))
        socket.send(frame(TEXT, '{"type":"Terminate"}'))
        assert [message["type"] for message in socket.messages()] == ["Termination"] and socket.code == 1000
    assert [first["transcript"], second["transcript"]] == [DOOR_TEXT] * 2
    later = 1000 * len(spoken + quiet) // (2 * RATE)
    assert second["words"][0]["start"] - first["words"][0]["start"] == pytest.approx(later, abs=200)
    assert server.log.count("model nano.en loaded") == 2


def test_a_silent_realtime_session_gives_its_model_back(start):
    server = start("--cache", "off", "--unload-after", "1s")
    with Session(server) as session:
        session.append(FIRST)
        session.until(TEXT_EVENT + "completed")
        assert wait_until(lambda: loaded(server) == [], 10)
        session.append(bytes(2 * REALTIME_RATE) + SPEECH)
        session.finish()
    assert session.texts == [SENTENCES[0], *SENTENCES]
    starts = [event["audio_start_ms"] for event in session.of("input_audio_buffer.speech_started")]
    assert starts[1] - starts[0] == pytest.approx(5000, abs=200)
    # Without turn detection, what was said before is committed later.
    assert wait_until(lambda: loaded(server) == [], 10)
    with Session(server) as session:
        session.update(settings())
        session.append(FIRST)
        assert wait_until(lambda: loaded(server), 10) and wait_until(lambda: loaded(server) == [], 10)
        session.finish()
    assert session.texts == [SENTENCES[0]]
    # At least: a busy machine may take longer than that between two events.
    assert server.log.count("model nano.en loaded") >= 4


def test_a_model_that_nobody_used_is_unloaded_too(start):
    server = start(wrapper=["env", "WHISPER_LOCAL_UNLOAD_AFTER=0.5s"])
    assert wait_until(lambda: loaded(server) == [], 10)


def test_without_the_option_models_stay(server):
    assert loaded(server) == ["nano.en"]


@pytest.mark.parametrize("time", ["", "soon", "-1", "5x", "1:99"])
def test_times_that_are_none(time):
    assert "--unload-after" in refused_start("--unload-after", time)


def test_a_variable_that_is_no_time(monkeypatch):
    monkeypatch.setenv("WHISPER_LOCAL_UNLOAD_AFTER", "soon")
    assert "$WHISPER_LOCAL_UNLOAD_AFTER: invalid value 'soon'" in refused_start()
