#!/usr/bin/env python3
"""Writes one model in the format of every peer and prints the paths by format, as JSON.

    .build/peers/bin/python Benchmarks/convert.py MODEL FOLDER

MODEL is nano.en or the size of a model with random weights, which is generated first. compare.py calls this with the
Python of the peers' environment, which has the packages it needs.
"""
import argparse
import json
from pathlib import Path

import numpy as np

from ggml import read_ggml, write_ggml
from harness import NANO
from make_random_model import END_OF_TEXT, SIZES, generate_once

LANGUAGES = ("en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt "
             "la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc "
             "ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su").split()
ATTENTION = {"attn": "self_attn", "cross_attn": "encoder_attn"}
PROJECTIONS = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "out": "out_proj"}
MLP = {"0": "fc1", "2": "fc2"}
NORMS = {"attn_ln": "self_attn_layer_norm", "cross_attn_ln": "encoder_attn_layer_norm", "mlp_ln": "final_layer_norm"}


def write_pt(path, dimensions, tensors):
    """Writes a checkpoint for openai-whisper."""
    import torch
    state = {name: torch.from_numpy(np.array(tensor)).half() for name, tensor in tensors.items()}
    torch.save({"dims": dimensions, "model_state_dict": state}, path)


def transformers_name(name):
    """The name in Hugging Face's transformers of a tensor of openai-whisper."""
    side, *rest = name.split(".")
    if rest[0] in ("conv1", "conv2"):
        return f"model.encoder.{rest[0]}.{rest[1]}"
    if rest[0] == "positional_embedding":
        return f"model.{side}.embed_positions.weight"
    if rest[0] == "token_embedding":
        return "model.decoder.embed_tokens.weight"
    if rest[0] in ("ln_post", "ln"):
        return f"model.{side}.layer_norm.{rest[1]}"
    _, layer, module, *rest = rest
    prefix = f"model.{side}.layers.{layer}"
    if module in ATTENTION:
        return f"{prefix}.{ATTENTION[module]}.{PROJECTIONS[rest[0]]}.{rest[1]}"
    if module == "mlp":
        return f"{prefix}.{MLP[rest[0]]}.{rest[1]}"
    return f"{prefix}.{NORMS[module]}.{rest[0]}"


def special_tokens():
    names = (["<|endoftext|>", "<|startoftranscript|>"] + [f"<|{code}|>" for code in LANGUAGES]
             + ["<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>",
                "<|notimestamps|>"] + [f"<|{i * 0.02:.2f}|>" for i in range(1501)])
    return {name: END_OF_TEXT + i for i, name in enumerate(names)}


def merges(vocabulary):
    """The list of merges, recovered by splitting every token with the merges that rank before it."""
    ranks = {token: i for i, token in enumerate(vocabulary)}
    pairs = []
    for rank, token in enumerate(vocabulary):
        parts = [bytes([byte]) for byte in token]
        while len(parts) > 2:
            best, i = min((ranks.get(parts[i] + parts[i + 1], rank), i) for i in range(len(parts) - 1))
            if best >= rank:
                break
            parts[i:i + 2] = [parts[i] + parts[i + 1]]
        if len(parts) == 2:
            pairs.append(parts)
    return pairs


def tokenizer(vocabulary):
    """The content of tokenizer.json."""
    # Bytes that are printable in Latin-1 stand for themselves; the others follow from U+0100 on.
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    characters = {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}

    def printed(token):
        return "".join(characters[byte] for byte in token)

    specials = special_tokens()
    ids = {printed(token): i for i, token in enumerate(vocabulary)} | {"<|endoftext|>": END_OF_TEXT}
    added = [{"id": i, "content": name, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
              "special": i < specials["<|0.00|>"]} for name, i in specials.items()]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
            "pre_tokenizer": byte_level, "post_processor": None, "decoder": byte_level,
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                      "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                      "vocab": ids, "merges": [f"{printed(a)} {printed(b)}" for a, b in merges(vocabulary)]}}


