"""Many clients at once, clients that disconnect, and shutdown while the server is busy."""
import os
import random
import select
import statistics
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from clips import DOOR, DOOR_TEXT, FAN, FAN_TEXT, LONG, RATE, chunks, converted, samples, words
from conftest import KEY
from forms import MODEL, field, file, form, post_bytes, speech_form
from serving import STOPPED, wait_until
from web_socket import BINARY, TEXT, WebSocket, frame
from wire import Connection, exchange, get, head

LOAD_SECONDS = float(os.environ.get("WHISPER_LOCAL_LOAD_SECONDS", "20"))
SPEECH = samples(FAN) + bytes(RATE * 2)
TERMINATE = frame(TEXT, '{"type":"Terminate"}')


def transcribe(server, path=DOOR, timeout=90, **fields):
    with path.open("rb") as recording:
        return requests.post(f"{server.url}/v1/audio/transcriptions", files={"file": recording}, timeout=timeout,
                             data={"model": "whisper-1"} | fields)


def served(server, path=DOOR, **fields):
    """The text, and the number of times the server was too busy."""
    for refusals in range(200):
        answer = transcribe(server, path, **fields)
        if answer.status_code == 200:
            return answer.json()["text"], refusals
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1"), answer.text
        # A connection over the limit is rejected without a body.
        assert not answer.content or answer.json()["error"]["code"] == "overloaded"
        time.sleep(1)
    raise AssertionError("never served")


def half_minute():
    return converted(LONG, "wav", "-t", "29", "-ar", "16000")


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


@pytest.mark.slow
def test_64_clients_at_once_are_all_served(start):
    server = start("--cache", "off")
    with ThreadPoolExecutor(64) as pool:
        results = list(pool.map(lambda number: served(server, (DOOR, FAN)[number % 2], prompt=f"{number}."), range(64)))
    assert [text for text, _ in results] == [DOOR_TEXT, FAN_TEXT] * 32
    assert any(refusals for _, refusals in results), "16 of one client wait, the others get 503"


class Clients:
    """Clients that do what clients do, in random order, until the time is up."""

    def __init__(self, server, seconds):
        self.server, self.end = server, time.monotonic() + seconds
        self.done = Counter()
        self.lock = threading.Lock()

    def run(self, seed):
        chance = random.Random(seed)
        while time.monotonic() < self.end:
            action = chance.choice([self.ask, self.ask, self.ask_for_words, self.stream_events, self.give_up, self.cut_upload,
                                    self.live, self.cut_live, self.look])
            outcome = action(chance)
            with self.lock:
                self.done[f"{action.__name__} {outcome}"] += 1

    def judge(self, answer, expected):
        if answer.status_code == 503:
            assert answer.headers["retry-after"] == "1"
            time.sleep(0.5)
            return "refused"
        assert answer.status_code == 200 and expected in answer.text, answer.text
        return "served"

    def ask(self, chance):
        path, text = chance.choice([(DOOR, DOOR_TEXT), (FAN, FAN_TEXT)])
        return self.judge(transcribe(self.server, path, prompt=f"{chance.random()}"), text)

    def ask_for_words(self, chance):
        return self.judge(transcribe(self.server, response_format="verbose_json", **{"timestamp_granularities[]": "word"}), DOOR_TEXT)

    def stream_events(self, chance):
        return self.judge(transcribe(self.server, FAN, stream="true"), '"transcript.text.done"')

    def give_up(self, chance):
        try:
            return self.judge(transcribe(self.server, half_minute(), timeout=chance.uniform(0.05, 1), prompt=f"{chance.random()}"), "")
        except requests.exceptions.RequestException:
            return "left"

    def cut_upload(self, chance):
        body = form(MODEL, file(bytes(chance.choice([1000, 2_000_000]))))
        request = post_bytes(self.server, body)
        connection = Connection(self.server)
        connection.try_to_send(request[:chance.randrange(len(request))])
        chance.choice([connection.close, connection.reset])()
        return "left"

    def live(self, chance):
        with WebSocket(self.server, timeout=60) as socket:
            for piece in chunks(SPEECH, 100):
                socket.send(frame(BINARY, piece))
            socket.send(TERMINATE)
            messages = socket.messages()
        if messages[-1]["type"] == "Error" and socket.code == 3009:
            return "refused"
        ends = [message["transcript"] for message in messages if message["type"] == "Turn" and message["end_of_turn"]]
        # After four seconds the end is sent as far as it is known; here sixteen clients speak at once.
        text = " ".join(ends)
        assert socket.code == 1000 and words(text)[:4] == words(FAN_TEXT)[:4], (socket.code, messages)
        return "served" if text == FAN_TEXT else "cut short"

    def cut_live(self, chance):
        socket = WebSocket(self.server)
        socket.try_to_send(b"".join(frame(BINARY, piece) for piece in chunks(SPEECH, 1000))[:chance.randrange(len(SPEECH))])
        time.sleep(chance.uniform(0, 0.3))
        chance.choice([socket.close, socket.reset])()
        return "left"

    def look(self, chance):
        assert get(self.server, chance.choice(["/v1/models", "/health", "/metrics"])).status == 200
        return "served"


