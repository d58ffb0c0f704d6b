"""What the engine reports, as exceptions that Python programs expect."""
from __future__ import annotations

import json
import warnings
from typing import Dict, Type

__all__ = ["AudioError", "Error", "ForkError", "ModelError", "OptionError"]


class Error(Exception):
    """The engine could not do what was asked; the message says what went wrong and what to do."""


class AudioError(Error, ValueError):
    """The recording cannot be decoded."""


class ModelError(Error, RuntimeError):
    """The model cannot be used: its files are damaged, or it lacks what was asked of it."""


class OptionError(Error, ValueError):
    """An option that does not exist, or a value that it does not allow."""


class ForkError(Error, RuntimeError):
    """The process was forked after it had used the engine; `multiprocessing` must start processes with "spawn"."""


class MissingError(Error, FileNotFoundError):
    """There is no such file, or no model of that name is installed."""

    # `OSError` would otherwise show the message as an error number.
    def __str__(self) -> str:
        return str(self.args[0])


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory for the model."""


#: The classes for the engine's codes; every other code is an `Error`.
_CLASSES: Dict[str, Type[Error]] = {
    "audio": AudioError, "fork": ForkError, "memory": OutOfMemoryError, "model": ModelError, "not_found": MissingError,
    "option": OptionError,
}


def error_from(text: str) -> Error:
    """The exception for what the engine reports: JSON with a code and a message."""
    report = json.loads(text)
    return _CLASSES.get(report["code"], Error)(report["message"])


_warned: set[str] = set()


def warn_once(message: str) -> None:
    """Says once in a process that something was accepted and has no effect."""
    if message not in _warned:
        _warned.add(message)
        # Of the caller's code, whatever of this package is between.
        warnings.warn(message, UserWarning, stacklevel=4)
