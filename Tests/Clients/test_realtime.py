"""OpenAI's Realtime API: the official client in its present and its beta form, openai-agents, a browser, and events that
none of them would send."""
import base64
import json
import subprocess
import sys
import time
from pathlib import Path

import openai
import pytest
import requests
from openai import OpenAI
from pydantic import TypeAdapter

from browser import Browser, program
from clips import FAN, FAN_TEXT, words
from conftest import KEY, MODELS, installed
from openai_realtime import (BETA, FIRST, LOGPROBS, PRESENT, RATE, SENTENCES, SPEECH, TARGET, TEXT_EVENT, Session, audio, check,
                             settings)
from web_socket import BINARY, TEXT, WebSocket, frame, upgrade
from wire import exchange

def test_the_client_commits(server):
    with Session(server) as session:
        created = session.next()
        assert created["type"] == "session.created" and created["session"]["id"].startswith("sess_")
        assert created["session"]["expires_at"] == pytest.approx(time.time() + 3 * 3600, abs=60)
        given = created["session"]["audio"]["input"]
        assert given["format"] == {"type": "audio/pcm", "rate": RATE}
        assert given["transcription"] == {"model": "nano.en", "language": None, "prompt": ""}
        assert given["turn_detection"] == {"type": "server_vad", "threshold": 0.5, "prefix_padding_ms": 300,
                                           "silence_duration_ms": 500}
        updated = session.update(settings(noise={}) | {"include": [LOGPROBS]})
        assert updated["audio"]["input"]["turn_detection"] is None and updated["include"] == [LOGPROBS]
        session.append(SPEECH)
        session.finish()
    assert session.texts == [FAN_TEXT] and not session.errors
    kinds = [event["type"] for event in session.events[2:]]
    assert kinds[:4] == ["input_audio_buffer.committed", "conversation.item.added", "conversation.item.done",
                         "input_audio_buffer.cleared"]
    completed = session.of(TEXT_EVENT + "completed")[0]
    assert b"".join(bytes(token["bytes"]) for token in completed["logprobs"]).decode().strip() == FAN_TEXT
    assert all(token["logprob"] <= 0 for token in completed["logprobs"])
    parts = [token for event in session.of(TEXT_EVENT + "delta") for token in event["logprobs"]]
    assert parts == completed["logprobs"]
    assert completed["usage"]["seconds"] == pytest.approx(len(SPEECH) / 2 / RATE, abs=0.05)


@pytest.mark.parametrize("turns", [
    {"type": "server_vad"}, {"type": "semantic_vad", "eagerness": "high"},
    {"type": "server_vad", "silence_duration_ms": 300, "prefix_padding_ms": 0, "threshold": 0.3, "create_response": True},
], ids=str)
def test_the_server_finds_the_turns(server, turns):
    with Session(server) as session:
        updated = session.update(settings(turns))["audio"]["input"]["turn_detection"]
        assert updated | turns == updated
        session.append(SPEECH)
        session.finish()
    assert session.texts == SENTENCES
    assert [error["code"] for error in session.errors] == ["input_audio_buffer_commit_empty"]
    assert session.errors[0]["event_id"] == "last" and "has 0.00ms" in session.errors[0]["message"]
    for item in (event["item_id"] for event in session.of("input_audio_buffer.committed")):
        kinds = [event["type"] for event in session.events if event.get("item_id") == item]
        assert [kind for kind in kinds if kind != TEXT_EVENT + "delta"] == [
            "input_audio_buffer.speech_started", "input_audio_buffer.speech_stopped", "input_audio_buffer.committed",
            TEXT_EVENT + "completed"]
    starts = [event["audio_start_ms"] for event in session.of("input_audio_buffer.speech_started")]
    ends = [event["audio_end_ms"] for event in session.of("input_audio_buffer.speech_stopped")]
    assert starts[0] < 700 and 2500 < ends[0] <= starts[1] < 4000 and 5000 < ends[1] < 6800


