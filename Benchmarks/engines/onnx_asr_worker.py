"""Parakeet in onnx-asr (onnxruntime)."""
import numpy as np
import onnx_asr
import onnxruntime

from worker import hears, timed

model = None


def load(path, threads, compute_type):
    global model
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    elapsed, loaded = timed(lambda: onnx_asr.load_model(
        "nemo-conformer-tdt", path, quantization=None if compute_type == "float32" else compute_type, sess_options=options,
        providers=["CPUExecutionProvider"]))
    model = loaded.asr
    return {"load_ms": elapsed}


def hear(audio):
    mel, features = timed(lambda: model._preprocessor(audio[None], np.array([len(audio)])))
    encode, encoded = timed(lambda: model._encode(*features))
    decode, ((ids, *_),) = timed(lambda: list(model._decoding(*encoded)))
    return {"mel_ms": mel, "encode_ms": encode, "decode_ms": decode}, [model._vocab[number] for number in ids]


hears(load, hear)
