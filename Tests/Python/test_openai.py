"""The shape of openai-whisper."""
import pytest

from cases import DRIVE
from conftest import NANO
from whisper_local import openai


@pytest.fixture(scope="module")
def model():
    return openai.load_model(str(NANO))


def test_transcribe(model):
    result = model.transcribe(str(DRIVE))
    assert set(result) == {"text", "segments", "language"} and result["language"] == "en"
    assert "museum" in result["text"]
    assert [segment["id"] for segment in result["segments"]] == list(range(len(result["segments"])))
    assert "".join(segment["text"] for segment in result["segments"]) == result["text"]
    assert set(result["segments"][0]) == {
        "id", "seek", "start", "end", "text", "tokens", "temperature", "avg_logprob", "compression_ratio",
        "no_speech_prob"}


def test_options(model):
    audio = openai.load_audio(str(DRIVE))
    result = model.transcribe(
        audio, word_timestamps=True, fp16=False, beam_size=2, temperature=0, language="en", task="transcribe",
        sample_len=100, suppress_tokens="-1", length_penalty=0.5, guard=False)
    assert result["segments"][0]["words"][0]["word"].startswith(" ")
    few = model.transcribe(audio, sample_len=5, temperature=0, without_timestamps=True)
    assert len(few["segments"][0]["tokens"]) <= 6
    with pytest.raises(TypeError, match="beams"):
        model.transcribe(audio, beams=5)


def test_verbose(model, capfd):
    model.transcribe(str(DRIVE), verbose=True)
    shown = capfd.readouterr()
    assert shown.out.startswith("[00:00.") and " --> " in shown.out and not shown.err
    model.transcribe(str(DRIVE), verbose=False)
    assert "100%" in capfd.readouterr().err
    model.transcribe(str(DRIVE))
    assert capfd.readouterr() == ("", "")


def test_names(model):
    assert model.device == "cpu" and not model.is_multilingual
    assert "tiny.en" in openai.available_models()
    assert len(openai.pad_or_trim(openai.load_audio(str(DRIVE)))) == 480000
