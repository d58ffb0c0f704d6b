#!/usr/bin/env python3
"""Fixtures/formats: pico.en, a small model with random weights, in CTranslate2's number formats and as sharded safetensors.

The weights are float16 numbers. The vocabularies are left out, because tests write them. The rows of the token
embedding repeat, so that the files compress well. `dequantized.json` holds the weights of some quantized matrices, as
CTranslate2 computes them.
"""
import shutil
import tempfile
from pathlib import Path

import numpy as np
from ctranslate2.specs import WhisperSpec
from safetensors.numpy import save_file

import common
import ctranslate2_model
from models import random_weights

QUANTIZATIONS = ["float32", "float16", "bfloat16", "int16", "int8_float32", "int8_float16", "int8_bfloat16"]
DIMENSIONS = {"n_mels": 80, "n_vocab": 51864, "n_audio_ctx": 1500, "n_text_ctx": 448,
              "n_audio_state": 4, "n_audio_head": 2, "n_audio_layer": 2,
              "n_text_state": 4, "n_text_head": 2, "n_text_layer": 1}
ALIGNMENT_HEADS = [[0, 1]]
DISTINCT_ROWS = 509
SHARDS = 3

# Some of the quantized matrices, under CTranslate2's names.
DEQUANTIZED = ["encoder/layer_1/self_attention/linear_0", "decoder/layer_0/attention/linear_1",
               "decoder/layer_0/ffn/linear_1"]


def main():
    folder = common.parse_output(__doc__) / "formats"
    tensors = weights()
    for quantization in QUANTIZATIONS:
        write_ctranslate2(folder / f"ct2-{quantization}", tensors, quantization)
    write_hugging_face(folder / "hf-sharded", tensors)
    common.write_json(folder / "dequantized.json", {
        quantization: {name: dequantized(name, folder / f"ct2-{quantization}") for name in DEQUANTIZED}
        for quantization in QUANTIZATIONS if quantization.startswith("int")})


def weights():
    tensors = random_weights(DIMENSIONS)
    rows = tensors["decoder.token_embedding.weight"]
    tensors["decoder.token_embedding.weight"] = np.resize(rows[:DISTINCT_ROWS], rows.shape)
    return tensors


# CTranslate2


def write_ctranslate2(folder, tensors, quantization):
    spec = WhisperSpec(DIMENSIONS["n_audio_layer"], DIMENSIONS["n_audio_head"],
                       DIMENSIONS["n_text_layer"], DIMENSIONS["n_text_head"])
    # A copy, because CTranslate2 quantizes in place.
    ctranslate2_model.set_weights(spec, {name: tensor.copy() for name, tensor in tensors.items()})
    spec.config.alignment_heads = ALIGNMENT_HEADS
    spec.register_vocabulary([str(token) for token in range(DIMENSIONS["n_vocab"])])
    spec.validate()
    spec.optimize(quantization)
    with tempfile.TemporaryDirectory() as temporary:
        spec.save(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("model.bin", "config.json"):
            shutil.copyfile(Path(temporary) / name, folder / name)


def dequantized(name, folder):
    """The weights of a matrix as CTranslate2 computes them: each number times the reciprocal of its scale."""
    variables = read_variables((folder / "model.bin").read_bytes())
    scale = np.atleast_1d(variables[f"{name}/weight_scale"])[:, None]
    return (variables[f"{name}/weight"].astype(np.float32) * (np.float32(1) / scale)).tolist()


def read_variables(data):
    """The variables with a number format that numpy knows."""
    offset = 0

    def number(size):
        nonlocal offset
        offset += size
        return int.from_bytes(data[offset - size:offset], "little")

    def text():
        nonlocal offset
        length = number(2)
        offset += length
        return data[offset - length:offset - 1].decode()

    variables = {}
    version, name, _, count = number(4), text(), number(4), number(4)
    assert (version, name) == (6, "WhisperSpec")
    for _ in range(count):
        name, rank = text(), number(1)
        shape = [number(4) for _ in range(rank)]
        dtype = {0: "<f4", 1: "i1", 2: "<i2", 4: "<f2"}.get(number(1))
        size = number(4)
        if dtype:
            variables[name] = np.frombuffer(data[offset:offset + size], dtype).reshape(shape)
        offset += size
    return variables


# Hugging Face


def write_hugging_face(folder, tensors):
    folder.mkdir(parents=True, exist_ok=True)
    named = {hugging_face_name(name): tensor.astype(np.float16) for name, tensor in tensors.items()}
    names = sorted(named)
    shards = [names[shard::SHARDS] for shard in range(SHARDS)]
    files = {}
    for shard, members in enumerate(shards):
        file = f"model-{shard + 1:05}-of-{SHARDS:05}.safetensors"
        save_file({name: named[name] for name in members}, folder / file, metadata={"format": "pt"})
        (folder / file).chmod(0o644)
        files |= {name: file for name in members}
    common.write_json(folder / "model.safetensors.index.json", {
        "metadata": {"total_size": sum(tensor.nbytes for tensor in named.values())},
        "weight_map": dict(sorted(files.items()))}, indent=2)
    width = DIMENSIONS["n_audio_state"]
    common.write_json(folder / "config.json", {
        "model_type": "whisper", "activation_function": "gelu", "scale_embedding": False,
        "vocab_size": DIMENSIONS["n_vocab"], "num_mel_bins": DIMENSIONS["n_mels"], "d_model": width,
        "encoder_layers": DIMENSIONS["n_audio_layer"], "encoder_attention_heads": DIMENSIONS["n_audio_head"],
        "decoder_layers": DIMENSIONS["n_text_layer"], "decoder_attention_heads": DIMENSIONS["n_text_head"],
        "encoder_ffn_dim": 4 * width, "decoder_ffn_dim": 4 * width,
        "max_source_positions": DIMENSIONS["n_audio_ctx"], "max_target_positions": DIMENSIONS["n_text_ctx"]}, indent=2)
    common.write_json(folder / "generation_config.json", {
        "alignment_heads": ALIGNMENT_HEADS, "is_multilingual": False, "eos_token_id": 50256,
        "decoder_start_token_id": 50257, "no_timestamps_token_id": 50362, "prev_sot_token_id": 50360}, indent=2)


def hugging_face_name(name):
    parts = {"positional_embedding": "embed_positions.weight", "token_embedding": "embed_tokens",
             "ln_post": "layer_norm", "ln": "layer_norm", "blocks": "layers", "attn": "self_attn",
             "attn_ln": "self_attn_layer_norm", "cross_attn": "encoder_attn",
             "cross_attn_ln": "encoder_attn_layer_norm", "mlp_ln": "final_layer_norm", "query": "q_proj",
             "key": "k_proj", "value": "v_proj", "out": "out_proj"}
    name = name.replace("mlp.0", "fc1").replace("mlp.2", "fc2")
    return "model." + ".".join(parts.get(part, part) for part in name.split("."))


if __name__ == "__main__":
    main()
