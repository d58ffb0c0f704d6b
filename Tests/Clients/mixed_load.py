"""Clients of all protocols at once, many of which disconnect at a random moment. Counts what is lost and what is left behind.

`scripts/test-load.sh` runs it for ten minutes and prints a table for docs/server.md, test_load.py for some seconds.
"""
import argparse
import base64
import io
import os
import random
import socket
import statistics
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import openai
import requests
import websockets
import wyoming.event
from openai import OpenAI
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop

import hostile
import long_recording
import openai_realtime as realtime
from clips import DOOR, DOOR_TEXT, FAN, FAN_TEXT, RATE, chunks, samples, words
from forms import MODEL, field, file, form, part, post_bytes
from serving import STOPPED, Server, wait_until
from web_socket import BINARY, TEXT, WebSocket, frame
from wire import Connection, get

MIB = 2**20
PAUSE = bytes(RATE * 2)
#: Four times both sentences, in two windows.
TALK = 4 * (samples(FAN) + 3 * PAUSE)
TERMINATE = frame(TEXT, '{"type":"Terminate"}')
#: Seconds that a client may wait.
PATIENCE = 90


class Refused(Exception):
    """The server is too busy; the client asks again."""


def wyoming_bytes(*events):
    """As the official package writes them."""
    stream = io.BytesIO()
    for event in events:
        wyoming.event.write_event(event.event(), stream)
    return stream.getvalue()


def wyoming_recording(content, milliseconds=10):
    """What Home Assistant sends."""
    parts = [AudioChunk(rate=RATE, width=2, channels=1, audio=piece) for piece in chunks(content, milliseconds)]
    return [Transcribe(language="en"), AudioStart(rate=RATE, width=2, channels=1), *parts, AudioStop()]


def asr_bytes(server, content):
    body = form(part('name="audio_file"; filename="audio_file"', content))
    return post_bytes(server, body, path="/asr?task=transcribe&language=en&output=srt&encode=false")


def speech_bytes(server, path, number):
    return post_bytes(server, form(MODEL, field("prompt", f"{number}"), file(path.read_bytes())))


