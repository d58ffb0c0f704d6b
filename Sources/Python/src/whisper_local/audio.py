"""Recordings as arrays of samples."""
from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
from typing import Any, BinaryIO, List, Literal, Optional, Tuple, Union, overload

import numpy as np
import numpy.typing as npt

from whisper_local import _library
from whisper_local._library import Samples
from whisper_local.errors import AudioError, MissingError

__all__ = ["decode_audio", "pad_or_trim"]

#: The sampling rate of all models.
RATE = 16000

Recording = Union[str, "os.PathLike[str]", BinaryIO]


@overload
def decode_audio(input_file: Recording, sampling_rate: int = ..., split_stereo: Literal[False] = ...) -> Samples: ...
@overload
def decode_audio(
    input_file: Recording, sampling_rate: int = ..., *, split_stereo: Literal[True]) -> Tuple[Samples, Samples]: ...
@overload
def decode_audio(input_file: Recording, sampling_rate: int, split_stereo: Literal[True]) -> Tuple[Samples, Samples]: ...


def decode_audio(
    input_file: Recording, sampling_rate: int = RATE, split_stereo: bool = False
) -> Union[Samples, Tuple[Samples, Samples]]:
    """The samples of a recording from -1 to 1, mono, or the left and the right channel.

    The engine reads WAV files itself and everything else with the system's FFmpeg. Where there is none, or another
    sampling rate than 16,000 is asked for, PyAV (`pip install av`) reads them, if it is installed.

    Raises:
      FileNotFoundError: There is no such file.
      AudioError: A `ValueError`; nothing can read it.
    """
    channels: List[Optional[int]] = [1, 2] if split_stereo else [None]
    if isinstance(input_file, (str, os.PathLike)):
        found = _decode(os.fspath(input_file), sampling_rate, channels)
    elif not hasattr(input_file, "read"):
        raise TypeError(f"a recording must be a path or a file object, not {type(input_file).__name__}")
    else:
        # The file exists only in memory; its name is a path that FFmpeg can seek in.
        with open(os.memfd_create("recording"), "wb") as copy:
            shutil.copyfileobj(input_file, copy)
            copy.flush()
            path = f"/proc/self/fd/{copy.fileno()}"
            try:
                found = _decode(path, sampling_rate, channels)
            except AudioError as error:
                name = getattr(input_file, "name", "the recording")
                raise AudioError(str(error).replace(path, str(name))) from error.__cause__
    return (found[0], found[1]) if split_stereo else found[0]


def _decode(path: str, rate: int, channels: List[Optional[int]]) -> List[Samples]:
    if rate != RATE:
        return _decode_with_av(path, rate, channels)
    try:
        return [_channel(path, channel) for channel in channels]
    except AudioError:
        if importlib.util.find_spec("av") is None:
            raise
        return _decode_with_av(path, rate, channels)


def _channel(path: str, channel: Optional[int]) -> Samples:
    if channel == 2:
        try:
            return _library.decode(os.fsencode(path), {"channel": channel})
        except ValueError:
            # A mono recording has one channel, which is both the left and the right one.
            channel = 1
    return _library.decode(os.fsencode(path), {} if channel is None else {"channel": channel})


def _decode_with_av(path: str, rate: int, channels: List[Optional[int]]) -> List[Samples]:
    try:
        av: Any = importlib.import_module("av")
    except ImportError:
        raise AudioError(f"{path}: only PyAV decodes to {rate} samples a second; try: pip install av") from None
    resampler = av.AudioResampler(format="s16", layout="mono" if len(channels) == 1 else "stereo", rate=rate)
    parts = []
    try:
        with av.open(path, metadata_errors="ignore") as container:
            for frame in [*container.decode(audio=0), None]:
                parts += [part.to_ndarray() for part in resampler.resample(frame)]
    except FileNotFoundError:
        raise MissingError(f"{path} does not exist") from None
    except (av.FFmpegError, IndexError) as error:
        raise AudioError(f"{path} cannot be decoded: {error}") from error
    joined = np.concatenate([part.reshape(-1) for part in parts]) if parts else np.empty(0, np.int16)
    return [_from_16_bits(joined[index::len(channels)]) for index in range(len(channels))]


def _from_16_bits(values: npt.NDArray[Any]) -> Samples:
    return values.astype(np.float32) / np.float32(32768)


def samples_of(audio: object) -> Samples:
    """An array as the engine takes it: without a copy if it is one-dimensional, contiguous and float32."""
    if not isinstance(audio, np.ndarray):
        raise TypeError(f"audio must be a path, a file object or a numpy array, not {type(audio).__name__}")
    if audio.ndim != 1:
        raise ValueError(f"audio must have one dimension, not {audio.ndim}: mono, {RATE} samples a second")
    if audio.dtype == np.int16:
        return _from_16_bits(audio)
    if not np.issubdtype(audio.dtype, np.floating):
        raise TypeError(f"audio must be an array of float32 from -1 to 1, or of int16, not of {audio.dtype}")
    return np.ascontiguousarray(audio, np.float32)


def pad_or_trim(array: npt.NDArray[Any], length: int = 3000, *, axis: int = -1) -> npt.NDArray[Any]:
    """An array with this length along an axis: zeros are added at the end, or the rest is cut off."""
    missing = length - array.shape[axis]
    if missing <= 0:
        return np.take(array, np.arange(length), axis=axis) if missing else array
    widths = [(0, 0)] * array.ndim
    widths[axis] = (0, missing)
    return np.pad(array, widths)
