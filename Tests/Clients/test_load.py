"""Many clients at once, clients that disconnect, and shutdown while the server is busy."""
import os
import select
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from clips import DOOR, DOOR_TEXT, FAN, FAN_TEXT, LONG, converted
from conftest import KEY
from forms import MODEL, field, file, form, post_bytes, speech_form
from mixed_load import MIB, MixedLoad
from serving import STOPPED, wait_until
from wire import Connection, exchange, get, head

LOAD_SECONDS = float(os.environ.get("WHISPER_LOCAL_LOAD_SECONDS", "5"))


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


@pytest.mark.slow
def test_64_clients_at_once_are_all_served(start):
    server = start("--cache", "off")
    with ThreadPoolExecutor(64) as pool:
        results = list(pool.map(lambda number: served(server, (DOOR, FAN)[number % 2], prompt=f"{number}."), range(64)))
    assert [text for text, _ in results] == [DOOR_TEXT, FAN_TEXT] * 32
    assert any(refusals for _, refusals in results), "16 of one client wait, the others get 503"


def test_16_clients_with_random_disconnects(start):
    server = start("--cache", "off", "--wyoming", "0")
    load = MixedLoad(server)
    load.run(LOAD_SECONDS, 16)
    print(dict(sorted(load.done.items())))
    assert not load.failures, load.failures
    assert not load.left(), load.left()
    # Each client did something; on a busy machine, perhaps only that.
    assert load.done.total() >= 16
    assert server.resident_bytes() - load.idle_bytes < 48 * MIB
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
