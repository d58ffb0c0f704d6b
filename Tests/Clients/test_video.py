"""Applications that import videos: `/api/app/video/get-or-transcribe`."""
import base64
import hashlib
import json
import os
import re
import resource
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from clips import DOOR, DOOR_TEXT, FAN, FAN_TEXT, converted
from conftest import KEY
from serving import wait_until
from wire import Connection, get, head

PATH = "/api/app/video/get-or-transcribe"
HIT = ["success", "cached", "transcript", "segments", "videoId", "platform", "language", "durationSeconds", "cost",
       "accessCount", "message"]
MISS = HIT[:9] + ["transcriptionTimeMs", "message"]
PLATFORMS = ["tiktok", "instagram", "youtube"]


def encoded(content):
    return base64.b64encode(content).decode()


def post(server, body, key="token", **headers):
    if not isinstance(body, (str, bytes)):
        # JSON as Foundation writes it.
        body = json.dumps(body).replace("/", "\\/")
    headers = {"Content-Type": "application/json"} | headers
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    return requests.post(server.url + PATH, data=body, headers=headers, timeout=60)


def request(url, platform="tiktok", audio=None, **more):
    body = {"videoUrl": url, "platform": platform, "userId": "private-user"} | more
    return body | ({"audioData": encoded(audio)} if audio is not None else {})


def test_a_video_is_transcribed_once(videos):
    url = "https://www.tiktok.com/@user/video/7123456789"
    first = post(videos, request(url, audio=converted(FAN, "m4a").read_bytes()))
    assert first.status_code == 200 and list(first.json()) == MISS
    result = first.json()
    assert result | {"segments": 0, "transcriptionTimeMs": 0, "durationSeconds": 0, "transcript": ""} == {
        "success": True, "cached": False, "transcript": "", "segments": 0, "videoId": "7123456789", "platform": "tiktok",
        "language": "en", "durationSeconds": 0, "cost": 0, "transcriptionTimeMs": 0,
        "message": "Video transcribed and cached for future use"}
    assert type(result["transcriptionTimeMs"]) is int and result["durationSeconds"] == pytest.approx(5.764, abs=0.1)
    assert result["transcript"].startswith("Turn the fan down")
    assert all(list(segment) == ["text", "start", "end"] for segment in result["segments"])
    assert all(segment["text"] == segment["text"].strip() for segment in result["segments"])

    # Without audio, through another spelling of the link, and later.
    for count, link in ((2, url), (3, "https://m.tiktok.com/v/7123456789.html?utm=x"), (4, url + "?is_copy_url=1")):
        second = post(videos, request(link))
        assert second.status_code == 200 and list(second.json()) == HIT
        assert second.json() == {key: value for key, value in result.items() if key in HIT} | {
            "cached": True, "accessCount": count, "message": "Transcript retrieved from cache (no charge)"}
        assert type(second.json()["accessCount"]) is int


@pytest.mark.parametrize("platform,urls,video", [
    ("tiktok", ["https://www.tiktok.com/@a.b/video/100", "https://tiktok.com/@x/photo/100", "https://www.tiktok.com/embed/100",
                "https://www.tiktok.com/embed/v2/100", "https://www.tiktok.com/x?item_id=100", "HTTPS://WWW.TIKTOK.COM/v/100"],
     "100"),
    ("tiktok", ["https://vm.tiktok.com/ZMabc/", "https://vt.tiktok.com/ZMabc", "https://www.tiktok.com/t/ZMabc/"], "t-ZMabc"),
    ("instagram", ["https://www.instagram.com/p/C1-_x/", "https://instagram.com/reel/C1-_x", "https://m.instagram.com/tv/C1-_x",
                   "https://www.instagram.com/someone/reels/C1-_x/?igsh=1"], "C1-_x"),
    ("instagram", ["https://www.instagram.com/stories/someone/777/"], "777"),
    ("youtube", ["https://www.youtube.com/watch?t=1&v=dQw4w9WgXcQ", "https://youtu.be/dQw4w9WgXcQ?si=1",
                 "https://m.youtube.com/shorts/dQw4w9WgXcQ", "https://music.youtube.com/watch?v=dQw4w9WgXcQ",
                 "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ", "https://youtube.com/live/dQw4w9WgXcQ"],
     "dQw4w9WgXcQ"),
], ids=lambda value: value if type(value) is str else "")
def test_links(videos, platform, urls, video):
    found = [post(videos, request(url, platform, DOOR.read_bytes() if number == 0 else None)).json()
             for number, url in enumerate(urls)]
    assert [result["videoId"] for result in found] == [video] * len(urls)


