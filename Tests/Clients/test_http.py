"""Addresses, names, keys, limits and framing, byte by byte."""
import json
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
import requests

from clips import DOOR, DOOR_TEXT, silence, wav
from conftest import KEY, ORIGIN
from forms import BOUNDARY, CONTENT_TYPE, MODEL, PATH, chunked, error, field, file, form, post, post_bytes, speech_form
from serving import refused_start, wait_until
from wire import Connection, exchange, get, head

GOOD = form(MODEL, file())
BEARER = f"Authorization: Bearer {KEY}"


def refused(response, status, code=None):
    assert response.status == status
    if response.headers.get("content-type", "").startswith("application/json"):
        assert error(response)["code"] == code
    return response


# Addresses


def test_only_loopback_listens(server):
    listening = set()
    for table, size in (("/proc/net/tcp", 8), ("/proc/net/tcp6", 32)):
        for line in Path(table).read_text().splitlines()[1:]:
            address, port = line.split()[1].split(":")
            if int(port, 16) == server.port and line.split()[3] == "0A":
                listening.add(address)
    assert "0100007F" in listening
    assert listening <= {"0100007F", "00000000000000000000000001000000"}


@pytest.mark.skipif(not Path("/proc/net/if_inet6").exists(), reason="this machine has no IPv6")
def test_both_loopback_addresses(server):
    with socket.create_connection(("::1", server.port), 5) as connection:
        connection.sendall(f"GET /health HTTP/1.1\r\nHost: [::1]:{server.port}\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 200")


def test_another_address_needs_a_key(start, key_file):
    assert "--api-key" in refused_start("--host", "0.0.0.0")
    server = start("--host", "0.0.0.0", "--api-key-file", key_file)
    assert get(server, "/v1/models", BEARER).status == 200
    assert get(server, "/v1/models").status == 401
    # From there, recordings have a limit.
    answer = exchange(server, head(server, "POST", PATH, BEARER, f"Content-Type: {CONTENT_TYPE}",
                                   f"Content-Length: {106_000_000}", "Expect: 100-continue"), "POST")
    assert refused(answer, 413, "request_too_large").interim == [] and "100 MiB" in error(answer)["message"]


def test_a_local_socket(start, tmp_path):
    server = start("--socket", tmp_path / "socket")
    assert (tmp_path / "socket").stat().st_mode & 0o777 == 0o600
    answer = subprocess.run(["curl", "-sS", "--unix-socket", tmp_path / "socket", "http://localhost/health"],
                            capture_output=True, check=True)
    assert json.loads(answer.stdout) == {"status": "ok"}
    server.stop()
    assert not (tmp_path / "socket").exists()


# Names: a page of another site must not reach the server through a name that it controls.


@pytest.mark.parametrize("host", ["localhost", "localhost:{port}", "LocalHost:{port}", "127.0.0.1", "127.0.0.1:{port}",
                                  "[::1]:{port}", "[::1]"])
def test_own_names_are_accepted(server, host):
    assert get(server, "/health", f"Host: {host.format(port=server.port)}", host=False).status == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1.evil.example",
                                  "localhost.evil.example", "0.0.0.0:{port}", "127.0.0.2:{port}", "", "user@127.0.0.1:{port}",
                                  "127.0.0.1,evil.example", "2130706433"])
def test_other_names_are_refused(server, host):
    refused(get(server, "/v1/models", f"Host: {host.format(port=server.port)}", host=False), 403, "forbidden")


@pytest.mark.parametrize("host", ["localhost:65536", "127.0.0.1:{port}x", "[::1", "localhost:{port}/x", "local host"])
def test_what_is_no_name_is_refused(server, host):
    assert get(server, "/v1/models", f"Host: {host.format(port=server.port)}", host=False).status in (400, 403)


def test_there_must_be_exactly_one_name(server):
    # 400 is what HTTP asks for here; either keeps the page out.
    assert get(server, "/v1/models", host=False).status in (400, 403)
    name = f"Host: 127.0.0.1:{server.port}"
    for other in (name, "Host: evil.example", "host: localhost"):
        assert get(server, "/v1/models", name, other, host=False).status in (400, 403)


def test_names_are_looked_at_before_the_body(server):
    with Connection(server) as connection:
        connection.send(head(server, "POST", PATH, "Host: evil.example", f"Content-Type: {CONTENT_TYPE}",
                             "Content-Length: 100000000", "Expect: 100-continue", host=False))
        response = connection.response()
        assert (response.status, response.interim) == (403, [])


