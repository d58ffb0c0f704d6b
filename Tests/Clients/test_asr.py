"""Programs written for whisper-asr-webservice: Bazarr's Whisper provider, Subgen's clients, and scripts."""
import re
import socket
import subprocess
import time
from urllib.parse import urlsplit

import pytest
import requests

import long_recording
from clips import DOOR, FAN
from conftest import MODELS, SPEECH, installed, serving
from serving import wait_until

SENTENCES = ["Turn the fan down to 5%.", "Where did you put the short chair?"]
STAMP = r"\d\d:\d\d:\d\d,\d{3}"


def samples(path=FAN, seconds=0.0):
    """Samples as Bazarr sends them, after this much digital silence."""
    command = ["ffmpeg", "-v", "error", "-i", path, "-f", "s16le", "-ac", "1", "-ar", "16000", "-"]
    return bytes(2 * int(16000 * seconds)) + subprocess.run(command, check=True, capture_output=True).stdout


def ask(server, path="/asr", content=None, name="audio_file", headers=None, **params):
    content = FAN.read_bytes() if content is None else content
    return requests.post(f"{server.url}{path}", params=params, files={"audio_file": (name, content)}, timeout=(5, 60),
                         headers=headers)


def cues(text):
    return re.findall(rf"(\d+)\n({STAMP}) --> ({STAMP})\n(.*(?:\n.+)*)\n\n", text)


def test_the_request_of_bazarr(server):
    """Byte for byte: neither Bazarr nor Subgen is on PyPI, but the library with which they ask is."""
    content = samples()
    params = {"task": "transcribe", "language": "en", "output": "srt", "encode": "false",
              "video_file": "/tv/It's \"über\" long/a film.mkv"}
    request = requests.Request("POST", f"{server.url}/asr", params=params, files={"audio_file": content},
                               headers={"User-Agent": "Subliminal/2.2.1"}).prepare()
    boundary = re.fullmatch(r"multipart/form-data; boundary=([0-9a-f]{32})", request.headers["Content-Type"])[1].encode()
    assert request.body == b"".join([
        b"--", boundary, b"\r\nContent-Disposition: form-data; name=\"audio_file\"; filename=\"audio_file\"\r\n\r\n", content,
        b"\r\n--", boundary, b"--\r\n"])
    assert request.path_url == ("/asr?task=transcribe&language=en&output=srt&encode=false"
                                "&video_file=%2Ftv%2FIt%27s+%22%C3%BCber%22+long%2Fa+film.mkv")
    with requests.Session() as session:
        answer = session.send(request, timeout=(5, 60))
    assert answer.status_code == 200 and answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert [cue[3] for cue in cues(answer.text)] == SENTENCES
    assert "".join(f"{n}\n{start} --> {end}\n{text}\n\n" for n, start, end, text in cues(answer.text)) == answer.text
    assert "film" not in server.log


@pytest.mark.parametrize("encode", ["true", "false"])
def test_a_recording_with_a_header_is_decoded_in_any_case(server, encode):
    assert ask(server, encode=encode).text == "".join(f"{sentence}\n" for sentence in SENTENCES)


def test_outputs(server):
    assert ask(server, output="txt").text.splitlines() == SENTENCES
    assert ask(server, output="foo").text == ask(server).text
    vtt = ask(server, output="vtt").text
    assert vtt.startswith("WEBVTT\n\n00:0") and re.findall(r"\d\d:\d\d\.\d{3} --> .*\n(.*)\n\n", vtt) == SENTENCES
    lines = ask(server, output="tsv").text.splitlines()
    assert lines[0] == "start\tend\ttext" and [line.split("\t")[2] for line in lines[1:]] == SENTENCES
    found = ask(server, output="json", word_timestamps="true")
    assert found.headers["content-type"] == "application/json"
    result = found.json()
    assert result["language"] == "en" and [part["text"].strip() for part in result["segments"]] == SENTENCES
    assert result["text"] == "".join(part["text"] for part in result["segments"])
    words = result["segments"][0]["words"]
    assert "".join(word["word"] for word in words) == result["segments"][0]["text"]
    assert ask(server, output="json").json()["segments"][0]["words"] is None


def seconds(stamp):
    return sum(float(part) * scale for part, scale in zip(re.split("[:,]", stamp), (3600, 60, 1, 0.001)))


def starts(found):
    return [seconds(cue[1]) for cue in cues(found.text)]


