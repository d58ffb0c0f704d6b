"""Recognition of live audio."""
from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Any, AsyncIterator, Dict, Iterator, Optional, Sequence, Type, Union

import numpy.typing as npt

from whisper_local import _library, _options
from whisper_local._results import Segment, segment_from
from whisper_local.audio import samples_of
from whisper_local.transcribe import WhisperModel

__all__ = ["StreamingSession", "Update"]


@dataclass
class Update:
    """What is new in a live session."""

    #: "segment": final text. "volatile": what comes next may be this, or nothing any more (text None). "language",
    #: "status", "gap", "notice" and "done" are described in whisper_local.h, as are their `details`.
    type: str
    text: Optional[str]
    #: Seconds from the first sample; None if the update is about no text.
    start: Optional[float]
    end: Optional[float]
    #: The final segment.
    segment: Optional[Segment]
    #: Everything that the engine says.
    details: Dict[str, Any]

    @property
    def is_final(self) -> bool:
        return self.segment is not None


class StreamingSession:
    """Text while it is being said: push samples from any thread, and iterate over the updates.

        with StreamingSession(model) as session:
            session.push(samples)
            session.stop()
            for update in session:
                if update.is_final: print(update.text)

    `async for` works, too.
    """

    def __init__(
        self,
        model: WhisperModel,
        language: Optional[str] = None,
        task: str = "transcribe",
        *,
        volatile: bool = True,
        word_timestamps: bool = False,
        initial_prompt: Optional[str] = None,
        terms: Optional[Sequence[str]] = None,
        vocabulary: Union[str, Sequence[str], None] = None,
        languages: Optional[Sequence[str]] = None,
        multilingual: bool = False,
        speakers: Union[bool, int] = False,
        policy: Optional[str] = None,
        end_silence: Optional[float] = None,
        **options: Any,
    ) -> None:
        """Starts a session.

        Args:
          volatile: Also reports text that may still change.
          policy: When words become final: "align", "agree" or "utterance".
          end_silence: Seconds of silence that end an utterance.
          options: Further options of `wl_stream_open`, which whisper_local.h lists.
        """
        _options.check_language(language, model.supported_languages)
        given = {
            "language": language, "task": task, "volatile": volatile, "word_timestamps": word_timestamps,
            "initial_prompt": initial_prompt, "terms": terms, "vocabulary": _options.vocabulary(vocabulary),
            "languages": languages, "multilingual": multilingual or None, "speakers": speakers or None,
            "policy": policy, "end_silence": end_silence, **options}
        self._stream = _library.Stream(model._engine, {key: value for key, value in given.items() if value is not None})
        self._events = self._stream.events()
        self._segments = 0

    def push(self, samples: npt.NDArray[Any]) -> None:
        """Takes the next samples, 16,000 a second, and returns at once."""
        self._stream.push(samples_of(samples))

    def flush(self) -> None:
        """Ends the utterance: all that was pushed becomes final, and the session goes on."""
        self._stream.flush()

    def stop(self) -> None:
        """Ends the session once all that was pushed is final."""
        self._stream.stop()

    def close(self) -> None:
        """Ends the session at once."""
        self._stream.close()

    def __enter__(self) -> StreamingSession:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Update]:
        return self

    def __next__(self) -> Update:
        event = next(self._events)
        segment = None
        if event["type"] == "segment":
            self._segments += 1
            segment = segment_from(event, self._segments)
        return Update(event["type"], event.get("text"), event.get("start"), event.get("end"), segment, event)

    def __aiter__(self) -> AsyncIterator[Update]:
        return self

    async def __anext__(self) -> Update:
        # Takes as long to import as all of this package.
        import asyncio
        update = await asyncio.to_thread(next, self, None)
        if update is None:
            raise StopAsyncIteration
        return update