def test_a_turn_that_the_client_ends(server):
    with Session(server) as session:
        session.update(settings({"type": "server_vad", "silence_duration_ms": 5000}))
        session.append(FIRST[:2 * RATE * 2])
        session.finish()
    assert words(session.texts[0])[:3] == ["turn", "the", "fan"] and not session.errors
    assert not session.of("input_audio_buffer.speech_stopped")


def test_silence(server):
    with Session(server) as session:
        session.append(bytes(3 * RATE * 2))
        session.finish()
    assert not session.texts and not session.of("input_audio_buffer.speech_started")
    with Session(server) as session:
        session.update(settings())
        session.append(bytes(3 * RATE * 2))
        session.finish()
    assert session.texts == [""]


@pytest.mark.parametrize("form,encoder,rate", [("mulaw", "pcm_mulaw", 8000), ("alaw", "pcm_alaw", 8000),
                                               ("s16le", "pcm_s16le", 24000), ("s16le", "pcm_s16le", 16000)])
def test_formats(server, form, encoder, rate):
    """In pieces of 20 ms, and in one."""
    kind = {"mulaw": {"type": "audio/pcmu"}, "alaw": {"type": "audio/pcma"}}.get(form, {"type": "audio/pcm", "rate": rate})
    content = audio(rate, form, encoder)
    for milliseconds in (20, 10_000):
        with Session(server, types=PRESENT if rate != 16000 else TypeAdapter(dict)) as session:
            updated = settings()
            updated["audio"]["input"]["format"] = kind
            assert session.update(updated)["audio"]["input"]["format"] == kind
            session.append(content, milliseconds=milliseconds, rate=rate, width=1 if rate == 8000 else 2)
            session.finish()
        assert words(session.texts[0])[:3] == ["turn", "the", "fan"]


def test_several_items_and_updates_in_between(server):
    with Session(server) as session:
        session.update(settings())
        for prompt in ("", "About furniture."):
            session.append(FIRST)
            session.connection.input_audio_buffer.commit()
            # Only this changes.
            session.connection.session.update(
                session={"type": "transcription", "audio": {"input": {"transcription": {"prompt": prompt}}}})
        session.append(bytes(RATE * 2))
        session.connection.input_audio_buffer.clear()
        session.until(TEXT_EVENT + "completed", 2)
        check(session.events)
        assert session.texts == [SENTENCES[0]] * 2
        assert session.of("session.updated")[-1]["session"]["audio"]["input"]["transcription"] == {
            "model": "whisper-1", "language": "en", "prompt": "About furniture."}
        # What was cleared is gone.
        session.connection.input_audio_buffer.commit(event_id="empty")
        assert session.until("error")["error"]["event_id"] == "empty"


