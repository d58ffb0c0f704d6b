"""Transcription of recordings, in the shape of faster-whisper."""
from __future__ import annotations

import logging
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy.typing as npt

from whisper_local import _library, _options
from whisper_local._library import Samples
from whisper_local._progress import ProgressBar
from whisper_local._results import (
    MeasuredLater, Segment, TranscriptionInfo, TranscriptionOptions, Word, probabilities, segment_from)
from whisper_local.audio import RATE, Recording, decode_audio, samples_of
from whisper_local.errors import Error, MissingError, OptionError, warn_once
from whisper_local.tokenizer import _LANGUAGE_CODES
from whisper_local.utils import available_models, format_timestamp, get_logger, not_installed
from whisper_local.vad import VadOptions, engine_vad, get_speech_timestamps, vad_options

__all__ = ["BatchedInferencePipeline", "Segment", "TranscriptionInfo", "TranscriptionOptions", "WhisperModel", "Word",
           "available_models", "format_timestamp"]

#: faster-whisper's order of the languages.
_ORDER = {code: index for index, code in enumerate(_LANGUAGE_CODES)}

Audio = Union[Recording, npt.NDArray[Any]]
Vad = Union[Dict[str, Any], VadOptions, None]


class WhisperModel:
    """A model in memory. Several threads may use it at the same time."""

    def __init__(
        self,
        model_size_or_path: str,
        device: str = "auto",
        device_index: Union[int, List[int]] = 0,
        compute_type: str = "default",
        cpu_threads: int = 0,
        num_workers: int = 1,
        download_root: Optional[str] = None,
        local_files_only: bool = False,
        files: Optional[Dict[str, Any]] = None,
        revision: Optional[str] = None,
        use_auth_token: Optional[Union[str, bool]] = None,
        **model_kwargs: Any,
    ) -> None:
        """Loads a model.

        Args:
          model_size_or_path: The path of a model in any format that the program reads, a size, the ID of a repository
            on the Hugging Face hub, or any other name of an installed model. Nothing is downloaded.
          device: "cpu" and "auto" are the processor; "cuda" is accepted.
          compute_type: The numbers that the model computes with, by CTranslate2's names. "default" is the program's:
            the fastest of this processor with nearly the same words.
          cpu_threads: How many threads to use; 0 is one for each core.
          download_root: A folder to search first, with models or in the layout of the Hugging Face cache.
          files: Names and contents of a model's files, as bytes or file objects, in place of the first argument.
          device_index, num_workers, local_files_only, revision, use_auth_token: Have no effect. Calls in several
            threads always run in parallel.
        """
        self.logger = get_logger()
        _warn_of_unused(device, device_index, revision, use_auth_token, model_kwargs)
        options: Dict[str, Any] = {"compute_type": _options.compute_type(compute_type)}
        if cpu_threads:
            options["threads"] = cpu_threads
        if download_root:
            options["model_dir"] = os.fspath(download_root)
        #: What faster-whisper has of CTranslate2's model.
        self._engine = _load_files(files, options) if files else _load(os.fspath(model_size_or_path), options)
        info = self._engine.info
        for warning in info.get("warnings") or []:
            self.logger.warning(warning)
        self.model = SimpleNamespace(
            is_multilingual=info["multilingual"], device="cpu", device_index=0, compute_type=info["compute_type"],
            num_workers=num_workers)
        self.feature_extractor = SimpleNamespace(
            sampling_rate=RATE, n_fft=400, hop_length=160, chunk_length=30, n_samples=30 * RATE, nb_max_frames=3000,
            time_per_frame=0.01)
        self.hf_tokenizer = ModelTokenizer(self._engine)
        self.input_stride = 2
        self.num_samples_per_token = 320
        self.frames_per_second = 100
        self.tokens_per_second = 50
        self.time_precision = 0.02
        self.max_length = 448

    @property
    def supported_languages(self) -> List[str]:
        """The codes of the languages that the model knows, in faster-whisper's order."""
        known = self._engine.info["languages"] or ["en"]
        return sorted(known, key=lambda code: _ORDER.get(code, len(_ORDER)))

    def transcribe(
        self,
        audio: Audio,
        language: Optional[str] = None,
        task: str = "transcribe",
        log_progress: bool = False,
        beam_size: int = 5,
        best_of: int = 5,
        patience: float = 1,
        length_penalty: float = 1,
        repetition_penalty: float = 1,
        no_repeat_ngram_size: int = 0,
        temperature: Union[float, List[float], Tuple[float, ...]] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0],
        compression_ratio_threshold: Optional[float] = 2.4,
        log_prob_threshold: Optional[float] = -1.0,
        no_speech_threshold: Optional[float] = 0.6,
        condition_on_previous_text: bool = True,
        prompt_reset_on_temperature: float = 0.5,
        initial_prompt: Optional[Union[str, Iterable[int]]] = None,
        prefix: Optional[str] = None,
        suppress_blank: bool = True,
        suppress_tokens: Optional[List[int]] = [-1],
        without_timestamps: bool = False,
        max_initial_timestamp: float = 1.0,
        word_timestamps: bool = False,
        prepend_punctuations: str = "\"'“¿([{-",
        append_punctuations: str = "\"'.。,，!！?？:：”)]}、",
        multilingual: bool = False,
        vad_filter: bool = False,
        vad_parameters: Vad = None,
        max_new_tokens: Optional[int] = None,
        chunk_length: Optional[int] = None,
        clip_timestamps: Union[str, List[float]] = "0",
        hallucination_silence_threshold: Optional[float] = None,
        hotwords: Optional[str] = None,
        language_detection_threshold: Optional[float] = 0.5,
        language_detection_segments: int = 1,
        *,
        guard: Optional[bool] = None,
        speakers: Union[bool, int] = False,
        min_speakers: Optional[int] = None,
        max_speakers: Optional[int] = None,
        speaker_names: Optional[Sequence[str]] = None,
        terms: Optional[Sequence[str]] = None,
        vocabulary: Union[str, "os.PathLike[str]", Sequence[str], None] = None,
        languages: Optional[Sequence[str]] = None,
        carry_initial_prompt: bool = False,
        token_logprobs: bool = False,
        seed: int = 0,
        audio_ctx: Union[int, str, None] = None,
        offset: float = 0,
        duration: Optional[float] = None,
    ) -> Tuple[Iterator[Segment], TranscriptionInfo]:
        """Transcribes a recording: returns a generator, which recognizes each segment when it is asked for, and what is
        known before that.

        Args:
          audio: A path, a file object, or an array of 16,000 samples a second, mono. An array of float32 is not copied
            and must not change until the generator ends.
          language: The code of the language; None detects it.
          task: "transcribe", or "translate" into English.
          log_progress: Shows a progress bar.
          beam_size: The number of beams at temperature 0; 1 is greedy search.
          best_of: The number of samples to choose from above temperature 0.
          patience: The search ends after `beam_size * patience` finished hypotheses.
          length_penalty: Scores are divided by length ** length_penalty.
          repetition_penalty: Above 1, tokens that the window already has are less likely.
          no_repeat_ngram_size: No n-gram of this length occurs twice in a window; 0 is off.
          temperature: A temperature, or several, which are tried until the text passes the tests of the next arguments.
          compression_ratio_threshold: Text with a greater compression ratio is rejected; None never rejects it.
          log_prob_threshold: Text with a lower mean log probability is rejected; None never rejects it.
          no_speech_threshold: Windows that are more probably without speech are skipped, unless their text is probable.
          condition_on_previous_text: Prompts each window with the text before it.
          prompt_reset_on_temperature: Text found at a greater temperature does not prompt the next window.
          initial_prompt: A text, or token ids, before the first window.
          prefix: What the text of the first window begins with.
          suppress_blank: The first token is no blank.
          suppress_tokens: Tokens that are never generated; -1 stands for those that are no speech. None or [] is none.
          without_timestamps: Generates no timestamps.
          max_initial_timestamp: The latest first timestamp of a window.
          word_timestamps: Finds when each word was said.
          prepend_punctuations, append_punctuations: Signs that belong to the word after them, or before them.
          multilingual: Detects the language of every window.
          vad_filter: Transcribes only speech. Has no effect with clips.
          vad_parameters: `VadOptions`, or their fields as a dictionary.
          max_new_tokens: The greatest number of tokens in a window.
          chunk_length: Seconds of audio in a window, up to 30.
          clip_timestamps: The parts to transcribe in seconds, start,end,start,end …, as text or as a list.
          hallucination_silence_threshold: With word times, seconds of silence in which suspicious text is dropped.
          hotwords: Words to expect, before each window. Has no effect with `prefix`.
          language_detection_threshold: A language is certain from this probability on.
          language_detection_segments: How many windows to detect the language in until it is certain.

        Arguments that only this engine has:
          guard: Measures against invented and repeated text; on by default. False gives faster-whisper's text.
          speakers: True, or their number: who says what, by their voices (`Segment.speaker`, `Word.speaker`).
          min_speakers, max_speakers, speaker_names: How many, and what they are called.
          terms: Names and terms to expect, which are also corrected where they were misheard.
          vocabulary: The path of a vocabulary file (`pathlib.Path`), or its text, or its lines: terms and replacements.
          languages: The language is detected among these.
          carry_initial_prompt: Every window begins with `initial_prompt`.
          token_logprobs: Keeps the log probability of every token (`Segment.token_logprobs`).
          seed: Of the samples above temperature 0.
          audio_ctx: How much of a window the encoder computes: "full", "auto" or 1 to 1500. Short windows get faster.
          offset, duration: The part of the recording to transcribe, in seconds.
        """
        return self._transcribe(dict(locals()))

    def detect_language(
        self,
        audio: Optional[Samples] = None,
        features: Optional[npt.NDArray[Any]] = None,
        vad_filter: bool = False,
        vad_parameters: Vad = None,
        language_detection_segments: int = 1,
        language_detection_threshold: float = 0.5,
        *,
        languages: Optional[Sequence[str]] = None,
    ) -> Tuple[str, float, List[Tuple[str, float]]]:
        """The code of the language, its probability, and the probabilities of all languages, the most probable first.

        Args:
          audio: 16,000 samples a second.
          features: Not supported: this engine computes them itself.
          vad_filter, vad_parameters: Listens only to speech.
          language_detection_segments: How many windows of 30 s to listen to until a language is certain. If none is,
            the one that most of them are in is returned.
          language_detection_threshold: A language is certain from this probability on.
          languages: Chooses among these.
        """
        if audio is None:
            raise OptionError(
                "this engine computes features itself: give it the samples as audio" if features is not None
                else "Either `audio` or `features` must be provided.")
        options: Dict[str, Any] = {"language_detection_segments": language_detection_segments,
                                   "language_detection_threshold": language_detection_threshold}
        if vad_filter:
            options.update(vad_filter=True, vad_parameters=engine_vad(vad_options(vad_parameters)))
        if languages is not None:
            options.update(languages=list(languages))
        for event in _library.Job("wl_detect_language", self._engine, samples_of(audio), options).events():
            if event["type"] == "info":
                code, probability = event["language"], event["language_probability"]
                return code, probability, probabilities(event) or [(code, probability)]
        raise Error("the engine has not said what language it is")

    def _transcribe(
        self, given: Dict[str, Any], others: Optional[Mapping[str, Any]] = None
    ) -> Tuple[Iterator[Segment], TranscriptionInfo]:
        samples = self._samples(given)
        return self._start(samples, given, _options.chosen_vad(given), others)

    def _samples(self, given: Dict[str, Any]) -> Samples:
        """The samples of a call's audio. Corrects what the model cannot do, as faster-whisper does."""
        language = given["language"]
        if self.model.is_multilingual:
            _options.check_language(language, self.supported_languages)
        else:
            if given["multilingual"]:
                self.logger.warning("the model is English-only: multilingual has no effect")
            if language not in (None, "en"):
                self.logger.warning("the model is English-only: the language is 'en' and not '%s'", language)
            given.update(multilingual=False, language="en")
        if given["task"] not in ("transcribe", "translate"):
            raise OptionError(f"'{given['task']}' is not a valid task (accepted tasks: transcribe, translate)")
        audio = given["audio"]
        is_file = isinstance(audio, (str, os.PathLike)) or hasattr(audio, "read")
        samples = decode_audio(audio) if is_file else samples_of(audio)
        self.logger.info("Processing audio with duration %s", format_timestamp(len(samples) / RATE))
        return samples

    def _start(
        self, samples: Samples, given: Mapping[str, Any], vad: Optional[VadOptions],
        others: Optional[Mapping[str, Any]] = None,
    ) -> Tuple[Iterator[Segment], TranscriptionInfo]:
        """Starts a job, and waits until it is known what is in the recording."""
        options = _options.for_family(_options.engine_options(given, vad, others), self._engine.info["family"])
        events = _library.Job("wl_transcribe_samples", self._engine, samples, options).events()
        event = next(event for event in events if event["type"] == "info")
        seconds = len(samples) / RATE
        is_given = event["all_language_probs"] is None
        info = (MeasuredLater if "batch_size" in given else TranscriptionInfo)(
            language=event["language"], language_probability=1 if is_given else event["language_probability"],
            duration=seconds, duration_after_vad=event["duration_after_vad"] if vad else seconds,
            all_language_probs=probabilities(event), transcription_options=_options.recorded(given),
            vad_options=vad)
        if isinstance(info, MeasuredLater):
            info.measure(lambda: _heard(samples, vad, given["clip_timestamps"]))
        if not is_given:
            self.logger.info("Detected language '%s' with probability %.2f", info.language, info.language_probability)
        if vad and self.logger.isEnabledFor(logging.INFO):
            removed = max(0, seconds - info.duration_after_vad)
            self.logger.info("VAD filter removed %s of audio", format_timestamp(removed))
        return self._segments(events, ProgressBar(seconds) if given["log_progress"] else None), info

    def _segments(self, events: _library.Events, bar: Optional[ProgressBar]) -> Iterator[Segment]:
        number = 0
        try:
            for event in events:
                if event["type"] == "segment":
                    number += 1
                    yield segment_from(event, number)
                elif event["type"] == "progress" and bar:
                    bar.show(event["position"])
                elif event["type"] == "notice":
                    warns = event.get("level") == "warning"
                    (self.logger.warning if warns else self.logger.debug)(event["text"])
            if bar:
                bar.finish()
        finally:
            # Frees the job, whether or not all segments were wanted.
            events.close()


