"""Two servers behind nginx: one is killed, the other is shut down gracefully."""
import itertools
import json
import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from clips import DOOR, DOOR_TEXT, FAN, FAN_TEXT, LONG
from proxy import NAME, Proxy
from serving import STOPPED, Server, wait_until
from web_socket import STREAM, WebSocket

CLIENTS = 16
#: Seconds within which a client must notice that its server has gone, and be connected to another one.
NOTICED, AGAIN = 5, 5
#: Seconds for which nginx leaves a server alone that did not answer.
LEFT_ALONE = 2.5


class Service:
    """Two servers and their proxy."""

    def __init__(self):
        self.servers = [self.server(), self.server()]
        self.proxy = Proxy([server.port for server in self.servers])

    @staticmethod
    def server(port=0):
        return Server("--cache", "off", "--allow-host", NAME, port=port)

    def kill(self, number):
        self.servers[number].stop(signal.SIGKILL)

    def restart(self, number):
        self.servers[number] = self.server(self.servers[number].port)

    def post(self, path, **options):
        with path.open("rb") as recording:
            return requests.post(
                f"{self.proxy.url}/v1/audio/transcriptions", headers={"Host": NAME}, timeout=90,
                files={"file": recording}, data={"model": "whisper-1"} | options.pop("data", {}), **options)

    def listen(self):
        """An open session."""
        socket = WebSocket(self.proxy, STREAM)
        assert socket.message()["type"] == "Begin"
        return socket

    def stop(self):
        self.proxy.stop()
        for server in self.servers:
            server.stop()


@pytest.fixture
def service():
    service = Service()
    yield service
    service.stop()


class Stream:
    """Server-sent events of a long recording, read in the background."""

    def __init__(self, service, number):
        self.events, self.is_over, self.status = [], threading.Event(), None
        # A different recording each, so that no recognition is shared.
        self.thread = threading.Thread(target=self.read, args=(service, number), daemon=True)
        self.thread.start()

    def read(self, service, number):
        try:
            answer = service.post(LONG, data={"stream": "true", "prompt": f"{number}"}, stream=True)
            self.status = answer.status_code
            for line in answer.iter_lines():
                if line.startswith(b"data: {"):
                    self.events.append(json.loads(line[6:])["type"])
        except requests.exceptions.RequestException:
            self.events.append("closed")
        self.is_over.set()

    @property
    def is_complete(self):
        return self.events[-1:] == ["transcript.text.done"]


def test_requests_get_their_answers_when_a_server_is_killed_and_the_other_drained(service):
    answered, lock, end = [], threading.Lock(), threading.Event()

    def client(number):
        done = 0
        while not end.is_set():
            path, text = (DOOR, DOOR_TEXT) if (number + done) % 2 else (FAN, FAN_TEXT)
            answer = service.post(path, data={"prompt": f"{number} {done}."})
            assert answer.status_code == 200, answer.text
            assert answer.json()["text"] == text
            done += 1
            with lock:
                answered.append(number)
        return done

    def more(count):
        wanted = len(answered) + count
        assert wait_until(lambda: len(answered) >= wanted or any(one.done() for one in clients), 60)
        assert not any(one.done() and one.exception() for one in clients), [one.exception() for one in clients if one.done()]

    with ThreadPoolExecutor(CLIENTS) as pool:
        clients = [pool.submit(client, number) for number in range(CLIENTS)]
        try:
            more(CLIENTS)
            service.kill(0)
            more(CLIENTS)
            service.restart(0)
            time.sleep(LEFT_ALONE)
            more(CLIENTS)
            assert service.servers[1].stop() in STOPPED
            more(CLIENTS)
        finally:
            end.set()
        assert all(one.result() > 0 for one in clients)


def test_streams_and_sessions_end_clearly_and_open_again(service):
    def are_open():
        """Whether both streams have begun; one that has ended already is opened again."""
        for index, stream in enumerate(streams):
            if stream.is_over.is_set():
                streams[index] = Stream(service, next(numbers))
        return all(stream.events for stream in streams)

    numbers = itertools.count(10)
    # Two sessions and then a stream on each server.
    sessions = [service.listen() for _ in range(4)]
    streams = [Stream(service, next(numbers)) for _ in range(2)]
    assert wait_until(are_open, 30)
    service.kill(0)
    killed = time.monotonic()
    assert wait_until(lambda: any(stream.is_over.is_set() and not stream.is_complete for stream in streams), NOTICED)
    assert "closed" in [event for stream in streams for event in stream.events], "not the end of a complete answer"
    ended = [session for session in sessions if session.is_closed(within=0.5)]
    assert 0 < len(ended) < 4
    assert time.monotonic() - killed < NOTICED
    for session in ended:
        service.listen().close()
    again = Stream(service, 9)
    assert wait_until(lambda: again.events, AGAIN + 20) and again.status == 200
    service.restart(0)
    time.sleep(LEFT_ALONE)

    drained = threading.Thread(target=service.servers[1].stop)
    drained.start()
    for session in set(sessions) - set(ended):
        session.messages()
        assert session.code == 1001
    begun = time.monotonic()
    service.listen().close()
    assert time.monotonic() - begun < AGAIN
    drained.join()
    assert again.is_over.wait(NOTICED)


def test_four_servers_share_a_cache(start, tmp_path):
    servers = [start("--cache", tmp_path / "transcripts.db") for _ in range(4)]

    def ask(server, number):
        path, text = (DOOR, DOOR_TEXT) if number % 2 else (FAN, FAN_TEXT)
        with path.open("rb") as recording:
            answer = requests.post(f"{server.url}/v1/audio/transcriptions", files={"file": recording}, timeout=90,
                                   data={"model": "whisper-1", "prompt": f"{number}."})
        assert (answer.status_code, answer.json()["text"]) == (200, text)

    def recognitions():
        return [int(re.search(r"^whisper_local_recognitions_total (\d+)", requests.get(f"{server.url}/metrics").text, re.M)[1])
                for server in servers]

    # All write at the same time, each a quarter of 32 transcripts.
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda part: [ask(servers[part], 4 * number + part) for number in range(8)], range(4)))
    assert recognitions() == [8] * 4
    # Now each server has the transcripts of the others.
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda server: [ask(server, number) for number in range(32)], servers))
    assert recognitions() == [8] * 4
    assert not any("cache is not working" in server.log for server in servers)
