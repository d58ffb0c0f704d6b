"""Functions that need no model."""
import json
import os
from pathlib import Path

import numpy as np
import pytest

from cases import CLIPS, DRIVE, MODELS, RECORDED, SPEECH_CASES, samples
from whisper_local import (
    AudioError, OptionError, VadOptions, collect_chunks, decode_audio, download_model, format_timestamp,
    format_transcript, get_speech_timestamps, models, pad_or_trim)
from whisper_local.vad import SpeechTimestampsMap


@pytest.mark.parametrize("seconds, text", [
    (0, "00:00.000"), (1.2345, "00:01.234"), (59.9996, "01:00.000"), (3661.5, "01:01:01.500")])
def test_format_timestamp(seconds, text):
    assert format_timestamp(seconds) == text
    hours = text if text.count(":") == 2 else f"00:{text}"
    assert format_timestamp(seconds, always_include_hours=True) == hours
    assert format_timestamp(seconds, True, decimal_marker=",") == hours.replace(".", ",")


def test_format_timestamp_refuses_negative_times():
    with pytest.raises(AssertionError):
        format_timestamp(-1)


@pytest.mark.parametrize("shape, axis", [((80, 2000), -1), ((80, 4000), -1), ((80, 3000), -1), ((2000, 3), 0)])
def test_pad_or_trim(shape, axis):
    array = np.ones(shape, np.float32)
    trimmed = pad_or_trim(array, axis=axis)
    assert trimmed.shape[axis] == 3000
    assert trimmed.sum() == min(shape[axis], 3000) * array.size / shape[axis]
    assert pad_or_trim(array, length=10, axis=axis).shape[axis] == 10


def test_decode_audio():
    decoded = decode_audio(str(DRIVE))
    assert decoded.dtype == np.float32 and decoded.ndim == 1
    np.testing.assert_array_equal(decoded, samples(DRIVE))
    np.testing.assert_array_equal(decode_audio(input_file=DRIVE), decoded)


def test_decode_audio_from_files_in_memory():
    import io
    with open(DRIVE, "rb") as file:
        np.testing.assert_array_equal(decode_audio(file), samples(DRIVE))
    np.testing.assert_array_equal(decode_audio(io.BytesIO(DRIVE.read_bytes())), samples(DRIVE))
    with open(__file__, "rb") as file, pytest.raises(AudioError, match="test_utilities.py"):
        decode_audio(file)
    with pytest.raises(AudioError, match="^the recording"):
        decode_audio(io.BytesIO(b"RIFF"))
    with pytest.raises(TypeError, match="bytes"):
        decode_audio(DRIVE.read_bytes())


def stereo(path, left, right, rate=16000):
    import wave
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.stack([left, right], 1).astype(np.int16).tobytes())
    return path


def test_decode_audio_splits_stereo(tmp_path):
    count = np.arange(4000)
    path = stereo(tmp_path / "two.wav", count, -count)
    left, right = decode_audio(path, split_stereo=True)
    np.testing.assert_array_equal(left, (count / 32768).astype(np.float32))
    np.testing.assert_array_equal(right, -left)
    # Of a mono recording, both channels are the same.
    left, right = decode_audio(DRIVE, split_stereo=True)
    np.testing.assert_array_equal(left, right)


def test_decode_audio_reads_other_formats():
    flac = CLIPS / "long-three-minutes.flac"
    assert 100 < len(decode_audio(flac)) / 16000 < 300