class BatchedInferencePipeline:
    """Transcribes several windows at a time."""

    def __init__(self, model: WhisperModel) -> None:
        self.model = model

    def transcribe(
        self,
        audio: Audio,
        language: Optional[str] = None,
        task: str = "transcribe",
        log_progress: bool = False,
        beam_size: int = 5,
        best_of: int = 5,
        patience: float = 1,
        length_penalty: float = 1,
        repetition_penalty: float = 1,
        no_repeat_ngram_size: int = 0,
        temperature: Union[float, List[float], Tuple[float, ...]] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0],
        compression_ratio_threshold: Optional[float] = 2.4,
        log_prob_threshold: Optional[float] = -1.0,
        no_speech_threshold: Optional[float] = 0.6,
        condition_on_previous_text: bool = True,
        prompt_reset_on_temperature: float = 0.5,
        initial_prompt: Optional[Union[str, Iterable[int]]] = None,
        prefix: Optional[str] = None,
        suppress_blank: bool = True,
        suppress_tokens: Optional[List[int]] = [-1],
        without_timestamps: bool = True,
        max_initial_timestamp: float = 1.0,
        word_timestamps: bool = False,
        prepend_punctuations: str = "\"'“¿([{-",
        append_punctuations: str = "\"'.。,，!！?？:：”)]}、",
        multilingual: bool = False,
        vad_filter: bool = True,
        vad_parameters: Vad = None,
        max_new_tokens: Optional[int] = None,
        chunk_length: Optional[int] = None,
        clip_timestamps: Optional[List[Dict[str, float]]] = None,
        hallucination_silence_threshold: Optional[float] = None,
        batch_size: int = 8,
        hotwords: Optional[str] = None,
        language_detection_threshold: Optional[float] = 0.5,
        language_detection_segments: int = 1,
        *,
        guard: Optional[bool] = None,
        speakers: Union[bool, int] = False,
        min_speakers: Optional[int] = None,
        max_speakers: Optional[int] = None,
        speaker_names: Optional[Sequence[str]] = None,
        terms: Optional[Sequence[str]] = None,
        vocabulary: Union[str, "os.PathLike[str]", Sequence[str], None] = None,
        languages: Optional[Sequence[str]] = None,
        carry_initial_prompt: bool = False,
        token_logprobs: bool = False,
        seed: int = 0,
        audio_ctx: Union[int, str, None] = None,
        offset: float = 0,
        duration: Optional[float] = None,
    ) -> Tuple[Iterator[Segment], TranscriptionInfo]:
        """Transcribes a recording, `batch_size` windows at a time: faster than `WhisperModel.transcribe`, but no window
        knows the text before it. The arguments are the same, except for these:

        Args:
          vad_filter: The windows are the speech of the recording. Without it and without clips, the recording must be
            shorter than a window.
          clip_timestamps: The windows to transcribe: dictionaries with `start` and `end` in seconds.
          batch_size: How many windows to transcribe at a time.
          temperature: Only the first one is used.
          condition_on_previous_text, prompt_reset_on_temperature, max_initial_timestamp,
            hallucination_silence_threshold: Have no effect.
        """
        given = dict(locals())
        samples = self.model._samples(given)
        window = chunk_length or 30
        vad = None
        if not clip_timestamps:
            if vad_filter:
                vad = _options.batched_vad(vad_parameters, window)
            elif len(samples) >= window * RATE:
                raise RuntimeError(
                    "No clip timestamps found. Set 'vad_filter' to True or provide 'clip_timestamps'.")
        elif any(clip["end"] - clip["start"] > 30 for clip in clip_timestamps):
            self.model.logger.warning("of clips longer than 30 seconds, only the first 30 seconds are transcribed")
            given["clip_timestamps"] = [
                {**clip, "end": min(clip["end"], clip["start"] + 30)} for clip in clip_timestamps]
        given.update(
            temperature=_options.temperatures(temperature)[:1], condition_on_previous_text=False,
            prompt_reset_on_temperature=0.5, hallucination_silence_threshold=None, max_initial_timestamp=1.0)
        segments, info = self.model._start(samples, given, vad)
        if clip_timestamps and without_timestamps and not word_timestamps:
            return _filling(given["clip_timestamps"], segments), info
        return segments, info


