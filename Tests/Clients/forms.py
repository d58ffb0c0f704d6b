"""Multipart forms byte by byte, and the format of errors."""
import json

from clips import DOOR
from wire import exchange, head

BOUNDARY = "4f8a1c-Boundary"
CONTENT_TYPE = f"multipart/form-data; boundary={BOUNDARY}"
PATH = "/v1/audio/transcriptions"
#: Not audio: the refusal shows that the form was read to its end, without the cost of a recognition.
NO_AUDIO = b"this is not a recording"


def part(disposition, value, *lines):
    """A part; `disposition` is the text after `form-data; `."""
    value = value.encode() if isinstance(value, str) else value
    return "\r\n".join([f"Content-Disposition: form-data; {disposition}", *lines, "", ""]).encode() + value


def field(name, value):
    return part(f'name="{name}"', value)


def file(content=NO_AUDIO, name="a.wav"):
    return part(f'name="file"; filename="{name}"', content, "Content-Type: application/octet-stream")


MODEL = field("model", "whisper-1")


def form(*parts, boundary=BOUNDARY):
    """The body of a form."""
    delimiter = f"--{boundary}".encode()
    return b"".join(delimiter + b"\r\n" + content + b"\r\n" for content in parts) + delimiter + b"--\r\n"


def speech_form(*parts):
    """A form with one spoken sentence."""
    return form(MODEL, *parts, file(DOOR.read_bytes()))


def post_bytes(server, body, *lines, path=PATH, content_type=CONTENT_TYPE, length=None):
    """The bytes of a request with this body; `length` is the declared length."""
    type_line = [f"Content-Type: {content_type}"] if content_type else []
    length = len(body) if length is None else length
    return head(server, "POST", path, *type_line, f"Content-Length: {length}", *lines) + body


def post(server, body, *lines, timeout=20, **options):
    return exchange(server, post_bytes(server, body, *lines, **options), "POST", timeout=timeout)


def chunked(body, size):
    """The body in chunks of this size."""
    pieces = [body[start:start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def error(response):
    """The error object of an error response, whose format is checked."""
    assert response.headers["content-type"].split(";")[0] == "application/json"
    details = json.loads(response.body)
    assert list(details) == ["error"]
    details = details["error"]
    assert set(details) == {"message", "type", "param", "code"}
    # One line on a small screen, without jargon.
    assert 0 < len(details["message"]) <= 120 and "\n" not in details["message"]
    return details