def test_decode_audio_without_the_systems_ffmpeg(monkeypatch):
    """Then PyAV decodes, and the samples are nearly the same."""
    from whisper_local import _library, audio
    flac = CLIPS / "long-three-minutes.flac"
    ours = decode_audio(flac)

    def none(path, options):
        raise AudioError("no FFmpeg")

    monkeypatch.setattr(_library, "decode", none)
    theirs = decode_audio(flac)
    assert len(ours) == len(theirs)
    assert np.abs(ours - theirs).max() < 0.001
    left, right = decode_audio(flac, split_stereo=True)
    assert len(left) == len(right) == len(ours)
    monkeypatch.setattr(audio.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(AudioError, match="no FFmpeg"):
        decode_audio(flac)


def test_decode_audio_to_another_rate():
    assert len(decode_audio(DRIVE, sampling_rate=8000)) == pytest.approx(len(samples(DRIVE)) / 2, abs=100)


def test_decode_audio_fails_as_faster_whisper():
    with pytest.raises(FileNotFoundError, match="nowhere.wav"):
        decode_audio("nowhere.wav")
    with pytest.raises(ValueError) as caught:
        decode_audio(__file__)
    assert isinstance(caught.value, AudioError)


def test_decoded_samples_are_the_engines_memory(tmp_path):
    """They stay valid, and can be written to, as long as anything refers to them."""
    part = decode_audio(DRIVE)[8000:16000]
    expected = samples(DRIVE)[8000:16000]
    for _ in range(20):
        decode_audio(DRIVE)
    np.testing.assert_array_equal(part, expected)
    part[:] = 0
    assert not part.any()


def test_empty_recording(tmp_path):
    path = stereo(tmp_path / "empty.wav", np.zeros(0), np.zeros(0))
    assert len(decode_audio(path)) == 0
    assert get_speech_timestamps(np.zeros(0, np.float32)) == []


def test_speech_is_found(drive):
    padded = np.concatenate([np.zeros(48000, np.float32), drive, np.zeros(96000, np.float32)])
    parts = get_speech_timestamps(audio=padded, vad_options=VadOptions(speech_pad_ms=0), sampling_rate=16000)
    assert parts and all(set(part) == {"start", "end"} and isinstance(part["start"], int) for part in parts)
    assert 40000 < parts[0]["start"] and parts[-1]["end"] < len(padded) - 80000
    assert get_speech_timestamps(padded, speech_pad_ms=0) == parts
    assert get_speech_timestamps(np.zeros(160000, np.float32)) == []
    with pytest.raises(ValueError, match="8000"):
        get_speech_timestamps(padded, sampling_rate=8000)
    with pytest.raises(TypeError):
        get_speech_timestamps(padded, treshold=0.3)


@pytest.mark.peer
@pytest.mark.real
@pytest.mark.parametrize("name", SPEECH_CASES)
def test_speech_is_where_faster_whisper_finds_it(name, audio):
    """Its network is another version, whose probabilities differ a little: by a few windows of 32 ms."""
    recording, arguments = SPEECH_CASES[name]
    theirs = json.loads(RECORDED.read_text())["speech"][name]
    ours = get_speech_timestamps(audio(recording), VadOptions(**arguments))
    heard, expected = (np.zeros(len(audio(recording)), bool) for _ in range(2))
    for parts, which in ((ours, heard), (theirs, expected)):
        for part in parts:
            which[part["start"]:part["end"]] = True
    assert (heard != expected).mean() < 0.06


def test_collect_chunks():
    audio = np.arange(100, dtype=np.float32)
    chunks = [{"start": 10, "end": 20}, {"start": 30, "end": 35}, {"start": 50, "end": 80}]
    (joined,), (about,) = collect_chunks(audio, chunks, sampling_rate=10)
    np.testing.assert_array_equal(joined, np.concatenate([audio[10:20], audio[30:35], audio[50:80]]))
    assert about == {"offset": 0, "duration": 4.5, "segments": chunks}
    parts, about = collect_chunks(audio, chunks, sampling_rate=10, max_duration=3)
    assert [len(part) for part in parts] == [15, 30]
    assert [(each["offset"], each["duration"]) for each in about] == [(0, 1.5), (1.5, 3)]
    (nothing,), (about,) = collect_chunks(audio, [])
    assert len(nothing) == 0 and about == {"offset": 0, "duration": 0, "segments": []}


def test_speech_timestamps_map():
    times = SpeechTimestampsMap([{"start": 16000, "end": 32000}, {"start": 64000, "end": 80000}], 16000)
    assert times.get_original_time(0.5) == 1.5
    assert times.get_original_time(1.5) == 4.5
    assert times.get_original_time(1.0) == 4.0
    assert times.get_original_time(1.0, is_end=True) == 2.0
    assert times.get_original_time(9) == 12


@pytest.mark.real
def test_models_are_found_but_never_downloaded(tmp_path, monkeypatch):
    if not (MODELS / "ct2-tiny.en").exists():
        pytest.skip("ct2-tiny.en is not installed: scripts/setup.sh --tests")
    (tmp_path / "tiny.en").symlink_to(MODELS / "ct2-tiny.en")
    monkeypatch.setenv("WHISPER_LOCAL_MODELS", str(tmp_path))
    assert {"name": "tiny.en", "path": str(tmp_path / "tiny.en")} in models()
    assert download_model(size_or_id="tiny.en", local_files_only=True) == str(tmp_path / "tiny.en")
    copy = download_model("tiny.en", output_dir=str(tmp_path / "copy"))
    assert Path(copy, "model.bin").stat().st_size == (MODELS / "ct2-tiny.en/model.bin").stat().st_size
    monkeypatch.delenv("WHISPER_LOCAL_MODELS")
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    for name in list(os.environ):
        if name.startswith("XDG_") or name.startswith("HF_"):
            monkeypatch.delenv(name)
    assert download_model("tiny.en", cache_dir=str(tmp_path)) == str(tmp_path / "tiny.en")
    with pytest.raises(FileNotFoundError, match="models pull tiny.en"):
        download_model("tiny.en")
    with pytest.raises(FileNotFoundError, match="models pull small"):
        download_model("Systran/faster-whisper-small")
    with pytest.raises(ValueError, match="Invalid model size 'tinny', expected one of: tiny.en, tiny"):
        download_model("tinny")
    with pytest.warns(UserWarning, match="downloads nothing"):
        download_model("tiny.en", cache_dir=str(tmp_path), revision="main", use_auth_token=True)


def test_formats():
    segments = [{"start": 0.0, "end": 1.5, "text": " Hello there."}, {"start": 2.0, "end": 3.0, "text": " Bye."}]
    assert format_transcript(segments, "srt").startswith("1\n00:00:00,000 --> 00:00:01,500\nHello there.\n\n2\n")
    assert format_transcript(segments, "txt") == "Hello there.\nBye.\n"
    assert format_transcript(segments, "vtt", "en", style="netflix").startswith("WEBVTT\n")
    assert json.loads(format_transcript(segments, "json"))["segments"][1]["text"] == " Bye."
    with pytest.raises(OptionError, match="docx"):
        format_transcript(segments, "docx")
