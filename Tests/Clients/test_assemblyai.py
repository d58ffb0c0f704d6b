"""AssemblyAI's Python client: streaming with version 1 (v3 of the protocol), and real time with 0.35 (v2)."""
import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from assemblyai.streaming.v3 import (AsyncStreamingClient, StreamingClient, StreamingClientOptions, StreamingEvents,
                                     StreamingParameters, StreamingSessionParameters)

from clips import FAN, FAN_TEXT, RATE, chunks, samples, words
from conftest import KEY
from recorder import Recorder

SILENCE = bytes(RATE * 2)
SPEECH = samples(FAN) + SILENCE
EVENTS = [event for event in StreamingEvents]


class Session:
    """A session of the official client, with everything that it reports."""

    def __init__(self, host, key="local", token=None, **parameters):
        self.events = []
        self.failures = []
        self.begun = threading.Event()
        options = {"token": token} if token else {"api_key": key}
        self.client = StreamingClient(StreamingClientOptions(api_host=host, **options))
        for event in EVENTS:
            self.client.on(event, lambda _, message: self.receive(message))
        # A message that the client cannot parse ends its thread silently.
        previous, threading.excepthook = threading.excepthook, lambda failure: self.failures.append(failure)
        try:
            start = time.monotonic()
            self.client.connect(StreamingParameters(**{"sample_rate": RATE, "format_turns": True} | parameters))
            self.connect_seconds = time.monotonic() - start
        finally:
            self.hook = previous

    def receive(self, message):
        self.events.append(message)
        self.begun.set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        start = time.monotonic()
        self.client.disconnect(terminate=True)
        self.disconnect_seconds = time.monotonic() - start
        threading.excepthook = self.hook
        assert not self.failures, self.failures

    def of(self, kind):
        return [event for event in self.events if type(event).__name__ == kind]

    @property
    def turns(self):
        return self.of("TurnEvent")

    @property
    def errors(self):
        return self.of("RealTimeError")

    @property
    def text(self):
        return " ".join(turn.transcript for turn in self.turns if turn.end_of_turn)

    def wait_for(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            time.sleep(0.02)
        assert condition(), self.events


def check(turns):
    """What every client relies on: words that are final never change, and every turn ends exactly once."""
    order, final, ended, last_start = 0, [], False, 0
    for turn in turns:
        if ended:
            order, final, ended = order + 1, [], False
        assert turn.turn_order == order
        assert 0 <= turn.end_of_turn_confidence <= 1
        flags = [word.word_is_final for word in turn.words]
        assert flags == sorted(flags, reverse=True), "final words come first"
        now = [word for word in turn.words if word.word_is_final]
        assert now[:len(final)] == final
        final = now
        for word in turn.words:
            assert 0 <= word.start <= word.end and 0 <= word.confidence <= 1 and word.text == word.text.strip() != ""
        starts = [word.start for word in final]
        assert starts == sorted(starts) and (not starts or starts[0] >= last_start)
        assert turn.transcript == " ".join(word.text for word in final)
        if turn.end_of_turn:
            ended = True
            assert all(flags) and final
            last_start = final[-1].start
    assert ended or not turns


def test_a_session_is_transcribed(server):
    with Session(server.web_socket_url) as session:
        session.client.stream(chunks(SPEECH))
    assert session.connect_seconds < 1 and session.disconnect_seconds < 5
    begin, termination = session.of("BeginEvent"), session.of("TerminationEvent")
    assert len(begin) == len(termination) == 1 and session.events[0] is begin[0] and session.events[-1] is termination[0]
    assert begin[0].expires_at.timestamp() == pytest.approx(time.time() + 3 * 3600, abs=60)
    assert begin[0].configuration.model == "nano.en"
    assert termination[0].audio_duration_seconds in (6, 7)
    check(session.turns)
    assert all(turn.turn_is_formatted for turn in session.turns)
    assert session.text == FAN_TEXT
    assert not session.errors


def test_turns_without_formatting_are_lower_case(server):
    with Session(server.web_socket_url, format_turns=False) as session:
        session.client.stream(chunks(SPEECH))
    check(session.turns)
    assert not any(turn.turn_is_formatted for turn in session.turns)
    assert session.text == session.text.lower() and not set(session.text) & set(".?,!")
    assert session.text.startswith("turn the fan down to ")


def test_text_appears_while_it_is_spoken(server):
    """In real time: the first words come before the sentence ends, and may still change."""
    with Session(server.web_socket_url) as session:
        for piece in chunks(SPEECH, 100)[:25]:
            session.client.stream(piece)
            time.sleep(0.1)
        assert session.turns, "no words after 2.5 s"
        assert any(not word.word_is_final for turn in session.turns for word in turn.words)
        session.client.stream(chunks(SPEECH, 100)[25:])
    check(session.turns)


def test_a_forced_end_point_ends_the_turn(server):
    with Session(server.web_socket_url, max_turn_silence=10000, min_turn_silence=5000) as session:
        session.client.stream(chunks(SPEECH[:3 * RATE * 2]))
        session.client.force_endpoint()
        session.wait_for(lambda: any(turn.end_of_turn for turn in session.turns))
        assert words(session.text)[:4] == ["turn", "the", "fan", "down"]
        session.client.keep_alive()
        session.client.set_params(StreamingSessionParameters(max_turn_silence=500, min_turn_silence=200,
                                                             keyterms_prompt=["chair"], format_turns=True))
        session.client.stream(chunks(SPEECH[3 * RATE * 2:]))
    check(session.turns)
    assert words(session.text)[-2:] == ["short", "chair"]


@pytest.mark.parametrize("parameters", [
    {"encoding": "pcm_s16le", "keyterms_prompt": ["short chair", "fan"], "speech_model": "universal-streaming-english"},
    {"min_end_of_turn_silence_when_confident": 300, "end_of_turn_confidence_threshold": 0.7, "vad_threshold": 0.5},
    {"language_codes": ["en"], "language_detection": True, "inactivity_timeout": 30},
    {"prompt": "About furniture.", "speech_model": "u3-rt-pro", "session_heartbeat": True},
], ids=str)
def test_parameters(server, parameters):
    with Session(server.web_socket_url, **parameters) as session:
        session.client.stream(chunks(SPEECH))
    check(session.turns)
    assert "chair" in words(session.text) and not session.errors
    if parameters.get("session_heartbeat") is None:
        assert not session.of("HeartbeatEvent")


def test_without_speaker_networks_a_warning_comes_instead_of_speakers(server):
    with Session(server.web_socket_url, speaker_labels=True, max_speakers=2) as session:
        session.client.stream(chunks(SPEECH))
    check(session.turns)
    assert ["Speakers" in warning.warning for warning in session.of("WarningEvent")] == [True]
    assert "chair" in words(session.text) and not session.errors
    assert all(word.speaker is None for turn in session.turns for word in turn.words)


@pytest.mark.parametrize("rate,encoder,encoding", [(8000, "pcm_s16le", "pcm_s16le"), (48000, "pcm_s16le", "pcm_s16le"),
                                                   (8000, "pcm_mulaw", "pcm_mulaw"), (16000, "pcm_mulaw", "pcm_mulaw")])
def test_rates_and_encodings(server, rate, encoder, encoding):
    format = {"pcm_s16le": "s16le", "pcm_mulaw": "mulaw"}[encoder]
    audio = subprocess.run(["ffmpeg", "-v", "error", "-i", str(FAN), "-ar", str(rate), "-c:a", encoder, "-f", format, "-"],
                           capture_output=True, check=True).stdout
    # Odd pieces: a sample of two bytes may be split between two messages.
    pieces = [audio[start:start + 1601] for start in range(0, len(audio), 1601)]
    with Session(server.web_socket_url, sample_rate=rate, encoding=encoding) as session:
        session.client.stream(pieces)
    check(session.turns)
    assert words(session.text)[:3] == ["turn", "the", "fan"]


@pytest.mark.parametrize("parameters", [{"sample_rate": 4000}, {"encoding": "aac"}, {"vad_threshold": 2},
                                        {"inactivity_timeout": 1}], ids=str)
def test_bad_parameters_are_reported_once(server, parameters):
    with Session(server.web_socket_url, **parameters) as session:
        session.wait_for(lambda: session.errors)
    assert [error.code for error in session.errors] == [3006]


def test_keys(secured):
    for key in (KEY, f"Bearer {KEY}"):
        with Session(secured.web_socket_url, key) as session:
            session.wait_for(lambda: session.of("BeginEvent"))
    for key in ("wrong", KEY + "x"):
        with Session(secured.web_socket_url, key) as session:
            session.wait_for(lambda: session.errors)
        assert [error.code for error in session.errors] == [1008]


def test_the_number_of_sessions_is_limited(small):
    first, second = Session(small.web_socket_url), Session(small.web_socket_url)
    with first, second:
        for session in (first, second):
            session.wait_for(lambda: session.of("BeginEvent"))
        with Session(small.web_socket_url) as third:
            third.wait_for(lambda: third.errors)
        assert [error.code for error in third.errors] == [3009]


@pytest.mark.slow
def test_inactivity(server):
    with Session(server.web_socket_url, inactivity_timeout=5) as session:
        session.wait_for(lambda: session.errors)
    assert [error.code for error in session.errors] == [3005]


def test_strict_length_of_messages(strict):
    with Session(strict.web_socket_url) as session:
        session.client.stream(chunks(SPEECH, 10))
        session.wait_for(lambda: session.errors)
    assert [error.code for error in session.errors] == [3007]


def test_sessions_at_once_do_not_mix(server):
    sessions = [Session(server.web_socket_url) for _ in range(4)]
    for session in sessions:
        session.client.stream(chunks(SPEECH))
    for session in sessions:
        with session:
            pass
    assert [session.text for session in sessions] == [FAN_TEXT] * 4
    assert len({session.of("BeginEvent")[0].id for session in sessions}) == 4


def test_the_handshake_does_not_wait_for_the_model(start):
    """The client gives up after a second."""
    server = start("--cache", "off", ready=False)
    with Session(server.web_socket_url) as session:
        session.wait_for(lambda: session.of("BeginEvent"), 2)
        session.client.stream(chunks(SPEECH))
    assert session.connect_seconds < 1 and session.text == FAN_TEXT


def test_async_client(server):
    async def run():
        events = []
        client = AsyncStreamingClient(StreamingClientOptions(api_host=server.web_socket_url, api_key="local"))
        for event in EVENTS:
            client.on(event, lambda _, message: events.append(message))
        await client.connect(StreamingParameters(sample_rate=RATE, format_turns=True))
        await client.stream(chunks(SPEECH))
        start = time.monotonic()
        await client.disconnect(terminate=True)
        assert time.monotonic() - start < 5
        return events

    events = asyncio.run(run())
    turns = [event for event in events if type(event).__name__ == "TurnEvent"]
    check(turns)
    assert " ".join(turn.transcript for turn in turns if turn.end_of_turn) == FAN_TEXT
    assert type(events[-1]).__name__ == "TerminationEvent"


# TLS: the client fetches tokens only over https.


@pytest.fixture
def trusted(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.certificate))


