"""WebSocket frames that official clients never send, and the messages of a session in odd orders."""
import asyncio
import json
import struct
import threading
import time

import aiohttp
import pytest
import websockets
import websockets.sync.client

from clips import FAN, FAN_TEXT, RATE, chunks, samples, words
from conftest import KEY, ORIGIN
from forms import error
from serving import wait_until
from web_socket import (BINARY, CLOSE, CONTINUATION, PING, PONG, STREAM, TEXT, WebSocket, closing, frame, upgrade)
from wire import Connection, exchange

SPEECH = samples(FAN) + bytes(RATE * 2)
#: The same as messages of a second; the server takes up to five.
SPOKEN = b"".join(frame(BINARY, piece) for piece in chunks(SPEECH, 1000))
TERMINATE = frame(TEXT, '{"type":"Terminate"}')
TARGETS = [STREAM, "/v2/realtime/ws?sample_rate=16000"]


# Handshake


@pytest.mark.parametrize("target", TARGETS)
def test_handshake(server, target):
    with WebSocket(server, target, "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits") as socket:
        assert "sec-websocket-extensions" not in socket.handshake.headers, "compression invites bombs"
        first = socket.message()
        assert first.get("type") == "Begin" or first["message_type"] == "SessionBegins"


@pytest.mark.parametrize("arguments,status", [
    ({"version": 8}, 426), ({"version": None}, 426), ({"key": "short"}, 400), ({"key": "A" * 24}, 400), ({"key": ""}, 400),
    ({"key": "!" * 22 + "=="}, 400), ({"method": "POST"}, 405)], ids=str)
def test_bad_handshakes_are_refused(server, arguments, status):
    response = exchange(server, upgrade(server, STREAM, "Content-Length: 0", **arguments))
    # A POST without a body and without an upgrade may also count as a bad request.
    assert response.status == status
    if status == 426:
        assert response.headers["sec-websocket-version"] == "13"


def test_no_upgrade(server):
    from wire import get
    assert get(server, STREAM).status in (400, 426)
    assert exchange(server, upgrade(server, "/v3/nowhere")).status == 404
    assert exchange(server, upgrade(server, "/v1/models")).status in (200, 400, 404)


@pytest.mark.parametrize("line,status", [("Origin: http://evil.example", 403), ("Origin: null", 403),
                                         ("Origin: http://localhost", 403), ("Origin: http://localhost:3000", 403),
                                         ("Origin: http://127.0.0.1:{port}", 101), ("Sec-Fetch-Site: cross-site", 403)])
def test_origins_are_checked_before_the_upgrade(server, line, status):
    response = exchange(server, upgrade(server, STREAM, line.format(port=server.port)))
    assert response.status == status
    if status == 403:
        assert error(response)["code"] == "forbidden"


def test_an_allowed_origin_is_accepted(secured):
    with WebSocket(secured, STREAM, f"Origin: {ORIGIN}", f"Authorization: {KEY}") as socket:
        assert socket.message()["type"] == "Begin"


@pytest.mark.parametrize("target,line,code", [
    (STREAM, f"Authorization: {KEY}", None), (STREAM, f"Authorization: Bearer {KEY}", None), (f"{STREAM}&token={KEY}", None, 1008),
    (STREAM, None, 1008), (STREAM, "Authorization: wrong", 1008), (f"{STREAM}&token=wrong", None, 1008),
    (TARGETS[1], "Authorization: wrong", 4001), (TARGETS[1], None, 4001), (TARGETS[1], f"Authorization: {KEY}", None)])
def test_keys_are_checked_inside(secured, target, line, code):
    """A browser cannot see the status of a rejected handshake. The key itself is not a token: it must not be in a URL."""
    with WebSocket(secured, target, *([line] if line else [])) as socket:
        if code:
            messages = socket.messages()
            assert socket.code == code
            assert len(messages) == 1 and "error" in messages[0]
        else:
            assert socket.message()


# Frames