def _filling(clips: List[Dict[str, float]], segments: Iterator[Segment]) -> Iterator[Segment]:
    """The segments with the times of their clips, by which programs find the clip of a text. The guards know better when
    the text ends."""
    def clip_of(segment: Segment) -> Dict[str, float]:
        middle = (segment.start + segment.end) / 2
        return min(clips, key=lambda clip: max(clip["start"] - middle, middle - clip["end"]))

    held: Optional[Segment] = None
    for segment in segments:
        clip = clip_of(segment)
        if held and clip_of(held) is clip:
            yield held
        else:
            if held:
                yield replace(held, end=clip_of(held)["end"])
            segment = replace(segment, start=clip["start"])
        held = segment
    if held:
        yield replace(held, end=clip_of(held)["end"])


def _heard(samples: Samples, vad: Optional[VadOptions], clips: Optional[List[Dict[str, float]]]) -> float:
    """The seconds that batches transcribe."""
    if vad:
        return sum(part["end"] - part["start"] for part in get_speech_timestamps(samples, vad)) / RATE
    if clips:
        return sum(int(clip["end"] * RATE) - int(clip["start"] * RATE) for clip in clips) / RATE
    return len(samples) / RATE


class ModelTokenizer:
    """The model's tokenizer, as far as programs use it."""

    def __init__(self, engine: _library.Model) -> None:
        self._engine = engine

    def encode(self, text: str, add_special_tokens: bool = False) -> SimpleNamespace:
        """The tokens of a text, without special ones, as `ids`."""
        return SimpleNamespace(ids=self._engine.encode(text))

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """The text of tokens, without special ones."""
        return self._engine.decode(ids)

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        return int(self._engine.info["vocabulary_size"])


