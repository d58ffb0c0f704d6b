"""OpenAI's Python client, set to reject every response that differs from its types."""
import asyncio
import io
import re
import time
from contextlib import contextmanager

import openai
import pytest
from openai import AsyncOpenAI, OpenAI

from clips import DOOR, DOOR_TEXT, FAN, FAN_TEXT, LONG, SILENCE, Unseekable, converted, wav, words
from conftest import KEY
from recorder import Recorder

SEGMENT_KEYS = {"id", "seek", "start", "end", "text", "tokens", "temperature", "avg_logprob", "compression_ratio",
                "no_speech_prob"}
REQUEST_ID = r"req_\w{26}"


def client(server, key="local", **options):
    return OpenAI(**settings(server, key) | options)


def settings(server, key="local"):
    return {"base_url": f"{server.url}/v1", "api_key": key, "max_retries": 0, "_strict_response_validation": True,
            "timeout": 60}


@pytest.fixture(scope="module")
def transcribe(server):
    """Transcribes with the default server; `file` is a sentence unless given."""
    with client(server) as api:
        yield lambda file=DOOR, **fields: api.audio.transcriptions.create(**{"model": "whisper-1", "file": file} | fields)


@contextmanager
def refusal(status, kind, code=None, param=None):
    with pytest.raises(openai.APIStatusError) as raised:
        yield raised
    found = raised.value
    assert (found.status_code, type(found).__name__) == (status, kind)
    assert (found.code, found.param) == (code, param)
    assert found.type and re.fullmatch(REQUEST_ID, found.request_id)
    assert 0 < len(found.body["message"]) <= 120


# Formats


def test_json_is_the_default(transcribe):
    result = transcribe()
    assert result.text == DOOR_TEXT
    assert result.usage.type == "duration" and result.usage.seconds == 3
    assert result.logprobs is None
    assert re.fullmatch(REQUEST_ID, result._request_id)
    assert not (result.model_extra or {}).get("x_groq")


def test_text(transcribe):
    result = transcribe(response_format="text")
    assert type(result) is str and result == DOOR_TEXT + "\n"


def test_subtitles(transcribe):
    srt, vtt = transcribe(FAN, response_format="srt"), transcribe(FAN, response_format="vtt")
    stamp = r"\d\d:\d\d:\d\d"
    assert re.fullmatch(rf"1\n{stamp},\d{{3}} --> {stamp},\d{{3}}\nTurn the fan down to 5%\.\n\n"
                        rf"2\n{stamp},\d{{3}} --> {stamp},\d{{3}}\nWhere did you put the short chair\?\n\n", srt)
    assert vtt.startswith("WEBVTT\n\n00:00:0") and vtt.endswith("short chair?\n\n")
    assert re.findall(rf"{stamp},\d{{3}}", srt) == [time.replace(".", ",") for time in
                                                   re.findall(rf"{stamp}\.\d{{3}}", vtt)]


@pytest.mark.parametrize("granularities", [None, ["segment"], ["word"], ["word", "segment"]])
def test_verbose_json(transcribe, granularities):
    fields = {"timestamp_granularities": granularities} if granularities else {}
    result = transcribe(FAN, response_format="verbose_json", **fields)
    wanted = granularities or ["segment"]
    assert (result.text, result.language, result.task) == (FAN_TEXT, "english", "transcribe")
    assert result.duration == pytest.approx(5.764, abs=0.01)
    assert result.usage.seconds == 6
    assert (result.segments is not None, result.words is not None) == ("segment" in wanted, "word" in wanted)
    for number, segment in enumerate(result.segments or []):
        assert SEGMENT_KEYS <= set(segment.model_fields_set)
        assert segment.id == number and segment.text.startswith(" ")
        assert 0 <= segment.start <= segment.end <= result.duration + 0.1
        assert segment.tokens[0] >= 50363, "the timestamps are among the tokens"
        assert segment.avg_logprob <= 0 <= segment.no_speech_prob <= 1
    if result.words:
        assert [word.word for word in result.words][:5] == ["Turn", "the", "fan", "down", "to"]
        assert result.words[-1].word == "chair", "no punctuation is attached"
        times = [time for word in result.words for time in (word.start, word.end)]
        assert times == sorted(times) and all(time == round(time, 3) for time in times)