@pytest.mark.parametrize("frames,code", [
    ([frame(TEXT, "{}", masked=False)], 1002), ([frame(BINARY, bytes(100), masked=False)], 1002),
    ([frame(TEXT, "{}", reserved=4)], 1002), ([frame(BINARY, bytes(10), reserved=2)], 1002), ([frame(TEXT, "{}", reserved=1)], 1002),
    ([frame(3, "x")], 1002), ([frame(7, "x")], 1002), ([frame(11, "x")], 1002), ([frame(15)], 1002),
    ([frame(CONTINUATION, "x")], 1002), ([frame(TEXT, "{", fin=False), frame(TEXT, "}")], 1002),
    ([frame(BINARY, bytes(10), fin=False), frame(BINARY, bytes(10))], 1002), ([frame(PING, "x", fin=False)], 1002),
    ([frame(PING, bytes(126))], 1002), ([frame(CLOSE, b"\x03")], 1002),
    ([frame(TEXT, b"\xff\xfe")], 1007), ([frame(TEXT, b"\xc3", fin=False), frame(CONTINUATION, b"(")], 1007),
    ([frame(TEXT, b"\xed\xa0\x80")], 1007), ([frame(TEXT, b"\xf4\x90\x80\x80")], 1007), ([frame(TEXT, b"\xc0\xaf")], 1007),
    ([frame(TEXT, "{}", length=b"\x7e" + struct.pack(">H", 2))], 1002), ([frame(TEXT, "{}", length=b"\x7f" + struct.pack(">Q", 2))], 1002),
], ids=["unmasked text", "unmasked audio", "RSV1", "RSV2", "RSV3", "opcode 3", "opcode 7", "opcode 11", "opcode 15", "orphan continuation",
        "text inside text", "binary inside binary", "fragmented ping", "ping of 126", "close of one byte", "bad UTF-8",
        "bad UTF-8 across fragments", "surrogate", "beyond Unicode", "overlong UTF-8", "length of 2 in 2 bytes", "length of 2 in 8 bytes"])
def test_bad_frames_end_the_connection(server, frames, code):
    assert closing(server, *frames) == code


@pytest.mark.parametrize("frames", [
    [frame(BINARY, b"", length=b"\x7f" + struct.pack(">Q", 2**63))], [frame(BINARY, b"", length=b"\x7f" + struct.pack(">Q", 2**40))],
    [frame(BINARY, bytes(2**20 + 1))], [frame(TEXT, " " * (2**20 + 1))],
    [frame(BINARY, bytes(600_000), fin=False), frame(CONTINUATION, bytes(600_000))]],
    ids=["length with the top bit", "terabyte", "1 MiB and a byte", "1 MiB of text", "1 MiB in fragments"])
def test_messages_over_the_limit_end_the_connection(server, frames):
    """The code is 1009, not the 3007 (audio) or 3006 (text) that a message of exactly the limit gets below."""
    assert closing(server, *frames) == 1009


@pytest.mark.parametrize("sent,code", [(frame(BINARY, bytes(2**20)), 3007), (frame(TEXT, " " * 2**20), 3006)], ids=["audio", "text"])
def test_messages_at_the_limit_are_read(server, sent, code):
    assert closing(server, sent) == code


def test_a_message_without_end_is_not_collected(start):
    server = start("--cache", "off")
    before = server.resident_bytes()
    with WebSocket(server) as socket:
        socket.send(frame(BINARY, bytes(1000), fin=False))
        more = frame(CONTINUATION, bytes(900_000), fin=False)
        # The server reads on for a few seconds, so that the client can learn why the connection ends.
        assert wait_until(lambda: not socket.try_to_send(more), 10, 0), "the message was read for ever"
        assert server.resident_bytes() - before < 64 * 2**20


@pytest.mark.parametrize("payload", [b"\x03\xe8" + bytes(124), b"\x03\xe8\xff"], ids=["126 bytes", "no UTF-8"])
def test_odd_closing_frames(server, payload):
    assert closing(server, frame(CLOSE, payload)) in (1000, 1002, 1007)


@pytest.mark.parametrize("sent,answered", [
    (1000, 1000), (1001, 1001), (1007, 1007), (3000, 3000), (4999, 4999), (None, None), (0, 1002), (999, 1002), (1004, 1002),
    (1005, 1002), (1006, 1002), (1015, 1002), (5000, 1002)], ids=str)
def test_closing_codes_are_answered(server, sent, answered):
    payload = struct.pack(">H", sent) if sent is not None else b""
    code = closing(server, frame(CLOSE, payload))
    assert code == answered or (answered is None and code in (1000, 1005))