def _warn_of_unused(
    device: str, device_index: Union[int, List[int]], revision: Optional[str],
    use_auth_token: Optional[Union[str, bool]], model_kwargs: Mapping[str, Any],
) -> None:
    unknown = set(model_kwargs) - {"max_queued_batches", "flash_attention", "tensor_parallel"}
    if unknown:
        raise TypeError(f"WhisperModel() got an unexpected keyword argument '{sorted(unknown)[0]}'")
    if device not in ("cpu", "auto", "cuda"):
        raise OptionError(f"unsupported device {device}")
    if device == "cuda":
        warn_once("device='cuda' has no effect: this engine runs on the processor")
    if device_index not in (0, [0]):
        warn_once("device_index has no effect: this engine runs on the processor")
    if revision is not None or use_auth_token is not None:
        warn_once("revision and use_auth_token have no effect: whisper_local downloads nothing")
    if model_kwargs:
        warn_once(f"{', '.join(model_kwargs)}: no effect, these are options of CTranslate2")


def _load(name: str, options: Dict[str, Any]) -> _library.Model:
    try:
        return _library.Model(name, options)
    except MissingError as error:
        # The engine's message is better for a path.
        if os.sep in name and name.count(os.sep) != 1 or os.path.exists(name):
            raise
        raise not_installed(name) from error


def _load_files(files: Mapping[str, Any], options: Dict[str, Any]) -> _library.Model:
    """Loads a model from the contents of its files."""
    with tempfile.TemporaryDirectory(prefix="whisper-local-") as folder:
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.read()
            (Path(folder) / Path(name).name).write_bytes(data)
        return _library.Model(folder, options)
