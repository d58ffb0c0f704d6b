"""The engine's C library: where it is, its functions, and its handles."""
from __future__ import annotations

import ctypes
import functools
import json
import math
import os
import weakref
from ctypes import POINTER, byref, c_char_p, c_int32, c_size_t, c_uint32, c_void_p
from pathlib import Path
from typing import Any, Callable, Dict, Generator, List, NoReturn, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from whisper_local.errors import Error, MissingError, error_from

#: The interface that this package was written for.
ABI = 1
#: Names another library than the one in the package.
VARIABLE = "WHISPER_LOCAL_LIBRARY"
#: What `*_next` returns.
EVENT, TIMEOUT, END, FAILED = 1, 0, -1, -2
#: How long one call waits for an event, so that Python can handle signals in between.
POLL_MILLISECONDS = 100

Samples = npt.NDArray[np.float32]
Event = Dict[str, Any]
Events = Generator[Event, None, None]

_samples, _error, _event = c_void_p, POINTER(c_void_p), POINTER(c_void_p)
#: Result and arguments of each function. Texts that the caller has to free are `c_void_p`: ctypes would copy and forget
#: a `c_char_p`.
_FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "wl_abi": (c_uint32, ()),
    "wl_version": (c_char_p, ()),
    "wl_features": (c_void_p, ()),
    "wl_free": (None, (c_void_p,)),
    "wl_find_model": (c_void_p, (c_char_p, c_char_p, _error)),
    "wl_model_open": (c_int32, (c_char_p, c_char_p, POINTER(c_void_p), _error)),
    "wl_model_info": (c_void_p, (c_void_p,)),
    "wl_model_encode": (c_void_p, (c_void_p, c_char_p, _error)),
    "wl_model_decode": (c_void_p, (c_void_p, POINTER(c_int32), c_size_t, _error)),
    "wl_model_close": (None, (c_void_p,)),
    "wl_transcribe_samples": (c_void_p, (c_void_p, _samples, c_size_t, c_char_p, _error)),
    "wl_detect_language": (c_void_p, (c_void_p, _samples, c_size_t, c_char_p, _error)),
    "wl_job_next": (c_int32, (c_void_p, c_int32, _event, POINTER(c_size_t))),
    "wl_job_cancel": (None, (c_void_p,)),
    "wl_job_free": (None, (c_void_p,)),
    "wl_stream_open": (c_void_p, (c_void_p, c_char_p, _error)),
    "wl_stream_push": (c_int32, (c_void_p, _samples, c_size_t)),
    "wl_stream_flush": (c_int32, (c_void_p,)),
    "wl_stream_stop": (c_int32, (c_void_p,)),
    "wl_stream_next": (c_int32, (c_void_p, c_int32, _event, POINTER(c_size_t))),
    "wl_stream_free": (None, (c_void_p,)),
    "wl_decode_file": (c_int32, (c_char_p, c_char_p, POINTER(c_void_p), POINTER(c_size_t), _error)),
    "wl_speech": (c_void_p, (_samples, c_size_t, c_char_p, _error)),
    "wl_format": (c_void_p, (c_char_p, c_char_p, c_char_p, _error)),
}


def _path() -> Path:
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else Path(__file__).parent / "libwhisper_local.so"


@functools.lru_cache(maxsize=None)
def library() -> Any:
    """The library, loaded when it is first needed."""
    path = _path()
    if not path.exists():
        raise Error(f"{path} does not exist: install the package from its wheel, or name the library with ${VARIABLE}")
    try:
        loaded = ctypes.CDLL(str(path))
    except OSError as error:
        raise Error(f"{path} cannot be loaded: {error}") from None
    try:
        loaded.wl_abi.restype = c_uint32
        abi = loaded.wl_abi()
        if abi != ABI:
            raise Error(f"{path} has interface {abi}, and this package needs {ABI}: install a wheel of one version")
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError as error:
        raise Error(f"{path} is not the library of this version: {error}") from None
    return loaded


def json_bytes(options: Optional[Dict[str, Any]]) -> bytes:
    return json.dumps(_plain(options or {}), ensure_ascii=False, allow_nan=False).encode()


