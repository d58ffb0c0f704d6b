"""Clients that break rules must neither hold connections or memory nor keep others waiting. `scripts/test-hostile.sh`
tries the same on a larger scale."""
import random
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import hostile
from clips import DOOR, DOOR_TEXT
from forms import MODEL, file, form, post_bytes
from serving import STOPPED, wait_until
from web_socket import TEXT, WebSocket, frame
from wire import Connection, exchange, get

MIB = 2**20


def rise(server, before):
    """By how many bytes the server has grown, once it has had time to give memory back."""
    wait_until(lambda: server.resident_bytes() - before < 30 * MIB, 10, 0.2)
    return server.resident_bytes() - before


@pytest.mark.parametrize("way", ["TCP", "TLS", "Unix"])
def test_broken_conversations_leave_nothing_behind(start, certificate, tmp_path, way):
    options = {"TCP": (), "Unix": ("--socket", tmp_path / "socket"),
               "TLS": ("--tls-cert", certificate.certificate, "--tls-key", certificate.key)}[way]
    server = start("--cache", "off", *options)

    def connect():
        return hostile.UnixConnection(tmp_path / "socket") if way == "Unix" else Connection(server, timeout=10)

    def converse(count):
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: hostile.broken_conversation(connect, chance), range(count)))
        assert wait_until(lambda: hostile.connections(server) == 0, 5), f"{hostile.connections(server)} are left"

    chance = random.Random(1)
    hostile.settle(server)
    # The first ones make what a server makes once, such as timers.
    converse(100)
    before = hostile.open_files(server)
    converse(400)
    assert wait_until(lambda: len(hostile.open_files(server)) <= len(before), 5), \
        f"{before} became {hostile.open_files(server)}"


def test_unfinished_handshakes_keep_nobody_out(start, certificate):
    server = start("--cache", "off", "--tls-cert", certificate.certificate, "--tls-key", certificate.key)
    hostile.handshake_seconds(server, "127.0.0.2")
    before, files = server.resident_bytes(), len(hostile.open_files(server))
    with hostile.unfinished_handshakes(server, 200):
        # On a busy machine a single attempt may take longer.
        assert statistics.median(hostile.handshake_seconds(server, "127.0.0.2") for _ in range(5)) < 0.5
    assert rise(server, before) < 30 * MIB
    assert wait_until(lambda: len(hostile.open_files(server)) <= files, 5)
    with hostile.unfinished_handshakes(server, 1) as (only,):
        only.settimeout(10)
        begun = time.monotonic()
        assert only.recv(100)[:1] in (b"", b"\x15") and 2 < time.monotonic() - begun < 6, "cut after three seconds"


@pytest.mark.parametrize("name", ["ping", "empty binary", "fragment", "KeepAlive", "ForceEndpoint", "UpdateConfiguration", "upload"])
def test_a_flood_does_not_keep_others_waiting(start, name):
    server = start("--cache", "off")
    request = post_bytes(server, form(MODEL, file(DOOR.read_bytes())))

    def seconds(ask):
        begun = time.monotonic()
        assert ask().status == 200
        return time.monotonic() - begun

    def transcribe():
        answer = exchange(server, request, "POST", timeout=60)
        assert DOOR_TEXT in answer.body.decode()
        return answer

    transcribe()
    quiet = statistics.median(seconds(transcribe) for _ in range(3))
    with hostile.Flood(server, name) as flood:
        assert statistics.median(hostile.health_seconds(server) for _ in range(9)) < 0.2
        assert statistics.median(seconds(transcribe) for _ in range(3)) < 3 * quiet
        # Between them, a session may be refused because the last one is still ending.
        assert name == "upload" or wait_until(lambda: 1008 in flood.codes, 10)


def test_no_message_fills_the_memory(start):
    server = start("--cache", "off")
    hostile.send_often(server, "audio", 10)
    before = server.resident_bytes()
    codes = {name: hostile.send_often(server, name, 100_000) for name in hostile.MESSAGES if name != "audio"}
    # The first message ends the session, unless it is noticed sooner that they come too fast.
    assert codes.pop("nonsense") in (3006, 1008) and codes.pop("empty text") in (4100, 1008)
    assert set(codes.values()) == {1008}, codes
    assert rise(server, before) < 30 * MIB
    assert wait_until(lambda: b"whisper_local_streaming_sessions 0" in get(server, "/metrics").body, 5), "sessions go on"


def test_a_finished_session_does_not_delay_the_end(start):
    server = start("--cache", "off")
    for _ in range(3):
        with WebSocket(server) as session:
            session.send(frame(TEXT, '{"type":"Terminate"}'))
            session.messages()
            assert session.code == 1000
    begun = time.monotonic()
    assert server.stop() in STOPPED and time.monotonic() - begun < 3
