"""Home Assistant and other clients of the Wyoming protocol: the official package, and bytes that it would never send."""
import asyncio
import json
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests
from wyoming.client import AsyncClient
from wyoming.ping import Ping, Pong

import wyoming_session as session
from clips import DOOR, DOOR_TEXT, FAN
from conftest import MODELS, installed
from serving import STOPPED, Server, refused_start, wait_until

TEXT = "Turn the fan down to 5%. Where did you put the short chair?"
START = {"rate": 16000, "width": 2, "channels": 1, "timestamp": None}


def samples(path=FAN, rate=16000, form="s16le", channels=1):
    command = ["ffmpeg", "-v", "error", "-i", path, "-f", form, "-ac", str(channels), "-ar", str(rate), "-"]
    return subprocess.run(command, check=True, capture_output=True).stdout


@pytest.fixture(scope="module")
def wyoming():
    server = Server("--cache", "off", "--wyoming", "0", "--max-sessions", "12", "--max-duration", "60")
    server.uri = server.wyoming_uri
    yield server
    assert server.stop() in STOPPED


class Raw:
    """A connection without the package."""

    def __init__(self, server):
        host, port = server.uri.removeprefix("tcp://").rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=20)
        self.file = self.socket.makefile("rb")

    def send(self, *events):
        for event in events:
            self.socket.sendall(event if isinstance(event, bytes) else frame(*event))

    def close(self):
        self.file.close()
        self.socket.close()

    def read(self):
        """The type and the data of the next event; `None` at the end."""
        line = self.file.readline()
        if not line:
            return None
        event = json.loads(line)
        assert "payload_length" not in event
        return event["type"], json.loads(self.file.read(event.get("data_length", 0)) or "{}")

    def error(self):
        kind, data = self.read()
        assert kind == "error" and data["text"] and self.read() is None
        return data["code"]


def frame(kind, data=None, payload=b""):
    """As the package writes it."""
    header = {"type": kind, "version": "1.10.2"}
    block = json.dumps(data).encode() if data is not None else b""
    if block:
        header["data_length"] = len(block)
    if payload:
        header["payload_length"] = len(payload)
    return json.dumps(header).encode() + b"\n" + block + payload


def chunk(payload, **format):
    return "audio-chunk", START | format, payload


STOP = ("audio-stop", {"timestamp": None})


def test_the_conversation_of_home_assistant(wyoming):
    environment = Path(sys.prefix + "-realtime") / "bin/python"
    if not environment.exists():
        pytest.skip("the older clients are not installed: scripts/setup.sh --tests")
    result = subprocess.run([environment, Path(session.__file__), wyoming.uri, FAN, "en"], capture_output=True, text=True,
                            timeout=60)
    assert result.stdout.splitlines() == ["en", TEXT], result.stderr


def test_info(wyoming):
    [program] = asyncio.run(session.describe(wyoming.uri)).asr
    assert program.installed and program.name == "whisper-local" and program.attribution.url
    assert program.requires_external_vad and not program.supports_transcript_streaming
    assert [(model.name, model.languages, model.installed) for model in program.models[:1]] == [("nano.en", ["en"], True)]


@pytest.mark.parametrize("form,width", [("s16le", 2), ("u8", 1), ("s32le", 4)])
@pytest.mark.parametrize("rate", [8000, 16000, 22050, 44100, 48000])
def test_formats(wyoming, rate, form, width):
    content = samples(DOOR, rate, form)
    assert asyncio.run(session.transcribe(wyoming.uri, content, rate=rate, width=width)) == DOOR_TEXT


def test_stereo_and_other_chunks(wyoming):
    assert asyncio.run(session.transcribe(wyoming.uri, samples(channels=2), channels=2, milliseconds=1000)) == TEXT


def test_the_format_may_change(wyoming):
    raw = Raw(wyoming)
    first, second = samples(FAN)[:32000 * 3], samples(FAN, 48000)[48000 * 2 * 3:]
    raw.send(chunk(first), *(chunk(second[start:start + 500_000], rate=48000) for start in range(0, len(second), 500_000)),
             STOP)
    assert raw.read() == ("transcript", {"text": TEXT, "language": "en"})


