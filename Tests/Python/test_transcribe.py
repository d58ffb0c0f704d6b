"""Recordings of synthetic speech, which nano.en understands: results, laziness, errors, threads and processes."""
import copy
import dataclasses
import gc
import io
import logging
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import whisper_local
from cases import DRIVE
from conftest import NANO
from whisper_local import (
    BatchedInferencePipeline, Segment, TranscriptionOptions, VadOptions, WhisperModel, Word, decode_audio)


def text(result):
    return "".join(segment.text for segment in result[0])


def test_result(nano, clip):
    segments, info = nano.transcribe(str(clip(0)))
    segments = list(segments)
    assert text((segments, info)).strip().lower().startswith("turn the fan down")
    assert [segment.id for segment in segments] == list(range(1, len(segments) + 1))
    for segment in segments:
        assert isinstance(segment, Segment) and segment.words is None
        assert segment.text.startswith(" ") and all(isinstance(token, int) for token in segment.tokens)
        assert 0 <= segment.start < segment.end <= info.duration
        assert segment.avg_logprob < 0 < segment.compression_ratio and 0 <= segment.no_speech_prob <= 1
        assert segment.temperature == 0 and segment.seek == 0
    assert (info.language, info.language_probability, info.all_language_probs) == ("en", 1, None)
    assert isinstance(info.language_probability, int)
    assert info.duration == info.duration_after_vad == pytest.approx(5.7645)
    assert info.vad_options is None and info.transcription_options.beam_size == 5


#: One value of each argument that is reported, none of them the default.
REPORTED = {
    "beam_size": 2, "best_of": 3, "patience": 1.5, "length_penalty": 0.8, "repetition_penalty": 1.1,
    "no_repeat_ngram_size": 4, "log_prob_threshold": -0.9, "no_speech_threshold": 0.7,
    "compression_ratio_threshold": 2.2, "condition_on_previous_text": False, "prompt_reset_on_temperature": 0.4,
    "initial_prompt": "A museum.", "prefix": "Drive", "suppress_blank": False, "suppress_tokens": [1],
    "without_timestamps": True, "max_initial_timestamp": 0.5, "word_timestamps": True, "prepend_punctuations": "(",
    "append_punctuations": ")", "max_new_tokens": 50, "clip_timestamps": [0, 5],
    "hallucination_silence_threshold": 1.5, "hotwords": "museum",
}


def test_options_are_reported(nano, drive):
    segments, info = nano.transcribe(drive, temperature=(0.0, 0.4), multilingual=False, **REPORTED)
    assert info.transcription_options == TranscriptionOptions(temperatures=[0.0, 0.4], multilingual=False, **REPORTED)
    assert text((segments, info)).startswith(" Drive")


def test_batches_take_every_argument(nano, drive):
    """Some have no effect there, as in faster-whisper."""
    given = REPORTED | {"clip_timestamps": [{"start": 0, "end": 5}]}
    segments, info = BatchedInferencePipeline(nano).transcribe(
        drive, language="en", task="transcribe", log_progress=False, temperature=[0.0, 0.4], multilingual=False,
        vad_filter=False, vad_parameters=None, chunk_length=20, batch_size=2, language_detection_threshold=0.7,
        language_detection_segments=2, **given)
    fixed = {"condition_on_previous_text": False, "prompt_reset_on_temperature": 0.5, "max_initial_timestamp": 1.0,
             "hallucination_silence_threshold": None}
    assert info.transcription_options == TranscriptionOptions(
        temperatures=[0.0], multilingual=False, **(given | fixed))
    assert text((segments, info)).startswith(" Drive")


def test_best_of(nano, drive):
    """The most probable of several samples is more probable than one."""
    noise = np.random.default_rng(1).standard_normal(len(drive)).astype(np.float32)

    def probability(best_of):
        return sum(next(nano.transcribe(drive + 0.05 * noise, temperature=1.0, best_of=best_of, seed=seed, guard=False,
                                        without_timestamps=True)[0]).avg_logprob for seed in range(3))

    assert probability(5) > probability(1)