def test_further_names(start):
    server = start("--allow-host", "speech.local", "--cache", "off")
    assert get(server, "/health", f"Host: speech.local:{server.port}", host=False).status == 200
    assert get(server, "/health", "Host: other.local", host=False).status == 403


@pytest.mark.parametrize("target,status", [("http://evil.example/health", 403), ("http://127.0.0.1:{port}/health", 200),
                                           ("http://localhost/health", 200), ("http://127.0.0.1:1/health", 403)])
def test_absolute_targets(server, target, status):
    assert get(server, target.format(port=server.port)).status == status


@pytest.mark.parametrize("line,status", [
    ("Origin: http://127.0.0.1:{port}", 200), ("Origin: http://localhost:{port}", 200), ("Origin: http://evil.example", 403),
    ("Origin: null", 403), ("Origin: http://127.0.0.1:1", 403), ("Origin: http://localhost", 403), ("Origin: http://127.0.0.1", 403),
    ("Origin: http://localhost:3000", 403), ("Origin: http://[::1]:3000", 403), ("Origin: http://127.0.0.1:{port}.evil.example", 403),
    ("Origin: https://127.0.0.1:{port}", 403), ("Origin:", 403), ("Sec-Fetch-Site: cross-site", 403),
    ("Sec-Fetch-Site: same-origin", 200), ("Sec-Fetch-Site: none", 200)])
def test_origins(server, line, status):
    for target in ("/v1/models", "/health"):
        assert get(server, target, line.format(port=server.port)).status == status


@pytest.mark.parametrize("page", ["http://localhost", "http://localhost:3000", "http://127.0.0.1", "http://[::1]", "null"])
def test_pages_of_other_programs_on_this_machine_cannot_post(server, page):
    response = post(server, speech_form(), f"Origin: {page}", "Sec-Fetch-Site: same-site")
    assert (response.status, error(response)["code"]) == (403, "forbidden")


def test_a_page_that_is_allowed(secured):
    answer = get(secured, "/v1/models", f"Origin: {ORIGIN}", "Sec-Fetch-Site: cross-site", BEARER)
    assert answer.status == 200
    assert (answer.headers["access-control-allow-origin"], answer.headers["vary"].lower()) == (ORIGIN, "origin")
    # Also on error responses, so that the page can read them.
    answer = get(secured, "/v1/models", f"Origin: {ORIGIN}")
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (401, ORIGIN)
    for origin in (ORIGIN + ".evil.example", ORIGIN + ":81", ORIGIN.upper() + "/", "https://app.example"):
        answer = get(secured, "/v1/models", f"Origin: {origin}", BEARER)
        assert answer.status == 403 and "access-control-allow-origin" not in answer.headers


def test_preflight(secured, server):
    ask = ["Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization, x-stainless-lang"]
    answer = exchange(secured, head(secured, "OPTIONS", PATH, f"Origin: {ORIGIN}", *ask), "OPTIONS")
    assert answer.status == 204 and answer.headers["access-control-allow-origin"] == ORIGIN
    assert "POST" in answer.headers["access-control-allow-methods"]
    allowed = answer.headers["access-control-allow-headers"].lower()
    assert "authorization" in allowed and "x-stainless-lang" in allowed and "*" not in allowed
    assert answer.headers["access-control-max-age"] == "600"
    assert exchange(secured, head(secured, "OPTIONS", PATH, "Origin: http://evil.example", *ask), "OPTIONS").status == 403
    plain = exchange(server, head(server, "OPTIONS", PATH), "OPTIONS")
    assert plain.status == 204 and "POST" in plain.headers["allow"]
    assert not any(name.startswith("access-control") for name in plain.headers)


