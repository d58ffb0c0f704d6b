"""What hostile clients achieve, as a table for docs/server.md. Fails if it is more than the documentation says."""
import argparse
import random
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hostile
from clips import DOOR
from forms import MODEL, file, form, post_bytes
from serving import STOPPED, Server, make_certificate, wait_until
from web_socket import TEXT, WebSocket, frame
from wire import Connection, exchange

MIB = 2**20
failures = []


def row(attack, result, is_good):
    print(f"| {attack} | {result} |" + ("" if is_good else " <- failed"), flush=True)
    if not is_good:
        failures.append(attack)


def broken_conversations(way, count, folder, tls):
    path = folder / way
    options = {"TCP": (), "TLS": tls, "Unix socket": ("--socket", path)}[way]
    server = Server("--cache", "off", *options)
    connect = (lambda: hostile.UnixConnection(path)) if way == "Unix socket" else (lambda: Connection(server))
    hostile.settle(server)
    before, memory = len(hostile.open_files(server)), server.resident_bytes()
    chance = random.Random()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: hostile.broken_conversation(connect, chance), range(count)))
    begun = time.monotonic()
    is_settled = wait_until(lambda: hostile.connections(server) == 0 and len(hostile.open_files(server)) <= before, 30)
    seconds, left = time.monotonic() - begun, 0 if is_settled else hostile.connections(server)
    files, more = len(hostile.open_files(server)) - before, (server.resident_bytes() - memory) / MIB
    row(f"{count:,} broken conversations ({way})",
        f"{left} connections and {max(files, 0)} descriptors left after {seconds:.1f} s; {more:+.0f} MiB",
        left == 0 and files <= 0 and seconds < 5 and more < 30)
    server.stop()


def handshakes(count, tls):
    server = Server("--cache", "off", *tls)
    hostile.handshake_seconds(server, "127.0.0.2")
    memory = server.resident_bytes()
    with hostile.unfinished_handshakes(server, count):
        other = [hostile.handshake_seconds(server, "127.0.0.2") for _ in range(20)]
    wait_until(lambda: server.resident_bytes() - memory < 30 * MIB, 10)
    more = (server.resident_bytes() - memory) / MIB
    row(f"{count} unfinished TLS handshakes of one address",
        f"another address connects in {statistics.median(other):.3f} s, at most {max(other):.3f} s; {more:+.0f} MiB",
        max(other) < 0.5 and more < 30)
    server.stop()


def floods(seconds):
    server = Server("--cache", "off")
    request = post_bytes(server, form(MODEL, file(DOOR.read_bytes())))

    def taken(ask):
        begun = time.monotonic()
        assert ask().status == 200
        return time.monotonic() - begun

    def transcribe():
        return exchange(server, request, "POST", timeout=60)

    transcribe()
    quiet = statistics.median(taken(transcribe) for _ in range(5))
    for name in [*(name for name in hostile.MESSAGES if name not in ("nonsense", "empty text", "audio")), "upload"]:
        with hostile.Flood(server, name):
            end, health, others = time.monotonic() + seconds, [], []
            while time.monotonic() < end:
                health += [hostile.health_seconds(server) for _ in range(5)]
                others.append(taken(transcribe))
        row(f"flood: {'uploads in chunks of one byte' if name == 'upload' else name}",
            f"`/health` in {statistics.median(health):.3f} s, at most {max(health):.3f} s; another client's recording takes "
            f"{statistics.median(others) / quiet:.1f} times as long",
            max(health) < 0.2 and statistics.median(others) < 3 * quiet)
    server.stop()


def memory(count):
    server = Server("--cache", "off")
    hostile.send_often(server, "audio", 10)
    for name in hostile.MESSAGES:
        if name == "audio":
            continue
        before = server.resident_bytes()
        code = hostile.send_often(server, name, count)
        wait_until(lambda: server.resident_bytes() - before < 30 * MIB, 10)
        more = (server.resident_bytes() - before) / MIB
        row(f"{count:,} times: {name}", f"closed with {code}; {more:+.0f} MiB", more < 30 and code)
    server.stop()


def ending():
    server = Server("--cache", "off")
    with WebSocket(server) as session:
        session.send(frame(TEXT, '{"type":"Terminate"}'))
        session.messages()
    begun = time.monotonic()
    status = server.stop()
    seconds = time.monotonic() - begun
    row("SIGTERM after a finished session", f"ends in {seconds:.1f} s", status in STOPPED and seconds < 3)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=10_000)
    parser.add_argument("--handshakes", type=int, nargs="*", default=[60, 200, 240])
    parser.add_argument("--seconds", type=float, default=5, help="of each flood")
    parser.add_argument("--messages", type=int, default=100_000)
    arguments = parser.parse_args()
    print("| attack | result |\n| --- | --- |")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        keys = make_certificate(folder)
        tls = ("--tls-cert", keys.certificate, "--tls-key", keys.key)
        for way in ("TCP", "TLS", "Unix socket"):
            broken_conversations(way, arguments.conversations, folder, tls)
        for count in arguments.handshakes:
            handshakes(count, tls)
    floods(arguments.seconds)
    memory(arguments.messages)
    ending()
    sys.exit(f"error: failed: {', '.join(failures)}" if failures else 0)