def test_hot_text_is_no_prompt(nano, drive):
    """Text decoded above `prompt_reset_on_temperature` does not prompt the next window."""
    recording = np.concatenate([drive] * 5)

    def found(**arguments):
        segments, _ = nano.transcribe(recording, temperature=0.6, best_of=1, seed=1, guard=False, **arguments)
        return [(segment.tokens, segment.avg_logprob) for segment in segments]

    unprompted = found(condition_on_previous_text=False)
    assert found(prompt_reset_on_temperature=0.5) == unprompted != found(prompt_reset_on_temperature=0.7)


@pytest.mark.parametrize("form", [str, Path, lambda path: open(path, "rb"), lambda path: io.BytesIO(path.read_bytes()),
                                  decode_audio, lambda path: (decode_audio(path) * 32768).astype(np.int16),
                                  lambda path: decode_audio(path).astype(np.float64),
                                  lambda path: np.repeat(decode_audio(path), 2)[::2]],
                         ids=["str", "Path", "file", "BytesIO", "float32", "int16", "float64", "strided"])
def test_audio_in_any_form(nano, clip, form):
    assert text(nano.transcribe(form(clip(0)))) == text(nano.transcribe(decode_audio(clip(0))))


@pytest.mark.parametrize("wrong, error, about", [
    ([0.0] * 16000, TypeError, "list"), (b"RIFF", TypeError, "bytes"), (None, TypeError, "NoneType"),
    (np.zeros(16000, np.int32), TypeError, "int32"), (np.zeros((2, 16000), np.float32), ValueError, "one dimension"),
    ("nowhere.wav", FileNotFoundError, "nowhere.wav"), (__file__, ValueError, "test_transcribe.py"),
])
def test_audio_that_is_none(nano, wrong, error, about):
    with pytest.raises(error, match=about):
        nano.transcribe(wrong)


def test_samples_are_not_copied(nano, drive):
    before = drive.copy()
    segments, _ = nano.transcribe(drive)
    assert sys.getrefcount(drive) > 3
    list(segments)
    np.testing.assert_array_equal(drive, before)


def test_empty_audio(nano):
    for pipeline in (nano, BatchedInferencePipeline(nano)):
        segments, info = pipeline.transcribe(np.zeros(0, np.float32))
        assert list(segments) == [] and info.duration == 0
    assert nano.detect_language(np.zeros(0, np.float32))[0] == "en"


def test_words(nano, clip):
    segments, _ = nano.transcribe(clip(0), word_timestamps=True)
    for segment in segments:
        assert all(isinstance(word, Word) for word in segment.words)
        assert "".join(word.word for word in segment.words) == segment.text
        assert (segment.start, segment.end) == (segment.words[0].start, segment.words[-1].end)
        assert all(0 <= word.probability <= 1 and word.start <= word.end for word in segment.words)
        assert dataclasses.asdict(segment)["words"][0]["word"] == segment.words[0].word


def test_speech_only(nano, drive):
    silence = np.zeros(16000 * 5, np.float32)
    recording = np.concatenate([silence, drive, silence])
    segments, info = nano.transcribe(recording, vad_filter=True, vad_parameters={"speech_pad_ms": 200})
    segments = list(segments)
    assert info.duration == pytest.approx(len(recording) / 16000)
    assert 7 < info.duration_after_vad < 10
    assert info.vad_options == VadOptions(speech_pad_ms=200)
    assert 4.5 < segments[0].start < 6 and 12 < segments[-1].end < 14.5
    # Clips turn it off.
    info = nano.transcribe(recording, vad_filter=True, clip_timestamps=[5, 14])[1]
    assert info.duration_after_vad == info.duration and info.vad_options is None