def test_keys_are_in_the_documented_order(transcribe, server):
    with client(server) as api:
        raw = api.audio.transcriptions.with_raw_response.create(
            model="whisper-1", file=DOOR, response_format="verbose_json", timestamp_granularities=["word", "segment"])
    keys = list(raw.http_response.json())
    assert keys == ["task", "language", "duration", "text", "segments", "words", "usage"]
    assert raw.headers["content-type"] == "application/json"
    assert raw.headers["x-whisper-local-model"] == "nano.en"
    assert int(raw.headers["openai-processing-ms"]) >= 0


@pytest.mark.parametrize("form,type", [("json", "application/json"), ("text", "text/plain; charset=utf-8"),
                                       ("srt", "text/plain; charset=utf-8"), ("vtt", "text/vtt; charset=utf-8"),
                                       ("verbose_json", "application/json")])
def test_content_types(server, form, type):
    # The JavaScript client decides only by the type how to read the body.
    with client(server) as api:
        raw = api.audio.transcriptions.with_raw_response.create(model="whisper-1", file=DOOR, response_format=form)
    assert raw.headers["content-type"] == type


@pytest.mark.parametrize("file", [SILENCE, ("one.wav", wav(b"\0\0"))], ids=["ten seconds", "one sample"])
def test_silence_is_an_empty_text(transcribe, file):
    result = transcribe(file, response_format="verbose_json", timestamp_granularities=["word", "segment"])
    assert (result.text, result.segments, result.words) == ("", [], [])
    assert transcribe(file, response_format="srt") == ""
    assert transcribe(file, response_format="vtt") == "WEBVTT\n\n"


# Files


@pytest.mark.parametrize("file", [
    DOOR, DOOR.read_bytes(), io.BytesIO(DOOR.read_bytes()), ("door.wav", DOOR.read_bytes()),
    ("übung \"1\"\r\n.wav", DOOR.read_bytes(), "audio/x-wav"), ("../../etc/passwd", DOOR.read_bytes()),
    ("no-extension", DOOR.read_bytes(), "application/octet-stream"), Unseekable(DOOR.read_bytes()),
], ids=["path", "bytes", "BytesIO", "tuple", "odd name", "path as name", "no extension", "unseekable"])
def test_ways_to_give_a_file(transcribe, file):
    assert transcribe(file).text == DOOR_TEXT


@pytest.mark.parametrize("extension", ["flac", "mp3", "mp4", "mpeg", "mpga", "m4a", "oga", "ogg", "opus", "wav", "webm"])
def test_formats_are_recognized_by_content(transcribe, extension):
    content = converted(FAN, extension).read_bytes()
    for name in (f"sound.{extension}", "sound.wav", "sound"):
        assert words(transcribe((name, content)).text)[:4] == ["turn", "the", "fan", "down"]


@pytest.mark.parametrize("content,kind", [
    (b"", "empty"), (b"not audio", "text"), (b"RIFF\0\0\0\0WAVE", "header only"), (b"\0" * 5000, "zeros"),
    (b"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n", "playlist"), (b"ffconcat version 1.0\nfile /etc/passwd\n", "list"),
    (b"%PDF-1.7\n", "document")], ids=lambda value: value if isinstance(value, str) else "")
def test_what_is_not_audio_is_refused(transcribe, content, kind):
    with refusal(400, "BadRequestError", "invalid_audio", "file"):
        transcribe(("sound.wav", content))


def test_video_without_sound_is_refused(transcribe, tmp_path):
    import subprocess
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=d=1", "-pix_fmt", "yuv420p",
                    str(tmp_path / "silent.mp4")], check=True)
    with refusal(400, "BadRequestError", "invalid_audio", "file"):
        transcribe(tmp_path / "silent.mp4")


# Fields


@pytest.mark.parametrize("language", ["en", "EN", "en-US", "english", "auto", ""])
def test_languages(transcribe, language):
    assert transcribe(language=language).text == DOOR_TEXT


@pytest.mark.parametrize("fields", [
    {"prompt": "The garden."}, {"prompt": "long " * 5000}, {"temperature": 0}, {"temperature": 0.2},
    {"chunking_strategy": "auto"}, {"chunking_strategy": {"type": "server_vad", "threshold": 0.4,
                                                          "prefix_padding_ms": 200, "silence_duration_ms": 300}},
    {"extra_body": {"keywords": ["garden", "door"], "languages": ["en"]}}, {"extra_body": {"unknown": "field"}},
    {"extra_body": {"hotwords": "garden", "vad_filter": "true", "without_timestamps": "false"}},
], ids=str)
def test_fields_are_accepted(transcribe, fields):
    assert "garden" in words(transcribe(**fields).text)


