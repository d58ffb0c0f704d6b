"""WebSocket frames over a plain socket, right or wrong."""
import base64
import hashlib
import json
import os
import struct
import time

from wire import Connection, head

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TOO_MANY_SESSIONS = 3009
STREAM = "/v3/ws?sample_rate=16000&format_turns=true"


def frame(opcode, payload=b"", fin=True, reserved=0, masked=True, length=None):
    """A frame. `length` is the length field as bytes, if it is not the shortest form; `reserved` are the three bits."""
    payload = payload.encode() if isinstance(payload, str) else payload
    first = bytes([(0x80 if fin else 0) | reserved << 4 | opcode])
    if length is None:
        size = len(payload)
        length = bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size) if size < 65536 else \
            b"\x7f" + struct.pack(">Q", size)
    if not masked:
        return first + length + payload
    mask = os.urandom(4)
    return first + bytes([length[0] | 0x80]) + length[1:] + mask + xor(payload, mask)


def xor(payload, mask):
    size = len(payload)
    key = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(payload) ^ int.from_bytes(key)).to_bytes(size) if size else b""


def upgrade(server, target=STREAM, *lines, key=None, version=13, method="GET"):
    """The bytes of a handshake."""
    key = base64.b64encode(os.urandom(16)).decode() if key is None else key
    return head(server, method, target, "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}",
                *([f"Sec-WebSocket-Version: {version}"] if version else []), *lines)


class WebSocket(Connection):
    """An open connection. `extra` are further header lines."""

    def __init__(self, server, target=STREAM, *extra, timeout=20, source=None):
        super().__init__(server, source, timeout)
        key = base64.b64encode(os.urandom(16)).decode()
        self.send(upgrade(server, target, *extra, key=key))
        self.handshake = self.response("GET")
        assert self.handshake.status == 101, self.handshake
        expected = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        assert self.handshake.headers["sec-websocket-accept"] == expected

    def frame(self):
        """The next frame: its opcode and payload. The server's frames are complete, unmasked and in the shortest form."""
        first, second = self._exactly(2)
        assert first & 0xF0 == 0x80 and second < 128
        size = second
        if second == 126:
            size = struct.unpack(">H", self._exactly(2))[0]
            assert size > 125
        elif second == 127:
            size = struct.unpack(">Q", self._exactly(8))[0]
            assert size > 65535
        return first & 15, self._exactly(size)

    def messages(self):
        """All messages until the connection is closed; then `code` and `reason` say why."""
        found = []
        self.code, self.reason = None, ""
        while True:
            try:
                opcode, payload = self.frame()
            except EOFError:
                return found
            if opcode == TEXT:
                found.append(json.loads(payload))
            elif opcode == CLOSE:
                self.code = int.from_bytes(payload[:2]) if payload else 1005
                self.reason = payload[2:].decode()
                # A server waits for the reply before it ends the connection.
                self.try_to_send(frame(CLOSE, payload[:2]))
                return found
            else:
                assert opcode == PING, f"unexpected frame {opcode}"

    def message(self):
        """The next text message."""
        while True:
            opcode, payload = self.frame()
            if opcode == TEXT:
                return json.loads(payload)
            assert opcode == PING, (opcode, payload)

    def say(self, **message):
        self.send(frame(TEXT, json.dumps(message)))


def closing(server, *frames, target=STREAM):
    """The closing code after these frames; `None` if the connection ends without one."""
    # On a busy machine, sessions of earlier tests may still be ending.
    end = time.monotonic() + 10
    while True:
        with WebSocket(server, target) as socket:
            for data in frames:
                if not socket.try_to_send(data):
                    break
            socket.messages()
        if socket.code != TOO_MANY_SESSIONS or time.monotonic() > end:
            return socket.code
        time.sleep(0.2)
