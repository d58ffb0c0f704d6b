"""Offline speech recognition, in the shape of faster-whisper.

    from whisper_local import WhisperModel

    model = WhisperModel("tiny.en")
    segments, info = model.transcribe("talk.wav")
    for segment in segments:
        print(f"[{segment.start:.2f} -> {segment.end:.2f}] {segment.text}")
"""
from whisper_local.audio import decode_audio, pad_or_trim
from whisper_local.errors import AudioError, Error, ForkError, ModelError, OptionError
from whisper_local.formats import format_transcript
from whisper_local.streaming import StreamingSession, Update
from whisper_local.transcribe import (
    BatchedInferencePipeline, Segment, TranscriptionInfo, TranscriptionOptions, WhisperModel, Word)
from whisper_local.utils import available_models, download_model, format_timestamp, models
from whisper_local.vad import VadOptions, collect_chunks, get_speech_timestamps
from whisper_local.version import __version__

__all__ = [
    "AudioError", "BatchedInferencePipeline", "Error", "ForkError", "ModelError", "OptionError", "Segment",
    "StreamingSession", "TranscriptionInfo", "TranscriptionOptions", "Update", "VadOptions", "WhisperModel", "Word",
    "__version__", "available_models", "collect_chunks", "decode_audio", "download_model", "format_timestamp",
    "format_transcript", "get_speech_timestamps", "models", "pad_or_trim",
]