def _plain(value: Any) -> Any:
    """A value as JSON has it: numpy's numbers are Python's, and infinity is a number that nothing reaches."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, float) and math.isinf(value):
        return math.copysign(1e30, value)
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def _taken(pointer: Optional[int]) -> Optional[str]:
    """The text at an address, which is freed."""
    if not pointer:
        return None
    try:
        return ctypes.string_at(pointer).decode()
    finally:
        library().wl_free(pointer)


def _failure(error: c_void_p) -> Error:
    text = _taken(error.value)
    return error_from(text) if text else Error("the engine failed without saying why")


def text_of(name: str, *arguments: Any) -> str:
    """The text that a function with a last parameter for the error returns."""
    error = c_void_p()
    text = _taken(getattr(library(), name)(*arguments, byref(error)))
    if text is None:
        raise _failure(error)
    return text


def features() -> Dict[str, Any]:
    """What the library can do on this machine, and the models that are installed."""
    found: Dict[str, Any] = json.loads(_taken(library().wl_features()) or "{}")
    return found


def version() -> str:
    return str(library().wl_version().decode())


def address(samples: Samples) -> int:
    return int(samples.ctypes.data)


class Model:
    """Weights in memory; the last reference closes them."""

    def __init__(self, path: str, options: Dict[str, Any]) -> None:
        opened, error = c_void_p(), c_void_p()
        engine = library()
        if engine.wl_model_open(os.fsencode(path), json_bytes(options), byref(opened), byref(error)) < 0 or not opened:
            raise _failure(error)
        self.pointer = opened
        self.close = weakref.finalize(self, engine.wl_model_close, opened)
        self.info: Dict[str, Any] = json.loads(_taken(engine.wl_model_info(opened)) or "{}")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a model cannot be pickled: load it in each process")

    def encode(self, text: str) -> List[int]:
        found: List[int] = json.loads(text_of("wl_model_encode", self.pointer, text.encode()))
        return found

    def decode(self, tokens: Sequence[int]) -> str:
        return text_of("wl_model_decode", self.pointer, (c_int32 * len(tokens))(*tokens), len(tokens))


class _Source:
    """What events come from. The last reference frees it, which ends its work at once."""

    def __init__(self, kind: str, pointer: Optional[int], error: c_void_p, *kept: object) -> None:
        if not pointer:
            raise _failure(error)
        engine = library()
        self.pointer = pointer
        self._next = getattr(engine, f"wl_{kind}_next")
        # The finalizer also keeps what the engine reads, such as the samples, until the end.
        self.close = weakref.finalize(self, _free, getattr(engine, f"wl_{kind}_free"), pointer, kept)

    def next(self, milliseconds: int = POLL_MILLISECONDS) -> Tuple[int, Optional[Event]]:
        """The state, and the event if there is one within this time."""
        event, length = c_void_p(), c_size_t()
        state = self._next(self.pointer, milliseconds, byref(event), byref(length))
        if state == EVENT or state == FAILED and event:
            return state, json.loads(ctypes.string_at(event.value or 0, length.value))
        return state, None

    def events(self) -> Events:
        """All events to the end; an error is raised."""
        try:
            while self.close.alive:
                state, event = self.next()
                if state == END:
                    return
                if state == FAILED or event and event["type"] == "error":
                    raise error_from(json.dumps(event)) if event else Error("the engine ended without saying why")
                if event:
                    yield event
        finally:
            self.close()


def _free(function: Callable[[int], None], pointer: int, kept: Tuple[object, ...]) -> None:
    function(pointer)


class Job(_Source):
    """A recording that is being transcribed, or whose language is being detected."""

    def __init__(self, function: str, model: Model, samples: Samples, options: Dict[str, Any]) -> None:
        error = c_void_p()
        pointer = getattr(library(), function)(
            model.pointer, address(samples), len(samples), json_bytes({**options, "borrow": True}), byref(error))
        super().__init__("job", pointer, error, samples, model)


class Stream(_Source):
    """A live session."""

    def __init__(self, model: Model, options: Dict[str, Any]) -> None:
        error = c_void_p()
        pointer = library().wl_stream_open(model.pointer, json_bytes(options), byref(error))
        super().__init__("stream", pointer, error, model)

    def push(self, samples: Samples) -> None:
        self._do("wl_stream_push", address(samples), len(samples))

    def flush(self) -> None:
        self._do("wl_stream_flush")

    def stop(self) -> None:
        self._do("wl_stream_stop")

    def _do(self, function: str, *arguments: Any) -> None:
        if not self.close.alive:
            raise Error("the session is closed")
        if getattr(library(), function)(self.pointer, *arguments) < 0:
            raise Error("the session has ended, or ten minutes of audio wait to be recognized")


def decode(path: bytes, options: Dict[str, Any]) -> Samples:
    """The samples of a recording, in the engine's own memory."""
    found, count, error = c_void_p(), c_size_t(), c_void_p()
    engine = library()
    if engine.wl_decode_file(path, json_bytes(options), byref(found), byref(count), byref(error)) < 0:
        raise _failure(error)
    if not count.value or not found.value:
        engine.wl_free(found)
        return np.empty(0, np.float32)
    memory = (ctypes.c_float * count.value).from_address(found.value)
    weakref.finalize(memory, engine.wl_free, found.value)
    return np.ctypeslib.as_array(memory)


def speech(samples: Samples, options: Dict[str, Any]) -> List[Any]:
    """The parts of a recording with speech, or the probability of speech in each window."""
    found: List[Any] = json.loads(text_of("wl_speech", address(samples), len(samples), json_bytes(options)))
    return found


def find_model(name: str, folder: Optional[str] = None) -> Optional[str]:
    """The path of an installed model; `None` if there is none of that name."""
    try:
        found = text_of("wl_find_model", os.fsencode(name), json_bytes({"model_dir": folder} if folder else None))
    except MissingError:
        return None
    path: str = json.loads(found)["path"]
    return path
