"""The arguments of `transcribe` as the engine's options."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from whisper_local._results import TranscriptionOptions
from whisper_local.errors import OptionError
from whisper_local.vad import VadOptions, engine_vad, vad_options

#: Arguments that are the engine's options: same name, same meaning.
SAME = (
    "language", "task", "beam_size", "best_of", "patience", "repetition_penalty", "no_repeat_ngram_size",
    "compression_ratio_threshold", "log_prob_threshold", "no_speech_threshold", "condition_on_previous_text",
    "prompt_reset_on_temperature", "prefix", "suppress_blank", "without_timestamps", "max_initial_timestamp",
    "word_timestamps", "prepend_punctuations", "append_punctuations", "multilingual", "max_new_tokens",
    "hallucination_silence_threshold", "hotwords", "language_detection_threshold", "language_detection_segments",
    # What faster-whisper does not have.
    "guard", "speakers", "min_speakers", "max_speakers", "speaker_names", "terms", "languages", "carry_initial_prompt",
    "token_logprobs", "seed", "audio_ctx", "offset", "duration",
)
#: Arguments that only Whisper has any use for; other models get them if they differ from the default.
WHISPER: Dict[str, Any] = {
    "best_of": 5, "patience": 1, "length_exponent": 1, "repetition_penalty": 1, "no_repeat_ngram_size": 0,
    "temperature": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0], "compression_ratio_threshold": 2.4, "log_prob_threshold": -1.0,
    "no_speech_threshold": 0.6, "condition_on_previous_text": True, "prompt_reset_on_temperature": 0.5,
    "initial_prompt": None, "carry_initial_prompt": False, "prefix": None, "prefix_in_text": True, "hotwords": None,
    "suppress_blank": True, "suppress_tokens": [-1], "max_initial_timestamp": 1.0, "max_new_tokens": None,
    "chunk_length": None, "audio_ctx": None, "hallucination_silence_threshold": None, "seed": 0,
}
#: Arguments that are true or false. Programs also give 0, 1 and None.
FLAGS = ("condition_on_previous_text", "suppress_blank", "without_timestamps", "word_timestamps", "multilingual",
         "carry_initial_prompt", "token_logprobs")
#: Options that may be None, which is a value of its own rather than the default.
NULLABLE = ("compression_ratio_threshold", "log_prob_threshold", "no_speech_threshold", "suppress_tokens",
            "max_initial_timestamp")


def temperatures(given: Any) -> List[float]:
    return list(given) if isinstance(given, (list, tuple)) else [given]


def clips(given: Any) -> List[float]:
    """Clips as seconds: start, end, start …"""
    if isinstance(given, str):
        return [float(time) for time in given.split(",")] if given else []
    entries = [] if given is None else list(given)
    if entries and isinstance(entries[0], Mapping):
        return [float(clip[side]) for clip in entries for side in ("start", "end")]
    return [float(time) for time in entries]


def engine_options(
    given: Mapping[str, Any], vad: Optional[VadOptions], others: Optional[Mapping[str, Any]]
) -> Dict[str, Any]:
    """The engine's options for the arguments of a call.

    Args:
      vad: How to find the speech, if only that is transcribed.
      others: Options of the engine that replace these.
    """
    options = {name: bool(given[name]) if name in FLAGS else given[name] for name in SAME}
    prompt, times = given["initial_prompt"], clips(given["clip_timestamps"])
    options.update({
        "temperature": temperatures(given["temperature"]),
        "initial_prompt": prompt if prompt is None or isinstance(prompt, str) else [int(token) for token in prompt],
        "suppress_tokens": None if given["suppress_tokens"] is None else list(given["suppress_tokens"]),
        # All of a recording, as faster-whisper's "0", is the engine's default.
        "clip_timestamps": [] if times == [0] else times,
        "vad_filter": vad is not None,
        "vad_parameters": engine_vad(vad) if vad else None,
        "length_exponent": given["length_penalty"],
        "chunk_length": given["chunk_length"],
        "prefix_in_text": True,
        "vocabulary": vocabulary(given["vocabulary"]),
        "batch_size": given.get("batch_size"),
        "lazy": True,
        **(others or {}),
    })
    return {name: value for name, value in options.items() if value is not None or name in NULLABLE}


def for_family(options: Dict[str, Any], family: str) -> Dict[str, Any]:
    """Without the defaults that only Whisper knows, for another family of models."""
    if family == "Whisper":
        return options
    # faster-whisper's default is what Whisper is used with; other models have a search of their own.
    different = {name: value for name, value in options.items() if name not in WHISPER or value != WHISPER[name]}
    if different.get("beam_size") == 5:
        del different["beam_size"]
    return different


def vocabulary(given: Any) -> Optional[str]:
    """The text of a vocabulary: of a file, or rules and terms as such a file has them, one to a line."""
    if given is None:
        return None
    if isinstance(given, os.PathLike):
        with open(given, encoding="utf-8") as file:
            return file.read()
    if isinstance(given, str):
        return given
    return "\n".join(given)


def batched_vad(given: Any, chunk_length: float) -> VadOptions:
    """faster-whisper's options for batches, in which no part is longer than a window."""
    if given is None:
        return VadOptions(max_speech_duration_s=chunk_length, min_silence_duration_ms=160)
    if isinstance(given, VadOptions):
        return given
    return VadOptions(**{**given, "max_speech_duration_s": chunk_length})


def chosen_vad(given: Mapping[str, Any]) -> Optional[VadOptions]:
    """How to find the speech, unless the whole recording or clips are transcribed."""
    has_clips = not isinstance(given["clip_timestamps"], str) or given["clip_timestamps"] != "0"
    return vad_options(given["vad_parameters"]) if given["vad_filter"] and not has_clips else None


def recorded(given: Mapping[str, Any]) -> TranscriptionOptions:
    """The arguments as the information on a transcription has them."""
    fields = {name: given[name] for name in TranscriptionOptions.__dataclass_fields__ if name != "temperatures"}
    return TranscriptionOptions(temperatures=temperatures(given["temperature"]), **fields)


def check_language(language: Optional[str], supported: Sequence[str]) -> None:
    if language is not None and language not in supported:
        codes = ", ".join(supported)
        raise OptionError(f"'{language}' is not a valid language code (accepted language codes: {codes})")


def compute_type(given: str) -> str:
    """The engine's number format for one of CTranslate2's."""
    types: Tuple[Tuple[str, Tuple[str, ...]], ...] = (
        ("auto", ("default", "auto")), ("int8", ("int8", "int8_float32", "int8_float16", "int8_bfloat16")),
        ("int16", ("int16",)), ("bfloat16", ("bfloat16",)), ("float32", ("float32", "float16")))
    for ours, theirs in types:
        if given in theirs:
            return ours
    allowed = ", ".join(name for _, names in types for name in names)
    raise OptionError(f"Invalid compute type: {given}; one of {allowed}")