def test_one_connection_may_ask_twice(wyoming):
    async def both():
        async with AsyncClient.from_uri(wyoming.uri) as client:
            await client.write_event(Ping(text="hi").event())
            assert Pong.from_event(await client.read_event()).text == "hi"
            return [await session.ask(client, samples(path), language="en") for path in (FAN, DOOR)]

    assert asyncio.run(both()) == [TEXT, DOOR_TEXT]


def test_eight_clients_at_once(wyoming):
    async def all_of_them():
        return await asyncio.gather(*(session.transcribe(wyoming.uri, samples(path), language="en")
                                      for path in [FAN, DOOR] * 4))

    assert asyncio.run(all_of_them()) == [TEXT, DOOR_TEXT] * 4


def test_silence_and_nothing(wyoming):
    assert asyncio.run(session.transcribe(wyoming.uri, b"")) == ""
    assert asyncio.run(session.transcribe(wyoming.uri, bytes(64000))) == ""


def test_events_that_say_nothing(wyoming):
    raw = Raw(wyoming)
    raw.send(("select-program", {"name": "x"}), ("synthesize", {"text": "hello"}, b"\n{" * 1000), b'{"type":"ping","data":null}\r\n',
             b'{"type":"ping","data":{"text":"inline"},"data_length":null,"payload_length":0}\n')
    assert [raw.read(), raw.read()] == [("pong", {}), ("pong", {"text": "inline"})]
    # A recording begins anew with each audio-start.
    raw.send(("transcribe", {"name": "unknown", "language": "en-GB", "context": None, "transcript_terms": ["chair", ""]}),
             ("audio-start", START), chunk(samples(DOOR)), ("audio-start", START), chunk(samples(FAN)), STOP)
    assert raw.read()[1]["text"] == TEXT
    # What it is transcribed with may also follow the sound.
    raw.send(("audio-start", START), chunk(samples(DOOR)), ("transcribe", {"language": "en"}), STOP)
    assert raw.read()[1]["text"] == DOOR_TEXT
    raw.send(("transcribe", {}), chunk(samples(DOOR)), ("transcribe", {"language": "en"}), STOP)
    assert raw.read()[1]["text"] == ""


@pytest.mark.parametrize("language", ["klingon", "de"])
def test_unknown_languages(wyoming, language):
    raw = Raw(wyoming)
    raw.send(("transcribe", {"language": language}), chunk(samples(DOOR)), STOP)
    assert raw.error() == "unknown-language"


BAD_EVENTS = [
    b"hello\n", b"[]\n", b'"ping"\n', b"{}\n", b'{"type":""}\n', b'{"type":7}\n', b'{"type":"ping","data":[]}\n',
    b'{"type":"ping","data_length":-1}\n', b'{"type":"ping","data_length":1.5}\n', b'{"type":"ping","payload_length":"9"}\n',
    b'{"type":"ping","data_length":2}\n[]', b'{"type":"ping","data_length":3}\n{"a', b'{"type":"ping","data_length":1048577}\n',
    b'{"type":"ping","payload_length":1048577}\n', b'{"type":"ping","data_length":99999999999999999999}\n',
    b'{"type":"' + b"x" * 65536 + b'"}\n', b"x" * 70_000, b'{"type":"\xff"}\n', b"[" * 60_000 + b"\n", b"\n",
    b'{"type":"ping","data":' + b'{"a":' * 100 + b"1" + b"}" * 100 + b"}\n"]


@pytest.mark.parametrize("event", BAD_EVENTS, ids=lambda event: repr(event[:40]))
def test_bad_events(wyoming, event):
    raw = Raw(wyoming)
    raw.send(("ping", {}), event)
    assert raw.read() == ("pong", {})
    assert raw.error() == "bad-event"


@pytest.mark.parametrize("format", [
    {"rate": 7999}, {"rate": 96001}, {"rate": None}, {"rate": "16000"}, {"width": 3}, {"width": 0}, {"channels": 0},
    {"channels": 9}, {"channels": -1}], ids=str)
