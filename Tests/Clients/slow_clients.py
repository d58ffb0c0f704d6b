"""Clients that are slow, all at once."""
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from forms import CONTENT_TYPE, MODEL, PATH, file, form, post_bytes
from serving import Server
from web_socket import CLOSE, PING, WebSocket
from wire import Connection, head

BODY = form(MODEL, file(bytes(100_000)))


def wait(server, first, pieces=b"", pause=0.0, limit=75):
    """Sends `first`, then one byte at a time; returns the status of the response and the seconds until it came."""
    with Connection(server, timeout=limit) as connection:
        connection.send(first)
        start = time.monotonic()
        connection.socket.settimeout(pause or limit)
        for byte in pieces:
            if time.monotonic() - start > limit or not connection.try_to_send(bytes([byte])):
                break
            try:
                if not connection._more() or b"\r\n" in connection.received:
                    break
            except TimeoutError:
                pass
        connection.socket.settimeout(limit)
        try:
            status = connection.response().status
        except (EOFError, TimeoutError):
            status = 0
        seconds = time.monotonic() - start
        return status, seconds, connection.is_closed()


def idle_web_socket(server):
    """Answers no pings; returns the times of pings and of the end, and the closing code."""
    with WebSocket(server, "/v3/ws?sample_rate=16000", timeout=90) as socket:
        start, pings = time.monotonic(), []
        while True:
            opcode, payload = socket.frame()
            if opcode == PING:
                pings.append(time.monotonic() - start)
            elif opcode == CLOSE:
                return pings, time.monotonic() - start, int.from_bytes(payload[:2])


def kept(server):
    """The number of seconds after which an idle connection ends."""
    with Connection(server) as connection:
        connection.send(head(server, "GET", "/health"))
        assert connection.response("GET").status == 200
        start = time.monotonic()
        return connection.is_closed(within=60), time.monotonic() - start


SCENARIOS = {
    "stalled head": lambda server: wait(server, b"GET /health HTTP/1.1\r\n"),
    "dripping head": lambda server: wait(server, b"GET /health HTTP/1.1\r\nX: ", b"a" * 1000, 0.5),
    "nothing": lambda server: wait(server, b""),
    "stalled body": lambda server: wait(server, post_bytes(server, BODY)[:5000]),
    "stalled chunk": lambda server: wait(server, head(server, "POST", PATH, f"Content-Type: {CONTENT_TYPE}",
                                                      "Transfer-Encoding: chunked") + b"100\r\nabc"),
    "dripping body": lambda server: wait(server, post_bytes(server, BODY)[:300], b"a" * 1000, 0.5),
    "kept connection": kept,
    "idle web socket": idle_web_socket,
}


@contextmanager
def running():
    """The outcome of each client, by name, as futures."""
    server = Server("--cache", "off")
    with ThreadPoolExecutor(len(SCENARIOS)) as pool:
        yield {name: pool.submit(run, server) for name, run in SCENARIOS.items()}
    server.stop()
