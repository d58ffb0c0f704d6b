"""Transcripts as the files that the program writes."""
from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, Dict, Iterable, Mapping, Optional, Union

from whisper_local import _library
from whisper_local._results import Segment

__all__ = ["format_transcript"]


def format_transcript(
    segments: Iterable[Union[Segment, Mapping[str, Any]]],
    format: str,
    language: Optional[str] = None,
    *,
    style: Optional[str] = None,
    max_line_width: Optional[int] = None,
    max_line_count: Optional[int] = None,
    max_words_per_line: Optional[int] = None,
    highlight_words: Optional[bool] = None,
) -> str:
    """The text of a file: txt, srt, vtt, ass, tsv, json, csv, lrc or rttm.

    Args:
      segments: Of `transcribe`, or dictionaries with at least `start`, `end` and `text`.
      language: Of the recording; subtitles are divided as it is usual there.
      style: Of subtitles: "readable" (the default), "netflix", "bbc" or "whisper" (openai-whisper's).
      max_line_width, max_line_count, max_words_per_line, highlight_words: As openai-whisper's options.
    """
    entries = [asdict(segment) if isinstance(segment, Segment) else dict(segment) for segment in segments]
    transcript: Dict[str, Any] = {
        "text": "".join(entry["text"] for entry in entries), "language": language,
        "segments": [{name: value for name, value in entry.items() if value is not None} for entry in entries]}
    options = {"style": style, "max_line_width": max_line_width, "max_line_count": max_line_count,
               "max_words_per_line": max_words_per_line, "highlight_words": highlight_words}
    return _library.text_of(
        "wl_format", json.dumps({name: value for name, value in transcript.items() if value is not None}).encode(),
        format.encode(), _library.json_bytes({name: value for name, value in options.items() if value is not None}))
