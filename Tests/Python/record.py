"""Records what faster-whisper does, as Tests/Fixtures/python/faster-whisper.json. Run it with a Python that has it:

    python -m venv .build/faster-whisper && .build/faster-whisper/bin/pip install faster-whisper==1.2.1
    .build/faster-whisper/bin/python Tests/Python/record.py
"""
import dataclasses
import functools
import inspect
import json
import os

os.environ["HF_HUB_OFFLINE"] = "1"
import faster_whisper
import faster_whisper.audio
import faster_whisper.feature_extractor
import faster_whisper.tokenizer
import faster_whisper.transcribe
import faster_whisper.utils
import faster_whisper.vad

from cases import AUDIO, BATCHED, CASES, LANGUAGE_CASES, MODELS, RECORDED, SPEECH_CASES


def signature(function):
    return [[name, parameter.kind.name, None if parameter.default is parameter.empty else repr(parameter.default)]
            for name, parameter in inspect.signature(function).parameters.items()]


def fields(kind):
    return [field.name for field in dataclasses.fields(kind)]


def plain(value):
    """A segment or word with its numbers as JSON has them."""
    if isinstance(value, dict):
        return {name: plain(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return round(float(value), 5) if isinstance(value, float) else value


def fresh(model):
    """The model with its own window: a call with `chunk_length` changes the window of all later calls."""
    model.feature_extractor = faster_whisper.feature_extractor.FeatureExtractor(**model.feat_kwargs)
    return model


def result(segments, info):
    return {"segments": [plain(dataclasses.asdict(segment)) for segment in segments],
            "info": plain({"language": info.language, "language_probability": info.language_probability,
                           "duration": info.duration, "duration_after_vad": info.duration_after_vad,
                           "first_languages": (info.all_language_probs or [])[:3]})}


def lines(value):
    """A value as JSON, each entry of a table in a line."""
    text = functools.partial(json.dumps, ensure_ascii=False)
    if not isinstance(value, dict):
        return text(value)
    return "{\n" + ",\n".join(f"{text(name)}: {text(entry)}" for name, entry in value.items()) + "\n}"


def main():
    whisper, pipeline = faster_whisper.WhisperModel, faster_whisper.BatchedInferencePipeline
    transcribe, vad = faster_whisper.transcribe, faster_whisper.vad
    functions = {
        "WhisperModel": whisper.__init__, "WhisperModel.transcribe": whisper.transcribe,
        "WhisperModel.detect_language": whisper.detect_language,
        "BatchedInferencePipeline": pipeline.__init__,
        "BatchedInferencePipeline.transcribe": pipeline.transcribe,
        "decode_audio": faster_whisper.decode_audio, "audio.pad_or_trim": faster_whisper.audio.pad_or_trim,
        "available_models": faster_whisper.available_models, "download_model": faster_whisper.download_model,
        "format_timestamp": faster_whisper.format_timestamp,
        "vad.get_speech_timestamps": vad.get_speech_timestamps, "vad.collect_chunks": vad.collect_chunks,
        "vad.VadOptions": vad.VadOptions,
    }
    recorded = {
        "version": faster_whisper.__version__,
        "signatures": {name: signature(function) for name, function in functions.items()},
        "fields": {kind.__name__: fields(kind) for kind in (
            transcribe.Segment, transcribe.Word, transcribe.TranscriptionInfo, transcribe.TranscriptionOptions,
            vad.VadOptions)},
        "exports": faster_whisper.__all__, "models": faster_whisper.available_models(),
        "languages": faster_whisper.tokenizer._LANGUAGE_CODES,
    }
    models = {name: whisper(str(MODELS / f"ct2-{name}"), compute_type="float32", device="cpu")
              for name in ("tiny.en", "base")}
    recorded["transcribe"] = {
        name: result(*fresh(models[model]).transcribe(AUDIO[audio](), **arguments))
        for name, (model, audio, arguments) in CASES.items()}
    recorded["batched"] = {
        name: result(*pipeline(fresh(models[model])).transcribe(AUDIO[audio](), **arguments))
        for name, (model, audio, arguments) in BATCHED.items()}
    recorded["speech"] = {name: vad.get_speech_timestamps(AUDIO[audio](), vad.VadOptions(**arguments))
                          for name, (audio, arguments) in SPEECH_CASES.items()}
    recorded["detected"] = {
        name: plain([code, probability, all_of_them[:3]])
        for name, (audio, arguments) in LANGUAGE_CASES.items()
        for code, probability, all_of_them in [models["base"].detect_language(AUDIO[audio](), **arguments)]}
    RECORDED.parent.mkdir(exist_ok=True)
    entries = ",\n".join(f"{json.dumps(name)}: {lines(value)}" for name, value in recorded.items())
    RECORDED.write_text(f"{{\n{entries}\n}}\n")


if __name__ == "__main__":
    main()