def test_ping(server):
    with WebSocket(server) as socket:
        assert socket.message()["type"] == "Begin"
        for payload in (b"", b"x", bytes(range(125))):
            # Also between the fragments of a message.
            socket.send(frame(TEXT, '{"type":', fin=False) + frame(PING, payload) + frame(CONTINUATION, '"KeepAlive"}'))
            assert socket.frame() == (PONG, payload)
        socket.send(frame(PONG, b"unasked"))
        socket.send(b"".join(frame(PING, b"%d" % number) for number in range(1000)))
        last = [socket.frame()]
        while last[-1] != (PONG, b"999"):
            last.append(socket.frame())
            assert last[-1][0] == PONG


def test_audio_in_every_kind_of_fragment(server):
    """Fragments, odd lengths, and frames that arrive byte by byte."""
    with WebSocket(server) as socket:
        pieces = [SPEECH[start:start + 3333] for start in range(0, len(SPEECH), 3333)]
        for number, piece in enumerate(pieces):
            if number == 3:
                for byte in frame(BINARY, piece):
                    socket.send(bytes([byte]))
            elif number % 2:
                third = len(piece) // 3
                socket.send(frame(BINARY, piece[:third], fin=False) + frame(CONTINUATION, b"", fin=False)
                            + frame(CONTINUATION, piece[third:]))
            else:
                socket.send(frame(BINARY, piece) + frame(BINARY))
        socket.send(TERMINATE)
        messages = socket.messages()
    assert socket.code == 1000
    assert text_of(messages) == FAN_TEXT


def text_of(messages):
    return " ".join(message["transcript"] for message in messages if message["type"] == "Turn" and message["end_of_turn"])


# Messages


def test_the_shape_of_messages(server):
    with WebSocket(server) as socket:
        for piece in chunks(SPEECH):
            socket.send(frame(BINARY, piece))
        socket.send(TERMINATE)
        messages = socket.messages()
    begin, *turns, termination = messages
    assert begin["type"] == "Begin" and type(begin["expires_at"]) is int
    assert begin["configuration"] == {"model": "nano.en", "mode": None, "api_version": "1.0.0"}
    for turn in turns:
        assert list(turn)[:7] == ["turn_order", "turn_is_formatted", "end_of_turn", "transcript", "end_of_turn_confidence", "words",
                                  "utterance"] and list(turn)[-1] == "type"
        assert len(turn) == 8 and turn["type"] == "Turn"
        for word in turn["words"]:
            assert list(word) == ["text", "start", "end", "confidence", "word_is_final"]
            assert type(word["start"]) is int and type(word["end"]) is int
    assert list(termination) == ["type", "audio_duration_seconds", "session_duration_seconds"]
    assert all(type(value) is int for value in list(termination.values())[1:])
    # The JavaScript client treats any message with this key as an error.
    assert not any("error" in message for message in messages)


@pytest.mark.parametrize("text,code,start", [
    ('{"type":"Nonsense"}', 3006, "Invalid Message Type: Nonsense"), ("not json", 3006, "Invalid JSON"), ("[]", 3006, "Invalid Message"),
    ("5", 3006, "Invalid Message"), ("{}", 3006, "Invalid Message"), ('{"type":5}', 3006, "Invalid Message"), ("", 3006, "Invalid JSON"),
    ("[" * 100 + "]" * 100, 3006, "Invalid JSON"), ('{"type":"UpdateConfiguration","max_turn_silence":"x"}', 3006, ""),
    ('{"type":"UpdateConfiguration","end_of_turn_confidence_threshold":2}', 3006, ""),
    ('{"type":"KeepAlive","x":"' + "y" * 70_000 + '"}', 3006, "Invalid")], ids=lambda value: str(value)[:30])
def test_bad_messages_end_the_session(server, text, code, start):
    with WebSocket(server) as socket:
        socket.send(frame(TEXT, text))
        messages = socket.messages()
        assert socket.code == code and len(socket.reason.encode()) <= 123
    failure = messages[-1]
    assert (failure["type"], failure["error_code"]) == ("Error", code) and failure["error"].startswith(start)
    assert [message["type"] for message in messages] == ["Begin", "Error"]


