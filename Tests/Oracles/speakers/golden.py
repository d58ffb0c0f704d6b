"""Computes Tests/Fixtures/speakers with numpy: golden.py SPEECH MODELS [FOLDER]

SPEECH is the folder of recordings and MODELS that of speakers.safetensors and speakers-2022.safetensors, which
`scripts/setup.sh --tests` installs.
Takes about ten minutes.
"""
import json
import struct
import sys
import wave
from pathlib import Path

import numpy as np

import networks as nets
import pipeline

# Where the recordings of a conversation begin, in seconds: three voices, with overlaps and pauses.
CONVERSATION = [
    ("en/agent-alreadyon.wav", 0.5), ("fr/agent-newlocation.wav", 6.5), ("en/agent-newlocation.wav", 13.5),
    ("ru/agent-incorrect.wav", 17.0), ("fr/agent-user.wav", 21.0), ("fr/agent-incorrect.wav", 26.0),
    ("ru/agent-newlocation.wav", 31.5), ("en/agent-incorrect.wav", 34.2), ("ru/agent-user.wav", 38.5),
    ("fr/agent-pass.wav", 43.5), ("en/agent-user.wav", 46.0), ("ru/agent-pass.wav", 51.0),
]
CONVERSATION_SECONDS = 54


def pcm(path):
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16000, 1, 2)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.int64)


def mixed(speech, clips, length):
    samples = np.zeros(length, np.int64)
    for clip, start in clips:
        at = int(start * 16000)
        part = pcm(speech / clip)[:length - at]
        samples[at:at + len(part)] += part
    return (np.clip(samples, -32768, 32767) / 32768).astype(np.float32)


def save(path, tensors):
    header, data, offset = {}, [], 0
    for name, array in tensors.items():
        array = np.ascontiguousarray(array, np.float32)
        header[name] = dict(dtype="F32", shape=list(array.shape), data_offsets=[offset, offset + array.nbytes])
        data.append(array.tobytes())
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data))


def segmented(segmenter, samples):
    """The first window, padded with silence."""
    size = nets.seconds(segmenter) * 16000
    chunk = np.zeros(size, np.float32)
    chunk[:min(size, len(samples))] = samples[:size]
    return nets.segmentation(segmenter, chunk)


def stages(segmenter, encoder, samples):
    s = segmented(segmenter, samples)
    features = nets.fbank80(samples[:int(1.2 * 16000)])
    c = nets.campplus(encoder, features)
    return {"sum": [samples.sum(dtype=np.float64)], "sinc.every4": s["sinc"][::4], "lstm.every16": s["lstm"][::16],
            "logits": s["logits"], "features": features, "head.every8": c["head"][:, ::8], "pooled": c["pooled"],
            "embedding": c["embedding"]}


def main(speech, models, folder):
    segmenter, encoder = nets.load(models / "speakers.safetensors")
    multilabel, _ = nets.load(models / "speakers-2022.safetensors")
    # One voice; two of which the second begins after 2.5 s; less than a window.
    one = pcm(speech / "en/agent-alreadyon.wav")
    clips = {"one": mixed(speech, [("en/agent-alreadyon.wav", 0)], len(one)),
             "two": mixed(speech, [("en/agent-alreadyon.wav", 0), ("fr/agent-incorrect.wav", 2.5)], 160000),
             "short": mixed(speech, [("it/conf-onlyone.wav", 0)], len(pcm(speech / "it/conf-onlyone.wav")))}
    for name, samples in clips.items():
        save(folder / f"{name}.safetensors", stages(segmenter, encoder, samples))
    first = {name: segmented(multilabel, samples) for name, samples in clips.items()}
    save(folder / "multilabel.safetensors",
         {f"{name}.logits": s["logits"] for name, s in first.items()}
         | {"two.sinc.every4": first["two"]["sinc"][::4], "two.lstm.every16": first["two"]["lstm"][::16]})
    # Five seconds, 2.7 seconds, and a long voice window: networks of other lengths.
    samples = clips["two"]
    save(folder / "lengths.safetensors", {
        "logits.80000": nets.segmentation(segmenter, samples[:80000])["logits"],
        "logits.43210": nets.segmentation(segmenter, samples[:43210])["logits"],
        "embedding.5000": nets.campplus(encoder, nets.fbank80(samples[:5000]))["embedding"],
        "embedding.80000": nets.campplus(encoder, nets.fbank80(samples[:80000]))["embedding"]})
    save(folder / "filters.safetensors", {
        "sinc": nets.sinc_filters(segmenter)[:, 0, :126], "kaldi": nets.kaldi_filters()})
    samples = mixed(speech, CONVERSATION, CONVERSATION_SECONDS * 16000)
    log = {}
    turns = pipeline.diarize(samples, segmenter, encoder, log=log)
    sets = (log["talk"] * [1, 2, 4]).sum(axis=2)
    save(folder / "conversation.safetensors", {
        "sum": [samples.sum(dtype=np.float64)], "talk": sets, "expected": log["expected"], "people": log["people"], "windows": log["windows"],
        "points": log["points"], "labels": log["labels"], "similarities": log["similarities"], "turns": turns,
        "exactly2": pipeline.cluster(log["points"], pipeline.CAMPPLUS, speakers=2),
        "exactly5": pipeline.cluster(log["points"], pipeline.CAMPPLUS, speakers=5)})
    log = {}
    turns = pipeline.diarize(samples, multilabel, encoder, log=log)
    save(folder / "conversation-multilabel.safetensors",
         {"people": log["people"], "labels": log["labels"], "turns": turns})
    (folder / "conversation.json").write_text(json.dumps(
        {"seconds": CONVERSATION_SECONDS, "clips": [{"file": file, "start": start} for file, start in CONVERSATION]},
        indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]),
         Path(sys.argv[3]) if len(sys.argv) == 4 else Path(__file__).parents[2] / "Fixtures/speakers")
