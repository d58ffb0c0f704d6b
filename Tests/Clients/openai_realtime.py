"""OpenAI's Realtime API with the official client: sessions whose every event is checked against the client's own types."""
import base64
import json
import subprocess

from openai import OpenAI
from openai.types.beta.realtime.realtime_server_event import RealtimeServerEvent as BetaServerEvent
from openai.types.realtime.realtime_server_event import RealtimeServerEvent
from pydantic import TypeAdapter

from clips import FAN

RATE = 24000
SENTENCES = ["Turn the fan down to 5%.", "Where did you put the short chair?"]
PRESENT, BETA = TypeAdapter(RealtimeServerEvent), TypeAdapter(BetaServerEvent)
TARGET = "/v1/realtime?intent=transcription"
TEXT_EVENT = "conversation.item.input_audio_transcription."
LOGPROBS = "item.input_audio_transcription.logprobs"


def audio(rate=RATE, form="s16le", encoder="pcm_s16le", path=FAN):
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-ar", str(rate), "-ac", "1", "-c:a", encoder, "-f", form, "-"]
    return subprocess.run(command, check=True, capture_output=True).stdout


SPEECH = audio() + bytes(RATE * 2)
#: The first sentence, and a second of silence.
FIRST = SPEECH[:3 * RATE * 2] + bytes(RATE * 2)


def pieces(content, milliseconds=100, rate=RATE, width=2):
    size = rate * milliseconds // 1000 * width
    return [content[start:start + size] for start in range(0, len(content), size)]


def settings(turn_detection=None, **transcription):
    """A session for `session.update`."""
    return {"type": "transcription", "audio": {"input": {
        "turn_detection": turn_detection, "transcription": {"model": "whisper-1", "language": "en"} | transcription}}}


class Session:
    """A session of the official client. Every event is checked against the client's own types."""

    def __init__(self, server, key="local", client=None, types=PRESENT, **options):
        self.types = types
        client = client or OpenAI(base_url=f"{server.url}/v1", api_key=key)
        self.manager = client.realtime.connect(**options or {"extra_query": {"intent": "transcription"}})
        self.events = []

    def __enter__(self):
        self.connection = self.manager.enter()
        return self

    def __exit__(self, *_):
        self.connection.close()

    def next(self):
        event = json.loads(self.connection.recv_bytes())
        # The beta's own types do not know its first event.
        if event["type"] != "transcription_session.created":
            self.types.validate_python(event)
        self.events.append(event)
        return event

    def until(self, kind, count=1):
        """Reads events up to the `count`-th of a kind, and returns that one."""
        while True:
            event = self.next()
            if event["type"] == kind and (count := count - 1) == 0:
                return event

    def update(self, session):
        self.connection.session.update(session=session)
        return self.until("session.updated")["session"]

    def append(self, content, **options):
        for piece in pieces(content, **options):
            self.connection.input_audio_buffer.append(audio=base64.b64encode(piece).decode())

    def finish(self):
        """As openai-agents ends its sessions: until every committed item is completed."""
        self.connection.input_audio_buffer.commit(event_id="last")
        self.connection.input_audio_buffer.clear()
        while not (self.of("input_audio_buffer.cleared")
                   and len(self.of("input_audio_buffer.committed")) == len(self.of(TEXT_EVENT + "completed"))):
            self.next()
        check(self.events)

    def of(self, kind):
        return [event for event in self.events if event["type"] == kind]

    @property
    def texts(self):
        return [event["transcript"] for event in self.of(TEXT_EVENT + "completed")]

    @property
    def errors(self):
        return [event["error"] for event in self.of("error")]


def check(events):
    """What every client relies on."""
    committed, completed, deltas, last, ids = [], [], {}, 0, set()
    for event in events:
        assert event["event_id"].startswith("event_") and event["event_id"] not in ids
        ids.add(event["event_id"])
        for name in ("audio_start_ms", "audio_end_ms"):
            if name in event:
                assert type(event[name]) is int and event[name] >= last
                last = event[name]
        kind, item = event["type"], event.get("item_id")
        if kind == "input_audio_buffer.committed":
            assert event["previous_item_id"] == (committed[-1] if committed else None)
            committed.append(item)
        elif kind == TEXT_EVENT + "delta":
            assert item not in completed and event["delta"]
            deltas[item] = deltas.get(item, "") + event["delta"]
        elif kind == TEXT_EVENT + "completed":
            completed.append(item)
            assert deltas.get(item, "") == event["transcript"]
            assert event["usage"]["type"] == "duration" and event["usage"]["seconds"] > 0
        assert not kind.startswith("response.")
    # In order, each once.
    assert completed == committed