@pytest.mark.parametrize("frames", [
    [], [frame(BINARY)], [frame(TEXT, '{"type":"ForceEndpoint"}')] * 3, [frame(TEXT, '{"type":"KeepAlive"}')],
    [frame(TEXT, '{"type":"UpdateConfiguration"}')], [frame(BINARY, b"\0")], [frame(BINARY, bytes(2 * RATE))],
    [frame(TEXT, '{"type":"UpdateConfiguration","format_turns":false,"unknown":[1]}'), frame(TEXT, '{"type":"ForceEndpoint"}')]],
    ids=["nothing", "empty frame", "end points", "keep alive", "no change", "half a sample", "silence", "changes"])
def test_sessions_without_speech(server, frames):
    with WebSocket(server) as socket:
        for data in [*frames, TERMINATE]:
            socket.send(data)
        messages = socket.messages()
        assert socket.code == 1000
    assert [message["type"] for message in messages] == ["Begin", "Termination"]


def test_what_comes_after_the_end_is_ignored(server):
    with WebSocket(server) as socket:
        socket.send(SPOKEN + TERMINATE + SPOKEN + frame(TEXT, "not json") + TERMINATE)
        messages = socket.messages()
        assert socket.code == 1000
    assert text_of(messages) == FAN_TEXT and messages[-1]["type"] == "Termination"
    assert messages[-1]["audio_duration_seconds"] in (6, 7)


def test_audio_before_begin_is_kept(server):
    with Connection(server, timeout=20) as raw:
        raw.send(upgrade(server) + SPOKEN + TERMINATE)
        assert raw.response("GET").status == 101
        raw.__class__ = WebSocket
        assert text_of(raw.messages()) == FAN_TEXT


def test_a_client_without_a_query(server):
    """One that sends a Bearer token and no query: it also gets the fields of the older protocol."""
    with WebSocket(server, "/v3/ws", "Authorization: Bearer temporary") as socket:
        for piece in chunks(SPEECH, 64):
            socket.send(frame(BINARY, piece))
        socket.send(TERMINATE)
        begin, *turns, _ = socket.messages()
    assert (begin["message_type"], begin["session_id"]) == ("SessionBegins", begin["id"])
    for turn in turns:
        assert turn["message_type"] == ("FinalTranscript" if turn["end_of_turn"] else "PartialTranscript")
        assert turn["text"] == " ".join(word["text"] for word in turn["words"]) and 0 <= turn["confidence"] <= 1
    finals = [turn["text"] for turn in turns if turn["message_type"] == "FinalTranscript"]
    assert words(" ".join(finals)) == words(FAN_TEXT)


@pytest.mark.parametrize("fields,present", [("v3", False), ("hybrid", True)])
def test_fields_can_be_chosen(start, fields, present):
    server = start("--cache", "off", "--streaming-fields", fields)
    for target, lines in (("/v3/ws", ["Authorization: Bearer x"]), (STREAM, ["Authorization: x"])):
        with WebSocket(server, target, *lines) as socket:
            assert ("message_type" in socket.message()) == present


# Version 2


def real_time(server, *frames, query=""):
    with WebSocket(server, f"/v2/realtime/ws?sample_rate=16000{query}") as socket:
        for data in frames:
            socket.send(data)
        messages = socket.messages()
        return messages, socket.code


END = frame(TEXT, '{"terminate_session":true}')


@pytest.mark.parametrize("form", ["binary", "base64"])
def test_real_time(server, form):
    import base64
    pack = {"binary": lambda piece: frame(BINARY, piece),
            "base64": lambda piece: frame(TEXT, json.dumps({"audio_data": base64.b64encode(piece).decode()}))}[form]
    messages, code = real_time(server, *map(pack, chunks(SPEECH, 100)), END)
    kinds = [message["message_type"] for message in messages]
    assert code == 1000 and kinds[0] == "SessionBegins" and kinds[-1] == "SessionTerminated"
    assert set(kinds[1:-1]) == {"PartialTranscript", "FinalTranscript"}, "no session information unless asked for"
    finals = [message for message in messages if message["message_type"] == "FinalTranscript"]
    assert " ".join(message["text"] for message in finals) == FAN_TEXT
    for message in messages[1:-1]:
        assert {"audio_start", "audio_end", "confidence", "text", "words", "created"} <= set(message)
        assert type(message["audio_start"]) is int and len(message["created"]) == len("2026-01-01T00:00:00.000000")
    assert all(message["punctuated"] and message["text_formatted"] for message in finals)


