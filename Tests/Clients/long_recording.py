"""A film to `/asr`, as Bazarr sends it: 230 MB of samples for two hours, which are made as they are sent."""
import http.client
import re
import time
from pathlib import Path
from types import SimpleNamespace

from clips import RATE
from forms import CONTENT_TYPE, form, part

BLOCK = bytes(1 << 20)


def body(size):
    """A form with this many bytes of silence."""
    head, tail = form(part('name="audio_file"; filename="audio_file"', b"@")).split(b"@")
    yield head
    for start in range(0, size, len(BLOCK)):
        yield BLOCK[:size - start]
    yield tail


def send(server, hours):
    """What a server answers: `status` and `text`; the seconds until it was `sent` and `answered`, and `more`, the most
    memory that it took meanwhile, in bytes above what it had."""
    size = int(hours * 3600) * RATE * 2
    length = sum(map(len, body(0))) + size
    process = Path(f"/proc/{server.process.pid}")
    # From now on, the most.
    (process / "clear_refs").write_text("5")
    before, begun = server.resident_bytes(), time.monotonic()
    connection = http.client.HTTPConnection(server.host, server.port, timeout=600)
    connection.request("POST", "/asr?task=transcribe&language=en&output=srt&encode=false", body(size),
                       {"Content-Type": CONTENT_TYPE, "Content-Length": str(length)})
    sent = time.monotonic() - begun
    answer = connection.getresponse()
    text = answer.read().decode()
    most = int(re.search(r"VmHWM:\s+(\d+) kB", (process / "status").read_text())[1]) * 1024
    connection.close()
    return SimpleNamespace(status=answer.status, text=text, sent=sent, answered=time.monotonic() - begun, more=most - before,
                           size=size)
