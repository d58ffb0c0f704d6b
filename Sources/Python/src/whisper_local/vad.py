"""Where a recording contains speech."""
from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

from whisper_local import _library
from whisper_local._library import Samples
from whisper_local.audio import RATE, samples_of

__all__ = ["SpeechTimestampsMap", "VadOptions", "collect_chunks", "get_speech_timestamps"]


@dataclass
class VadOptions:
    """Options of the speech detector.

    Attributes:
      threshold: The probability from which a window of 32 ms is speech.
      neg_threshold: The probability below which speech ends; None is `threshold` - 0.15, but not below 0.01.
      min_speech_duration_ms: Shorter speech is dropped.
      max_speech_duration_s: Longer speech is divided, at its last pause if it has one.
      min_silence_duration_ms: Shorter silence does not divide speech.
      speech_pad_ms: What is kept before and after speech.
    """

    threshold: float = 0.5
    neg_threshold: Optional[float] = None
    min_speech_duration_ms: int = 0
    max_speech_duration_s: float = float("inf")
    min_silence_duration_ms: int = 2000
    speech_pad_ms: int = 400


def vad_options(given: Union[Dict[str, Any], VadOptions, None]) -> VadOptions:
    return given if isinstance(given, VadOptions) else VadOptions(**(given or {}))


def engine_vad(options: VadOptions) -> Dict[str, Any]:
    """The options by the engine's names, which are the same; it has no infinity in JSON."""
    return {name: None if value == math.inf else value for name, value in vars(options).items()}


def get_speech_timestamps(
    audio: Samples,
    vad_options: Optional[VadOptions] = None,
    sampling_rate: int = 16000,
    **kwargs: Any,
) -> List[Dict[str, int]]:
    """The parts of a recording with speech, as dictionaries with the samples `start` and `end`.

    Args:
      audio: 16,000 samples a second.
      vad_options: What counts as speech and as a pause; the same options also work as keyword arguments.
    """
    if sampling_rate != RATE:
        raise ValueError(f"the speech detector needs {RATE} samples a second, not {sampling_rate}")
    options = VadOptions(**kwargs) if vad_options is None else vad_options
    return _library.speech(samples_of(audio), engine_vad(options))


def collect_chunks(
    audio: Samples,
    chunks: List[Dict[str, int]],
    sampling_rate: int = 16000,
    max_duration: float = float("inf"),
) -> Tuple[List[Samples], List[Dict[str, Any]]]:
    """Joins parts of a recording as long as they are together not longer than `max_duration` seconds.

    Returns the joined samples, and for each of them where it is in the audio without silence (`offset`, `duration`) and
    which parts it consists of (`segments`).
    """
    groups: List[List[Dict[str, int]]] = [[]]
    length = 0
    for chunk in chunks:
        size = chunk["end"] - chunk["start"]
        if groups[-1] and length + size > max_duration * sampling_rate:
            groups.append([])
            length = 0
        groups[-1].append(chunk)
        length += size
    samples, about, offset = [], [], 0
    for group in groups:
        parts = [audio[chunk["start"]:chunk["end"]] for chunk in group]
        samples.append(np.concatenate(parts) if parts else np.empty(0, np.float32))
        size = sum(chunk["end"] - chunk["start"] for chunk in group)
        about.append({"offset": offset / sampling_rate, "duration": size / sampling_rate, "segments": group})
        offset += size
    return samples, about


class SpeechTimestampsMap:
    """Times in a recording without silence as times in the whole recording."""

    def __init__(self, chunks: List[Dict[str, int]], sampling_rate: int, time_precision: int = 2) -> None:
        self.sampling_rate = sampling_rate
        self.time_precision = time_precision
        #: Where each part ends without silence, and the seconds of silence before it.
        self.chunk_end_sample: List[int] = []
        self.total_silence_before: List[float] = []
        silence = end = 0
        for chunk in chunks:
            silence += chunk["start"] - end
            end = chunk["end"]
            self.chunk_end_sample.append(end - silence)
            self.total_silence_before.append(silence / sampling_rate)

    def get_original_time(self, time: float, chunk_index: Optional[int] = None, is_end: bool = False) -> float:
        index = self.get_chunk_index(time, is_end) if chunk_index is None else chunk_index
        return round(self.total_silence_before[index] + time, self.time_precision)

    def get_chunk_index(self, time: float, is_end: bool = False) -> int:
        sample = int(time * self.sampling_rate)
        if is_end and sample in self.chunk_end_sample:
            return self.chunk_end_sample.index(sample)
        return min(bisect.bisect(self.chunk_end_sample, sample), len(self.chunk_end_sample) - 1)
