#!/usr/bin/env python3
"""Measures `whisper-local serve`: requests per second, response times, and how many streams keep up with speech.

    Benchmarks/server.py                       tiny.en (ten minutes)
    Benchmarks/server.py --model base --requests 24 --seconds 20
    Benchmarks/server.py --peer faster-whisper --peer whisper.cpp
                                               also measures these in servers with the same interface
    Benchmarks/server.py --document            also writes the tables into docs/server.md

The recordings are pieces of the ten minutes of English prompts that `scripts/setup.sh --tests` installs; no two requests send
the same piece, and nothing is cached. The search is greedy, as the other servers' is. Clients run on the same cores as the
server. Results: Benchmarks/results/server.json and .md.
"""
import http.client
import json
import os
import statistics
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import (ROOT, add_name, argument_parser, available_cores, processor, replace_section, table, today, version,
                     write_results)

sys.path.insert(0, str(ROOT / "Tests/Clients"))
import clips  # noqa: E402
import forms  # noqa: E402
import serving  # noqa: E402
from peer_servers import PEERS  # noqa: E402
from web_socket import BINARY, TEXT, WebSocket, frame  # noqa: E402

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "whisper-local/tests"
CLIENTS = (1, 4, 16)
LENGTHS = (3, 30)
#: Seconds after its last sample within which a stream must end to count as real time.
REAL_TIME = 2
#: Seconds after it was said within which a word should be final.
PROMPT = 1.2
BYTES_PER_SECOND = 2 * clips.RATE


def piece(speech, start, seconds):
    """A WAV file of this length, from a position in seconds; wraps around at the end of the recording."""
    offset = int(start * clips.RATE) * 2 % len(speech)
    return clips.wav((speech + speech)[offset:offset + seconds * BYTES_PER_SECOND])


def transcribe(server, recording):
    """Seconds until the response is complete."""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=600)
    fields = [forms.field(*field) for field in getattr(server, "fields", {}).items()]
    body = forms.form(forms.MODEL, forms.field("language", "en"), *fields, forms.file(recording))
    begun = time.perf_counter()
    connection.request("POST", forms.PATH, body, {"Content-Type": forms.CONTENT_TYPE})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != 200:
        raise SystemExit(f"the server answered {answer.status}")
    return time.perf_counter() - begun


def request_row(server, speech, seconds, clients, count):
    """Figures for `count` requests by several clients, each of which sends the next one when it has the response."""
    # An odd step, so that no two pieces are the same.
    pieces = [piece(speech, number * 7.31, seconds) for number in range(count)]
    begun = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        times = sorted(pool.map(lambda recording: transcribe(server, recording), pieces))
    total = time.perf_counter() - begun
    return {"seconds": seconds, "clients": clients, "requests": count, "rate": count / total,
            "p50": statistics.median(times), "p95": times[min(count - 1, round(0.95 * count))],
            "speed": count * seconds / total}


def request_rows(server, speech, count):
    rows = []
    for seconds in LENGTHS:
        for clients in CLIENTS:
            rows.append(request_row(server, speech, seconds, clients, max(clients, count)))
            print(rows[-1], file=sys.stderr)
    return rows


def stream(server, samples, results):
    """Streams speech in real time. Appends how long after the last sample the stream ended, and the delays of final words."""
    with WebSocket(server, timeout=600) as socket:
        begun, delays, known = time.perf_counter(), [], [0]

        def speak():
            for number, part in enumerate(clips.chunks(samples, 100)):
                time.sleep(max(0, begun + (number + 1) * 0.1 - time.perf_counter()))
                socket.send(frame(BINARY, part))
            socket.send(frame(TEXT, '{"type":"Terminate"}'))

        speaker = threading.Thread(target=speak)
        speaker.start()
        while (message := socket.message())["type"] != "Termination":
            if message["type"] == "Turn":
                final = [word for word in message["words"] if word["word_is_final"]]
                now = time.perf_counter() - begun
                delays += [now - word["end"] / 1000 for word in final[known[0]:]]
                known[0] = 0 if message["end_of_turn"] else len(final)
        results.append((time.perf_counter() - begun - len(samples) / BYTES_PER_SECOND, delays))
        speaker.join()


def stream_row(server, speech, sessions, seconds, idle_bytes):
    results, threads = [], []
    for number in range(sessions):
        start = int(number * 31.7 * clips.RATE) * 2 % (len(speech) - seconds * BYTES_PER_SECOND)
        samples = speech[start:start + seconds * BYTES_PER_SECOND]
        threads.append(threading.Thread(target=stream, args=(server, samples, results)))
        threads[-1].start()
    peak = 0
    while any(thread.is_alive() for thread in threads):
        peak = max(peak, server.resident_bytes())
        time.sleep(0.2)
    delays = [delay for _, session in results for delay in session]
    lag = max(result for result, _ in results) if len(results) == sessions else float("inf")
    return {"sessions": sessions, "lag": lag, "real_time": "yes" if lag < REAL_TIME else "no",
            "delay": statistics.median(delays) if delays else None,
            "prompt": 100 * sum(delay <= PROMPT for delay in delays) / len(delays) if delays else None,
            "mebibytes": (peak - idle_bytes) / sessions / 2**20}