def test_bad_audio(wyoming, format):
    raw = Raw(wyoming)
    raw.send(chunk(bytes(320), **format))
    assert raw.error() == "bad-audio"


def test_incomplete_samples(wyoming):
    raw = Raw(wyoming)
    raw.send(chunk(bytes(321)))
    assert raw.error() == "bad-audio"


def test_recordings_are_limited(wyoming):
    raw = Raw(wyoming)
    raw.send(*[chunk(bytes(32000 * 10))] * 7)
    assert raw.read() == ("error", {"text": "The recording is longer than 1:00.", "code": "too-long"})
    assert raw.read() is None


def test_sessions_are_limited(wyoming):
    raws = [Raw(wyoming) for _ in range(13)]
    for raw in raws[:12]:
        raw.send(chunk(bytes(3200)), ("ping", {}))
        assert raw.read() == ("pong", {})
    raws[12].send(chunk(bytes(3200)))
    assert raws[12].error() == "busy"
    for raw in raws:
        raw.close()
    assert wait_until(lambda: asyncio.run(session.transcribe(wyoming.uri, samples(DOOR))) == DOOR_TEXT, 10)


def test_an_end_inside_an_event(wyoming):
    for event in [b'{"type":"pi', b'{"type":"ping","data_length":100}\n{"te', frame(*chunk(bytes(320)))[:-7]]:
        raw = Raw(wyoming)
        raw.send(event)
        raw.socket.shutdown(socket.SHUT_WR)
        assert raw.read() is None


def test_a_client_that_leaves_stops_the_recognition(wyoming):
    def running():
        return int(re.search(r"recognitions_running (\d+)", requests.get(f"{wyoming.url}/metrics", timeout=10).text)[1])

    raw = Raw(wyoming)
    raw.send(*[chunk(samples() * 3)] * 3, STOP)
    assert wait_until(lambda: running() > 0, 10)
    raw.close()
    assert wait_until(lambda: running() == 0, 10)


def test_the_log_keeps_what_was_said(wyoming):
    asyncio.run(session.transcribe(wyoming.uri, samples()))
    assert "wyoming transcript" in wyoming.log and "chair" not in wyoming.log


def test_nothing_is_left(wyoming):
    assert not wyoming.left_files()


def test_describe_while_the_model_is_loading(start):
    server = start("--wyoming", "0", "--cache", "off", model=installed(MODELS / "ggml-base.bin"), ready=False)
    address = server.wyoming_uri
    begin = time.monotonic()
    info = asyncio.run(session.describe(address))
    assert time.monotonic() - begin < 0.5 and "fr" in info.asr[0].models[0].languages


def test_a_unix_socket(start, tmp_path):
    path = tmp_path / "wyoming"
    server = start("--wyoming", f"unix:{path}", "--cache", "off")
    assert path.stat().st_mode & 0o777 == 0o600
    assert asyncio.run(session.transcribe(f"unix://{path}", samples(DOOR))) == DOOR_TEXT
    server.stop()
    assert not path.exists()


def test_who_may_connect(start, key_file):
    """Programs on this machine, and the addresses of --allow-from."""
    address = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=True).stdout.split()
    if not address:
        pytest.skip("this machine has no address besides that of itself")
    host = address[0]
    for options, answer in [([], None), (["--allow-from", f"{host}"], DOOR_TEXT)]:
        server = start("--wyoming", f"{host}:0", "--api-key-file", key_file, "--cache", "off", *options)
        server.uri = server.wyoming_uri
        try:
            assert asyncio.run(session.transcribe(server.uri, samples(DOOR))) == answer
        except ConnectionError:
            assert answer is None


@pytest.mark.parametrize("place", ["", "x", "70000", "localhost:1", "1.2.3:4", "unix:", "-1", "127.0.0.1:"])
def test_places_that_are_none(place):
    assert "--wyoming" in refused_start("--wyoming", place)


def test_a_place_that_is_taken(wyoming):
    message = refused_start("--wyoming", wyoming.uri.removeprefix("tcp://"))
    assert "address already in use" in message