# No outgoing connections


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_nothing_is_ever_fetched(start, tmp_path):
    trace = tmp_path / "trace"
    probe = subprocess.run(["strace", "-o", trace, "true"], capture_output=True)
    if probe.returncode:
        pytest.skip("this machine does not allow tracing")
    server = start("--cache", "memory", wrapper=["strace", "-f", "-qq", "-e", "trace=connect,openat,socket", "-o", str(trace)])
    url = "http://192.0.2.1/a.wav"
    for parts in ([MODEL, field("url", url)], [MODEL, file(f"#EXTM3U\n{url}\n".encode(), "a.m3u8")],
                  [MODEL, file(b"ffconcat version 1.0\nfile /etc/hostname\n")], [MODEL, file(f"[InternetShortcut]\nURL={url}".encode())],
                  [MODEL, file(b'<?xml version="1.0"?><MPD><BaseURL>http://192.0.2.1/</BaseURL></MPD>')]):
        assert post(server, form(*parts)).status == 400
    answer = requests.post(f"{server.url}/api/app/video/get-or-transcribe", headers={"Authorization": "Bearer x"}, timeout=30,
                           json={"videoUrl": "https://www.tiktok.com/@u/video/5", "platform": "tiktok", "audioData": ""})
    assert (answer.status_code, answer.json()["error"]) == (400, "Audio data required")
    assert post(server, speech_form()).status == 200
    traced = trace.read_text()
    assert "openat(" in traced, "nothing was traced"
    assert not re.search(r"connect\([^)]*AF_INET", traced), "a connection was opened"
    assert "/etc/hostname" not in traced


# Keys


@pytest.mark.parametrize("line,status", [
    (f"Authorization: Bearer {KEY}", 200), (f"Authorization: bearer {KEY}", 200), (f"AUTHORIZATION: BEARER {KEY}", 200),
    (None, 401), ("Authorization:", 401), ("Authorization: Bearer", 401), ("Authorization: Bearer wrong", 401),
    (f"Authorization: Bearer {KEY[:-1]}", 401), (f"Authorization: Bearer {KEY}x", 401), (f"Authorization: Basic {KEY}", 401),
    (f"Authorization: Bearer {KEY} {KEY}", 401), (f"Authorization: Bearer {'k' * 6000}", 401), (f"X-Api-Key: {KEY}", 401)])
def test_keys(secured, line, status):
    response = get(secured, "/v1/models", *([line] if line else []))
    assert response.status == status
    if status == 401:
        details = error(response)
        assert (details["type"], details["code"], details["param"]) == ("invalid_request_error", "invalid_api_key", None)
        assert KEY not in response.body.decode()


@pytest.mark.parametrize("method,target", [("POST", PATH), ("POST", "/openai/v1/audio/translations"), ("GET", "/v1/models/x"),
                                           ("POST", "/inference"), ("GET", "/v3/token?expires_in_seconds=60"),
                                           ("POST", "/v2/realtime/token"), ("POST", "/audio/transcriptions"),
                                           ("POST", "/api/app/video/get-or-transcribe")])
def test_every_route_needs_the_key(secured, method, target):
    assert exchange(secured, head(secured, method, target, "Content-Length: 0"), method).status == 401


def test_a_wrong_key_is_refused_before_the_body(secured):
    with Connection(secured) as connection:
        connection.send(head(secured, "POST", PATH, f"Content-Type: {CONTENT_TYPE}", "Content-Length: 50000000",
                             "Expect: 100-continue", "Authorization: Bearer wrong"))
        response = connection.response()
        assert (response.status, response.interim) == (401, [])


def test_tokens(secured):
    def token(query, key=KEY):
        return get(secured, f"/v3/token{query}", f"Authorization: {key}")
    answer = token("?expires_in_seconds=60&max_session_duration_seconds=600")
    result = json.loads(answer.body)
    assert answer.status == 200 and result["expires_in_seconds"] == 60 and len(result["token"]) >= 43
    assert json.loads(token("?expires_in_seconds=60").body)["token"] != result["token"]
    for query in ("", "?expires_in_seconds=0", "?expires_in_seconds=601", "?expires_in_seconds=x",
                  "?expires_in_seconds=60&max_session_duration_seconds=59", "?expires_in_seconds=60&max_session_duration_seconds=10801"):
        answer = token(query)
        assert answer.status == 400 and type(json.loads(answer.body)["error"]) is str
    assert token("?expires_in_seconds=60", "wrong").status == 401
    assert token("?expires_in_seconds=60", f"Bearer {KEY}").status == 200


# Paths and methods


