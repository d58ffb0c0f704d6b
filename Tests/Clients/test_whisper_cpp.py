"""Programs written for whisper.cpp's server."""
import json
import re

import pytest
import requests

from clips import DOOR, DOOR_TEXT, FAN, converted

SENTENCES = ["Turn the fan down to 5%.", "Where did you put the short chair?"]


def infer(server, file=FAN, **fields):
    return requests.post(f"{server.url}/inference", files={"file": file.open("rb")}, data=fields, timeout=60)


def test_json_is_the_default(server):
    answer = infer(server)
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("application/json")
    assert answer.json() == {"text": "".join(sentence + "\n" for sentence in SENTENCES)}


def test_text(server):
    answer = infer(server, response_format="text")
    assert answer.text == "".join(sentence + "\n" for sentence in SENTENCES)
    assert answer.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize("form,type,start", [("srt", "application/x-subrip", "1\n"), ("vtt", "text/vtt", "WEBVTT\n\n")])
def test_subtitles(server, form, type, start):
    answer = infer(server, response_format=form)
    assert answer.headers["content-type"].startswith(type) and answer.text.startswith(start)
    stamp = r"\d\d:\d\d:\d\d[,.]\d{3}"
    found = re.findall(rf"{stamp} --> {stamp}\n(.*)\n\n", answer.text)
    assert found == SENTENCES


def test_verbose_json(server):
    result = infer(server, response_format="verbose_json").json()
    assert (result["task"], result["language"]) == ("transcribe", "english")
    assert result["duration"] == pytest.approx(5.764, abs=0.01)
    assert [segment["text"] for segment in result["segments"]] == [" " + sentence for sentence in SENTENCES]
    for number, segment in enumerate(result["segments"]):
        assert segment["id"] == number
        assert {"start", "end", "tokens", "words", "temperature", "avg_logprob", "no_speech_prob"} <= set(segment)
        assert {"word", "start", "end", "probability"} <= set(segment["words"][0])


@pytest.mark.parametrize("fields", [
    {"temperature": "0.0", "temperature_inc": "0.2", "language": "en"}, {"language": "auto", "prompt": "A garden."},
    {"translate": "false", "no_timestamps": "true"}, {"beam_size": "1", "best_of": "1"}, {"split_on_word": "yes"},
    {"response-format": "text"}, {"vad": "true", "vad_threshold": "0.5"}, {"max_len": "0", "audio_ctx": "0"},
    {"entropy_thold": "2.4", "logprob_thold": "-1", "no_speech_thold": "0.6"}, {"unknown": "field"}], ids=str)
def test_fields_are_accepted(server, fields):
    assert infer(server, DOOR, **fields).json()["text"].strip() == DOOR_TEXT


def test_a_part_of_a_recording_can_be_chosen(server):
    # Milliseconds; the second sentence begins at 3.6 s.
    assert infer(server, offset_t="3300").json()["text"].strip() == SENTENCES[1]
    assert infer(server, duration="3300").json()["text"].strip() == SENTENCES[0].strip()


@pytest.mark.parametrize("extension", ["m4a", "mp3", "webm"])
def test_formats_other_than_wav_are_read(server, extension):
    assert infer(server, converted(FAN, extension)).json()["text"].lower().startswith("turn the fan down")


def test_refusals(server):
    answer = requests.post(f"{server.url}/inference", files={"language": (None, "en")}, timeout=10)
    assert (answer.status_code, answer.json()) == (400, {"error": "no 'file' field in the request"})
    answer = requests.post(f"{server.url}/inference", files={"file": b"not audio"}, timeout=10)
    assert answer.status_code == 400 and list(answer.json()) == ["error"] and type(answer.json()["error"]) is str
    # The command line of the server chooses the model, never a path in a request.
    answer = requests.post(f"{server.url}/load", files={"model": (None, "/etc/passwd")}, timeout=10)
    assert answer.status_code == 403


def test_health(server, secured):
    for one in (server, secured):
        answer = requests.get(f"{one.url}/health", timeout=10)
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
        assert "access-control-allow-origin" not in answer.headers
    assert requests.get(f"{server.url}/metrics", timeout=10).headers["content-type"].startswith("text/plain")


def test_curl(server):
    import subprocess
    result = subprocess.run(["curl", "-sS", f"{server.url}/inference", "-F", f"file=@{DOOR}", "-F", "response_format=json"],
                            capture_output=True, check=True)
    assert json.loads(result.stdout)["text"].strip() == DOOR_TEXT
