"""HTTP/1.1 over a plain socket, so that tests can send requests that no client would."""
import socket
import ssl
from dataclasses import dataclass, field


#: Accepts every certificate. Making it for each connection would take longer than the handshake.
ANY_CERTIFICATE = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
ANY_CERTIFICATE.check_hostname, ANY_CERTIFICATE.verify_mode = False, ssl.CERT_NONE


@dataclass
class Response:
    status: int
    #: Names in lower case; of repeated headers the last one.
    headers: dict
    body: bytes
    #: The statuses of interim responses before it, such as 100.
    interim: list = field(default_factory=list)
    closed: bool = False


class Connection:
    """A connection to a server. `source` is the local address to come from, such as 127.0.0.9."""

    def __init__(self, server, source=None, timeout=10):
        self.server = server
        self.socket = socket.create_connection((server.host, server.port), timeout, (source, 0) if source else None)
        # Small pieces are sent at once.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if server.scheme == "https":
            self.socket = ANY_CERTIFICATE.wrap_socket(self.socket)
        self.received = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Ends the connection with a reset instead of a normal end."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def finish_sending(self):
        self.socket.shutdown(socket.SHUT_WR)

    def send(self, data):
        self.socket.sendall(data)

    def try_to_send(self, data):
        """Sends; `False` if the server has closed the connection meanwhile."""
        try:
            self.send(data)
        except (BrokenPipeError, ConnectionResetError):
            return False
        except TimeoutError:
            # A connection that ends while the buffers are full is not reset.
            while self._more():
                pass
            return False
        return True

    def _more(self):
        """Receives some data; `False` at the end of the connection."""
        try:
            data = self.socket.recv(65536)
        except (ConnectionResetError, BrokenPipeError, ssl.SSLError):
            data = b""
        self.received += data
        return bool(data)

    def _line(self):
        while b"\r\n" not in self.received:
            if not self._more():
                raise EOFError(f"the connection ended after {self.received!r}")
        line, _, self.received = self.received.partition(b"\r\n")
        return line.decode("latin-1")

    def _exactly(self, count):
        while len(self.received) < count:
            if not self._more():
                raise EOFError(f"the connection ended {count - len(self.received)} bytes too early")
        data, self.received = self.received[:count], self.received[count:]
        return data

    def head(self):
        """The status and the headers of the next response."""
        status = int(self._line().split(" ", 2)[1])
        headers = {}
        while line := self._line():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        return status, headers

    def chunk(self):
        """The next chunk of a body; empty at its end."""
        data = self._exactly(int(self._line().split(";")[0], 16))
        if data:
            self._line()
        else:
            while self._line():
                pass
        return data

    def response(self, method="POST"):
        """The next final response, complete."""
        interim = []
        while True:
            status, headers = self.head()
            if status >= 200 or status == 101:
                break
            interim.append(status)
        if method == "HEAD" or status in (101, 204, 304):
            body = b""
        elif headers.get("transfer-encoding") == "chunked":
            body = b"".join(iter(self.chunk, b""))
        elif "content-length" in headers:
            body = self._exactly(int(headers["content-length"]))
        else:
            while self._more():
                pass
            body, self.received = self.received, b""
        return Response(status, headers, body, interim)

    def is_closed(self, within=5):
        """Whether the server ends the connection within this many seconds, without sending anything else."""
        self.socket.settimeout(within)
        try:
            return not self._more()
        except TimeoutError:
            return False


def head(server, method, target, *lines, host=True):
    """The bytes of a request line and headers, with the right Host by default."""
    host_line = [f"Host: {server.host}:{server.port}"] if host else []
    return "\r\n".join([f"{method} {target} HTTP/1.1", *host_line, *lines, "", ""]).encode("latin-1")


def exchange(server, data, method="GET", source=None, timeout=10):
    """Sends bytes and returns the response; its status is 0 if the server closes the connection without one."""
    with Connection(server, source, timeout) as connection:
        connection.try_to_send(data)
        try:
            response = connection.response(method)
        except EOFError:
            return Response(0, {}, b"", closed=True)
        # Waits longer only if the end of the connection is announced.
        announced = response.headers.get("connection") == "close"
        response.closed = connection.is_closed(within=5 if announced else 0.3 if response.status >= 400 else 0.05)
        return response


def get(server, target, *lines, host=True):
    return exchange(server, head(server, "GET", target, *lines, host=host))
