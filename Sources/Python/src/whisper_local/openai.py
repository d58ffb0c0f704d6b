"""The shape of openai-whisper: `load_model(name).transcribe(audio)["text"]`."""
from __future__ import annotations

import inspect
from dataclasses import asdict
from typing import Any, Dict, List, Optional, Tuple, Union

from whisper_local import transcribe as _transcribe
from whisper_local._library import Samples
from whisper_local.audio import decode_audio
from whisper_local.audio import pad_or_trim as _pad_or_trim
from whisper_local.utils import available_models, format_timestamp

#: The arguments of faster-whisper's method and their defaults, and openai-whisper's own ones: without a number of
#: beams, its search is greedy, with one sample.
_DEFAULTS = {name: parameter.default
             for name, parameter in inspect.signature(_transcribe.WhisperModel.transcribe).parameters.items()
             if parameter.default is not parameter.empty}
_GREEDY = {"beam_size": 1, "best_of": 1}

__all__ = ["Whisper", "available_models", "load_audio", "load_model", "pad_or_trim"]


def load_audio(file: str, sr: int = 16000) -> Samples:
    """The samples of a recording, mono."""
    return decode_audio(file, sampling_rate=sr)


def pad_or_trim(array: Samples, length: int = 480000, *, axis: int = -1) -> Samples:
    """Samples of exactly this length, by default a window."""
    return _pad_or_trim(array, length, axis=axis)


def load_model(
    name: str, device: Optional[str] = None, download_root: Optional[str] = None, in_memory: bool = False
) -> Whisper:
    """Loads a model by name or by path, as `WhisperModel` does; `in_memory` has no effect."""
    return Whisper(_transcribe.WhisperModel(name, device=device or "auto", download_root=download_root))


class Whisper:
    """A model in memory."""

    def __init__(self, model: _transcribe.WhisperModel) -> None:
        self.model = model
        self.device = "cpu"

    @property
    def is_multilingual(self) -> bool:
        return bool(self.model.model.is_multilingual)

    def transcribe(
        self,
        audio: _transcribe.Audio,
        *,
        verbose: Optional[bool] = None,
        temperature: Union[float, Tuple[float, ...]] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
        compression_ratio_threshold: Optional[float] = 2.4,
        logprob_threshold: Optional[float] = -1.0,
        no_speech_threshold: Optional[float] = 0.6,
        condition_on_previous_text: bool = True,
        initial_prompt: Optional[str] = None,
        carry_initial_prompt: bool = False,
        word_timestamps: bool = False,
        prepend_punctuations: str = "\"'“¿([{-",
        append_punctuations: str = "\"'.。,，!！?？:：”)]}、",
        clip_timestamps: Union[str, List[float]] = "0",
        hallucination_silence_threshold: Optional[float] = None,
        **decode_options: Any,
    ) -> Dict[str, Any]:
        """Transcribes a recording: `text`, `segments` and `language`.

        Args:
          verbose: True prints each segment, False shows a progress bar, None neither.
          decode_options: `task`, `language`, `sample_len`, `best_of`, `beam_size`, `patience`, `length_penalty`,
            `prompt`, `prefix`, `suppress_tokens`, `suppress_blank`, `without_timestamps`, `max_initial_timestamp`;
            `fp16` has no effect; and those that only this engine has, such as `guard`.
        """
        unknown = set(decode_options) - set(_DEFAULTS) - {"fp16", "prompt", "sample_len"}
        if unknown:
            raise TypeError(f"transcribe() got an unexpected keyword argument '{sorted(unknown)[0]}'")
        given = {**_DEFAULTS, **_GREEDY, **{name: value for name, value in decode_options.items() if value is not None}}
        suppressed = given["suppress_tokens"]
        given.update(
            audio=audio, log_progress=verbose is False, temperature=temperature,
            compression_ratio_threshold=compression_ratio_threshold, log_prob_threshold=logprob_threshold,
            no_speech_threshold=no_speech_threshold, condition_on_previous_text=condition_on_previous_text,
            initial_prompt=initial_prompt if initial_prompt is not None else decode_options.get("prompt"),
            carry_initial_prompt=carry_initial_prompt, word_timestamps=word_timestamps,
            prepend_punctuations=prepend_punctuations, append_punctuations=append_punctuations,
            clip_timestamps=clip_timestamps, hallucination_silence_threshold=hallucination_silence_threshold,
            max_new_tokens=decode_options.get("sample_len"),
            suppress_tokens=[int(token) for token in suppressed.split(",") if token] if isinstance(suppressed, str)
            else suppressed)
        segments, info = self.model._transcribe(given, {
            "length_penalty": decode_options.get("length_penalty"), "length_exponent": None, "prefix_in_text": False})
        found = []
        for segment in segments:
            if verbose:
                times = f"[{format_timestamp(segment.start)} --> {format_timestamp(segment.end)}]"
                print(times, segment.text, flush=True)
            entry = {name: value for name, value in asdict(segment).items() if value is not None}
            entry["id"] = segment.id - 1
            found.append(entry)
        return {"text": "".join(segment["text"] for segment in found), "segments": found, "language": info.language}