@pytest.mark.parametrize("url", ["file:///private/var/trim.1A2B.MOV", "https://www.tiktok.com.evil.example/@a/video/5",
                                 "https://evil.example/?u=https://www.tiktok.com/@a/video/5", "not a link",
                                 "https://www.youtube.com/watch?v=dQw4w9WgXcQ", "https://www.tiktok.com/@a/video/5a"])
def test_links_without_an_id_count_by_their_audio(videos, url):
    audio = converted(FAN, "mp3").read_bytes()
    result = post(videos, request(url, audio=audio)).json()
    assert result["videoId"] == "sha256-" + hashlib.sha256(audio).hexdigest()[:32]
    again = post(videos, request("file:///another/name.MOV", audio=audio)).json()
    assert again["cached"] and again["transcript"] == result["transcript"]
    assert post(videos, request(url)).status_code == 400, "without audio there is nothing to look up"


def test_the_same_clip_under_another_link(videos):
    audio = converted(DOOR, "flac").read_bytes()
    post(videos, request("https://www.instagram.com/p/FIRST/", "instagram", audio))
    second = post(videos, request("https://www.instagram.com/p/SECOND/", "instagram", audio)).json()
    assert second["cached"]
    assert post(videos, request("https://www.instagram.com/p/SECOND/", "instagram")).json()["transcript"] == DOOR_TEXT


def test_tokens(videos, secured):
    body = request("https://www.tiktok.com/@user/video/1")
    for server in (videos, secured):
        assert (answer := post(server, body, key=None)).status_code == 401
        assert answer.json() == {"error": "No token provided"}
        answer = post(server, body, key=None, Authorization="Basic eDp5")
        assert (answer.status_code, answer.json()) == (401, {"error": "No token provided"})
    answer = post(secured, body, key="wrong")
    assert (answer.status_code, answer.json()) == (401, {"error": "Invalid token"})
    assert post(secured, body, key=KEY).status_code == 400
    # The token is checked before anything else.
    assert post(secured, "no json", key="wrong").status_code == 401


@pytest.mark.parametrize("body,status,expected", [
    ("", 400, {"error": "Invalid JSON"}), ("[1]", 400, {"error": "Invalid JSON"}), ("{", 400, {"error": "Invalid JSON"}),
    ("[" * 200 + "]" * 200, 400, {"error": "Invalid JSON"}), (b"{\"videoUrl\":\"\xff\"}", 400, {"error": "Invalid JSON"}),
    ({}, 400, {"error": "Missing required fields", "required": ["videoUrl", "platform"]}),
    ({"videoUrl": "x"}, 400, {"error": "Missing required fields", "required": ["videoUrl", "platform"]}),
    ({"videoUrl": 5, "platform": "tiktok"}, 400, {"error": "Missing required fields", "required": ["videoUrl", "platform"]}),
    (request("x", "myspace"), 400, {"error": "Invalid platform", "allowed": PLATFORMS}),
    (request("https://www.tiktok.com/@u/video/404"), 400, {
        "error": "Audio data required", "message": "Video not in cache. Please provide audioData (base64 encoded audio)"}),
    (request("x", audioData="####"), 400, {"success": False, "error": "Invalid audio data",
                                           "message": "audioData is not valid base64"}),
], ids=lambda value: str(value)[:40])
def test_refusals(videos, body, status, expected):
    answer = post(videos, body)
    assert (answer.status_code, answer.json()) == (status, expected)
    assert list(answer.json()) == list(expected)


def test_what_is_not_audio_is_refused(videos):
    answer = post(videos, request("https://www.tiktok.com/@u/video/405", audio=b"not audio"))
    assert answer.status_code in (400, 500)
    result = answer.json()
    assert list(result) == ["success", "error", "message"] and result["success"] is False
    # A failure is not cached.
    assert post(videos, request("https://www.tiktok.com/@u/video/405")).json()["error"] == "Audio data required"