@pytest.mark.slow
def test_16_clients_with_random_disconnects(start):
    server = start("--cache", "off")
    for warm_up in (DOOR, FAN):
        served(server, warm_up)
    idle = descriptors(server)
    clients = Clients(server, LOAD_SECONDS)
    memory = []
    with ThreadPoolExecutor(16) as pool:
        running = [pool.submit(clients.run, seed) for seed in range(16)]
        while not all(future.done() for future in running):
            memory.append(server.resident_bytes())
            time.sleep(0.2)
        for future in running:
            future.result()
    print(dict(sorted(clients.done.items())), f"{max(memory) >> 20} MiB")
    assert clients.done["ask served"] and clients.done["live served"]
    # Nothing leaks: no slot in the queue, no connection, no file.
    assert wait_until(lambda: descriptors(server) <= idle + 4, 40), "connections are left open"
    begun = time.monotonic()
    assert served(server) == (DOOR_TEXT, 0) and time.monotonic() - begun < 5
    assert server.left_files() == []
    middle = len(memory) // 2
    growth = statistics.median(memory[-middle // 2:]) - statistics.median(memory[middle // 2:middle])
    assert growth < 48 * 2**20, f"memory grew by {growth / 2**20:.0f} MiB"
    assert "error" not in server.log.lower().replace("errors=0", ""), server.log


@pytest.mark.slow
def test_500_idle_connections(start):
    server = start("--cache", "off")
    connections = [Connection(server, f"127.0.0.{2 + number // 50}") for number in range(500)]
    statuses = Counter()
    for connection in connections:
        connection.try_to_send(head(server, "GET", "/health"))
    for connection in connections:
        statuses[connection.response("GET").status] += 1
    assert statuses == {200: 256, 503: 244}
    for connection in connections:
        connection.close()
    assert wait_until(lambda: get(server, "/health").status == 200, 5)


def test_a_busy_client_does_not_keep_others_waiting(start):
    server = start("--cache", "off", "--workers", "1", "--max-queue", "32")
    body = half_minute().read_bytes()

    def ask(source, number):
        request = post_bytes(server, form(MODEL, field("prompt", f"{source} {number}"), file(body)))
        begun = time.monotonic()
        status = exchange(server, request, "POST", source, timeout=60).status
        return status, begun, time.monotonic()

    with ThreadPoolExecutor(14) as pool:
        busy = [pool.submit(ask, "127.0.0.2", number) for number in range(12)]
        time.sleep(0.3)
        status, begun, other = pool.submit(ask, "127.0.0.3", 0).result()
        assert status == 200
        ends = [future.result()[2] for future in busy]
    # One whose response is being sent, one that is running, and one that starts while the recording is sent.
    assert sum(begun < end < other for end in ends) <= 3 < sum(begun < end for end in ends)


def test_clients_with_the_same_key_take_turns_and_none_fills_the_queue(start, key_file):
    server = start("--cache", "off", "--workers", "1", "--max-queue", "8", "--api-key-file", key_file)
    body = half_minute().read_bytes()

    def ask(source, number):
        request = post_bytes(server, form(MODEL, field("prompt", f"{source} {number}"), file(body)),
                             f"Authorization: Bearer {KEY}")
        status = exchange(server, request, "POST", source, timeout=60).status
        return status, time.monotonic()

    with ThreadPoolExecutor(13) as pool:
        busy = [pool.submit(ask, "127.0.0.2", number) for number in range(12)]
        assert wait_until(lambda: any(one.done() for one in busy), 20)
        begun = time.monotonic()
        status, other = pool.submit(ask, "127.0.0.3", 0).result()
        assert status == 200, "nobody may fill the queue"
        ends = [one.result() for one in busy]
    assert 3 < sum(status == 200 for status, _ in ends) < 8
    # One whose response is being sent, one that is running, and one that starts while the recording is sent.
    assert sum(status == 200 and begun < end < other for status, end in ends) <= 3


def test_identical_requests_share_one_recognition(start):
    server = start("--cache", "off", "--workers", "1", "--max-queue", "1")
    begun = time.monotonic()
    text, _ = served(server, half_minute())
    alone = time.monotonic() - begun
    with ThreadPoolExecutor(8) as pool:
        begun = time.monotonic()
        results = list(pool.map(lambda _: served(server, half_minute()), range(8)))
    assert results == [(text, 0)] * 8, "eight different ones would not fit in the queue"
    assert time.monotonic() - begun < 3 * alone + 1


def test_what_is_running_is_finished_when_the_server_is_terminated(start):
    server = start("--cache", "off", "--workers", "1")
    with ThreadPoolExecutor(2) as pool, Connection(server) as idle, Connection(server) as uploading:
        running = pool.submit(transcribe, server, half_minute())
        uploading.send(post_bytes(server, speech_form())[:3000])
        time.sleep(1)
        begun = time.monotonic()
        stopping = pool.submit(server.stop)
        time.sleep(0.2)
        with Connection(server) as late:
            assert not select.select([late.socket], [], [], 0.5)[0], "nginx mixes up an answer without a request"
            late.send(post_bytes(server, speech_form())[:3000])
            refusal = late.response()
        assert (refusal.status, refusal.headers["retry-after"]) == (503, "1"), "a proxy uses another server"
        answer = running.result()
        assert answer.status_code == 200 and answer.json()["text"], "what was running is finished"
        assert stopping.result() in STOPPED and time.monotonic() - begun < 15
        assert idle.is_closed() and wait_until(lambda: not uploading.try_to_send(b"x"), 5)


def test_a_terminated_server_does_not_wait_for_minutes_of_work(start):
    server = start("--cache", "off", "--workers", "1")
    with ThreadPoolExecutor(9) as pool:
        running = [pool.submit(transcribe, server, LONG, prompt=f"{number}") for number in range(8)]
        time.sleep(2)
        begun = time.monotonic()
        assert server.stop() in STOPPED and time.monotonic() - begun < 15
        for future in running:
            try:
                assert future.result().status_code in (200, 503)
            except requests.exceptions.RequestException:
                pass


def test_health_is_answered_while_the_queue_is_full(start):
    server = start("--cache", "off", "--workers", "1", "--max-queue", "1")
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(transcribe, server, half_minute(), prompt=f"{number}") for number in range(2)]
        seen = []

        def is_busy():
            answer = get(server, "/health")
            seen.append((answer.status, answer.headers.get("retry-after")))
            return answer.status == 503

        assert wait_until(is_busy, 10), seen
        assert set(seen) == {(200, None), (503, "1")} or set(seen) == {(503, "1")}
        assert all(future.result().status_code == 200 for future in running)
    assert get(server, "/health").status == 200
