"""Models for the benchmarks: seeded random weights of official dimensions, and one model's weights in every peer's file.

    from models import random_model, convert

Random weights make speed measurable without a download: the arithmetic does not depend on the values. They are drawn so
that the text never ends by itself, hence every engine produces as many tokens as it is told to.
"""
import hashlib
import json
import struct
from pathlib import Path

import numpy as np

KEYS = ("n_vocab n_audio_ctx n_audio_state n_audio_head n_audio_layer n_text_ctx n_text_state n_text_head "
        "n_text_layer n_mels").split()
#: width, heads, layers of encoder and decoder; 80 bands, English vocabulary
SIZES = {"tiny.en": (384, 6, 4, 4), "base.en": (512, 8, 6, 6), "small.en": (768, 12, 12, 12),
         "medium.en": (1024, 16, 24, 24)}
VOCABULARY = 51_864
END_OF_TEXT = 50_256
FLOAT32_ALWAYS = {"encoder.positional_embedding", "decoder.positional_embedding", "encoder.conv1.bias",
                  "encoder.conv2.bias"}


def dimensions(size):
    width, heads, encoder_layers, decoder_layers = SIZES[size]
    return dict(zip(KEYS, (VOCABULARY, 1500, width, heads, encoder_layers, 448, width, heads, decoder_layers, 80)))


def shapes(d):
    """(name, shape) of every tensor in openai-whisper's names."""
    found = []

    def attention(name, n):
        for part in ("query", "key", "value", "out"):
            found.append((f"{name}.{part}.weight", (n, n)))
            if part != "key":
                found.append((f"{name}.{part}.bias", (n,)))

    def norm(name, n):
        found.extend([(name + ".weight", (n,)), (name + ".bias", (n,))])

    def block(name, n, crosses):
        attention(name + ".attn", n)
        norm(name + ".attn_ln", n)
        if crosses:
            attention(name + ".cross_attn", n)
            norm(name + ".cross_attn_ln", n)
        found.extend([(name + ".mlp.0.weight", (4 * n, n)), (name + ".mlp.0.bias", (4 * n,)),
                      (name + ".mlp.2.weight", (n, 4 * n)), (name + ".mlp.2.bias", (n,))])
        norm(name + ".mlp_ln", n)

    n, m = d["n_audio_state"], d["n_text_state"]
    found.append(("encoder.positional_embedding", (d["n_audio_ctx"], n)))
    found.extend([("encoder.conv1.weight", (n, d["n_mels"], 3)), ("encoder.conv1.bias", (n,)),
                  ("encoder.conv2.weight", (n, n, 3)), ("encoder.conv2.bias", (n,))])
    for layer in range(d["n_audio_layer"]):
        block(f"encoder.blocks.{layer}", n, False)
    norm("encoder.ln_post", n)
    found.append(("decoder.positional_embedding", (d["n_text_ctx"], m)))
    found.append(("decoder.token_embedding.weight", (d["n_vocab"], m)))
    for layer in range(d["n_text_layer"]):
        block(f"decoder.blocks.{layer}", m, True)
    norm("decoder.ln", m)
    return found


def random_tensor(name, shape, seed):
    if name == "encoder.positional_embedding":
        half = shape[1] // 2
        rates = np.exp(-np.log(10_000.0) / (half - 1) * np.arange(half))
        angles = np.arange(shape[0])[:, None] * rates[None, :]
        return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
    key = int.from_bytes(hashlib.blake2b(f"{seed}/{name}".encode(), digest_size=8).digest(), "little")
    x = np.random.Generator(np.random.Philox(key=key)).standard_normal(shape, dtype=np.float32)
    if name.endswith("token_embedding.weight"):
        x *= 3.0 / np.sqrt(shape[1])
        x[END_OF_TEXT] *= 0.01
    elif name == "decoder.positional_embedding":
        x *= 6.0 / np.sqrt(shape[1])
    elif len(shape) == 1:
        is_gain = "ln" in name.split(".")[-2] and name.endswith("weight")
        x = 1.0 + 0.1 * x if is_gain else 0.1 * x
    elif len(shape) == 3:
        x *= 1.5 / np.sqrt(shape[1] * shape[2])
    else:
        gain = 1.0
        if ".query." in name or ".key." in name:
            gain = 2.0
        elif name.startswith("decoder") and ".mlp.2." in name:
            gain = 3.0
        x *= gain / np.sqrt(shape[1])
    return x.astype(np.float16).astype(np.float32)