def test_real_time_options(server):
    audio = [frame(BINARY, piece) for piece in chunks(SPEECH, 100)]
    messages, _ = real_time(server, *audio, END, query="&disable_partial_transcripts=true&enable_extra_session_information=true")
    kinds = [message["message_type"] for message in messages]
    assert "PartialTranscript" not in kinds and kinds[-2:] == ["SessionInformation", "SessionTerminated"]
    assert messages[-2]["audio_duration_seconds"] == pytest.approx(len(SPEECH) / 2 / RATE, abs=0.1)


@pytest.mark.parametrize("text,code", [("not json", 4100), ("[]", 4101), ('{"unknown":1}', 4101), ('{"audio_data":"####"}', 4101),
                                       ('{"end_utterance_silence_threshold":20001}', 4101)])
def test_bad_real_time_messages(server, text, code):
    messages, found = real_time(server, frame(TEXT, text))
    assert found == code and "error" in messages[-1] and "message_type" not in messages[-1]


@pytest.mark.parametrize("query,code", [("", 4000), ("?sample_rate=x", 4000), ("?sample_rate=0", 4000),
                                        ("?sample_rate=16000&word_boost=[", 4104)])
def test_bad_real_time_parameters(server, query, code):
    with WebSocket(server, f"/v2/realtime/ws{query}") as socket:
        socket.messages()
        assert socket.code == code


# Ends


@pytest.mark.parametrize("ending", ["close", "reset", "finish_sending"])
def test_connections_that_end_without_a_word(server, ending):
    for sent in (b"", SPOKEN, SPOKEN[:1000], frame(TEXT, "{", fin=False)):
        socket = WebSocket(server)
        socket.send(sent)
        getattr(socket, ending)()
        if ending == "finish_sending":
            # Ends, with or without a closing frame, instead of timing out.
            socket.messages()
            socket.close()
    with WebSocket(server) as socket:
        assert socket.message()["type"] == "Begin"


def test_a_client_that_reads_nothing_is_cut_off(start):
    """It sends endless speech and reads no responses: the server must buffer neither."""
    server = start("--cache", "off")
    socket = WebSocket(server)
    before = server.resident_bytes()
    socket.socket.setsockopt(1, 8, 4096)
    socket.socket.settimeout(0.5)
    end = time.monotonic() + 15
    try:
        while time.monotonic() < end:
            socket.send(SPOKEN + frame(PING, bytes(125)) * 50)
    except (TimeoutError, OSError):
        pass
    assert server.resident_bytes() - before < 150 * 2**20
    socket.close()
    with WebSocket(server) as other:
        assert other.message()["type"] == "Begin"


def test_shutting_down_ends_sessions(start):
    server = start("--cache", "off")
    with WebSocket(server) as socket:
        socket.message()
        socket.send(SPOKEN)
        time.sleep(0.5)
        stopping = threading.Thread(target=server.stop)
        stopping.start()
        messages = socket.messages()
        assert socket.code == 1001
        assert text_of(messages) == FAN_TEXT, "what was said before is not lost"
        stopping.join()


# Other clients


def test_websockets(server):
    with websockets.sync.client.connect(server.web_socket_url + STREAM) as socket:
        assert socket.protocol.extensions == []
        assert json.loads(socket.recv())["type"] == "Begin"
        assert socket.ping().wait(5)
        for piece in chunks(SPEECH, 1000):
            socket.send([piece[:5000], piece[5000:]])
        socket.send('{"type":"Terminate"}')
        messages = [json.loads(message) for message in socket]
    assert text_of(messages) == FAN_TEXT and socket.protocol.close_code == 1000


def test_aiohttp(server):
    async def run():
        async with aiohttp.ClientSession() as session:
            async with session.ws_connect(server.url + STREAM, compress=15) as socket:
                begin = await socket.receive_json()
                await socket.close(code=1001)
                return begin["type"], socket.compress, socket.close_code

    assert asyncio.run(run()) == ("Begin", 0, 1001)
