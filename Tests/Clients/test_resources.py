"""Servers whose disks are small, whose paths are long, or that have few descriptors."""
import json
import os
import random
import select
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from clips import DOOR_TEXT, LONG
from conftest import MODELS, installed
from forms import MODEL, error, file, form, post, post_bytes, speech_form
from serving import refused_start, wait_until
from wire import Connection, get, head

#: Runs a program with 3 MB in the folders for temporary files.
SMALL_DISKS = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
               'for folder in "$TMPDIR" "$XDG_RUNTIME_DIR"; do mount -t tmpfs -o size=3m none "$folder" || exit; done; '
               'exec "$@"', "sh"]


@pytest.fixture
def cramped(start):
    if subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "true"], capture_output=True).returncode:
        pytest.skip("this user may not mount anything")
    return start("--cache", "off", wrapper=SMALL_DISKS)


def test_a_full_disk_does_not_matter_if_another_has_room(cramped):
    # Not audio: the refusal shows that it was stored.
    response = post(cramped, form(MODEL, file(random.Random(1).randbytes(18_000_000))))
    assert (response.status, error(response)["code"]) == (400, "invalid_audio")
    # Its samples need more room than the recording.
    with LONG.open("rb") as recording:
        answer = requests.post(f"{cramped.url}/v1/audio/transcriptions", files={"file": recording}, timeout=90,
                               data={"model": "whisper-1"})
    assert answer.status_code == 200 and answer.json()["text"]


def test_the_log_names_the_full_disk_and_the_response_does_not(start):
    # A limit on the size of files, which counts as a full disk and holds for all folders.
    server = start("--cache", "off", wrapper=["prlimit", f"--fsize={3 << 20}"])
    response = post(server, form(MODEL, file(random.Random(1).randbytes(5_000_000))))
    assert (response.status, error(response)["code"]) == (507, "insufficient_storage")
    assert str(server.home) not in response.body.decode() and "/tmp" not in response.body.decode()
    assert wait_until(lambda: f"no space left in {server.home}" in server.log, 5), server.log


@pytest.mark.parametrize("length,works", [(100, True), (107, True), (108, False), (150, False), (300, False)])
def test_a_socket_has_a_path_of_at_most_107_bytes(start, tmp_path, length, works):
    folder = f"/tmp/whisper-local-{os.getpid()}-"
    path = folder + "s" * (length - len(folder))
    if works:
        start("--socket", path)
        assert os.path.exists(path)
    else:
        message = refused_start("--socket", path)
        assert message.startswith("error: cannot listen on ") and "107" in message and "--socket" in message
        assert not [name for name in os.listdir("/tmp") if name.startswith(os.path.basename(folder))]


def test_a_long_folder_for_temporary_files_leaves_nothing_and_connections_stay_open(start, tmp_path):
    folder = tmp_path / ("r" * 120)
    folder.mkdir()
    server = start("--cache", "off", wrapper=["env", f"XDG_RUNTIME_DIR={folder}", f"TMPDIR={folder}"])
    with Connection(server) as connection:
        for _ in range(2):
            connection.send(head(server, "GET", "/health"))
            assert connection.response("GET").status == 200
    assert os.listdir(tmp_path) == [folder.name] and os.listdir(folder) == []


def test_no_message_of_a_library_is_shown(start, tmp_path, certificate):
    server = start("--cache", "off", "--socket", tmp_path / "socket")
    encrypted = start("--cache", "off", "--tls-cert", certificate.certificate, "--tls-key", certificate.key)
    assert get(server, "/health").status == 200
    # A handshake that fails.
    with Connection(type("Plain", (), {"host": "127.0.0.1", "port": encrypted.port, "scheme": "http"})) as plain:
        plain.send(b"GET / HTTP/1.1\r\n\r\n")
        plain.is_closed()
    for one in (server, encrypted):
        for line in one.log.splitlines():
            assert line.startswith(("listening on ", "model ", "note: ", "2")), one.log
            assert "GLib" not in line and "CRITICAL" not in line


def test_few_descriptors_make_clients_wait_and_are_reported_once(start):
    server = start("--cache", "off", wrapper=["prlimit", "--nofile=64"])
    idle = []
    for _ in range(80):
        connection = Connection(server)
        connection.send(head(server, "GET", "/health"))
        idle.append(connection)
    time.sleep(1)
    answered = [connection for connection in idle if select.select([connection.socket], [], [], 0)[0]]
    assert 4 < len(answered) < 60
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(requests.get, f"{server.url}/health", timeout=30)
        time.sleep(1)
        assert not late.done()
        # Those that have a connection still get texts.
        answered[0].response("GET")
        answered[0].send(post_bytes(server, speech_form()))
        assert json.loads(answered[0].response().body)["text"] == DOOR_TEXT
        lines = [line for line in server.log.splitlines() if "descriptors" in line]
        assert len(lines) == 1 and "64" in lines[0] and "ulimit" in lines[0], server.log
        assert len(server.log) < 20_000 and cpu_seconds(server, 0.5) < 0.25
        for connection in idle:
            connection.close()
        assert late.result().status_code == 200, "who waited is served"
    assert len([line for line in server.log.splitlines() if "descriptors" in line]) == 1


def cpu_seconds(server, seconds):
    """The time that the server computes within this time."""
    def used():
        fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before = used()
    time.sleep(seconds)
    return used() - before


@pytest.fixture(scope="module")
def silence(tmp_path_factory):
    """An hour of digital silence, in less than 1 MB."""
    path = tmp_path_factory.mktemp("silence") / "silence.flac"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anullsrc=r=16000:cl=mono", "-t", "3600", path],
                   check=True)
    return path


def seconds_used(server, recording):
    """Processor time that a server needs for a recording, which does not depend on what else runs, and the status."""
    def used():
        fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    begun = used()
    response = post(server, form(MODEL, file(recording.read_bytes(), recording.name)), timeout=90)
    return used() - begun, response.status


def test_silence_holds_a_worker_no_longer_than_reading_it(start, silence):
    folder = installed(MODELS / "silero_vad_16k.safetensors").parent
    options = ("--cache", "off", "--model-dir", folder)
    reading, status = seconds_used(start(*options, "--guard", "false"), silence)
    assert status == 200
    searching, status = seconds_used(start(*options), silence)
    # The detector alone takes ten times as long as reading.
    assert status == 200 and searching < 3 * reading, (searching, reading)


def test_a_recording_that_declares_to_be_too_long_is_refused_unread(start, silence):
    accepted, status = seconds_used(start("--cache", "off", "--max-duration", "3601"), silence)
    assert status == 200
    refused, status = seconds_used(start("--cache", "off", "--max-duration", "3599"), silence)
    assert status == 422 and refused < accepted / 5, (refused, accepted)
