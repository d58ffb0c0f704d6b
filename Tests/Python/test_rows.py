"""Every argument and every field that faster-whisper has is tested: this names the test of each, and fails if one is missing.

What faster-whisper has is recorded by `record.py`. `CASES` and the like stand for the comparison with it, option by option
(test_peer.py and test_utilities.py).
"""
import ast
import functools
import json
from pathlib import Path

import pytest

from cases import BATCHED, CASES, LANGUAGE_CASES, RECORDED, SPEECH_CASES

THEIRS = json.loads(RECORDED.read_text())
#: The arguments that are given when the text and times of faster-whisper are compared.
COMPARED = {
    "WhisperModel.transcribe": {name for *_, arguments in CASES.values() for name in arguments},
    "BatchedInferencePipeline.transcribe": {name for *_, arguments in BATCHED.values() for name in arguments},
    "WhisperModel.detect_language": {name for _, arguments in LANGUAGE_CASES.values() for name in arguments},
    "vad.VadOptions": {name for _, arguments in SPEECH_CASES.values() for name in arguments},
}
#: The tests of the others.
TESTS = {
    "WhisperModel": {
        "model_size_or_path": "test_models_that_are_none", "device": "test_constructor",
        "device_index": "test_what_has_no_effect_is_said_once", "compute_type": "test_constructor",
        "cpu_threads": "test_constructor", "num_workers": "test_constructor", "download_root": "test_models_that_are_none",
        "local_files_only": "test_constructor", "files": "test_files_in_memory",
        "revision": "test_what_has_no_effect_is_said_once", "use_auth_token": "test_what_has_no_effect_is_said_once",
        "model_kwargs": "test_what_has_no_effect_is_said_once"},
    "WhisperModel.transcribe": {
        "audio": "test_audio_in_any_form", "log_progress": "test_progress", "best_of": "test_best_of",
        "prompt_reset_on_temperature": "test_hot_text_is_no_prompt"},
    "WhisperModel.detect_language": {
        "audio": "test_detect_language", "features": "test_detection_fails_without_audio",
        "vad_parameters": "test_detection_in_speech_only"},
    "BatchedInferencePipeline": {"model": "test_batches"},
    "BatchedInferencePipeline.transcribe": {"audio": "test_batches"},
    "decode_audio": {"input_file": "test_decode_audio", "sampling_rate": "test_decode_audio_to_another_rate",
                     "split_stereo": "test_decode_audio_splits_stereo"},
    "audio.pad_or_trim": dict.fromkeys(("array", "length", "axis"), "test_pad_or_trim"),
    "download_model": dict.fromkeys(
        ("size_or_id", "output_dir", "local_files_only", "cache_dir", "revision", "use_auth_token"),
        "test_models_are_found_but_never_downloaded"),
    "format_timestamp": dict.fromkeys(("seconds", "always_include_hours", "decimal_marker"), "test_format_timestamp"),
    "vad.get_speech_timestamps": dict.fromkeys(
        ("audio", "vad_options", "sampling_rate", "kwargs"), "test_speech_is_found"),
    "vad.collect_chunks": dict.fromkeys(("audio", "chunks", "sampling_rate", "max_duration"), "test_collect_chunks"),
    "Segment": dict.fromkeys(THEIRS["fields"]["Segment"], "test_result"),
    "Word": dict.fromkeys(THEIRS["fields"]["Word"], "test_words"),
    "TranscriptionInfo": dict.fromkeys(THEIRS["fields"]["TranscriptionInfo"], "test_result"),
    "TranscriptionOptions": dict.fromkeys(THEIRS["fields"]["TranscriptionOptions"], "test_options_are_reported"),
}
#: What `BatchedInferencePipeline` does with arguments that are not compared, and its own `batch_size`.
TESTS["BatchedInferencePipeline.transcribe"].update(dict.fromkeys((
    "task", "language", "log_progress", "best_of", "patience", "length_penalty", "repetition_penalty",
    "no_repeat_ngram_size", "temperature", "compression_ratio_threshold", "log_prob_threshold", "no_speech_threshold",
    "condition_on_previous_text", "prompt_reset_on_temperature", "prefix", "suppress_blank", "suppress_tokens",
    "max_initial_timestamp", "prepend_punctuations", "append_punctuations", "max_new_tokens",
    "hallucination_silence_threshold", "language_detection_threshold", "language_detection_segments",
), "test_batches_take_every_argument"))


@functools.cache
def sources():
    """The source of each test, by its name."""
    found = {}
    for path in Path(__file__).parent.glob("test_*.py"):
        source = path.read_text()
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found[node.name] = "".join(
                    ast.get_source_segment(source, part) for part in [*node.decorator_list, node])
    return found


ROWS = [(function, name) for function, parameters in THEIRS["signatures"].items() for name, *_ in parameters
        if name != "self"]
ROWS += [(kind, name) for kind, fields in THEIRS["fields"].items() if kind != "VadOptions" for name in fields]


@pytest.mark.parametrize("function, name", ROWS)
def test_every_argument_and_field_has_a_test(function, name):
    if name in COMPARED.get(function, ()):
        return
    test = TESTS.get(function, {}).get(name)
    assert test, f"no test is named for {function}({name})"
    assert test in sources(), f"{test} does not exist"
    # What `**` collects has no name of its own, and two tests have all arguments in a table.
    if not name.endswith("kwargs") and test not in ("test_options_are_reported", "test_batches_take_every_argument"):
        assert name in sources()[test], f"{test} does not mention {name}"


def test_nothing_else_is_named():
    assert {(function, name) for function, names in TESTS.items() for name in names} <= set(ROWS)