def test_clips(nano, drive):
    recording = np.concatenate([drive, drive])
    half = len(drive) / 16000
    for clips in (f"0,{half},{half},{2 * half}", [0, half, half, 2 * half], [0, half, half]):
        segments = list(nano.transcribe(recording, clip_timestamps=clips, condition_on_previous_text=False)[0])
        first = [segment for segment in segments if segment.start < half]
        second = [segment for segment in segments if segment.start >= half]
        assert text((first, None)) == text((second, None)) != ""
    assert not list(nano.transcribe(recording, clip_timestamps="100")[0])


def test_batches(nano, drive):
    recording = np.concatenate([drive] * 6)
    pipeline = BatchedInferencePipeline(model=nano)
    segments, info = pipeline.transcribe(audio=recording, batch_size=3)
    segments = list(segments)
    assert [segment.id for segment in segments] == list(range(1, len(segments) + 1))
    assert info.vad_options == VadOptions(max_speech_duration_s=30, min_silence_duration_ms=160)
    options = info.transcription_options
    assert options.without_timestamps and not options.condition_on_previous_text and options.temperatures == [0.0]
    assert "museum" in text((segments, info)) and segments[-1].end > 40
    with pytest.raises(RuntimeError, match="No clip timestamps found"):
        pipeline.transcribe(recording, vad_filter=False)
    assert "museum" in text(pipeline.transcribe(drive, vad_filter=False))
    clips = [{"start": 0, "end": 9}, {"start": 20, "end": 60}]
    segments, info = pipeline.transcribe(recording, clip_timestamps=clips, without_timestamps=False)
    segments = list(segments)
    assert not [segment for segment in segments if 9 < segment.start < 20] and segments[-1].end <= 50
    assert info.vad_options is None
    # Without timestamps, a text has the times of its clip.
    segments = pipeline.transcribe(recording, clip_timestamps=clips)[0]
    assert [(segment.start, segment.end) for segment in segments] == [(0, 9), (20, 50)]


def test_generator_is_lazy(nano, drive):
    """Nothing is computed before it is asked for."""
    recording = np.concatenate([drive] * 60)
    segments, _ = nano.transcribe(recording)
    start = time.process_time()
    time.sleep(1)
    assert time.process_time() - start < 0.2
    next(segments)
    segments.close()


def test_transcribe_does_not_wait_for_the_end(nano, drive):
    """The guards look for speech in all of a recording, but only when the first segment is asked for."""
    recording = np.concatenate([drive] * 200)
    start = time.process_time()
    segments, info = nano.transcribe(recording, offset=1)
    assert time.process_time() - start < 0.3
    assert info.duration == len(recording) / 16000
    segments.close()


@pytest.mark.real
def test_language_is_detected_in_the_first_minutes(real, audio, drive):
    base, french = real("base"), audio("french")
    recording = np.concatenate([french, *[drive] * 200])
    for guard in (None, False):
        start = time.process_time()
        segments, info = base.transcribe(recording, guard=guard)
        assert time.process_time() - start < 8
        assert info.language == "fr" and 0.9 < info.language_probability < 1
        assert info.all_language_probs[0] == ("fr", info.language_probability)
        segments.close()
    # Without speech in the first windows, later ones decide.
    quiet = np.zeros(16000 * 330, np.float32)
    quiet[0] = 0.5
    segments, info = base.transcribe(np.concatenate([quiet, french]), language_detection_threshold=None)
    assert info.language == "fr" and next(segments).start > 300
    segments.close()


def test_unfinished_generators_free_their_jobs(nano, drive):
    recording = np.concatenate([drive] * 60)
    started = nano.transcribe(recording, guard=False)[0]
    next(started)
    never = nano.transcribe(recording, guard=False)[0]
    del started, never
    gc.collect()
    time.sleep(0.5)
    start = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - start < 0.2


def test_model_may_go_before_its_generators(drive):
    model = WhisperModel(str(NANO))
    segments, _ = model.transcribe(drive)
    del model
    gc.collect()
    assert "museum" in text((segments, None))


