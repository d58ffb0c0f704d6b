"""faster-whisper (CTranslate2)."""
import ctranslate2
import faster_whisper

from worker import WINDOW, serve, timed

model = None


def load(path, threads, compute_type):
    global model
    elapsed, model = timed(lambda: faster_whisper.WhisperModel(
        path, device="cpu", compute_type=compute_type, cpu_threads=threads, local_files_only=True))
    return {"load_ms": elapsed}


def window(beams, tokens):
    prompt = [model.hf_tokenizer.token_to_id("<|startoftranscript|>"),
              model.hf_tokenizer.token_to_id("<|notimestamps|>")]
    mel, features = timed(lambda: model.feature_extractor(WINDOW)[:, :3000])
    encode, encoded = timed(lambda: model.encode(features))
    # CTranslate2 stops at half of max_length.
    decode, results = timed(lambda: model.model.generate(
        encoded, [prompt], beam_size=beams, max_length=2 * tokens, suppress_blank=True, suppress_tokens=[-1]))
    return {"mel_ms": mel, "encode_ms": encode, "decode_ms": decode, "window_ms": mel + encode + decode,
            "tokens": len(results[0].sequences_ids[0])}


def recording(path, beams, batch=1, language="en", previous=False, vad=False, fallback=False, hotwords=None):
    options = {"beam_size": beams, "language": language, "hotwords": hotwords}
    if not fallback:
        options["temperature"] = 0

    def transcribe():
        if batch > 1:
            pipeline = faster_whisper.BatchedInferencePipeline(model)
            segments, _ = pipeline.transcribe(path, batch_size=batch, without_timestamps=False, **options)
        else:
            segments, _ = model.transcribe(path, condition_on_previous_text=previous, vad_filter=vad, **options)
        return "".join(segment.text for segment in segments)

    elapsed, text = timed(transcribe)
    return {"file_ms": elapsed, "text": text}


def subtitles(path, output, language, words):
    """Writes a cue for each segment, as it has no writer."""
    def clock(seconds):
        thousandths = round(seconds * 1000)
        return f"{thousandths // 3_600_000:02}:{thousandths // 60_000 % 60:02}:{thousandths // 1000 % 60:02},{thousandths % 1000:03}"

    segments, _ = model.transcribe(path, language=language, vad_filter=True, word_timestamps=words)
    with open(output, "w") as file:
        for number, segment in enumerate(segments, 1):
            file.write(f"{number}\n{clock(segment.start)} --> {clock(segment.end)}\n{segment.text.strip()}\n\n")
    return {}


ctranslate2.set_log_level(40)
serve({"load": load, "window": window, "recording": recording, "subtitles": subtitles})