def write_transformers(folder, dimensions, vocabulary, tensors):
    """Writes a folder that Hugging Face's transformers and CTranslate2's converter read."""
    from safetensors.numpy import save_file
    folder.mkdir(parents=True, exist_ok=True)
    save_file({transformers_name(name): np.ascontiguousarray(tensor.astype(np.float16))
               for name, tensor in tensors.items()}, str(folder / "model.safetensors"), metadata={"format": "pt"})
    ids = {"bos_token_id": END_OF_TEXT, "eos_token_id": END_OF_TEXT, "pad_token_id": END_OF_TEXT,
           "decoder_start_token_id": END_OF_TEXT + 1,
           "begin_suppress_tokens": [vocabulary.index(b" "), END_OF_TEXT]}
    config = ids | {
        "architectures": ["WhisperForConditionalGeneration"], "model_type": "whisper", "activation_function": "gelu",
        "d_model": dimensions["n_audio_state"], "encoder_attention_heads": dimensions["n_audio_head"],
        "encoder_layers": dimensions["n_audio_layer"], "encoder_ffn_dim": 4 * dimensions["n_audio_state"],
        "decoder_attention_heads": dimensions["n_text_head"], "decoder_layers": dimensions["n_text_layer"],
        "decoder_ffn_dim": 4 * dimensions["n_text_state"], "is_encoder_decoder": True,
        "max_source_positions": dimensions["n_audio_ctx"], "max_target_positions": dimensions["n_text_ctx"],
        "num_hidden_layers": dimensions["n_audio_layer"], "num_mel_bins": dimensions["n_mels"],
        "scale_embedding": False, "torch_dtype": "float16", "use_cache": True, "vocab_size": dimensions["n_vocab"]}
    layers = dimensions["n_text_layer"]
    generation = ids | {
        "alignment_heads": [[layer, head] for layer in range(layers // 2, layers)
                            for head in range(dimensions["n_text_head"])],
        "is_multilingual": False, "max_initial_timestamp_index": 50, "max_length": dimensions["n_text_ctx"],
        "no_timestamps_token_id": special_tokens()["<|notimestamps|>"],
        "prev_sot_token_id": special_tokens()["<|startofprev|>"], "return_timestamps": False}
    preprocessor = {"chunk_length": 30, "feature_extractor_type": "WhisperFeatureExtractor",
                    "feature_size": dimensions["n_mels"], "hop_length": 160, "n_fft": 400, "n_samples": 480_000,
                    "nb_max_frames": 3000, "padding_side": "right", "padding_value": 0.0,
                    "processor_class": "WhisperProcessor", "return_attention_mask": False, "sampling_rate": 16_000}
    for name, value in (("config.json", config), ("generation_config.json", generation),
                        ("preprocessor_config.json", preprocessor), ("tokenizer.json", tokenizer(vocabulary))):
        (folder / name).write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def convert(ggml, folder):
    """Converts an English model to Q8_0, `.pt` and CTranslate2's format, unless that was done before.

    Returns the paths by format.
    """
    pt, q8_0 = folder / f"{ggml.stem}.pt", folder / f"{ggml.stem}-q8_0.bin"
    transformers, ct2 = folder / f"{ggml.stem}-transformers", folder / f"{ggml.stem}-ct2"
    if not (ct2 / "model.bin").exists():
        from ctranslate2.converters import TransformersConverter
        dimensions, filters, vocabulary, tensors = read_ggml(ggml)
        write_ggml(q8_0, dimensions, filters, vocabulary, tensors.items(), "q8_0")
        write_pt(pt, dimensions, tensors)
        write_transformers(transformers, dimensions, vocabulary, tensors)
        TransformersConverter(str(transformers), copy_files=["tokenizer.json", "preprocessor_config.json"],
                              load_as_float16=True).convert(str(ct2), quantization="float32", force=True)
    return {"ggml": str(ggml), "q8_0": str(q8_0), "pt": str(pt), "ct2": str(ct2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=["nano.en", *SIZES], metavar="MODEL",
                        help="nano.en or a size such as tiny.en")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder to write to")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    ggml = NANO if options.model == "nano.en" else generate_once(options.model, options.folder)
    print(json.dumps(convert(ggml, options.folder)))


if __name__ == "__main__":
    main()