def test_models_are_not_pickled(nano, drive):
    """Results are."""
    for copied in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="load it in each process"):
            copied(nano)
    for pipeline in (nano, BatchedInferencePipeline(nano)):
        segments, info = pipeline.transcribe(drive, word_timestamps=True)
        for result in (info, next(segments)):
            assert pickle.loads(pickle.dumps(result)) == copy.deepcopy(result) == result


def test_memory_is_returned(drive):
    def resident():
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024

    def use():
        assert text(WhisperModel(str(NANO)).transcribe(drive))

    use()
    gc.collect()
    time.sleep(1)
    before = resident()
    for _ in range(5):
        use()
    gc.collect()
    time.sleep(1)
    assert resident() - before < 100


def test_threads_run_in_parallel(nano, clip):
    """With the same text; and Python goes on meanwhile."""
    expected = [text(nano.transcribe(clip(number))) for number in range(4)]
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.wait(0.001):
            counted += 1

    counter = threading.Thread(target=count)
    counter.start()
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda number: text(nano.transcribe(clip(number))), range(4))) == expected
    done.set()
    counter.join()
    assert counted > 20


@pytest.mark.parametrize("arguments, about", [
    ({"beam_size": 0}, "beam_size"), ({"temperature": -1}, "temperature"), ({"best_of": -1}, "best_of"),
    ({"repetition_penalty": 0}, "repetition_penalty"), ({"task": "summarize"}, "summarize"),
    ({"clip_timestamps": "1,x"}, "x"), ({"audio_ctx": 9999}, "audio_ctx"), ({"vad_filter": True, "vad_parameters": {
        "threshold": 2}}, "threshold"), ({"max_new_tokens": 0}, "max_new_tokens"),
])
def test_wrong_values(nano, drive, arguments, about):
    with pytest.raises(ValueError, match=about):
        nano.transcribe(drive, **arguments)


@pytest.mark.parametrize("given, same", [
    ({"beam_size": np.int64(2), "temperature": np.float32(0), "best_of": 2.0}, {"beam_size": 2, "temperature": 0}),
    ({"suppress_tokens": np.array([-1, 13])}, {"suppress_tokens": [-1, 13]}),
    ({"suppress_tokens": (13,)}, {"suppress_tokens": [13]}),
    ({"compression_ratio_threshold": math.inf, "log_prob_threshold": -math.inf, "no_speech_threshold": math.inf},
     {"compression_ratio_threshold": None, "log_prob_threshold": None, "no_speech_threshold": None}),
    ({"word_timestamps": 1, "without_timestamps": 0}, {"word_timestamps": True}),
    ({"without_timestamps": np.bool_(True)}, {"without_timestamps": True}),
    (dict.fromkeys(("suppress_blank", "condition_on_previous_text")),
     dict.fromkeys(("suppress_blank", "condition_on_previous_text"), False)),
    ({"clip_timestamps": np.array([0, 5]), "vad_filter": True}, {"clip_timestamps": [0, 5]}),
    ({"prefix": "", "hotwords": ""}, {}),
])
def test_values_of_other_types(nano, drive, given, same):
    """What faster-whisper takes: numpy's numbers, infinity, 0, 1 and None as flags, and empty texts."""
    expected = list(nano.transcribe(drive, **same)[0])
    assert list(nano.transcribe(drive, **given)[0]) == expected != []


def test_unknown_arguments(nano, drive):
    with pytest.raises(TypeError, match="beamsize"):
        nano.transcribe(drive, beamsize=3)
    with pytest.raises(TypeError, match="thresh"):
        nano.transcribe(drive, vad_filter=True, vad_parameters={"thresh": 0.3})
    with pytest.raises(TypeError, match="half"):
        WhisperModel(str(NANO), half=True)


def test_english_only(nano, drive, caplog):
    with caplog.at_level(logging.WARNING, "whisper_local"):
        _, info = nano.transcribe(drive, language="xx", multilingual=True)
    assert info.language == "en" and info.transcription_options.multilingual is False
    assert "multilingual" in caplog.text and "'xx'" in caplog.text
    assert nano.supported_languages == ["en"] and not nano.model.is_multilingual


