"""whisper-streaming: live recognition (LocalAgreement) with faster-whisper, in simulated time.

A pass covers all audio that has arrived and takes as much simulated time as its CPU time. The window is 15 s, the default of
the original implementation; the package's other way to trim it, by sentences, is not finished.
"""
import time

import numpy as np
from whisper_streaming.backend.faster_whisper_backend import (FasterWhisperFeatureExtractorConfig,
                                                              FasterWhisperModelConfig, FasterWhisperTranscribeConfig)
from whisper_streaming.base import Backend
from whisper_streaming.processor import ASRProcessor, TimeTrimming

from worker import samples, serve

SAMPLE_RATE = 16_000
WINDOW_SECONDS = 15


model = None


def load(path, threads, compute_type):
    global model
    model = FasterWhisperModelConfig(path, device="cpu", compute_type=compute_type, cpu_threads=threads, local_files_only=True)
    return {"load_ms": 0}


def live(path, language, step=1):
    """Latencies are measured from the ends of words as the peer reports them."""
    committed = []
    processor = ASRProcessor(
        ASRProcessor.ProcessorConfig(sampling_rate=SAMPLE_RATE, prompt_size=200, audio_receiver_timeout=0,
                                     audio_trimming=TimeTrimming(WINDOW_SECONDS), language=language),
        None, [], Backend.FASTER_WHISPER, model, FasterWhisperTranscribeConfig(), FasterWhisperFeatureExtractorConfig())
    insert = processor._transcription_buffer.insert

    def record(words):
        new = insert(words)
        committed.extend(new)
        return new

    processor._transcription_buffer.insert = record
    audio = samples(path)
    seconds = len(audio) / SAMPLE_RATE
    done, clock, costs, latencies, text = 0, 0.0, [], [], ""
    while done < len(audio):
        clock = min(max(clock, done / SAMPLE_RATE + step), max(clock, seconds))
        arrived = min(len(audio), int(clock * SAMPLE_RATE))
        start, count = time.process_time(), len(committed)
        processor._process(np.ascontiguousarray(audio[done:arrived]))
        costs.append(time.process_time() - start)
        clock, done = clock + costs[-1], arrived
        latencies += [clock - word.end for word in committed[count:]]
    rest = processor._transcription_buffer.transcriptions_in_limbo
    latencies += [clock - word.end for word in rest]
    text = "".join(word.word for word in committed + rest)
    latencies = np.maximum(latencies, 0)
    return {"text": text, "final": float(np.mean(latencies)), "final95": float(np.percentile(latencies, 95)),
            "pass": float(np.mean(costs)), "speed": sum(costs) / seconds}


serve({"load": load, "live": live})
