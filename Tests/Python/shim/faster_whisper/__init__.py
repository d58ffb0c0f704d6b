"""The name faster_whisper for whisper_local: with this folder first in PYTHONPATH, programs need no change at all."""
import importlib
import sys

from whisper_local import *  # noqa: F403

#: The version whose interface it is.
__version__ = "1.2.1"

for _name in ("audio", "tokenizer", "transcribe", "utils", "vad"):
    globals()[_name] = sys.modules[f"{__name__}.{_name}"] = importlib.import_module(f"whisper_local.{_name}")
