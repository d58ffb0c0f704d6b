"""One model's weights in every peer's file.

    from models import convert
"""
import json

import numpy as np

from ggml import read_ggml, write_ggml
from make_random_model import END_OF_TEXT


def write_pt(path, d, tensors):
    import torch
    state = {name: torch.from_numpy(np.array(x)).half() for name, x in tensors.items()}
    torch.save({"dims": d, "model_state_dict": state}, path)


def transformers_name(name):
    parts = name.split(".")
    side = parts[0]
    if parts[1] in ("conv1", "conv2"):
        return f"model.encoder.{parts[1]}.{parts[2]}"
    if parts[1] == "positional_embedding":
        return f"model.{side}.embed_positions.weight"
    if parts[1] == "token_embedding":
        return "model.decoder.embed_tokens.weight"
    if parts[1] in ("ln_post", "ln"):
        return f"model.{side}.layer_norm.{parts[2]}"
    layer = f"model.{side}.layers.{parts[2]}"
    if parts[3] in ("attn", "cross_attn"):
        attention = {"attn": "self_attn", "cross_attn": "encoder_attn"}[parts[3]]
        part = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "out": "out_proj"}[parts[4]]
        return f"{layer}.{attention}.{part}.{parts[5]}"
    if parts[3] == "mlp":
        return f"{layer}.{ {'0': 'fc1', '2': 'fc2'}[parts[4]] }.{parts[5]}"
    norm = {"attn_ln": "self_attn_layer_norm", "cross_attn_ln": "encoder_attn_layer_norm",
            "mlp_ln": "final_layer_norm"}[parts[3]]
    return f"{layer}.{norm}.{parts[4]}"


def special_tokens():
    names = (["<|endoftext|>", "<|startoftranscript|>"] + [f"<|{code}|>" for code in LANGUAGES]
             + ["<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>",
                "<|notimestamps|>"] + [f"<|{i * 0.02:.2f}|>" for i in range(1501)])
    return {name: END_OF_TEXT + i for i, name in enumerate(names)}


LANGUAGES = ("en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt "
             "la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc "
             "ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su").split()


def merges(vocabulary):
    """The merge list, recovered by splitting every token with the ranks below its own."""
    rank = {token: i for i, token in enumerate(vocabulary)}
    found = []
    for own, token in enumerate(vocabulary):
        parts = [bytes([byte]) for byte in token]
        while len(parts) > 2:
            pairs = [(rank.get(parts[i] + parts[i + 1], own), i) for i in range(len(parts) - 1)]
            best, at = min(pairs)
            if best >= own:
                break
            parts[at:at + 2] = [parts[at] + parts[at + 1]]
        if len(parts) == 2:
            found.append(parts)
    return found


def tokenizer(vocabulary):
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in printable]
    letters = {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(hidden)}

    def shown(token):
        return "".join(letters[byte] for byte in token)

    specials = special_tokens()
    ids = {shown(token): i for i, token in enumerate(vocabulary)} | {"<|endoftext|>": END_OF_TEXT}
    added = [{"id": i, "content": name, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
              "special": i < specials["<|0.00|>"]} for name, i in specials.items()]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
            "pre_tokenizer": byte_level, "post_processor": None, "decoder": byte_level,
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                      "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                      "vocab": ids, "merges": [f"{shown(a)} {shown(b)}" for a, b in merges(vocabulary)]}}


def write_transformers(folder, d, vocabulary, tensors):
    """A folder as Hugging Face's transformers reads it."""
    from safetensors.numpy import save_file
    folder.mkdir(parents=True, exist_ok=True)
    save_file({transformers_name(name): np.ascontiguousarray(x.astype(np.float16)) for name, x in tensors.items()},
              str(folder / "model.safetensors"), metadata={"format": "pt"})
    start = END_OF_TEXT + 1
    blank = vocabulary.index(b" ")
    ends = {"bos_token_id": END_OF_TEXT, "eos_token_id": END_OF_TEXT, "pad_token_id": END_OF_TEXT,
            "decoder_start_token_id": start, "begin_suppress_tokens": [blank, END_OF_TEXT]}
    config = ends | {
        "architectures": ["WhisperForConditionalGeneration"], "model_type": "whisper", "activation_function": "gelu",
        "d_model": d["n_audio_state"], "encoder_attention_heads": d["n_audio_head"],
        "encoder_layers": d["n_audio_layer"], "encoder_ffn_dim": 4 * d["n_audio_state"],
        "decoder_attention_heads": d["n_text_head"], "decoder_layers": d["n_text_layer"],
        "decoder_ffn_dim": 4 * d["n_text_state"], "is_encoder_decoder": True,
        "max_source_positions": d["n_audio_ctx"], "max_target_positions": d["n_text_ctx"],
        "num_hidden_layers": d["n_audio_layer"], "num_mel_bins": d["n_mels"], "scale_embedding": False,
        "torch_dtype": "float16", "use_cache": True, "vocab_size": d["n_vocab"]}
    heads = [[layer, head] for layer in range(d["n_text_layer"] // 2, d["n_text_layer"])
             for head in range(d["n_text_head"])]
    generation = ends | {
        "alignment_heads": heads, "is_multilingual": False, "max_initial_timestamp_index": 50,
        "max_length": d["n_text_ctx"], "no_timestamps_token_id": special_tokens()["<|notimestamps|>"],
        "prev_sot_token_id": special_tokens()["<|startofprev|>"], "return_timestamps": False}
    preprocessor = {"chunk_length": 30, "feature_extractor_type": "WhisperFeatureExtractor",
                    "feature_size": d["n_mels"], "hop_length": 160, "n_fft": 400, "n_samples": 480_000,
                    "nb_max_frames": 3000, "padding_side": "right", "padding_value": 0.0,
                    "processor_class": "WhisperProcessor", "return_attention_mask": False, "sampling_rate": 16_000}
    for name, value in (("config.json", config), ("generation_config.json", generation),
                        ("preprocessor_config.json", preprocessor), ("tokenizer.json", tokenizer(vocabulary))):
        (folder / name).write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def convert(ggml, folder):
    """The weights of `ggml` in every peer's file, made in `folder`: Q8_0, `.pt`, a folder for CTranslate2."""
    from ctranslate2.converters import TransformersConverter
    stem = ggml.stem
    pt, plain, ct2 = folder / f"{stem}.pt", folder / f"{stem}-transformers", folder / f"{stem}-ct2"
    quantised = folder / f"{stem}-q8_0.bin"
    if not (ct2 / "model.bin").exists():
        d, filters, vocabulary, tensors = read_ggml(ggml)
        write_ggml(quantised, d, filters, vocabulary, tensors.items(), "q8_0")
        write_pt(pt, d, tensors)
        write_transformers(plain, d, vocabulary, tensors)
        TransformersConverter(str(plain), copy_files=["tokenizer.json", "preprocessor_config.json"],
                              load_as_float16=True).convert(str(ct2), quantization="float32", force=True)
    return {"ggml": str(ggml), "q8_0": str(quantised), "pt": str(pt), "ct2": str(ct2)}