class Client:
    """Does what clients do, in random order, until the time is up. The first thing it does is the `number`-th of the list."""

    def __init__(self, load, number):
        self.load, self.server, self.number = load, load.server, number
        self.chance = random.Random(number)
        # A client that asks again by itself would hide what was lost.
        self.openai = OpenAI(base_url=f"{self.server.url}/v1", api_key="local", max_retries=0, timeout=PATIENCE)
        self.wyoming = SimpleNamespace(scheme="http", host=self.server.host, port=urlsplit(self.server.wyoming_uri).port)
        self.actions = [
            # Weights: as many clients stay as leave.
            self.ask, self.ask_for_words, self.ask_for_events, self.subtitles, self.say_command, self.commit, self.talk,
            self.dictate, self.look, self.cut_ask, self.cut_subtitles, self.cut_command, self.cut_commit, self.cut_dictation,
        ]

    def run(self, end):
        action = self.actions[self.number % len(self.actions)]
        with self.openai:
            while True:
                self.do(action)
                if time.monotonic() >= end:
                    return
                action = self.chance.choice(self.actions)

    def do(self, action):
        """Asks until the server has time."""
        name = action.__name__
        for _ in range(200):
            try:
                action()
                return self.load.count(f"{name} left" if name.startswith("cut_") else f"{name} served")
            except Refused:
                self.load.count(f"{name} refused")
                time.sleep(self.chance.uniform(0.2, 0.6))
            except Exception as error:
                return self.load.fail(f"{name}: {type(error).__name__}: {error}")
        self.load.fail(f"{name}: never served")

    # Clients that stay, and want their whole text

    def create(self, path, **options):
        with path.open("rb") as recording:
            try:
                return self.openai.audio.transcriptions.create(
                    model="whisper-1", file=recording, prompt=f"{self.chance.random()}.", **options)
            except openai.APIStatusError as error:
                raise Refused if error.status_code == 503 and error.response.headers["retry-after"] == "1" else error

    def ask(self):
        path, text = self.chance.choice([(DOOR, DOOR_TEXT), (FAN, FAN_TEXT)])
        expect(self.create(path).text, text)

    def ask_for_words(self):
        result = self.create(DOOR, response_format="verbose_json", timestamp_granularities=["word"])
        expect([word.word.lower() for word in result.words], words(DOOR_TEXT))

    def ask_for_events(self):
        events = list(self.create(FAN, stream=True))
        expect(events[-1].text, FAN_TEXT)
        expect("".join(event.delta for event in events[:-1]), FAN_TEXT)

    def subtitles(self):
        """As Bazarr asks for them."""
        answer = requests.post(f"{self.server.url}/asr", files={"audio_file": TALK}, timeout=PATIENCE, params={
            "task": "transcribe", "language": "en", "output": "srt", "encode": "false"})
        if answer.status_code == 503:
            raise Refused
        expect(answer.status_code, 200)
        self.load.subtitles = self.load.subtitles or answer.text
        expect(answer.text, self.load.subtitles)

    def say_command(self):
        """As Home Assistant does; sometimes two recordings on a connection."""
        with socket.create_connection((self.wyoming.host, self.wyoming.port), PATIENCE) as connection:
            with connection.makefile("rb") as answers:
                for _ in range(self.chance.choice([1, 1, 2])):
                    connection.sendall(wyoming_bytes(*wyoming_recording(samples(FAN))))
                    event = wyoming.event.read_event(answers)
                    if event and event.type == "error" and event.data["code"] == "busy":
                        raise Refused
                    expect(Transcript.from_event(event).text, FAN_TEXT)

    def session(self, settings, expected):
        session = realtime.Session(self.server, client=self.openai)
        try:
            with session:
                session.update(realtime.settings(settings))
                session.append(realtime.SPEECH)
                session.finish()
        except websockets.ConnectionClosed as closed:
            raise Refused if [error["code"] for error in session.errors] == ["overloaded"] else closed
        expect(session.texts, expected)

    def commit(self):
        self.session(None, [FAN_TEXT])

    def talk(self):
        self.session({"type": "server_vad"}, realtime.SENTENCES)

    def dictate(self):
        """AssemblyAI's protocol. The session ends when everything has been heard."""
        with WebSocket(self.server, timeout=PATIENCE) as connection:
            for piece in chunks(samples(FAN) + PAUSE, 100):
                connection.send(frame(BINARY, piece))
            ends = []
            while " ".join(ends) != FAN_TEXT:
                message = connection.message()
                if message["type"] == "Error" and "Too many concurrent sessions" in message["error"]:
                    raise Refused
                assert message["type"] in ("Begin", "SpeechStarted", "Turn") and len(ends) < 2, (message, ends)
                if message["type"] == "Turn" and message["end_of_turn"]:
                    ends.append(message["transcript"])
            connection.send(TERMINATE)
            connection.messages()
            expect(connection.code, 1000)

    def look(self):
        expect(get(self.server, self.chance.choice(["/v1/models", "/health", "/metrics", "/status"])).status, 200)

    # Clients that leave

    def cut(self, connection, data):
        """Sends a random part, waits a little and leaves."""
        end = self.chance.choice([len(data), self.chance.randrange(len(data))])
        connection.try_to_send(data[:end])
        time.sleep(self.chance.choice([0, self.chance.uniform(0, 1)]))
        self.chance.choice([connection.close, connection.reset])()

    def cut_ask(self):
        self.cut(Connection(self.server), speech_bytes(self.server, FAN, self.chance.random()))

    def cut_subtitles(self):
        self.cut(Connection(self.server), asr_bytes(self.server, TALK))

    def cut_command(self):
        self.cut(Connection(self.wyoming), wyoming_bytes(*wyoming_recording(TALK)))

    def cut_commit(self):
        event = '{"type": "input_audio_buffer.append", "audio": "%s"}'
        parts = [event % base64.b64encode(piece).decode() for piece in realtime.pieces(realtime.SPEECH)]
        data = b"".join(frame(TEXT, part) for part in [*parts, '{"type": "input_audio_buffer.commit"}'])
        self.cut(WebSocket(self.server, realtime.TARGET), data)

    def cut_dictation(self):
        self.cut(WebSocket(self.server), b"".join(frame(BINARY, piece) for piece in chunks(TALK, 100)))


def expect(found, expected):
    assert found == expected, f"{found!r} instead of {expected!r}"