def test_logger(nano, drive, caplog):
    with caplog.at_level(logging.INFO, "whisper_local"):
        nano.transcribe(drive, vad_filter=True)
    assert "Processing audio with duration 00:08.590" in caplog.text and "VAD filter removed" in caplog.text
    assert nano.logger.name == "whisper_local"


def test_attributes(nano):
    assert nano.feature_extractor.sampling_rate == 16000 and nano.frames_per_second == 100
    assert (nano.tokens_per_second, nano.time_precision, nano.max_length) == (50, 0.02, 448)
    ids = nano.hf_tokenizer.encode(" Please hold").ids
    assert nano.hf_tokenizer.decode(ids) == " Please hold" and nano.hf_tokenizer.get_vocab_size() > max(ids)


def test_progress(nano, drive, capfd):
    list(nano.transcribe(drive, log_progress=True)[0])
    shown = capfd.readouterr().err
    assert shown.startswith("\r  0%|") and "\r100%|" in shown and shown.endswith("\n")
    list(nano.transcribe(drive)[0])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("arguments, about", [
    ({"device": "cuda"}, "processor"), ({"device_index": [0, 1]}, "device_index"), ({"revision": "main"}, "downloads"),
    ({"use_auth_token": True}, "downloads"), ({"flash_attention": True}, "flash_attention"),
])
def test_what_has_no_effect_is_said_once(arguments, about):
    with pytest.warns(UserWarning, match=about) as caught:
        WhisperModel(str(NANO), **arguments)
        WhisperModel(str(NANO), **arguments)
    assert len(caught) == 1 and caught[0].filename == __file__


def test_constructor(drive):
    model = WhisperModel(
        str(NANO), device="cpu", compute_type="int8_float16", cpu_threads=1, num_workers=2, local_files_only=True,
        download_root="/nowhere")
    assert model.model.compute_type == "int8" and "museum" in text(model.transcribe(drive))
    for arguments in ({"device": "tpu"}, {"compute_type": "int3"}, {"cpu_threads": -1}):
        with pytest.raises(ValueError):
            WhisperModel(str(NANO), **arguments)


@pytest.mark.parametrize("theirs, ours", [
    ("default", "auto"), ("auto", "auto"), ("int8", "int8"), ("int8_float32", "int8"), ("int8_bfloat16", "int8"),
    ("int16", "int16"), ("float16", "float32"), ("bfloat16", "bfloat16"), ("float32", "float32")])
def test_compute_types(theirs, ours):
    from whisper_local._options import compute_type
    assert compute_type(theirs) == ours


def test_models_that_are_none(tmp_path):
    with pytest.raises(ValueError, match="Invalid model size 'tinny'"):
        WhisperModel(model_size_or_path="tinny")
    with pytest.raises(FileNotFoundError, match="models pull large-v3"):
        WhisperModel("large-v3", download_root=str(tmp_path))
    with pytest.raises(FileNotFoundError):
        WhisperModel(str(tmp_path / "no/model"))
    (tmp_path / "damaged.bin").write_bytes(NANO.read_bytes()[:100_000])
    with pytest.raises(whisper_local.Error):
        WhisperModel(str(tmp_path / "damaged.bin"))


def test_what_only_this_engine_has(nano, drive):
    noise = (np.random.default_rng(1).standard_normal(16000 * 20) * 0.05).astype(np.float32)
    assert not list(nano.transcribe(noise, guard=True)[0])
    segments = list(nano.transcribe(drive, token_logprobs=True, audio_ctx="auto", seed=3, carry_initial_prompt=True)[0])
    assert all(len(segment.token_logprobs) == len(segment.tokens) for segment in segments)
    assert "art gallery" in text(nano.transcribe(drive, vocabulary="museum => art gallery\n"))
    assert "art gallery" in text(nano.transcribe(drive, vocabulary=["museum => art gallery"]))
    assert text(nano.transcribe(drive, offset=4.7)) == text(nano.transcribe(drive, clip_timestamps=[4.7]))
    assert all(segment.end <= 5 for segment in nano.transcribe(drive, duration=4.8)[0])