@pytest.mark.parametrize("target,status", [
    ("/v1/models", 200), ("/v1/models/", 200), ("/v1/models//", 404), ("/v1//models", 404), ("/v1/%6dodels", 200),
    ("/v1/%256dodels", 404), ("/v1/models?a=b&c", 200), ("/V1/models", 404), ("/v1/models/whisper-1", 200),
    ("/v1/models/no%2Fsuch", 404), ("/v1/models/no/such", 404), ("/v1/models/../../health/x", 404), ("/nowhere", 404), ("/../../etc/passwd", 404), ("/%2e%2e/%2e%2e/etc/passwd", 404),
    ("/v1/models%00", 404), ("/v1/models;x", 404), ("/openai/v1/models", 200), ("/v1/%ff", 404)])
def test_paths(server, target, status):
    response = get(server, target)
    assert response.status == status or (status == 404 and response.status == 400 and "%" in target)


@pytest.mark.parametrize("method,target,allowed", [("GET", PATH, "POST"), ("POST", "/v1/models", "GET"), ("DELETE", PATH, "POST"),
                                                   ("PUT", "/health", "GET"), ("PATCH", "/inference", "POST"),
                                                   ("POST", "/v3/token", "GET"), ("GET", "/v2/realtime/token", "POST"),
                                                   ("HEAD", PATH, "POST"), ("BREW", "/health", "GET")])
def test_methods(server, method, target, allowed):
    response = exchange(server, head(server, method, target, "Content-Length: 0"), method)
    assert response.status == 405 and allowed in response.headers["allow"]


@pytest.mark.parametrize("method", ["TRACE", "CONNECT"])
def test_methods_of_proxies(server, method):
    target = f"127.0.0.1:{server.port}" if method == "CONNECT" else "/health"
    assert exchange(server, head(server, method, target), method).status in (400, 405)


def test_head_is_get_without_a_body(server):
    with Connection(server) as connection:
        connection.send(head(server, "HEAD", "/v1/models") + head(server, "GET", "/health"))
        response = connection.response("HEAD")
        assert response.status == 200 and response.headers["content-type"] == "application/json"
        assert connection.response("GET").body == b'{"status":"ok"}'


def test_every_response_has_a_number_and_no_server_name(server):
    answers = [get(server, target) for target in ("/v1/models", "/nowhere", "/health")] + [post(server, b"")]
    numbers = [answer.headers["x-request-id"] for answer in answers]
    assert all(re.fullmatch(r"req_\w{26}", number) for number in numbers) and len(set(numbers)) == len(numbers)
    assert not any("server" in answer.headers for answer in answers)


# Limits


@pytest.mark.parametrize("target,lines,status", [
    ("/" + "a" * 8300, [], 414), ("/health?" + "a" * 7000, [], 200), ("/health", ["X-A: " + "a" * 8200], 431),
    ("/health", ["X-A: " + "a" * 7000], 200), ("/health", [f"X-{n}: " + "a" * 7000 for n in range(5)], 431),
    ("/health", [f"X-{n}: a" for n in range(101)], 431), ("/health", [f"X-{n}: a" for n in range(98)], 200),
    ("/health", ["X" * 8200 + ": a"], 431), ("/health", ["X-A: " + "a" * 300_000], 431),
    # Around the size at which libsoup closes the connection.
    *(("/health", ["X-A: " + "a" * size], 431) for size in (61_000, 65_000, 66_000, 100_000, 131_000)),
    *(("/" + "a" * size, [], 414) for size in (61_000, 65_000, 66_000, 131_000, 300_000)),
    ("/health", [f"X-{n}: " + "a" * 700 for n in range(95)], 431), ("/health", [f"X-{n}: a" for n in range(12_000)], 431),
    ("/health", ["X-A: " + "a" * 5_000_000], 431)], ids=lambda value: str(value)[:24])
def test_limits_of_the_head(server, target, lines, status):
    response = get(server, target, *lines)
    # A client that sends much more than the server reads may only see a reset.
    assert response.status == status or (response.status == 0 and len(str(lines)) > 64_000)
    assert response.closed == (status != 200)


@pytest.mark.parametrize("path,type,length", [(PATH, CONTENT_TYPE, 2 * 2**20 + 1), ("/inference", CONTENT_TYPE, 2 * 2**20 + 1),
                                              (PATH, CONTENT_TYPE, 2**62),
                                              ("/api/app/video/get-or-transcribe", "application/json", 64 * 2**20 + 1),
                                              ("/v2/realtime/token", "application/json", 2**16 + 1)])