def test_a_clip_over_25_mebibytes_is_refused(videos):
    size = 34_078_720
    answer = post(videos, request("https://www.tiktok.com/@u/video/406", audio=bytes(size)))
    assert answer.status_code == 400
    assert list(answer.json().items()) == [
        ("success", False), ("error", "Audio file too large"), ("message", "Audio must be under 25 MB. Please send a shorter "
                                                                           "clip."), ("maxSizeMB", 25), ("actualSizeMB", 32.5)]


@pytest.mark.parametrize("change", [
    lambda text: "data:audio/mp4;base64," + text, lambda text: "\n".join(text[i:i + 76] for i in range(0, len(text), 76)),
    lambda text: text.rstrip("=")], ids=["data URL", "lines", "no padding"])
def test_spellings_of_base64(videos, change):
    audio = converted(DOOR, "mp3").read_bytes() + b"\0"
    answer = post(videos, request("file:///x", audioData=change(encoded(audio))))
    assert answer.status_code == 200 and answer.json()["videoId"].endswith(hashlib.sha256(audio).hexdigest()[:32])


def test_a_cache_on_disk_is_kept_and_private(start, tmp_path):
    path = tmp_path / "cache" / "transcripts.db"
    url = "https://www.youtube.com/watch?v=dQw4w9WgXcQ&utm_source=private"
    first = start("--cache", path)
    assert post(first, request(url, "youtube", FAN.read_bytes())).json()["transcript"] == FAN_TEXT
    first.stop()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    stored = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"private-user" not in stored and b"utm_source" not in stored
    second = start("--cache", path)
    result = post(second, request(url, "youtube")).json()
    assert result["cached"] and result["accessCount"] == 2
    assert "private-user" not in first.log + second.log and "dQw4w9WgXcQ" not in first.log + second.log


def test_the_cache_serves_the_other_routes(videos):
    def ask():
        return requests.post(f"{videos.url}/v1/audio/transcriptions", files={"file": DOOR.open("rb")}, timeout=60,
                             data={"model": "whisper-1", "prompt": "For the cache."})

    def recognitions():
        return int(re.search(r"^whisper_local_recognitions_total (\d+)", requests.get(f"{videos.url}/metrics").text, re.M)[1])

    before = recognitions()
    first = ask()
    assert first.json()["text"] == DOOR_TEXT and recognitions() == before + 1
    assert ask().json() == first.json() and recognitions() == before + 1


def test_long_bodies_are_not_kept_in_memory(start):
    """Six clips of 12 MB at once, in a server that may use no more memory than two of them need."""
    server = start("--cache", "off")
    assert get(server, "/health").status == 200
    usual = server.resident_bytes()
    body = json.dumps(request("file:///x", audioData="QUJD" * 3_000_000)).encode()
    connections = [Connection(server, timeout=60) for _ in range(6)]
    for connection in connections:
        connection.send(head(server, "POST", PATH, "Authorization: Bearer x", f"Content-Length: {len(body)}") + body[:-1])
    # All have been read when the next request is answered.
    assert wait_until(lambda: get(server, "/health").status == 200, 30)
    time.sleep(0.5)
    assert server.resident_bytes() < usual + 2 * len(body)
    for connection in connections:
        connection.send(body[-1:])
    for connection in connections:
        answer = connection.response()
        assert answer.status == 500 and b"could not be read" in answer.body, "it is not a recording"
        connection.close()
    assert server.resident_bytes() < usual + 2 * len(body)


def test_a_body_that_does_not_fit_into_memory_does_not_end_the_server(start):
    server = start("--cache", "off")
    # 64 MiB more than it uses.
    pages = int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + (64 << 20)
    resource.prlimit(server.process.pid, resource.RLIMIT_AS, (limit, limit))
    body = json.dumps(request("file:///x", audioData="QUJD" * 8_500_000)).encode()
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: post(server, body).status_code, range(2)))
    assert set(answers) <= {500, 503, 507} and server.is_running
    assert get(server, "/health").status == 200
