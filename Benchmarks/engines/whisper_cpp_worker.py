"""whisper.cpp, through pywhispercpp."""
import pywhispercpp.model
import _pywhispercpp as pw

from worker import WINDOW, resident, samples, serve, timed

models = {}
base = resident()
path = None
threads_used = 2


def made(beams):
    if beams not in models:
        options = {"beam_search": {"beam_size": beams, "patience": -1.0}} if beams > 1 else {}
        models[beams] = pywhispercpp.model.Model(
            path, params_sampling_strategy=int(beams > 1), redirect_whispercpp_logs_to=None, n_threads=threads_used,
            print_progress=False, print_realtime=False, language="en", **options)
    return models[beams]


def load(model_path, threads, compute_type):
    global path, threads_used
    path, threads_used = model_path, threads
    elapsed, _ = timed(lambda: made(1))
    return {"load_ms": elapsed, "base_bytes": base}


def window(beams, tokens):
    model = made(beams)
    context = model._ctx
    mel, _ = timed(lambda: pw.whisper_pcm_to_mel(context, WINDOW, len(WINDOW), threads_used))
    encode, _ = timed(lambda: pw.whisper_encode(context, 0, threads_used))
    # No second attempt at a higher temperature, whatever the text is worth.
    elapsed, found = timed(lambda: model.transcribe(
        WINDOW, no_timestamps=True, single_segment=True, max_tokens=tokens, temperature_inc=0.0, entropy_thold=-1e9,
        logprob_thold=-1e9, no_speech_thold=2.0, no_context=True))
    count = sum(pw.whisper_full_n_tokens(context, i) for i in range(pw.whisper_full_n_segments(context)))
    return {"mel_ms": mel, "encode_ms": encode, "decode_ms": elapsed - mel - encode, "window_ms": elapsed,
            "tokens": count}


def file(path, beams, batch):
    model = made(beams)
    sound = samples(path)
    elapsed, found = timed(lambda: model.transcribe(
        sound, no_timestamps=False, single_segment=False, max_tokens=0, temperature_inc=0.0, entropy_thold=2.4,
        logprob_thold=-1.0, no_speech_thold=0.6, no_context=True))
    return {"file_ms": elapsed, "text": " ".join(segment.text for segment in found)}


serve({"load": load, "window": window, "file": file})