def test_temporary_tokens(tls, trusted):
    host = f"localhost:{tls.port}"
    with Session(host, KEY) as session:
        token = session.client.create_temporary_token(60, max_session_duration_seconds=600)
    with Session(host, token=token) as session:
        session.wait_for(lambda: session.of("BeginEvent"))
        session.client.stream(chunks(SPEECH))
    assert session.text == FAN_TEXT
    assert session.of("BeginEvent")[0].expires_at.timestamp() == pytest.approx(time.time() + 600, abs=60)
    with Session(host, token=token) as session:
        session.wait_for(lambda: session.errors)
    assert [error.code for error in session.errors] == [1008], "a token is good for one session"


def test_the_older_real_time_client(tls, certificate):
    """Version 0.35 runs in its own environment, as a program that prints what it received."""
    environment = Path(sys.prefix + "-realtime") / "bin/python"
    if not environment.exists():
        pytest.skip("scripts/install-clients.sh has not been run")
    result = subprocess.run([environment, Path(__file__).with_name("realtime_session.py"), f"https://localhost:{tls.port}",
                             KEY, FAN], capture_output=True, text=True, timeout=60,
                            env=os.environ | {"SSL_CERT_FILE": str(certificate.certificate)})
    assert result.returncode == 0, result.stderr
    events = [json.loads(line) for line in result.stdout.splitlines()]
    kinds = [event["kind"] for event in events]
    assert kinds[0] == "opened" and kinds[-1] == "closed" and "error" not in kinds
    information = next(event for event in events if event["kind"] == "information")
    assert information["audio_duration_seconds"] == pytest.approx(6.8, abs=0.5)
    finals = [event["text"] for event in events if event["kind"] == "final"]
    partials = [event["text"] for event in events if event["kind"] == "partial"]
    assert " ".join(finals) == FAN_TEXT
    assert partials and all(text == text.lower() and not set(text) & set(".?!") for text in partials)


# What the client sends: if this changes, the server must be reviewed.


def test_what_the_client_sends():
    with Recorder() as recorder:
        client = StreamingClient(StreamingClientOptions(api_host=recorder.web_socket_url, api_key="secret"))
        client.on(StreamingEvents.Error, lambda *_: None)
        client.connect(StreamingParameters(sample_rate=16000, format_turns=True, encoding="pcm_s16le",
                                           keyterms_prompt=["a b", "c"], end_of_turn_confidence_threshold=0.4,
                                           min_end_of_turn_silence_when_confident=300))
        request = recorder.requests[0]
    path, _, query = request.line.split()[1].partition("?")
    assert path == "/v3/ws"
    assert query == ("end_of_turn_confidence_threshold=0.4&format_turns=True&keyterms_prompt=%5B%22a+b%22%2C+%22c%22%5D"
                     "&sample_rate=16000&encoding=pcm_s16le&min_turn_silence=300")
    assert request.headers["authorization"] == "secret"
    assert request.headers["sec-websocket-extensions"].startswith("permessage-deflate")
