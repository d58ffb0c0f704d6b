"""Groq's Python client, which itself adds `/openai/v1` to the server's address."""
import asyncio
import base64
import io
import re

import groq
import pytest
from groq import AsyncGroq, Groq

from clips import DOOR, DOOR_TEXT, FAN, FAN_TEXT, LONG, Unseekable, converted
from conftest import KEY

MODEL = "whisper-large-v3-turbo"


def settings(server, key="local", **options):
    # Validation is strict only where the client does not insist on JSON for a text.
    return {"base_url": server.url, "api_key": key, "max_retries": 0, "timeout": 60,
            "_strict_response_validation": True} | options


def transcribe(server, file=DOOR, key="local", strict=True, **fields):
    with Groq(**settings(server, key, _strict_response_validation=strict)) as api:
        return api.audio.transcriptions.create(**{"model": MODEL, "file": file} | fields)


def test_json(server):
    result = transcribe(server)
    assert result.text == DOOR_TEXT
    assert re.fullmatch(r"req_\w{26}", result.x_groq["id"])


@pytest.mark.parametrize("file", [DOOR.read_bytes(), io.BytesIO(DOOR.read_bytes()), ("door.wav", DOOR.read_bytes()),
                                  Unseekable(DOOR.read_bytes())], ids=["bytes", "BytesIO", "tuple", "unseekable"])
def test_ways_to_give_a_file(server, file):
    assert transcribe(server, file).text == DOOR_TEXT


def test_verbose_json(server):
    result = transcribe(server, FAN, response_format="verbose_json", timestamp_granularities=["word", "segment"],
                        language="en", temperature=0.0, prompt="A list.")
    assert result.text == FAN_TEXT
    assert (result.task, result.language) == ("transcribe", "english")
    assert [segment["text"] for segment in result.segments] == [" Turn the fan down to 5%.",
                                                                " Where did you put the short chair?"]
    assert result.words[0]["word"] == "Turn"
    assert list(result.model_extra)[-1] == "x_groq"


@pytest.mark.parametrize("form,expected", [("text", DOOR_TEXT), ("srt", "1\n00:00:0"), ("vtt", "WEBVTT\n\n")])
def test_text_forms(server, form, expected):
    # Groq has no subtitles; this server adds them.
    with Groq(**settings(server, _strict_response_validation=False)) as api:
        raw = api.audio.transcriptions.with_raw_response.create(model=MODEL, file=DOOR, response_format=form)
    assert raw.http_response.text.startswith(expected)


@pytest.mark.parametrize("form", ["srt", "vtt"])
def test_a_strict_server_has_no_subtitles(strict, form):
    with pytest.raises(groq.BadRequestError) as raised:
        transcribe(strict, response_format=form)
    details = raised.value.body["error"]
    assert (details["param"], details["code"]) == ("response_format", "unsupported_value")


@pytest.mark.parametrize("language,code", [("jv", "unsupported_value"), ("jw", "unsupported_value"), ("haw", "unsupported_value"),
                                           ("yue", "unsupported_value"), ("xx", "invalid_value")])
def test_an_english_model_refuses_known_and_unknown_languages_differently(server, language, code):
    with pytest.raises(groq.BadRequestError) as raised:
        transcribe(server, language=language)
    details = raised.value.body["error"]
    assert (details["param"], details["code"]) == ("language", code)


def test_data_url(server):
    url = "data:audio/wav;base64," + base64.b64encode(DOOR.read_bytes()).decode()
    with Groq(**settings(server)) as api:
        assert api.audio.transcriptions.create(model=MODEL, url=url).text == DOOR_TEXT
        with pytest.raises(groq.BadRequestError, match="either a file or a URL"):
            api.audio.transcriptions.create(model=MODEL, url=url, file=DOOR)
        with pytest.raises(groq.BadRequestError, match="not valid base64"):
            api.audio.transcriptions.create(model=MODEL, url="data:audio/wav;base64,####")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/a.wav", "https://example.invalid/a.wav", "file:///etc/passwd",
                                 "/etc/passwd", "ftp://127.0.0.1/a"])
def test_addresses_are_never_opened(server, url):
    with Groq(**settings(server)) as api, pytest.raises(groq.BadRequestError) as raised:
        api.audio.transcriptions.create(model=MODEL, url=url)
    details = raised.value.body["error"]
    assert (details["param"], details["code"]) == ("url", "url_not_supported")


def test_translation_needs_a_multilingual_model(server):
    with Groq(**settings(server)) as api, pytest.raises(groq.BadRequestError) as raised:
        api.audio.translations.create(model="whisper-large-v3", file=DOOR)
    assert raised.value.body["error"]["param"] == "model"


def test_models(server):
    with Groq(**settings(server)) as api:
        listed = api.models.list().data
        assert {MODEL, "nano.en"} <= {model.id for model in listed}
        assert api.models.retrieve(MODEL).id == MODEL
        with pytest.raises(groq.NotFoundError):
            api.models.retrieve("no/such")


def test_refusals(secured, small):
    with pytest.raises(groq.AuthenticationError) as raised:
        transcribe(secured, key="wrong")
    assert raised.value.body["error"]["code"] == "invalid_api_key"
    assert transcribe(secured, key=KEY).text == DOOR_TEXT
    with pytest.raises(groq.APIStatusError) as raised:
        transcribe(small, ("a.wav", bytes(1_500_000)))
    assert (raised.value.status_code, raised.value.body["error"]["code"]) == (413, "request_too_large")
    with pytest.raises(groq.UnprocessableEntityError):
        transcribe(small, converted(LONG, "mp3", "-t", "40", "-b:a", "16k"))


def test_async(server):
    async def run():
        async with AsyncGroq(**settings(server)) as api:
            results = await asyncio.gather(*(api.audio.transcriptions.create(model=MODEL, file=file)
                                             for file in (DOOR, FAN, DOOR, FAN)))
            return [result.text for result in results], await api.models.list()

    texts, models = asyncio.run(run())
    assert texts == [DOOR_TEXT, FAN_TEXT] * 2 and models.data
