"""A server that records requests, to pin down what clients really send."""
import socket
import threading
from dataclasses import dataclass


@dataclass
class Recorded:
    line: str
    headers: dict
    body: bytes


class Recorder:
    """Answers every request with an empty transcript. `requests` has the received requests."""

    def __enter__(self):
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.web_socket_url = self.url.replace("http", "ws", 1)
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        # Wakes the accepting thread; closing alone would not.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as file:
                self._answer(connection, file)

    def _answer(self, connection, file):
        while line := file.readline():
            headers = {}
            while (header := file.readline()) not in (b"\r\n", b""):
                name, _, value = header.decode().partition(":")
                headers[name.lower()] = value.strip()
            body = file.read(int(headers.get("content-length", 0)))
            self.requests.append(Recorded(line.decode().strip(), headers, body))
            connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n'
                               b'{"text":""}')
