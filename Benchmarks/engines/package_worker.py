"""The same calls of faster-whisper or of whisper_local, which has its shape: the package is the first argument."""
import importlib
import sys

from worker import serve, timed

package = importlib.import_module(sys.argv[1])
model = None


def load(path, threads, compute_type):
    global model
    elapsed, model = timed(lambda: package.WhisperModel(
        path, device="cpu", compute_type=compute_type, cpu_threads=threads))
    return {"load_ms": elapsed}


def recording(path, batch, **arguments):
    def transcribe():
        if batch:
            segments, _ = package.BatchedInferencePipeline(model).transcribe(path, batch_size=batch, **arguments)
        else:
            segments, _ = model.transcribe(path, condition_on_previous_text=False, **arguments)
        return "".join(segment.text for segment in segments)

    elapsed, text = timed(transcribe)
    return {"seconds": elapsed / 1000, "text": text}


serve({"load": load, "recording": recording})