def run(script, *arguments, **environment):
    return subprocess.run([sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True,
                          timeout=60, env={**os.environ, **environment})


def test_interrupt():
    """Ctrl-C ends a transcription at once."""
    script = """
import sys, time, numpy as np, whisper_local
model = whisper_local.WhisperModel(sys.argv[1])
recording = np.concatenate([whisper_local.decode_audio(sys.argv[2])] * 100)
segments, info = model.transcribe(recording, guard=False)
print(next(segments).text, flush=True)
try:
    for segment in segments: pass
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", script, str(NANO), str(DRIVE)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline()
    time.sleep(0.5)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    assert time.monotonic() - start < 1
    assert process.wait(5) == 0


def test_fork_fails_and_spawn_works():
    script = """
import multiprocessing, sys, whisper_local

def words(arguments):
    model, path = arguments
    try:
        return "".join(segment.text for segment in whisper_local.WhisperModel(model).transcribe(path)[0])
    except whisper_local.ForkError as error:
        return f"ForkError: {error}"

if __name__ == "__main__":
    print(words(sys.argv[1:]))
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(pool.map(words, [sys.argv[1:]])[0])
"""
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"whisper-local-spawn-{os.getpid()}.py"
    path.write_text(script)
    try:
        done = subprocess.run(
            [sys.executable, str(path), str(NANO), str(DRIVE)], capture_output=True, text=True, timeout=60)
    finally:
        path.unlink()
    first, forked, spawned = done.stdout.splitlines()
    assert "museum" in first and spawned == first
    assert forked.startswith("ForkError: ") and "spawn" in forked


def test_library_that_is_none(tmp_path):
    script = "import sys, whisper_local\ntry: whisper_local.models()\nexcept whisper_local.Error as error: print(error)"
    assert "does not exist" in run(script, WHISPER_LOCAL_LIBRARY=str(tmp_path / "none.so")).stdout
    (tmp_path / "text.so").write_text("no library")
    assert "cannot be loaded" in run(script, WHISPER_LOCAL_LIBRARY=str(tmp_path / "text.so")).stdout
    source = tmp_path / "other.c"
    source.write_text("unsigned wl_abi(void) { return 2; }")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "other.so", source], check=True)
    assert "interface 2, and this package needs 1" in run(
        script, WHISPER_LOCAL_LIBRARY=str(tmp_path / "other.so")).stdout
    source.write_text("unsigned wl_abi(void) { return 1; }")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "older.so", source], check=True)
    assert "not the library of this version" in run(
        script, WHISPER_LOCAL_LIBRARY=str(tmp_path / "older.so")).stdout


def test_exit_while_a_job_runs():
    """Ends at once and without a message."""
    done = run("""
import sys, time, numpy as np, whisper_local
model = whisper_local.WhisperModel(sys.argv[1])
segments, _ = model.transcribe(np.concatenate([whisper_local.decode_audio(sys.argv[2])] * 100), guard=False)
next(segments)
print(time.monotonic())
""", NANO, DRIVE)
    ended = time.monotonic()
    assert (done.returncode, done.stderr) == (0, "")
    assert ended - float(done.stdout) < 5


@pytest.mark.real
def test_files_in_memory(real, drive):
    from cases import MODELS
    folder = MODELS / "ct2-tiny.en"
    if not folder.exists():
        pytest.skip("ct2-tiny.en is not installed: scripts/setup.sh --tests")
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    files["model.bin"] = io.BytesIO(files["model.bin"])
    model = WhisperModel("tiny.en", files=files, compute_type="float32")
    assert text(model.transcribe(drive)) == text(real("tiny.en").transcribe(drive))