@pytest.mark.parametrize("fields,param,code", [
    ({"language": "tlh"}, "language", "invalid_value"), ({"temperature": 2}, "temperature", "invalid_value"),
    ({"temperature": -0.1}, "temperature", "invalid_value"), ({"temperature": "warm"}, "temperature", "invalid_value"),
    ({"temperature": "nan"}, "temperature", "invalid_value"),
    ({"response_format": "xml"}, "response_format", None),
    ({"timestamp_granularities": ["letter"], "response_format": "verbose_json"}, None, None),
    ({"include": ["everything"]}, None, None),
    ({"chunking_strategy": {"type": "server_vad", "threshold": 3}}, None, None),
    ({"chunking_strategy": {"type": "server_vad", "silence_duration_ms": -1}}, None, None),
    ({"model": ""}, "model", None),
    ({"extra_body": {"url": "https://example.invalid/a.wav"}}, None, None),
], ids=str)
def test_bad_fields_are_refused(transcribe, fields, param, code):
    with pytest.raises(openai.BadRequestError) as raised:
        transcribe(**fields)
    # The name of a list may be given with or without brackets.
    assert raised.value.param.removesuffix("[]").split("[")[0] in (param or next(iter(fields)), "url")
    if code:
        assert raised.value.code == code


def test_log_probabilities(transcribe):
    result, detailed = transcribe(include=["logprobs"]), transcribe(response_format="verbose_json")
    assert "".join(entry.token for entry in result.logprobs).strip() == result.text == DOOR_TEXT
    assert bytes(int(byte) for entry in result.logprobs for byte in entry.bytes).decode().strip() == DOOR_TEXT
    # All tokens of the segments except timestamps, whose probabilities are part of the mean.
    tokens = [token for segment in detailed.segments for token in segment.tokens]
    assert len(result.logprobs) == len([token for token in tokens if token < 50256])
    logprobs = [entry.logprob for entry in result.logprobs]
    assert -10 < min(logprobs) < max(logprobs) <= 0
    assert sum(logprobs) >= detailed.segments[0].avg_logprob * (len(tokens) + 1) - 1e-3


@pytest.mark.parametrize("model,form", [("whisper-1", "json"), ("gpt-4o-transcribe-diarize", "json"),
                                        ("gpt-4o-transcribe", "text")])
def test_log_probabilities_that_the_cloud_refuses(strict, model, form):
    with client(strict) as api:
        wanted = {"model": "gpt-4o-transcribe", "file": DOOR, "include": ["logprobs"]}
        assert api.audio.transcriptions.create(**wanted).logprobs
        with pytest.raises(openai.BadRequestError) as raised:
            api.audio.transcriptions.create(**wanted | {"model": model, "response_format": form})
        assert raised.value.param == "include[]"


# Streams


def test_stream(transcribe):
    events = list(transcribe(FAN, stream=True))
    deltas, done = events[:-1], events[-1]
    assert deltas and {event.type for event in deltas} == {"transcript.text.delta"}
    assert done.type == "transcript.text.done"
    assert "".join(event.delta for event in deltas) == done.text == FAN_TEXT


@pytest.mark.parametrize("form", ["text", "srt", "vtt", "verbose_json"])
def test_streams_ignore_the_format(transcribe, form):
    assert list(transcribe(stream=True, response_format=form))[-1].text == DOOR_TEXT


def test_stream_with_log_probabilities(transcribe):
    *deltas, done = transcribe(FAN, stream=True, include=["logprobs"])
    assert "".join(entry.token for entry in done.logprobs).strip() == FAN_TEXT
    assert len(deltas) > 1
    assert [entry.model_dump() for delta in deltas for entry in delta.logprobs] == [entry.model_dump() for entry in done.logprobs]
    for delta in deltas:
        assert "".join(entry.token for entry in delta.logprobs).strip() == delta.delta.strip()


def test_a_stream_begins_long_before_its_end(transcribe):
    start = time.monotonic()
    stream = transcribe(LONG, stream=True)
    next(iter(stream))
    first = time.monotonic() - start
    for _ in stream:
        pass
    assert first < (time.monotonic() - start) / 2


def test_a_broken_off_stream_frees_its_place(small):
    with client(small, max_retries=3) as api:
        begun = time.monotonic()
        stream = api.audio.transcriptions.create(model="whisper-1", file=converted_half_minute(), stream=True)
        next(iter(stream))
        stream.close()
        # Both would be rejected while one recognition runs and another one waits.
        for _ in range(2):
            assert api.audio.transcriptions.create(model="whisper-1", file=DOOR).text == DOOR_TEXT
        assert time.monotonic() - begun < 20