def test_turn_detection_changes_in_the_middle(server):
    """What is being said ends, and what the client sends next waits for it."""
    with Session(server) as session:
        session.append(FIRST[:2 * RATE * 2])
        session.connection.session.update(session=settings())
        session.append(SPEECH[33 * RATE // 10 * 2:])
        session.connection.input_audio_buffer.commit()
        session.connection.session.update(session=settings({"type": "server_vad"}))
        session.append(FIRST)
        session.until(TEXT_EVENT + "completed", 3)
        check(session.events)
    assert words(session.texts[0])[:3] == ["turn", "the", "fan"]
    # The end of the first sentence may be heard again.
    assert session.texts[1].endswith(SENTENCES[1]) and session.texts[2] == SENTENCES[0]
    kinds = [event["type"] for event in session.events]
    assert kinds.count("session.updated") == 2
    assert kinds.index("session.updated") > kinds.index("input_audio_buffer.committed")


def test_text_is_sent_while_it_is_spoken(server):
    """With turn detection and the live models; otherwise only after the commit, as in the cloud."""
    for model, is_live in (("gpt-live-transcribe", True), ("gpt-4o-transcribe", False)):
        with Session(server) as session:
            session.update(settings(model=model))
            session.append(SPEECH)
            if is_live:
                assert session.until(TEXT_EVENT + "delta")["delta"].startswith("Turn")
                assert not session.of("input_audio_buffer.committed")
            session.finish()
        kinds = [event["type"] for event in session.events]
        assert (kinds.index(TEXT_EVENT + "delta") < kinds.index("input_audio_buffer.committed")) == is_live
        assert session.texts == [FAN_TEXT]


def test_without_transcription(server):
    with Session(server) as session:
        session.update({"type": "transcription", "audio": {"input": {"transcription": None}}})
        session.append(SPEECH)
        session.until("input_audio_buffer.committed", 2)
    assert not [event for event in session.events if event["type"].startswith(TEXT_EVENT)]


def test_sessions_at_once_do_not_mix(server):
    sessions = [Session(server).__enter__() for _ in range(3)]
    for session in sessions:
        session.update(settings())
        session.append(SPEECH)
    for session in sessions:
        session.finish()
        session.connection.close()
    assert [session.texts for session in sessions] == [[FAN_TEXT]] * 3


def test_a_model_for_conversations(server):
    """It is accepted, but every session only transcribes."""
    with Session(server, model="gpt-realtime") as session:
        assert session.next()["session"]["type"] == "transcription"
        session.connection.response.create(event_id="no")
        error = session.until("error")["error"]
        assert (error["code"], error["event_id"]) == ("unsupported_event", "no")
        updated = session.update({"type": "realtime", "instructions": "Be kind.", "audio": {
            "input": {"turn_detection": None}, "output": {"voice": "alloy"}}})
        assert updated["type"] == "transcription" and updated["audio"]["input"]["turn_detection"] is None


def test_keys(secured):
    with pytest.raises(Exception) as failure:
        Session(secured, "wrong").__enter__()
    assert "401" in str(failure.value)
    with Session(secured, KEY) as session:
        assert session.next()["type"] == "session.created"


def test_client_secrets(secured):
    client = OpenAI(base_url=f"{secured.url}/v1", api_key=KEY, _strict_response_validation=True)
    secret = client.realtime.client_secrets.create(
        expires_after={"anchor": "created_at", "seconds": 60}, session=settings(prompt="Chairs."))
    assert secret.value.startswith("ek_") and secret.expires_at == pytest.approx(time.time() + 60, abs=10)
    for _ in range(2):
        with Session(secured, secret.value) as session:
            given = session.next()["session"]["audio"]["input"]
            assert given["turn_detection"] is None and given["transcription"]["prompt"] == "Chairs."
            session.append(FIRST)
            session.finish()
            assert session.texts == [SENTENCES[0]]
    for body, param in (({"expires_after": {"seconds": 9}}, "expires_after.seconds"),
                        ({"session": {"type": "none"}}, "session.type"), ("[]", None)):
        answer = requests.post(f"{secured.url}/v1/realtime/client_secrets", headers={"Authorization": f"Bearer {KEY}"},
                               timeout=10, **({"data": body} if isinstance(body, str) else {"json": body}))
        assert answer.status_code == 400 and answer.json()["error"]["param"] == param
    with pytest.raises(openai.AuthenticationError):
        OpenAI(base_url=f"{secured.url}/v1", api_key=secret.value).realtime.client_secrets.create()


def test_the_beta(server):
    client = OpenAI(base_url=f"{server.url}/v1", websocket_base_url=f"{server.web_socket_url}/v1", api_key="local")
    session = Session(server, types=BETA)
    session.manager = client.beta.realtime.connect(model="whisper-1", extra_query={"intent": "transcription"})
    with session:
        created = session.next()
        assert created["type"] == "transcription_session.created" and created["session"]["input_audio_format"] == "pcm16"
        session.connection.transcription_session.update(session={
            "input_audio_format": "g711_ulaw", "turn_detection": None, "input_audio_noise_reduction": {"type": "near_field"},
            "input_audio_transcription": {"model": "whisper-1", "language": "en", "prompt": ""}})
        updated = session.until("transcription_session.updated")["session"]
        assert updated["input_audio_format"] == "g711_ulaw" and updated["turn_detection"] is None
        assert updated["input_audio_noise_reduction"] == {"type": "near_field"}
        session.append(audio(8000, "mulaw", "pcm_mulaw"), rate=8000, width=1)
        session.finish()
    assert words(session.texts[0])[:3] == ["turn", "the", "fan"]
    assert len(session.of("conversation.item.created")) == 1 and not session.of("conversation.item.added")


def test_a_secret_of_the_beta(secured):
    client = OpenAI(base_url=f"{secured.url}/v1", api_key=KEY, _strict_response_validation=True)
    made = client.beta.realtime.transcription_sessions.create(
        input_audio_format="g711_alaw", input_audio_transcription={"model": "whisper-1"})
    assert made.input_audio_format == "g711_alaw" and made.client_secret.value.startswith("ek_")
    with Session(secured, made.client_secret.value) as session:
        assert session.next()["session"]["audio"]["input"]["format"] == {"type": "audio/pcma"}
        # Old clients mix both forms.
        session.connection.send({"type": "transcription_session.update", "session": {"input_audio_format": "pcm16"}})
        event = json.loads(session.connection.recv_bytes())
        assert event["type"] == "transcription_session.updated" and event["session"]["input_audio_format"] == "pcm16"


@pytest.mark.parametrize("turns", ["null", '{"type": "server_vad"}'])
def test_openai_agents(server, turns, tmp_path):
    """Its newest release needs older packages than the other clients."""
    environment = Path(sys.prefix + "-realtime") / "bin/python"
    if not environment.exists():
        pytest.skip("scripts/install-clients.sh has not been run")
    path = tmp_path / "speech.wav"
    subprocess.run(["ffmpeg", "-v", "error", "-i", str(FAN), "-ar", str(RATE), str(path)], check=True)
    result = subprocess.run([environment, Path(__file__).with_name("realtime_agents.py"), server.url, path, turns],
                            capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert [turn for turn in json.loads(result.stdout) if turn] == SENTENCES


@pytest.mark.skipif(program() is None, reason="Chromium is not installed")
def test_a_browser(secured):
    """It can send a key only among the subprotocols, one of which must be selected."""
    browser = Browser()
    try:
        page = browser.page()
        page.open(secured.url)
        page.value("(globalThis.heard = [], 0)")
        script = f"""new Promise((done) => {{
            const socket = new WebSocket("{secured.web_socket_url}{TARGET}",
                                         ["realtime", "openai-insecure-api-key.KEY"]);
            socket.onclose = () => done("closed");
            socket.onmessage = (message) => {{
                const event = JSON.parse(message.data);
                heard.push(event.type);
                if (event.type === "session.created") {{
                    socket.send(JSON.stringify({{type: "input_audio_buffer.append", audio: "{base64.b64encode(FIRST).decode()}"}}));
                }} else if (event.type.endsWith("completed")) {{
                    done(socket.protocol + ": " + event.transcript);
                }}
            }};
        }})"""
        assert page.value(script.replace("KEY", "wrong")) == "closed"
        assert page.value(script.replace("KEY", KEY)) == f"realtime: {SENTENCES[0]}"
        assert KEY not in secured.log
    finally:
        browser.close()


# What no client sends.


def say(**event):
    return frame(TEXT, json.dumps(event))


APPEND = {"type": "input_audio_buffer.append"}


@pytest.mark.parametrize("data,code,param", [
    (frame(TEXT, "{"), "invalid_json", None), (frame(TEXT, "[]"), "invalid_json", None), (frame(TEXT, ""), "invalid_json", None),
    (frame(BINARY, bytes(10)), "invalid_value", None), (say(), "missing_required_parameter", "type"),
    (say(type=3), "missing_required_parameter", "type"), (say(type="nonsense"), "invalid_value", "type"),
    (say(type="input_audio_buffer.commit", event_id=3), "invalid_value", "event_id"),
    (say(**APPEND), "missing_required_parameter", "audio"), (say(**APPEND, audio="?"), "invalid_value", "audio"),
    (say(**APPEND, audio=3), "invalid_value", "audio"), (say(type="session.update"), "missing_required_parameter", "session"),
    (say(type="session.update", session=3), "missing_required_parameter", "session"),
    (say(type="input_audio_buffer.commit"), "input_audio_buffer_commit_empty", None),
    *((say(type=kind), "unsupported_event", "type") for kind in (
        "response.create", "response.cancel", "conversation.item.create", "conversation.item.delete",
        "conversation.item.retrieve", "conversation.item.truncate", "output_audio_buffer.clear")),
], ids=str)
def test_errors(server, data, code, param):
    """The session goes on."""
    with WebSocket(server, TARGET) as socket:
        assert socket.message()["type"] == "session.created"
        socket.send(data)
        event = socket.message()
        PRESENT.validate_python(event)
        assert (event["type"], event["error"]["code"], event["error"]["param"]) == ("error", code, param)
        socket.say(type="input_audio_buffer.clear")
        assert socket.message()["type"] == "input_audio_buffer.cleared"


@pytest.mark.parametrize("input,param", [
    (3, "session.audio.input"), ({"format": {"type": "audio/mp3"}}, "session.audio.input.format.type"),
    ({"format": {"type": "audio/pcm", "rate": 1000}}, "session.audio.input.format.rate"),
    ({"transcription": 3}, "session.audio.input.transcription"),
    ({"transcription": {"language": "xx"}}, "session.audio.input.transcription.language"),
    ({"transcription": {"language": "de"}}, "session.audio.input.transcription.language"),
    ({"transcription": {"languages": "en"}}, "session.audio.input.transcription.languages"),
    ({"transcription": {"model": ""}}, "session.audio.input.transcription.model"),
    ({"transcription": {"prompt": 3}}, "session.audio.input.transcription.prompt"),
    ({"transcription": {"delay": "long"}}, "session.audio.input.transcription.delay"),
    ({"turn_detection": {"type": "none"}}, "session.audio.input.turn_detection.type"),
    ({"turn_detection": {"threshold": 2}}, "session.audio.input.turn_detection.threshold"),
    ({"turn_detection": {"silence_duration_ms": -1}}, "session.audio.input.turn_detection.silence_duration_ms"),
    ({"turn_detection": {"type": "semantic_vad", "eagerness": "?"}}, "session.audio.input.turn_detection.eagerness"),
    ({"noise_reduction": {"type": "far"}}, "session.audio.input.noise_reduction.type"),
], ids=str)
def test_a_bad_update_changes_nothing(server, input, param):
    with WebSocket(server, TARGET) as socket:
        before = socket.message()["session"]
        socket.say(type="session.update", event_id="mine", session={
            "type": "transcription", "include": [LOGPROBS], "audio": {"input": input}})
        error = socket.message()["error"]
        assert error["param"] == param and error["event_id"] == "mine"
        socket.say(type="session.update", session={"type": "transcription"})
        assert socket.message()["session"] == before


def test_what_the_strict_server_rejects(strict):
    with WebSocket(strict, TARGET) as socket:
        socket.message()
        for session in ({}, {"type": "realtime"}, settings(model="unknown"),
                        {"type": "transcription", "audio": {"input": {"format": {"type": "audio/pcm", "rate": 16000}}}}):
            socket.say(type="session.update", session=session)
            assert socket.message()["type"] == "error"
        socket.say(type="session.update", session=settings())
        assert socket.message()["type"] == "session.updated"


def test_odd_bytes_at_a_commit(server):
    with WebSocket(server, TARGET) as socket:
        socket.message()
        socket.say(type="session.update", session=settings())
        socket.say(**APPEND, audio=base64.b64encode(FIRST + b"\0").decode())
        socket.say(type="input_audio_buffer.commit")
        assert socket.message()["type"] == "session.updated"
        assert socket.message()["error"]["param"] == "audio"
        socket.say(**APPEND, audio="AA==")
        socket.say(type="input_audio_buffer.commit")
        assert socket.message()["type"] == "input_audio_buffer.committed"


def test_handshakes(server, secured):
    """`realtime` is selected if it is offered, none if none is, and only others are refused. Without a key, 401."""
    for lines, status, selected in (([], 101, None), (["realtime, openai-insecure-api-key.x"], 101, "realtime"), (["other"], 400, None)):
        answer = exchange(server, upgrade(server, TARGET, *[f"Sec-WebSocket-Protocol: {line}" for line in lines]), "GET")
        assert (answer.status, answer.headers.get("sec-websocket-protocol")) == (status, selected)
        assert "sec-websocket-extensions" not in answer.headers
    for lines in ([], ["Authorization: Bearer wrong"], ["Sec-WebSocket-Protocol: realtime, openai-insecure-api-key.wrong"]):
        answer = exchange(secured, upgrade(secured, TARGET, *lines), "GET")
        assert answer.status == 401 and json.loads(answer.body)["error"]["code"] == "invalid_api_key"
    assert exchange(server, upgrade(server, "/v1/realtime/calls"), "GET").status == 404


def test_the_number_of_sessions_is_limited(small):
    with WebSocket(small, TARGET) as first, WebSocket(small, TARGET) as second:
        for socket in (first, second):
            assert socket.message()["type"] == "session.created"
        with WebSocket(small, TARGET) as third:
            assert [event["error"]["code"] for event in third.messages()] == ["overloaded"] and third.code == 1011


def test_messages_that_are_too_long(server):
    """15 MiB of audio fit into one event; other routes accept less."""
    with WebSocket(server, TARGET) as socket:
        socket.message()
        socket.say(type="session.update", session=settings())
        socket.message()
        socket.say(**APPEND, audio=base64.b64encode(FIRST + bytes((15 << 20) - len(FIRST))).decode())
        socket.say(type="input_audio_buffer.commit")
        assert socket.message()["type"] == "input_audio_buffer.committed"
    with WebSocket(server, TARGET) as socket:
        socket.message()
        socket.try_to_send(frame(TEXT, "x" * (22 << 20)))
        socket.messages()
        assert socket.code in (1009, None)


@pytest.mark.slow
def test_a_client_that_is_faster_than_the_recognition_waits(server):
    """It cannot fill the memory, and nothing is dropped."""
    before = server.resident_bytes()
    with WebSocket(server, TARGET, timeout=100) as socket:
        socket.message()
        socket.say(type="session.update", session=settings())
        socket.message()
        minute = base64.b64encode((SPEECH + bytes(60 * RATE * 2))[:60 * RATE * 2]).decode()
        for _ in range(10):
            socket.say(**APPEND, audio=minute)
        socket.say(type="input_audio_buffer.commit")
        events = []
        while not events or events[-1]["type"] != TEXT_EVENT + "completed":
            events.append(socket.message())
    assert events[-1]["transcript"].count(SENTENCES[0]) == 10 and events[-1]["usage"]["seconds"] == 600
    assert server.resident_bytes() - before < 100 << 20


def test_the_connection_ends_in_the_middle(server):
    for _ in range(5):
        with WebSocket(server, TARGET) as socket:
            socket.message()
            socket.say(**APPEND, audio=base64.b64encode(FIRST).decode())
    with Session(server) as session:
        session.append(SPEECH)
        session.finish()
    assert session.texts == SENTENCES


def test_shutdown(start):
    server = start("--cache", "off")
    with WebSocket(server, TARGET) as socket:
        socket.message()
        socket.say(**APPEND, audio=base64.b64encode(FIRST[:2 * RATE * 2]).decode())
        while socket.message()["type"] != "input_audio_buffer.speech_started":
            pass
        server.process.terminate()
        events = socket.messages()
    assert socket.code == 1001
    assert [words(event["transcript"])[:3] for event in events if event["type"] == TEXT_EVENT + "completed"] == [["turn", "the", "fan"]]


def test_speakers(diarizing):
    """Segments have speakers if the model identifies them."""
    path = installed(MODELS / "speakers.safetensors") and FAN
    with Session(diarizing) as session:
        session.update(settings(model="gpt-4o-transcribe-diarize"))
        session.append(audio(path=path))
        session.finish()
    segments = session.of(TEXT_EVENT + "segment")
    assert segments and {segment["speaker"] for segment in segments} == {"A"}
    assert " ".join(segment["text"] for segment in segments) == session.texts[0]