def test_limits_of_the_body(small, path, type, length):
    with Connection(small) as connection:
        connection.send(head(small, "POST", path, f"Content-Type: {type}", f"Content-Length: {length}", "Expect: 100-continue",
                             "Authorization: Bearer x"))
        response = connection.response()
        assert (response.status, response.interim) == (413, [])


@pytest.mark.parametrize("way", ["length", "chunks"])
def test_a_body_over_the_limit_is_not_read_to_its_end(small, way):
    """The response comes although the client is still sending; a client that never stops is cut off."""
    body = form(MODEL, file(bytes(3_000_000)))
    with Connection(small) as connection:
        if way == "length":
            connection.send(post_bytes(small, body[:1_500_000], length=300_000_000))
        else:
            connection.send(head(small, "POST", PATH, f"Content-Type: {CONTENT_TYPE}", "Transfer-Encoding: chunked"))
            connection.try_to_send(chunked(body, 60_000)[:-5])
        response = connection.response()
        assert refused(response, 413, "request_too_large")
        piece = b"10000\r\n" + bytes(65536) + b"\r\n"
        assert wait_until(lambda: not connection.try_to_send(piece), 10, 0), "a refused body was read for ever"


@pytest.mark.slow
def test_connections_of_one_client_are_limited(start):
    server = start("--cache", "off")
    connections = [Connection(server, "127.0.0.9") for _ in range(64)]
    assert get(server, "/health").status == 200, "other clients are served"
    with Connection(server, "127.0.0.9") as one_more:
        one_more.try_to_send(head(server, "GET", "/health"))
        assert one_more.response("GET").status == 503 and one_more.is_closed()
    connections.pop().close()
    assert wait_until(lambda: exchange(server, head(server, "GET", "/health"), source="127.0.0.9").status == 200, 5)
    for connection in connections:
        connection.close()


# Framing. A server that reads a length differently from others allows request smuggling.


def test_an_ordinary_request_is_answered(server):
    assert refused(post(server, GOOD), 400, "invalid_audio").closed is False


@pytest.mark.parametrize("lines", [["-1"], ["+3"], ["3x"], ["3, 3"], ["3,4"], [""], ["0x10"], ["99999999999999999999"],
                                   ["9223372036854775808"], ["3", "3"], ["3", "4"], ["1e3"], ["3 3"], ["\t"]], ids=str)
def test_bad_lengths_are_refused(server, lines):
    request = head(server, "POST", PATH, f"Content-Type: {CONTENT_TYPE}", *[f"Content-Length: {line}" for line in lines])
    response = exchange(server, request + b"abcdefgh", "POST")
    assert response.status == 400 and response.closed


@pytest.mark.parametrize("lines,status", [
    (["Transfer-Encoding: chunked", "Content-Length: 5"], 400), (["Content-Length: 5", "Transfer-Encoding: chunked"], 400),
    (["Transfer-Encoding: gzip, chunked"], 501), (["Transfer-Encoding: identity"], 501), (["Transfer-Encoding: gzip"], 501),
    (["Transfer-Encoding: chunked, chunked"], 501), (["Transfer-Encoding: xchunked"], 501),
    (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], 501), ([], 411),
    (["Content-Length: 5", "Content-Encoding: gzip"], 415), (["Content-Length: 5", "Expect: 200-maybe"], 417)], ids=str)
def test_other_framing(server, lines, status):
    response = exchange(server, head(server, "POST", PATH, f"Content-Type: {CONTENT_TYPE}", *lines) + b"0\r\n\r\n", "POST")
    assert response.status == status
    assert response.closed or status in (411, 415, 417)


def chunked_outcome(server, body):
    request = head(server, "POST", PATH, f"Content-Type: {CONTENT_TYPE}", "Transfer-Encoding: chunked")
    response = exchange(server, request + body, "POST", timeout=4)
    return response.status, response.closed


@pytest.mark.parametrize("change", [
    lambda body: body, lambda body: body.replace(b"\r\n", b";a=b\r\n", 1), lambda body: body[:-2] + b"X-Trailer: a\r\n\r\n",
    lambda body: b"000" + body, lambda body: body.replace(b"ff", b"FF", 1)], ids=["plain", "extension", "trailer", "zeros", "capitals"])
def test_good_chunks_are_accepted(server, change):
    status, closed = chunked_outcome(server, change(chunked(GOOD, 255)))
    assert status == 400 and not closed, "the form was read to its end and the connection goes on"