def converted_half_minute():
    return converted(LONG, "wav", "-t", "29", "-ar", "16000")


def test_a_bad_request_for_a_stream_is_a_plain_refusal(transcribe):
    with refusal(400, "BadRequestError", "invalid_audio", "file"):
        transcribe(("a.wav", b"not audio"), stream=True)


# Translations and models


@pytest.mark.parametrize("form", ["json", "verbose_json"])
def test_an_english_model_does_not_translate(server, form):
    with client(server) as api, pytest.raises(openai.BadRequestError) as raised:
        api.audio.translations.create(model="whisper-1", file=DOOR, response_format=form)
    assert raised.value.param == "model"


@pytest.mark.slow
def test_translations(multilingual):
    with client(multilingual) as api:
        plain = api.audio.translations.create(model="whisper-1", file=FAN)
        verbose = api.audio.translations.create(model="whisper-1", file=FAN, response_format="verbose_json")
        assert plain.text and verbose.text == plain.text
        assert (verbose.language, verbose.task) == ("english", "translate")
        detected = api.audio.transcriptions.create(model="whisper-1", file=FAN, response_format="verbose_json")
        assert detected.language == "english" and detected.segments[0].tokens[0] == 50364


def test_models(server):
    with client(server) as api:
        listed = {model.id: model for model in api.models.list()}
        assert {"nano.en", "whisper-1", "whisper-large-v3", "whisper-large-v3-turbo"} <= set(listed)
        assert {model.object for model in listed.values()} == {"model"}
        assert api.models.retrieve("whisper-1").id == "whisper-1"
        assert listed["nano.en"].owned_by == "whisper-local"
        for unknown in ("no/such", "no-such"):
            with refusal(404, "NotFoundError", "model_not_found", "model"):
                api.models.retrieve(unknown)


@pytest.mark.parametrize("model", ["whisper-1", "gpt-4o-transcribe", "whisper-large", "Systran/faster-whisper-small",
                                   "openai/whisper-large-v3", "anything at all", "m" * 200])
def test_any_model_name_is_served(transcribe, model):
    assert transcribe(model=model).text == DOOR_TEXT


@pytest.mark.parametrize("model", ["m" * 201, "a\nb"])
def test_impossible_model_names(transcribe, model):
    with pytest.raises(openai.BadRequestError) as raised:
        transcribe(model=model)
    assert raised.value.param == "model"


# The strict server


def test_strict_models(strict):
    with client(strict) as api:
        assert api.audio.transcriptions.create(model="whisper-1", file=DOOR).text == DOOR_TEXT
        with refusal(404, "NotFoundError", "model_not_found", "model"):
            api.audio.transcriptions.create(model="whisper-9", file=DOOR)


@pytest.mark.parametrize("fields", [{"language": "english"}, {"language": "en-US"}, {"stream": True, "response_format":
                                    "srt", "model": "gpt-4o-transcribe"}, {"timestamp_granularities": ["word"]}], ids=str)
def test_strict_fields(strict, fields):
    with client(strict) as api, pytest.raises(openai.BadRequestError):
        api.audio.transcriptions.create(**{"model": "whisper-1", "file": DOOR} | fields)


# Refusals


def test_keys(secured):
    with client(secured, KEY) as api:
        assert api.audio.transcriptions.create(model="whisper-1", file=DOOR).text == DOOR_TEXT
    for wrong in ("x", KEY[:-1], KEY + "x", KEY.upper()):
        with client(secured, wrong) as api, refusal(401, "AuthenticationError", "invalid_api_key"):
            api.audio.transcriptions.create(model="whisper-1", file=DOOR)
        with client(secured, wrong) as api, refusal(401, "AuthenticationError", "invalid_api_key"):
            api.models.list()


def test_a_file_over_the_limit(small):
    with client(small) as api, refusal(413, "APIStatusError", "request_too_large", "file"):
        api.audio.transcriptions.create(model="whisper-1", file=("a.wav", wav(bytes(1_500_000))))


def test_a_file_over_the_cloud_limit(strict, server):
    content = wav(bytes(26_300_000))
    with client(strict) as api, refusal(413, "APIStatusError", "request_too_large", "file"):
        api.audio.transcriptions.create(model="whisper-1", file=("a.wav", content))


@pytest.mark.slow
def test_a_recording_that_is_too_long(small):
    # Less than 1 MiB, but 40 s.
    content = converted(LONG, "mp3", "-t", "40", "-b:a", "16k").read_bytes()
    assert len(content) < 1_000_000
    with client(small) as api, refusal(422, "UnprocessableEntityError", "unprocessable", "file"):
        api.audio.transcriptions.create(model="whisper-1", file=("a.mp3", content))


