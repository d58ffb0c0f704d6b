"""whisper.cpp, through pywhispercpp."""
import _pywhispercpp as pw
import pywhispercpp.model

from worker import WINDOW, samples, serve, timed

#: Models by beam size: pywhispercpp chooses between greedy and beam search when it loads a model.
models = {}
model_path = None
thread_count = None


def model_for(beams):
    if beams not in models:
        options = {"beam_search": {"beam_size": beams, "patience": -1.0}} if beams > 1 else {}
        models[beams] = pywhispercpp.model.Model(
            model_path, params_sampling_strategy=int(beams > 1), redirect_whispercpp_logs_to=None,
            n_threads=thread_count, print_progress=False, print_realtime=False, language="en", **options)
    return models[beams]


def load(path, threads, compute_type):
    global model_path, thread_count
    model_path, thread_count = path, threads
    elapsed, _ = timed(lambda: model_for(1))
    return {"load_ms": elapsed}


def window(beams, tokens):
    model = model_for(beams)
    context = model._ctx
    mel, _ = timed(lambda: pw.whisper_pcm_to_mel(context, WINDOW, len(WINDOW), thread_count))
    encode, _ = timed(lambda: pw.whisper_encode(context, 0, thread_count))
    # With these thresholds it never falls back to a higher temperature, no matter how bad the text is.
    elapsed, _ = timed(lambda: model.transcribe(
        WINDOW, no_timestamps=True, single_segment=True, max_tokens=tokens, temperature_inc=0.0, entropy_thold=-1e9,
        logprob_thold=-1e9, no_speech_thold=2.0, no_context=True))
    count = sum(pw.whisper_full_n_tokens(context, i) for i in range(pw.whisper_full_n_segments(context)))
    return {"mel_ms": mel, "encode_ms": encode, "decode_ms": elapsed - mel - encode, "window_ms": elapsed,
            "tokens": count}


def recording(path, beams, batch=1, language="en", previous=False, fallback=False):
    model = model_for(beams)
    audio = samples(path)
    elapsed, segments = timed(lambda: model.transcribe(
        audio, language=language, no_timestamps=False, single_segment=False, max_tokens=0,
        temperature_inc=0.2 if fallback else 0.0, entropy_thold=2.4, logprob_thold=-1.0, no_speech_thold=0.6,
        no_context=not previous))
    return {"file_ms": elapsed, "text": " ".join(segment.text for segment in segments)}


serve({"load": load, "window": window, "recording": recording})