@pytest.fixture(scope="module")
def hearing():
    """Finds speech with Silero's network."""
    yield from serving("--cache", "off", "--model-dir", installed(MODELS / "silero_vad_16k.safetensors").parent)


def test_cues_and_words_begin_and_end_with_the_speech(hearing):
    shown = [seconds(stamp) for cue in cues(ask(hearing, output="srt").text) for stamp in cue[1:3]]
    said = ask(hearing, output="json", word_timestamps="true").json()["segments"]
    edges = [time for part in said for time in (part["words"][0]["start"], part["words"][-1]["end"])]
    assert shown == pytest.approx([0.51, 3.1, 3.62, 5.53], abs=0.05)
    assert edges == pytest.approx(shown, abs=0.002)


def test_times_count_from_the_start_of_the_video(server, tmp_path):
    film = tmp_path / "late.mkv"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x64:rate=10:duration=12", "-itsoffset", "7.3",
                    "-i", FAN, "-map", "0", "-map", "1", "-c:v", "mpeg4", "-c:a", "pcm_s16le", film], check=True)
    expected = [start + 7.3 for start in starts(ask(server, output="srt"))]
    assert starts(ask(server, content=film.read_bytes(), output="srt")) == pytest.approx(expected, abs=0.1)
    answer = requests.post(f"{server.url}/v1/audio/transcriptions", files={"file": ("late.mkv", film.read_bytes())},
                           data={"model": "whisper-1", "response_format": "verbose_json"}, timeout=(5, 60)).json()
    assert [part["start"] > 7.3 for part in answer["segments"]] == [True] * len(SENTENCES)


def test_silence_in_front_does_not_shift_the_times(server):
    options = {"output": "srt", "encode": "false", "vad_filter": "true"}
    before = starts(ask(server, content=samples(), **options))
    after = starts(ask(server, content=samples(seconds=4.9), **options))
    assert len(after) == 2 and after == pytest.approx([start + 4.9 for start in before], abs=0.4)


def test_the_answer_says_what_it_is(server):
    headers = ask(server, output="srt").headers
    assert headers["asr-engine"] == "whisper-local"
    assert headers["content-disposition"] == 'attachment; filename="audio_file.srt"'


@pytest.mark.parametrize("params,place", [
    ({"encode": "perhaps"}, ["query", "encode"]), ({"task": "sing"}, ["query", "task"]),
    ({"language": "klingon"}, ["query", "language"]), ({"vad_filter": "2"}, ["query", "vad_filter"]),
    ({"word_timestamps": "sure"}, ["query", "word_timestamps"]), ({"min_speakers": "0"}, ["query", "min_speakers"]),
    ({"min_speakers": "3", "max_speakers": "2"}, ["query", "max_speakers"])])
def test_bad_parameters(server, params, place):
    answer = ask(server, **params)
    assert answer.status_code == 422
    [detail] = answer.json()["detail"]
    assert detail["loc"] == place and {"type", "msg", "input"} <= set(detail)


def test_bad_recordings(server):
    missing = requests.post(f"{server.url}/asr", files={"file": FAN.read_bytes()}, timeout=30)
    assert missing.status_code == 422 and missing.json()["detail"][0]["loc"] == ["body", "audio_file"]
    empty = ask(server, content=b"")
    assert empty.status_code == 400 and "empty" in empty.json()["detail"]
    text = ask(server, content=b"these are words, not sounds\n" * 100)
    assert text.status_code == 400 and isinstance(text.json()["detail"], str)
    # An odd byte at the end is no sample.
    assert ask(server, content=samples() + b"\1", encode="false").text.splitlines() == SENTENCES


def test_no_language_means_to_detect_it(server):
    assert ask(server, language="").text.splitlines() == SENTENCES


def test_text_comes_before_the_end(server):
    """The first cue of a long recording arrives while the rest is being recognized."""
    content = samples() * 12
    start = time.monotonic()
    with requests.post(f"{server.url}/asr", params={"output": "srt", "encode": "false"},
                       files={"audio_file": content}, timeout=60, stream=True) as answer:
        parts = answer.iter_content(None)
        first = next(parts)
        began = time.monotonic() - start
        rest = b"".join(parts)
    ended = time.monotonic() - start
    assert first.startswith(b"1\n") and began < 0.8 * ended
    found = cues((first + rest).decode())
    assert [int(cue[0]) for cue in found] == list(range(1, len(found) + 1)) and len(found) >= 18