@pytest.mark.parametrize("body", [
    b"zz\r\n", b"-5\r\nhello\r\n0\r\n\r\n", b"0x5\r\nhello\r\n0\r\n\r\n", b"5\r\nhelloXX0\r\n\r\n", b"5\r\nhello\n0\r\n\r\n",
    b"11111111111111111\r\n", b"ffffffffffffffff\r\nhello\r\n", b"5;" + b"a" * 2000 + b"\r\nhello\r\n0\r\n\r\n", b"\r\n5\r\nhello\r\n",
    b"5 \r\nhello\r\n0\r\n\r\n", b"0\r\nX: " + b"a" * 9000 + b"\r\n\r\n", b"5\nhello\r\n0\r\n\r\n"],
    ids=["no number", "negative", "0x", "no line end", "LF after data", "17 digits", "huge", "extension of 2 kB", "empty size",
         "blank after size", "9 kB of trailers", "LF after size"])
def test_bad_chunks_are_refused(server, body):
    status, closed = chunked_outcome(server, body)
    assert status in (400, 413, 431) and closed


@pytest.mark.parametrize("request_text", [
    "GET /health HTTP/1.1\nHost: {host}\n\n", "GET /health HTTP/1.1\r\nHost: {host}\nX: y\r\n\r\n",
    "GET /health HTTP/1.1\r\nHost: {host}\r\nX: a\r\n b\r\n\r\n", "GET /health HTTP/1.1\r\nHost : {host}\r\n\r\n",
    "GET /health HTTP/1.1\r\nHost: {host}\r\nX: a\0b\r\n\r\n", "GET /health HTTP/1.1\r\nHost: {host}\r\nX: a\x01b\r\n\r\n",
    "GET /health HTTP/1.1\r\nHost: {host}\r\nX y: a\r\n\r\n", "GET /health HTTP/1.1\r\nHost: {host}\r\n: a\r\n\r\n",
    "GET /health HTTP/1.1\r\nHost: {host}\r\nno colon\r\n\r\n", "GET /health HTTP/1.1\r\n X: a\r\nHost: {host}\r\n\r\n",
    "GET /health HTTP/1.1\r\nHost: {host}\r\nX(y): a\r\n\r\n", "GET  /health HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "GET /hea lth HTTP/1.1\r\nHost: {host}\r\n\r\n", "GET /health\r\nHost: {host}\r\n\r\n", "GET health HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "G(T /health HTTP/1.1\r\nHost: {host}\r\n\r\n", "GET /health HTTP/1.1x\r\nHost: {host}\r\n\r\n", "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
    "GET /hea\0lth HTTP/1.1\r\nHost: {host}\r\n\r\n", "GET /health HTTP/1.1\r\nHost: {host}\r\nX: a\x7fb\r\n\r\n"], ids=repr)
def test_bad_syntax_is_refused(server, request_text):
    request = request_text.format(host=f"127.0.0.1:{server.port}").encode("latin-1")
    with Connection(server) as connection:
        connection.send(request)
        connection.finish_sending()
        try:
            response = connection.response("GET")
        except EOFError:
            assert not request.startswith(b"GET"), "an answer is due"
        else:
            assert response.status in (400, 505) and connection.is_closed()


