"""Parakeet in Hugging Face's transformers (PyTorch)."""
import torch
import transformers

from worker import hears, timed

model = processor = None
#: Milliseconds that the encoder took last.
encode = None


def load(path, threads, compute_type):
    global model, processor
    torch.set_num_threads(threads)
    elapsed, model = timed(lambda: transformers.AutoModelForTDT.from_pretrained(
        path, dtype=getattr(torch, compute_type)).eval())
    processor = transformers.AutoProcessor.from_pretrained(path)
    encoder = model.get_audio_features

    def measured(*arguments, **options):
        global encode
        encode, result = timed(lambda: encoder(*arguments, **options))
        return result

    # `generate` calls it.
    model.get_audio_features = measured
    return {"load_ms": elapsed}


@torch.inference_mode()
def hear(audio):
    mel, inputs = timed(lambda: processor(audio, sampling_rate=16_000, return_tensors="pt"))
    inputs["input_features"] = inputs["input_features"].to(model.dtype)
    elapsed, found = timed(lambda: model.generate(**inputs))
    pieces = processor.tokenizer.convert_ids_to_tokens(found.sequences[0])
    return {"mel_ms": mel, "encode_ms": encode, "decode_ms": elapsed - encode}, pieces


hears(load, hear)