def stream_rows(server, speech, seconds, maximum):
    """Rows for increasing numbers of sessions, up to the first one that does not keep up."""
    idle, rows = server.resident_bytes(), []
    for sessions in (1, 2, 3, 4, 6, 8, 12, 16):
        if sessions > maximum:
            break
        rows.append(stream_row(server, speech, sessions, seconds, idle))
        print(rows[-1], file=sys.stderr)
        if rows[-1]["real_time"] == "no":
            break
    return rows


def report(arguments, data):
    requests = table([("recording", "seconds", "{} s"), ("clients", "clients", "{}"), ("requests/s", "rate", "{:.2f}"),
                      ("median", "p50", "{:.2f} s"), ("95 %", "p95", "{:.2f} s"), ("× real time", "speed", "{:.0f}")],
                     data["requests"])
    for name, peer in data.get("peers", {}).items():
        rows = [own | {"peer": other["p50"], "peer_rate": other["rate"], "ratio": own["rate"] / other["rate"]}
                for own, other in zip(data["requests"], peer["requests"])]
        figures = table([("recording", "seconds", "{} s"), ("clients", "clients", "{}"),
                         ("ours: requests/s", "rate", "{:.2f}"), ("median", "p50", "{:.2f} s"),
                         (f"{name}: requests/s", "peer_rate", "{:.2f}"), ("median", "peer", "{:.2f} s"),
                         ("ratio", "ratio", "{:.1f}")], rows)
        requests += (f"\n\nCompared with {name} ({peer['settings']}) in {peer['title']} (`--peer {name}`), which takes "
                     f"{peer['mebibytes']:.0f} MiB:\n\n{figures}")
    streams = table([("sessions", "sessions", "{}"), ("real time", "real_time", "{}"), ("end after the last sample", "lag", "{:.2f} s"),
                     ("a word is final after", "delay", "{:.2f} s"),
                     (f"within {PROMPT} s", "prompt", "{:.0f} %"), ("memory per session", "mebibytes", "{:.0f} MiB")], data["streams"])
    return (f"{arguments.model} on {data['cores']} cores of an {data['processor']}, {data['version']}, {data['date']}; the clients "
            f"run on the same cores, with `--beam-size 1` (`Benchmarks/server.py --model {arguments.model} --requests {arguments.requests} "
            f"--seconds {arguments.seconds}`). The server alone takes "
            f"{data['idle_mebibytes']:.0f} MiB.\n\n{requests}\n\nConcurrent real-time streams of "
            f"{arguments.seconds} s each:\n\n{streams}")


def main():
    parser = argument_parser(__doc__)
    add_name(parser)
    parser.set_defaults(name="server")
    parser.add_argument("--model", default="tiny.en", help="name or path of the model (default: %(default)s)")
    parser.add_argument("--speech", type=Path, default=CACHE / "speech/long-en.wav", help="recording to cut pieces from")
    parser.add_argument("--requests", type=int, default=48, help="requests in each row (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=30, help="length of a stream (default: %(default)s)")
    parser.add_argument("--sessions", type=int, default=16, help="maximum number of streams (default: %(default)s)")
    parser.add_argument("--audio-ctx", default="full", help="as serve's option (default: %(default)s)")
    parser.add_argument("--peer", action="append", choices=PEERS, default=[], help="also measure this server, repeatable")
    parser.add_argument("--environment", type=Path, default=ROOT / ".build/peer-servers",
                        help="folder for their virtual environments")
    parser.add_argument("--document", action="store_true", help="write the tables into docs/server.md")
    arguments = parser.parse_args()
    speech = clips.samples(arguments.speech)
    serving.PROGRAM = str(arguments.program)
    # The test server uses its own home folder, without models.
    installed = CACHE / f"models/ggml-{arguments.model}.bin"
    server = serving.Server("--cache", "off", "--max-queue", "64", "--max-sessions", "64", "--beam-size", "1",
                            "--audio-ctx", arguments.audio_ctx, model=installed if installed.exists() else arguments.model)
    transcribe(server, piece(speech, 0, 30))
    data = {"version": version(arguments.program), "processor": processor(), "cores": available_cores(), "date": today(),
            "model": arguments.model, "idle_mebibytes": server.resident_bytes() / 2**20}
    data["requests"] = request_rows(server, speech, arguments.requests)
    data["streams"] = stream_rows(server, speech, arguments.seconds, arguments.sessions)
    server.stop()
    data["peers"] = {}
    for name in arguments.peer:
        peer_class = PEERS[name]
        peer = peer_class(peer_class.model(CACHE / "models", arguments.model), arguments.environment / name)
        transcribe(peer, piece(speech, 0, 30))
        data["peers"][name] = {"title": peer.title, "settings": peer.SETTINGS, "mebibytes": peer.resident_bytes() / 2**20,
                               "requests": request_rows(peer, speech, arguments.requests)}
        peer.stop()
    text = report(arguments, data)
    write_results(arguments.name, data, f"# The server\n\n{text}\n")
    if arguments.document:
        replace_section(ROOT / "docs/server.md", "server figures", text)


if __name__ == "__main__":
    main()