@pytest.mark.parametrize("request_bytes", [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET /health HTTP/3.0\r\nHost: localhost\r\n\r\n"])
def test_other_versions(server, request_bytes):
    response = exchange(server, request_bytes)
    assert response.status in (0, 400, 505) and response.closed


def test_upgrade_to_http2_is_ignored(server):
    answer = get(server, "/health", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA")
    assert answer.status == 200


def test_http_1_0(server):
    request = f"GET /health HTTP/1.0\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    response = exchange(server, request)
    assert (response.status, response.body, response.closed) == (200, b'{"status":"ok"}', True)
    assert "transfer-encoding" not in response.headers


def test_expect(server):
    body = speech_form()
    with Connection(server) as connection:
        connection.send(post_bytes(server, b"", "Expect: 100-continue", length=len(body)))
        assert connection.head()[0] == 100
        connection.send(body)
        assert DOOR_TEXT in connection.response().body.decode()


def test_connections_are_kept(server):
    with Connection(server) as connection:
        for _ in range(5):
            connection.send(post_bytes(server, GOOD) + head(server, "GET", "/health"))
            assert refused(connection.response(), 400, "invalid_audio")
            assert connection.response("GET").status == 200
        connection.send(head(server, "GET", "/health", "Connection: close"))
        assert connection.response("GET").status == 200 and connection.is_closed()


def test_pipelined_requests_are_answered_in_order(server):
    with Connection(server) as connection:
        connection.send(post_bytes(server, form(MODEL, file(silence(0.5)))) + head(server, "GET", "/health")
                        + head(server, "GET", "/v1/models/whisper-1") + head(server, "GET", "/nowhere"))
        assert connection.response().body.startswith(b'{"text":""')
        assert [connection.response("GET").status for _ in range(3)] == [200, 200, 404]


def test_a_client_that_has_finished_sending_is_answered(server):
    with Connection(server, timeout=20) as connection:
        connection.send(post_bytes(server, speech_form()))
        connection.finish_sending()
        assert DOOR_TEXT in connection.response().body.decode()
        assert connection.is_closed()


@pytest.mark.parametrize("ending", ["close", "reset"])
def test_a_client_may_go_away_in_the_middle(server, ending):
    request = post_bytes(server, speech_form())
    for end in (5, 100, len(request) // 2, len(request) - 1, len(request)):
        connection = Connection(server)
        connection.send(request[:end])
        getattr(connection, ending)()
    assert get(server, "/health").status == 200


# Programs with their own framing


@pytest.mark.parametrize("options", [
    ["-F", "file=@{path}"], ["--http1.0", "-F", "file=@{path}"], ["-H", "Transfer-Encoding: chunked", "-F", "file=@{path}"],
    ["-F", "file=@-;filename=a.wav"], ["-F", "file=@{big}", "--expect100-timeout", "60"],
    ["-F", "file=@{path}", "-H", "Expect: 100-continue"],
    ["-N", "-F", "stream=true", "-F", "file=@{path}"], ["--limit-rate", "60k", "-F", "file=@{path}"]], ids=lambda value: " ".join(value))
def test_curl(server, options, tmp_path):
    big = tmp_path / "big.wav"
    # Over 1 MiB, so that curl waits for status 100 before it sends the body; with --expect100-timeout 60, it would wait
    # longer than the whole request may take.
    big.write_bytes(wav(DOOR.read_bytes()[44:] + bytes(2_000_000)))
    options = [option.format(path=DOOR, big=big) for option in options]
    result = subprocess.run(["curl", "-sS", "-m", "30", "-F", "model=whisper-1", *options, server.url + PATH], capture_output=True,
                            input=DOOR.read_bytes(), check=True)
    assert b"Open the garden door, please." in result.stdout


# Files and logs


def test_nothing_is_left_of_an_upload(start):
    server = start("--cache", "off")
    big = form(MODEL, file(bytes(3_000_000)))
    assert post(server, big).status == 400
    assert server.left_files() == []
    with Connection(server) as connection:
        connection.send(post_bytes(server, big)[:2_500_000])
        time.sleep(0.3)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
    assert server.left_files() == []


def test_the_server_leaves_no_core_files(server):
    limits = Path(f"/proc/{server.process.pid}/limits").read_text()
    assert re.search(r"Max core file size +0 +0", limits)


def test_what_was_said_is_not_logged(start, key_file):
    server = start("--api-key-file", key_file, "--cache", "off")
    secrets = {"prompt": "Secret-prompt", "filename": "secret-name", "query": "secret-query"}
    body = form(MODEL, field("prompt", secrets["prompt"]), file(DOOR.read_bytes(), secrets["filename"]))
    answer = post(server, body, BEARER, path=f"{PATH}?token={secrets['query']}")
    assert answer.status == 200
    get(server, "/v1/models", "Authorization: Bearer secret-wrong-key")
    get(server, f"/secret-path?x={secrets['query']}")
    server.stop()
    assert answer.headers["x-request-id"] in server.log, "the log names the request"
    for secret in [*secrets.values(), KEY, "garden", "secret-wrong-key", "secret-path"]:
        assert secret.lower() not in server.log.lower()


def test_no_client_can_write_lines_of_the_log(start):
    server = start("--cache", "off")
    answer = get(server, "/v1/models/%0d%0aFAKE", "User-Agent: \x1b[31mred")
    server.stop()
    assert answer.headers["x-request-id"] in server.log, "the log names the request"
    assert "FAKE" not in server.log and "\x1b" not in server.log