class MixedLoad:
    """A server with as many clients as there are things to do, or more.

    Each thing is done once before, so that what is made only once is there: `files`, `threads` and `idle_bytes` are the
    server's then.
    """

    def __init__(self, server):
        self.server = server
        self.done = Counter()
        self.failures = []
        self.lock = threading.Lock()
        #: Bytes, five times a second.
        self.memory = []
        #: What the small model makes of it: with mistakes, but the same each time.
        self.subtitles = ""
        first = Client(self, 0)
        with first.openai:
            for action in first.actions:
                first.do(action)
        assert not self.failures and self.subtitles.count(" --> ") == 8, (self.failures, self.subtitles)
        assert wait_until(lambda: not any(self.gauges().values()), 40, step=0.1), "a connection is left"
        time.sleep(0.5)
        self.files, self.threads = len(hostile.open_files(server)), threads(server)
        self.idle_bytes = server.resident_bytes()
        self.done.clear()

    def count(self, outcome):
        with self.lock:
            self.done[outcome] += 1

    def fail(self, message):
        with self.lock:
            self.failures.append(message)

    def run(self, seconds, clients):
        begun = time.monotonic()
        with ThreadPoolExecutor(clients) as pool:
            running = [pool.submit(Client(self, number).run, begun + seconds) for number in range(clients)]
            while not all(future.done() for future in running):
                self.memory.append(self.server.resident_bytes())
                time.sleep(0.2)
            for future in running:
                future.result()

    def gauges(self):
        """What the server counts: recognitions, sessions, and connections without the one that asks."""
        lines = get(self.server, "/metrics").body.decode().splitlines()
        values = dict(line.removeprefix("whisper_local_").split(" ") for line in lines if line[0] != "#" and "{" not in line)
        names = ("recognitions_running", "recognitions_waiting", "streaming_sessions", "connections")
        return {name: int(values[name]) - (name == "connections") for name in names}

    def left(self):
        """What is left of the clients when the server has had time to notice that they are gone; nothing, hopefully."""
        def look():
            # Before the connection that asks for the rest.
            own = {"descriptors": len(hostile.open_files(self.server)) - self.files, "threads": threads(self.server) - self.threads,
                   "files": len(self.server.left_files())}
            found.clear()
            found.update({name: value for name, value in (own | self.gauges()).items() if value > 0})
            return not found

        found = {}
        wait_until(look, 40, step=0.2)
        return found

    def memory_growth(self):
        """From the second tenth of the time to the last."""
        return self.median_memory(0.9, 1) - self.median_memory(0.1, 0.2)

    def median_memory(self, start, end):
        """Between two moments, as parts of the whole time."""
        count = len(self.memory)
        return statistics.median(self.memory[int(start * count):int(end * count) + 1])


def threads(server):
    return len(os.listdir(f"/proc/{server.process.pid}/task"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--model", type=Path, help="default: the demonstration model")
    arguments = parser.parse_args()
    options = {"model": arguments.model} if arguments.model else {}
    server = Server("--cache", "off", "--wyoming", "0", **options)
    load = MixedLoad(server)
    load.run(60 * arguments.minutes, arguments.clients)
    left = load.left()
    print("| | served, whole text | left in the middle | refused, asked again |\n| --- | --- | --- | --- |")
    for title, names in (("OpenAI", ("ask", "ask_for_words", "ask_for_events", "cut_ask")), ("Realtime", ("commit", "talk", "cut_commit")),
                         ("Wyoming", ("say_command", "cut_command")), ("`/asr`", ("subtitles", "cut_subtitles")),
                         ("AssemblyAI", ("dictate", "cut_dictation"))):
        counts = [sum(load.done[f"{name} {outcome}"] for name in names) for outcome in ("served", "left", "refused")]
        print(f"| {title} | {counts[0]:,} | {counts[1]:,} | {counts[2]:,} |")
    early, late, most, end = (size / MIB for size in (
        load.median_memory(0.1, 0.2), load.median_memory(0.9, 1), max(load.memory), server.resident_bytes()))
    print(f"\nmemory: {early:.0f} MiB in the second tenth of the time, {late:.0f} MiB in the last, {most:.0f} MiB at most, "
          f"{end:.0f} MiB afterwards; lost: {len(load.failures)}; left: {left or 'nothing'}")
    print(*load.failures[:20], sep="\n")
    long_recording.send(server, 1 / 60)
    film = long_recording.send(server, 2)
    print(f"two hours of samples: {film.size / 1e6:.0f} MB, sent in {film.sent:.1f} s, answered after {film.answered:.1f} s; "
          f"{film.more / MIB:+.0f} MiB; status {film.status}")
    film_is_good = film.status == 200 and film.more < 30 * MIB
    if load.failures or left or load.memory_growth() > 16 * MIB or not film_is_good or server.stop() not in STOPPED:
        sys.exit("error: failed")


if __name__ == "__main__":
    main()
