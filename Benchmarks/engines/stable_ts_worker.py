"""stable-ts (openai-whisper with its own word times and division into cues)."""
import stable_whisper
import torch

from worker import samples, serve, timed

model = None


def load(path, threads, compute_type):
    global model
    torch.set_num_threads(threads)
    elapsed, model = timed(lambda: stable_whisper.load_model(path, device="cpu"))
    return {"load_ms": elapsed}


def subtitles(path, output, language, words):
    """Writes SRT as its command line does, without highlighting words."""
    result = model.transcribe(samples(path), fp16=False, language=language, verbose=None)
    result.to_srt_vtt(output, segment_level=True, word_level=False)
    return {}


serve({"load": load, "subtitles": subtitles})
