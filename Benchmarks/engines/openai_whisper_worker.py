"""openai-whisper (PyTorch)."""
import torch
import whisper
from whisper.audio import log_mel_spectrogram
from whisper.decoding import DecodingOptions
from whisper.utils import get_writer

from worker import WINDOW, samples, serve, timed

model = None
precision = "float32"


def load(path, threads, compute_type):
    global model, precision
    torch.set_num_threads(threads)
    precision = compute_type
    elapsed, model = timed(lambda: whisper.load_model(path, device="cpu"))
    return {"load_ms": elapsed}


def window(beams, tokens):
    mel, features = timed(lambda: log_mel_spectrogram(WINDOW)[None])
    with torch.inference_mode():
        if precision == "bfloat16":
            with torch.autocast("cpu", dtype=torch.bfloat16):
                encode, _ = timed(lambda: model.embed_audio(features))
            return {"mel_ms": mel, "encode_ms": encode}
        encode, encoded = timed(lambda: model.embed_audio(features))
        options = DecodingOptions(language="en", fp16=False, without_timestamps=True, sample_len=tokens,
                                  beam_size=beams if beams > 1 else None)
        decode, results = timed(lambda: model.decode(encoded, options))
    return {"mel_ms": mel, "encode_ms": encode, "decode_ms": decode, "window_ms": mel + encode + decode,
            "tokens": len(results[0].tokens)}


def recording(path, beams, batch=1, language="en", previous=False, fallback=False):
    audio = samples(path)
    options = {} if fallback else {"temperature": 0}
    elapsed, result = timed(lambda: model.transcribe(
        audio, fp16=False, language=language, beam_size=beams if beams > 1 else None,
        condition_on_previous_text=previous, **options))
    return {"file_ms": elapsed, "text": result["text"]}


def subtitles(path, output, language, words):
    """Writes SRT as its command line does; with `words`, in two lines of 42 characters."""
    result = model.transcribe(samples(path), fp16=False, language=language, word_timestamps=words)
    options = {"max_line_width": 42, "max_line_count": 2} if words else {}
    with open(output, "w") as file:
        get_writer("srt", ".").write_result(result, file, options)
    return {}


serve({"load": load, "window": window, "recording": recording, "subtitles": subtitles})