def q8_0(x):
    """Rows of blocks of 32: a float16 scale, then 32 signed bytes."""
    blocks = np.ascontiguousarray(x, dtype=np.float32).reshape(-1, 32)
    scale = np.abs(blocks).max(1) / np.float32(127)
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale != 0)
    values = blocks * inverse[:, None]
    rounded = (np.sign(values) * np.floor(np.abs(values) + 0.5)).astype(np.int8)
    return np.concatenate([scale.astype("<f2").view(np.uint8).reshape(-1, 2), rounded.view(np.uint8)], axis=1).tobytes()


def write_ggml(path, d, filters, vocabulary, tensors, quantised=False):
    """A ggml file in float16, as its converter writes it, or with its matrices in Q8_0."""
    with open(path, "wb") as file:
        file.write(struct.pack("<12i", 0x67676D6C, *(d[key] for key in KEYS), 2007 if quantised else 1))
        file.write(struct.pack("<2i", *filters.shape) + filters.astype("<f4").tobytes())
        file.write(struct.pack("<i", len(vocabulary)))
        for token in vocabulary:
            file.write(struct.pack("<i", len(token)) + token)
        for name, x in tensors:
            if name in ("encoder.conv1.bias", "encoder.conv2.bias"):
                x = x.reshape(-1, 1)
            kind = 0 if x.ndim < 2 or name in FLOAT32_ALWAYS else 8 if quantised and x.ndim == 2 else 1
            file.write(struct.pack("<3i", x.ndim, len(name), kind))
            file.write(struct.pack(f"<{x.ndim}i", *reversed(x.shape)) + name.encode())
            file.write(q8_0(x) if kind == 8 else x.astype("<f2" if kind else "<f4").tobytes())


def read_ggml(path):
    """(dimensions, filters, vocabulary, {name: float32 array}) of a file in float32 or float16."""
    data = memoryview(Path(path).read_bytes())
    at = 0

    def integers(count):
        nonlocal at
        values = struct.unpack_from(f"<{count}i", data, at)
        at += 4 * count
        return values

    def array(count, kind):
        nonlocal at
        values = np.frombuffer(data, dtype=kind, count=count, offset=at)
        at += values.nbytes
        return values

    magic, *numbers, _ = integers(12)
    if magic != 0x67676D6C:
        raise SystemExit(f"{path} is no ggml model")
    d = dict(zip(KEYS, numbers))
    bands, bins = integers(2)
    filters = array(bands * bins, "<f4").reshape(bands, bins)
    vocabulary = []
    for _ in range(integers(1)[0]):
        vocabulary.append(bytes(array(integers(1)[0], "u1")))
    tensors = {}
    while at < len(data):
        rank, length, kind = integers(3)
        shape = tuple(reversed(integers(rank)))
        name = bytes(array(length, "u1")).decode()
        if kind not in (0, 1):
            raise SystemExit(f"{path}: {name} is quantised")
        values = array(int(np.prod(shape)), "<f2" if kind else "<f4").astype(np.float32).reshape(shape)
        tensors[name] = values.reshape(-1) if name.endswith("bias") else values
    return d, filters, vocabulary, tensors


def random_model(size, path, like, seed=1):
    """Random weights of `size`, with the vocabulary and filters of the model `like`."""
    d = dimensions(size)
    _, filters, vocabulary, _ = read_ggml(like)
    write_ggml(path, d, filters, vocabulary, ((name, random_tensor(name, shape, seed)) for name, shape in shapes(d)))


# ------------------------------------------------------------------------------------ the peers' files

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
        write_ggml(quantised, d, filters, vocabulary, tensors.items(), quantised=True)
        write_pt(pt, d, tensors)
        write_transformers(plain, d, vocabulary, tensors)
        TransformersConverter(str(plain), copy_files=["tokenizer.json", "preprocessor_config.json"],
                              load_as_float16=True).convert(str(ct2), quantization="float32", force=True)
    return {"ggml": str(ggml), "q8_0": str(quantised), "pt": str(pt), "ct2": str(ct2)}
