"""Recordings to send, and their text."""
import io
import math
import re
import struct
import subprocess
import tempfile
import threading
import wave
from functools import lru_cache
from pathlib import Path

from serving import ROOT

CLIPS = ROOT / "Tests/Fixtures/clips"
#: 2.5 s, one sentence.
DOOR, DOOR_TEXT = CLIPS / "say-01.wav", "Open the garden door, please."
#: 5.8 s, two sentences with a pause between them.
FAN, FAN_TEXT = CLIPS / "say-00.wav", "Turn the fan down to 5%. Where did you put the short chair?"
#: Three minutes, which take several seconds to recognize.
LONG = CLIPS / "long-three-minutes.flac"
SILENCE = CLIPS / "silence-10s.wav"
RATE = 16000
#: Encoder options of ffmpeg by file name extension.
ENCODERS = {"wav": "pcm_s16le", "flac": "flac", "mp3": "libmp3lame", "m4a": "aac", "mp4": "aac", "mpga": "libmp3lame",
            "mpeg": "libmp3lame", "ogg": "libvorbis", "oga": "libvorbis", "opus": "libopus", "webm": "libopus",
            "mulaw": "pcm_mulaw", "alaw": "pcm_alaw"}
CONTAINERS = {"mpga": "mp3", "mpeg": "mp3", "oga": "ogg", "m4a": "ipod"}
scratch = tempfile.TemporaryDirectory(prefix="whisper-local-clips-")


def words(text):
    """The words of a text in lower case without punctuation."""
    return re.findall(r"[\w']+", text.lower())


@lru_cache(maxsize=None)
def samples(path):
    """The samples of a WAV file with 16 kHz and one channel, as signed 16-bit integers."""
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2)
        return file.readframes(file.getnframes())


def wav(content, rate=RATE):
    """A WAV file with these samples."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 2, rate, 0, "NONE", ""))
        writer.writeframes(content)
    return file.getvalue()


def silence(seconds):
    """A WAV file with this much silence."""
    return wav(bytes(2 * int(seconds * RATE)))


def tone(seconds, pitch=440):
    """Samples of a tone."""
    return struct.pack(f"<{seconds * RATE}h", *(round(6000 * math.sin(2 * math.pi * pitch * index / RATE))
                                                for index in range(seconds * RATE)))


def chunks(content, milliseconds=50):
    """Samples in pieces of this length."""
    size = RATE * milliseconds // 1000 * 2
    return [content[start:start + size] for start in range(0, len(content), size)]


@lru_cache(maxsize=None)
def converted(path, extension, *options):
    """The path of a copy in another format."""
    name = "-".join([Path(path).stem, *options]).replace("/", "_")
    target = Path(scratch.name) / f"{name}.{extension}"
    container = ["-f", CONTAINERS[extension]] if extension in CONTAINERS else []
    # Several threads may want the same copy.
    partial = target.with_stem(f"{name}-{threading.get_ident()}")
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(path), "-c:a", ENCODERS[extension], *options,
                    *container, str(partial)], check=True)
    return partial.replace(target)


class Unseekable(io.RawIOBase):
    """A stream without a length or a name, which is therefore sent in chunks."""

    def __init__(self, content):
        self.content = io.BytesIO(content)

    def readable(self):
        return True

    def readinto(self, buffer):
        return self.content.readinto(buffer)
