"""What a transcription returns: faster-whisper's classes, with what only this engine knows at their ends."""
from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, Union

from whisper_local._library import Event
from whisper_local.vad import VadOptions


def _without_none(entries: Dict[str, Any], *names: str) -> Dict[str, Any]:
    return {name: value for name, value in entries.items() if value is not None or name not in names}


@dataclass
class Word:
    """A word and when it was said, in seconds; with its blank and its punctuation."""

    start: float
    end: float
    word: str
    probability: float
    #: Who said it, if `speakers` was given.
    speaker: Optional[str] = None

    def _asdict(self) -> Dict[str, Any]:
        """As faster-whisper has it: what only this package has is there only if it is known."""
        return _without_none(asdict(self), "speaker")


@dataclass
class Segment:
    """A piece of the text, about a sentence; times in seconds."""

    #: From 1.
    id: int
    #: Where its window begins, in hundredths of a second.
    seek: int
    start: float
    end: float
    #: With the blank before it.
    text: str
    tokens: List[int]
    avg_logprob: float
    compression_ratio: float
    no_speech_prob: float
    #: None without `word_timestamps`.
    words: Optional[List[Word]]
    temperature: Optional[float]
    #: Its own language, if `multilingual` was given.
    language: Optional[str] = None
    #: Who said most of it, if `speakers` was given.
    speaker: Optional[str] = None
    #: The log probability of each token, if `token_logprobs` was given.
    token_logprobs: Optional[List[float]] = None

    def _asdict(self) -> Dict[str, Any]:
        """As faster-whisper has it: what only this package has is there only if it is known. Programs look for a
        speaker."""
        words = None if self.words is None else [word._asdict() for word in self.words]
        return {**_without_none(asdict(self), "language", "speaker", "token_logprobs"), "words": words}


@dataclass
class TranscriptionOptions:
    """The options of a transcription, as they were given."""

    beam_size: int
    best_of: int
    patience: float
    length_penalty: float
    repetition_penalty: float
    no_repeat_ngram_size: int
    log_prob_threshold: Optional[float]
    no_speech_threshold: Optional[float]
    compression_ratio_threshold: Optional[float]
    condition_on_previous_text: bool
    prompt_reset_on_temperature: float
    temperatures: List[float]
    initial_prompt: Optional[Union[str, Iterable[int]]]
    prefix: Optional[str]
    suppress_blank: bool
    suppress_tokens: Optional[List[int]]
    without_timestamps: bool
    max_initial_timestamp: float
    word_timestamps: bool
    prepend_punctuations: str
    append_punctuations: str
    multilingual: bool
    max_new_tokens: Optional[int]
    clip_timestamps: Union[str, List[float], List[Dict[str, float]], None]
    hallucination_silence_threshold: Optional[float]
    hotwords: Optional[str]


@dataclass
class TranscriptionInfo:
    """What is known of a recording before it is transcribed."""

    language: str
    #: The int 1 if the language was given, or if the model knows only one.
    language_probability: float
    duration: float
    duration_after_vad: float
    #: Languages with their probabilities, the most probable first; None if the language was given.
    all_language_probs: Optional[List[Tuple[str, float]]]
    transcription_options: TranscriptionOptions
    #: None without `vad_filter`.
    vad_options: Optional[VadOptions]


class MeasuredLater(TranscriptionInfo):
    """Measures the speech only when its duration is read: batches do not wait for it."""

    def measure(self, measure: Callable[[], float]) -> None:
        self._measure = measure
        del self.duration_after_vad

    def __getattr__(self, name: str) -> Any:
        if name != "duration_after_vad":
            raise AttributeError(name)
        self.duration_after_vad = self.__dict__.pop("_measure")()
        return self.duration_after_vad

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TranscriptionInfo) and asdict(self) == asdict(other)

    def __reduce__(self) -> Tuple[Any, ...]:
        return TranscriptionInfo, tuple(getattr(self, name) for name in TranscriptionInfo.__dataclass_fields__)


# Users see one class.
MeasuredLater.__qualname__ = MeasuredLater.__name__ = "TranscriptionInfo"


def segment_from(event: Event, number: int) -> Segment:
    """The segment of an event."""
    words = event.get("words")
    return Segment(
        number, event.get("seek") or 0, event["start"], event["end"], event["text"], event["tokens"],
        event["avg_logprob"], _known(event.get("compression_ratio")), _known(event.get("no_speech_prob")),
        None if words is None else [word_from(word) for word in words], event.get("temperature"), event.get("language"),
        event.get("speaker"), event.get("token_logprobs"))


def _known(value: Optional[float]) -> float:
    """Models other than Whisper do not judge their text; programs compare with limits, which 0 passes."""
    return 0.0 if value is None else value


def word_from(event: Event) -> Word:
    return Word(event["start"], event["end"], event["word"], event["probability"], event.get("speaker"))


def probabilities(event: Event) -> Optional[List[Tuple[str, float]]]:
    """The probabilities of the languages in an event."""
    found = event["all_language_probs"]
    return None if found is None else [(code, probability) for code, probability in found]
