"""Names of models, where they are, and how times are written."""
from __future__ import annotations

import logging
import os
import shutil
from typing import Any, Dict, List, Optional, Union

from whisper_local import _library
from whisper_local.errors import MissingError, warn_once

__all__ = ["available_models", "download_model", "format_timestamp", "get_logger", "models"]

#: The sizes that faster-whisper knows, and their repositories on the hub, in whose cache they are found.
_MODELS: Dict[str, str] = {
    "tiny.en": "Systran/faster-whisper-tiny.en",
    "tiny": "Systran/faster-whisper-tiny",
    "base.en": "Systran/faster-whisper-base.en",
    "base": "Systran/faster-whisper-base",
    "small.en": "Systran/faster-whisper-small.en",
    "small": "Systran/faster-whisper-small",
    "medium.en": "Systran/faster-whisper-medium.en",
    "medium": "Systran/faster-whisper-medium",
    "large-v1": "Systran/faster-whisper-large-v1",
    "large-v2": "Systran/faster-whisper-large-v2",
    "large-v3": "Systran/faster-whisper-large-v3",
    "large": "Systran/faster-whisper-large-v3",
    "distil-large-v2": "Systran/faster-distil-whisper-large-v2",
    "distil-medium.en": "Systran/faster-distil-whisper-medium.en",
    "distil-small.en": "Systran/faster-distil-whisper-small.en",
    "distil-large-v3": "Systran/faster-distil-whisper-large-v3",
    "distil-large-v3.5": "distil-whisper/distil-large-v3.5-ct2",
    "large-v3-turbo": "mobiuslabsgmbh/faster-whisper-large-v3-turbo",
    "turbo": "mobiuslabsgmbh/faster-whisper-large-v3-turbo",
}


def available_models() -> List[str]:
    """The sizes that `WhisperModel` accepts; `models()` are those on this machine."""
    return list(_MODELS)


def models() -> List[Dict[str, Any]]:
    """The models on this machine, each with its `name` and `path`, in the order in which names are looked up."""
    found: List[Dict[str, Any]] = _library.features()["models"]
    return found


def get_logger() -> logging.Logger:
    return logging.getLogger("whisper_local")


def not_installed(name: str) -> Exception:
    """The error for a model that was not found by its name."""
    if "/" in name or name in _MODELS:
        return MissingError(
            f"the model {name} is not installed, and this package downloads nothing; try: whisper-local models pull "
            f"{name.split('/')[-1].replace('faster-whisper-', '')}, or any program that fills the Hugging Face cache")
    return ValueError(f"Invalid model size '{name}', expected one of: {', '.join(_MODELS)}")


def download_model(
    size_or_id: str,
    output_dir: Optional[str] = None,
    local_files_only: bool = False,
    cache_dir: Optional[str] = None,
    revision: Optional[str] = None,
    use_auth_token: Optional[Union[str, bool]] = None,
) -> str:
    """The path of a model on this machine; downloads nothing.

    Args:
      size_or_id: A size, the ID of a repository on the Hugging Face hub, or any other name of an installed model.
      output_dir: A folder that the model is copied to.
      cache_dir: A folder to search first, with models or in the layout of the Hugging Face cache.
      local_files_only, revision, use_auth_token: Have no effect.

    Raises:
      FileNotFoundError: The model is not installed.
      ValueError: There is no such size.
    """
    if revision is not None or use_auth_token is not None:
        warn_once("revision and use_auth_token have no effect: whisper_local downloads nothing")
    path = _library.find_model(size_or_id, cache_dir)
    if path is None:
        raise not_installed(size_or_id)
    if output_dir is None:
        return path
    if not os.path.isdir(path):
        os.makedirs(output_dir, exist_ok=True)
        return shutil.copy(path, output_dir)
    shutil.copytree(path, output_dir, dirs_exist_ok=True)
    return output_dir


def format_timestamp(seconds: float, always_include_hours: bool = False, decimal_marker: str = ".") -> str:
    """A time as `MM:SS.mmm`, or `HH:MM:SS.mmm` from one hour on."""
    assert seconds >= 0, "non-negative timestamp expected"
    whole, milliseconds = divmod(round(seconds * 1000), 1000)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    before = f"{hours:02d}:" if always_include_hours or hours else ""
    return f"{before}{minute:02d}:{second:02d}{decimal_marker}{milliseconds:03d}"