def attempts(server, **fields):
    """The error that a retrying client reports, and the number of attempts."""
    sent = []
    http = openai.DefaultHttpxClient(event_hooks={"request": [lambda request: sent.append(
        request.headers["x-stainless-retry-count"])]})
    with client(server, max_retries=2, http_client=http) as api, pytest.raises(openai.APIStatusError) as raised:
        api.audio.transcriptions.create(**{"model": "whisper-1", "file": DOOR} | fields)
    return raised.value, sent


def test_bad_requests_are_not_repeated(server):
    for fields in ({"temperature": 7}, {"file": ("a.wav", b"not audio")}):
        raised, sent = attempts(server, **fields)
        assert raised.status_code == 400 and sent == ["0"]


def test_requests_over_the_queue_are_repeated(small):
    """One recognition runs and one waits; the others get 503 with Retry-After, and eventually all are served."""
    half_minute = converted_half_minute().read_bytes()

    async def run():
        refusals = []

        async def watch(response):
            if response.status_code != 200:
                refusals.append((response.status_code, response.headers.get("retry-after")))

        http = openai.DefaultAsyncHttpxClient(event_hooks={"response": [watch]})
        async with AsyncOpenAI(**settings(small) | {"max_retries": 30, "http_client": http}) as api:
            results = await asyncio.gather(*(api.audio.transcriptions.create(
                model="whisper-1", file=("a.wav", half_minute), prompt=f"Number {number}.") for number in range(4)))
        assert all(result.text for result in results)
        return refusals

    refusals = asyncio.run(run())
    assert refusals and {status for status, _ in refusals} <= {503, 429}
    assert {after for _, after in refusals} == {"1"}


# Many at once


def test_async_calls_at_once_are_not_mixed_up(server):
    files = [converted(path, "wav") for path in (DOOR, FAN)] * 4

    async def run():
        async with AsyncOpenAI(**settings(server)) as api:
            return await asyncio.gather(*(api.audio.transcriptions.create(
                model="whisper-1", file=path, prompt=f"{number}") for number, path in enumerate(files)))

    for path, result in zip(files, asyncio.run(run())):
        assert words(result.text)[:2] == (["open", "the"] if DOOR.stem in path.name else ["turn", "the"])


def test_async_stream_and_models(server):
    async def run():
        async with AsyncOpenAI(**settings(server)) as api:
            stream = await api.audio.transcriptions.create(model="whisper-1", file=DOOR, stream=True)
            events = [event async for event in stream]
            return events[-1].text, [model.id async for model in api.models.list()]

    text, models = asyncio.run(run())
    assert text == DOOR_TEXT and "whisper-1" in models


def test_a_cancelled_call_frees_its_place(small):
    async def run():
        async with AsyncOpenAI(**settings(small)) as api:
            long = [asyncio.create_task(api.audio.transcriptions.create(
                model="whisper-1", file=converted_half_minute(), prompt=prompt)) for prompt in ("one", "two")]
            await asyncio.sleep(0.7)
            for task in long:
                task.cancel()
            await asyncio.gather(*long, return_exceptions=True)
            await asyncio.sleep(1)
            return await api.audio.transcriptions.create(model="whisper-1", file=DOOR)

    assert asyncio.run(run()).text == DOOR_TEXT


# What the client sends: if this changes, the server must be reviewed.


def test_what_the_client_sends():
    with Recorder() as recorder, OpenAI(base_url=f"{recorder.url}/v1", api_key="x", max_retries=0) as api:
        for path in (DOOR, converted(DOOR, "m4a")):
            api.audio.transcriptions.create(model="whisper-1", file=path, language="en", response_format="json",
                                            timestamp_granularities=["word", "segment"])
    first, second = recorder.requests
    assert first.line == "POST /v1/audio/transcriptions HTTP/1.1"
    assert first.headers["authorization"] == "Bearer x" and "content-length" in first.headers
    assert re.fullmatch(r"multipart/form-data; boundary=[0-9a-f]{32}", first.headers["content-type"])
    names = re.findall(rb'Content-Disposition: form-data; name="([^"]*)"', first.body)
    assert names[0] == b"model" and names[-1] == b"file" and names.count(b"timestamp_granularities[]") == 2
    assert re.search(rb'filename="say-01.wav"\r\nContent-Type: audio/(x-)?wav\r\n', first.body)
    assert re.search(rb'filename="say-01.m4a"\r\nContent-Type: audio/mp4', second.body)
