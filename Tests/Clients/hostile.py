"""Clients that break rules on purpose: broken conversations, unfinished TLS handshakes, and floods of messages."""
import os
import re
import socket
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from forms import CONTENT_TYPE, PATH
from web_socket import BINARY, CLOSE, CONTINUATION, PING, PONG, STREAM, TEXT, WebSocket, frame, upgrade
from wire import ANY_CERTIFICATE, Connection, head

STREAM_V2 = "/v2/realtime/ws?sample_rate=16000"
GET = "GET /health HTTP/1.1\r\nHost: localhost\r\n"
#: What a broken conversation is made of.
PIECES = [
    GET.encode() + b"\r\n", GET.encode() + b"\r\n", GET.encode(), b"GET /hea", b"garbage\r\n", b"\0" * 20, b"\r\n", b"\n",
    os.urandom(300), b"X: y\r\n\r\n", b"A" * 20_000,
    b"POST /v1/audio/transcriptions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n",
    b"POST /v1/audio/transcriptions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n0123456789",
    b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n0123456789",
    b"POST /inference HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n5\r\n--x\r\n",
    b"5\r\nhello\r\n0\r\n\r\n", b"zz\r\n", b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9\r\nHost: localhost\r\n\r\n",
    b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n", b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET " + STREAM.encode() + b" HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    frame(TEXT, '{"type":"KeepAlive"}'), frame(TEXT, "{"), frame(BINARY, bytes(3200)), frame(PING), frame(CLOSE, b"\x03\xe8"),
    frame(CONTINUATION), frame(BINARY, bytes(100))[:50], frame(15), b"\x16\x03\x01",
]


class UnixConnection(Connection):
    """A connection to the server's Unix socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(str(path))
        self.received = b""


def broken_conversation(connect, chance):
    """Sends a few random pieces, reads now and then, and leaves in a random way."""
    try:
        connection = connect()
    except OSError:
        return
    connection.socket.settimeout(0.02)
    for _ in range(chance.randrange(5)):
        try:
            connection.send(chance.choice(PIECES))
            if chance.random() < 0.4:
                connection._more()
        except OSError:
            pass
    try:
        chance.choice([connection.close, connection.close, connection.reset, connection.finish_sending])()
    except OSError:
        pass
    connection.close()


def settle(server):
    """Makes what a server makes once, such as the timer of sessions, and waits until no connection is left."""
    with WebSocket(server) as session:
        session.send(frame(TEXT, '{"type":"Terminate"}'))
        session.messages()
    end = time.monotonic() + 5
    while connections(server) and time.monotonic() < end:
        time.sleep(0.02)


def open_files(server):
    """What the server's descriptors are."""
    files = []
    for path in Path(f"/proc/{server.process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            files.append(os.readlink(path))
    return sorted(files)


def connections(server):
    """The number of connections that the server knows, without the one that asks."""
    with Connection(server) as connection:
        connection.send(head(server, "GET", "/metrics"))
        return int(re.search(rb"^whisper_local_connections (\d+)$", connection.response("GET").body, re.M)[1]) - 1


def health_seconds(server):
    """The time that /health takes, on a new connection."""
    start = time.monotonic()
    with Connection(server) as connection:
        connection.send(head(server, "GET", "/health"))
        assert connection.response("GET").status == 200
        return time.monotonic() - start


@contextmanager
def unfinished_handshakes(server, count, source="127.0.0.1", hello=b"\x16\x03\x01"):
    """Connections that begin a TLS handshake and wait."""
    sockets = []
    for _ in range(count):
        sockets.append(socket.create_connection((server.host, server.port), 10, (source, 0)))
        try:
            sockets[-1].sendall(hello)
        except OSError:
            pass
    yield sockets
    for each in sockets:
        each.close()


def handshake_seconds(server, source):
    """The time that a whole handshake takes."""
    start = time.monotonic()
    with socket.create_connection((server.host, server.port), 20, (source, 0)) as plain, ANY_CERTIFICATE.wrap_socket(plain):
        return time.monotonic() - start


#: Messages of a streaming session, by name: the path and the frames.
MESSAGES = {
    "ping": (STREAM, frame(PING)),
    "long ping": (STREAM, frame(PING, bytes(125))),
    "pong": (STREAM, frame(PONG)),
    "empty binary": (STREAM, frame(BINARY)),
    "empty text": (STREAM_V2, frame(TEXT)),
    "fragment": (STREAM, frame(CONTINUATION, fin=False)),
    "KeepAlive": (STREAM, frame(TEXT, '{"type":"KeepAlive"}')),
    "ForceEndpoint": (STREAM, frame(TEXT, '{"type":"ForceEndpoint"}')),
    "UpdateConfiguration": (STREAM, frame(TEXT, '{"type":"UpdateConfiguration","max_turn_silence":1000}')),
    "end and update": (STREAM, frame(TEXT, '{"type":"ForceEndpoint"}')
                       + frame(TEXT, '{"type":"UpdateConfiguration","max_turn_silence":1000}')),
    "sample and end": (STREAM, frame(BINARY, bytes(2)) + frame(TEXT, '{"type":"ForceEndpoint"}')),
    "force_end_utterance": (STREAM_V2, frame(TEXT, '{"force_end_utterance":true}')),
    "threshold": (STREAM_V2, frame(TEXT, '{"end_utterance_silence_threshold":700}')),
    "empty audio_data": (STREAM_V2, frame(TEXT, '{"audio_data":""}')),
    "audio": (STREAM, frame(BINARY, bytes(3200))),
    "nonsense": (STREAM, frame(TEXT, '{"type":"Nonsense"}')),
}


class Reader(threading.Thread):
    """Reads a session to its end; then `code` says why it ended, `None` if nothing did."""

    def __init__(self, session):
        super().__init__(daemon=True)
        self.session, self.code = session, None
        self.start()

    def run(self):
        try:
            while True:
                opcode, payload = self.session.frame()
                if opcode == CLOSE:
                    self.code = int.from_bytes(payload[:2])
                    self.session.try_to_send(frame(CLOSE, payload[:2]))
                    return
        except (EOFError, OSError):
            pass


def send_often(server, name, count):
    """Sends a message many times and reads what comes. Returns the closing code, `None` if there is none."""
    target, message = MESSAGES[name]
    with WebSocket(server, target, timeout=30) as session:
        if name == "fragment":
            session.send(frame(BINARY, fin=False))
        reader = Reader(session)
        per_piece = max(1, (16 << 10) // len(message))
        for _ in range(0, count, per_piece):
            if not session.try_to_send(message * per_piece):
                break
        else:
            if name == "audio":
                session.try_to_send(frame(TEXT, '{"type":"Terminate"}'))
            session.try_to_send(frame(CLOSE, b"\x03\xe8"))
        reader.join(30)
        return reader.code


class Flood:
    """Sends the same bytes as fast as the server takes them, again and again on new connections."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        self.is_over = False
        self.codes = []
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self.thread.start()
        time.sleep(0.3)
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join(30)

    def _run(self):
        while not self.is_over:
            try:
                self._upload() if self.name == "upload" else self._session()
            except (OSError, EOFError, AssertionError):
                time.sleep(0.05)

    def _session(self):
        target, message = MESSAGES[self.name]
        with WebSocket(self.server, target, timeout=5) as session:
            if self.name == "fragment":
                session.send(frame(BINARY, fin=False))
            reader = Reader(session)
            while not self.is_over and reader.is_alive() and session.try_to_send(message * (65536 // len(message) + 1)):
                pass
            reader.join(5)
            self.codes.append(reader.code)

    def _upload(self):
        """A body in chunks of one byte."""
        with Connection(self.server, timeout=5) as connection:
            connection.send(head(self.server, "POST", PATH, f"Content-Type: {CONTENT_TYPE}", "Transfer-Encoding: chunked"))
            while not self.is_over and connection.try_to_send(b"1\r\na\r\n" * 10_000):
                pass
