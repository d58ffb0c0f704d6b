"""A recording with several languages, when the server looks for them."""
import io
import wave

import pytest

from conftest import MODELS, SPEECH, installed, serving
from test_openai import client

ENGLISH, FRENCH = "en/dir-intro.wav", "fr/vm-opts.wav"


def joined(*names):
    """One WAV file of these recordings, a second of silence after each."""
    contents = io.BytesIO()
    with wave.open(contents, "wb") as target:
        target.setparams((1, 2, 16_000, 0, "NONE", ""))
        for name in names:
            with wave.open(str(installed(SPEECH / name))) as source:
                assert source.getframerate() == 16_000 and source.getnchannels() == 1
                target.writeframes(source.readframes(source.getnframes()))
            target.writeframes(bytes(32_000))
    return contents.getvalue()


@pytest.fixture(scope="module")
def mixed():
    folder = installed(MODELS / "silero_vad_16k.safetensors").parent
    yield from serving("--cache", "off", "--multilingual", "--languages", "en,fr", "--model-dir", folder,
                       model=installed(MODELS / "ggml-base.bin"))


@pytest.fixture(scope="module")
def transcribe(mixed):
    with client(mixed) as api:
        yield lambda file, **fields: api.audio.transcriptions.create(
            model="whisper-1", file=("call.wav", file), response_format="verbose_json", **fields)


@pytest.mark.parametrize("names, first, last", [
    ((ENGLISH, FRENCH, FRENCH), "english", "french"), ((FRENCH, FRENCH, ENGLISH), "french", "english")])
def test_each_part_is_in_its_language(transcribe, names, first, last):
    result = transcribe(joined(*names))
    text = result.text.lower()
    words = {"english": ["welcome to the directory", "your party"], "french": ["changer de dossier", "pour les option"]}
    assert all(part in text for part in words["english"] + words["french"]), result.text
    assert max(text.index(part) for part in words[first]) < min(text.rindex(part) for part in words[last]), result.text


def test_a_request_that_names_the_language_gets_it(transcribe):
    result = transcribe(joined(FRENCH, FRENCH), language="fr")
    assert result.language == "french" and "changer de dossier" in result.text.lower()