def test_a_client_that_leaves_stops_the_recognition(server):
    def running():
        text = requests.get(f"{server.url}/metrics", timeout=10).text
        return int(re.search(r"recognitions_running (\d+)", text)[1])

    address = urlsplit(server.url)
    body = (b"--b\r\nContent-Disposition: form-data; name=\"audio_file\"; filename=\"audio_file\"\r\n\r\n"
            + samples() * 200 + b"\r\n--b--\r\n")
    with socket.create_connection((address.hostname, address.port)) as client:
        client.sendall(f"POST /asr?encode=false HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: {len(body)}\r\n"
                       "Content-Type: multipart/form-data; boundary=b\r\n\r\n".encode() + body)
        assert wait_until(lambda: running() > 0, 10)
    assert wait_until(lambda: running() == 0, 10)


def test_samples_are_limited_by_their_length(start):
    """Two hours are more than `--max-upload`, whose limit is for recordings in other formats."""
    server = start("--max-upload", "256KiB", "--max-duration", "120", "--cache", "off")
    content = samples() * 3
    assert len(content) > 2 * 256 << 10
    assert len(ask(server, content=content, encode="false").text.splitlines()) >= 3
    assert ask(server, content=bytes(5 << 20), encode="false").status_code == 413
    wave = subprocess.run(["ffmpeg", "-v", "error", "-f", "s16le", "-ar", "16000", "-ac", "1", "-i", "-", "-f", "wav", "-"],
                          input=content, check=True, capture_output=True).stdout
    answer = ask(server, content=wave)
    assert answer.status_code == 413 and "262144 bytes" in answer.json()["detail"]
    assert not server.left_files()


def test_other_recordings_are_limited_by_their_length(small):
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anullsrc=r=16000:cl=mono", "-t", "31", "-f", "flac", "-"]
    answer = ask(small, content=subprocess.run(command, check=True, capture_output=True).stdout)
    [detail] = answer.json()["detail"]
    assert (answer.status_code, detail["loc"]) == (422, ["body", "audio_file"])
    assert detail["msg"] == "The recording is longer than 0:30. Send it in parts."


def test_a_film_goes_to_disk(start):
    """Fifteen minutes; scripts/test-load.sh has figures for two hours."""
    server = start("--cache", "off", "--guard", "false")
    # What the recognition of silence takes is there afterwards.
    long_recording.send(server, 1 / 60)
    result = long_recording.send(server, 0.25)
    assert (result.status, result.text) == (200, "")
    assert result.more < result.size / 2, f"{result.more >> 20} MiB more"
    assert not server.left_files()


def test_the_language(server):
    answer = ask(server, "/detect-language", DOOR.read_bytes())
    assert answer.json() == {"detected_language": "english", "language_code": "en", "confidence": 1}
    assert ask(server, "/detect-language", b"no sounds" * 50).status_code == 400


def test_the_status_needs_no_key(secured):
    answer = requests.get(f"{secured.url}/status", timeout=10)
    assert re.fullmatch(r"whisper-local \d+\.\d+\.\d+", answer.json()["version"])


def test_clients_without_a_key(secured, start, key_file):
    refused = ask(secured)
    assert refused.status_code == 403 and "--allow-from" in refused.json()["detail"]
    assert ask(secured, headers={"Authorization": "Bearer wrong"}).status_code == 401
    key = key_file.read_text().strip()
    assert ask(secured, headers={"Authorization": f"Bearer {key}"}).status_code == 200
    near = start("--api-key-file", key_file, "--allow-from", "10.0.0.0/8", "--allow-from", "127.0.0.0/8", "--cache", "off")
    assert ask(near).text.splitlines() == SENTENCES
    # Other routes need the key all the same.
    assert requests.get(f"{near.url}/v1/models", timeout=10).status_code == 401
    far = start("--api-key-file", key_file, "--allow-from", "10.0.0.0/8", "--cache", "off")
    assert ask(far).status_code == 403


@pytest.mark.parametrize("code,name", [("en", "english"), ("es", "spanish"), ("fr", "french"), ("it", "italian"),
                                       ("ru", "russian")])
def test_detected_languages(multilingual, code, name):
    recording = installed(SPEECH / f"long-{code}.wav").read_bytes()[:44 + 2 * 16000 * 40]
    found = ask(multilingual, "/detect-language", recording[44:], encode="false").json()
    assert (found["detected_language"], found["language_code"]) == (name, code) and found["confidence"] > 0.5
    text = ask(multilingual, content=recording[44:44 + 32000 * 8], encode="false", output="json").json()
    assert text["language"] == code and text["text"].strip()
