#!/usr/bin/env python3
"""Writes a CTranslate2 folder's float16 weights in the other formats that people have on disk.

    formats.py FOLDER/ct2-NAME NAME

Writes, beside the folder:

    ggml-NAME.bin   whisper.cpp: matrices and convolutions float16, everything else float32
    NAME.pt         openai-whisper: a ZIP archive with a pickle, as PyTorch writes it
    hf-NAME/        transformers: model.safetensors, config.json, generation_config.json, tokenizer.json

Python's standard library is enough. The stored numbers are the same in all formats.
"""
import json
import math
import pickle
import shutil
import struct
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent.parent.parent
FLOAT16 = 4
HEAD_WIDTH = 64


class Tensor(NamedTuple):
    """A float16 tensor; little-endian, row-major."""
    shape: tuple
    data: bytes

    def rows(self, first, last):
        size = len(self.data) // self.shape[0]
        return Tensor((last - first, *self.shape[1:]), self.data[first * size:last * size])

    @property
    def floats(self):
        """The same numbers in float32."""
        count = len(self.data) // 2
        return struct.pack(f"<{count}f", *struct.unpack(f"<{count}e", self.data))


def main(folder, name):
    folder = Path(folder)
    tensors = openai_tensors(read_ctranslate2(folder / "model.bin"))
    dims = dimensions(tensors)
    atomically(folder.with_name(f"ggml-{name}.bin"), write_ggml, dims, tensors, vocabulary(folder, dims))
    atomically(folder.with_name(f"{name}.pt"), write_pt, dims, tensors)
    atomically(folder.with_name(f"hf-{name}"), write_hf, dims, tensors, folder)


def atomically(path, write, *arguments):
    """Writes a file or folder under another name and renames it."""
    temporary = path.with_name(path.name + ".new")
    shutil.rmtree(temporary, ignore_errors=True)
    write(temporary, *arguments)
    shutil.rmtree(path, ignore_errors=True)
    temporary.rename(path)


# Reading


def read_ctranslate2(path):
    """{variable name: tensor} of a model.bin, version 6; scalars are left out.

    Little-endian: version, specification, revision, number of variables; per variable name, rank, dimensions, type,
    length in bytes, data. A string is a 16-bit length and that many bytes, the last of which is zero.
    """
    data, at, variables = path.read_bytes(), 0, {}

    def number(code):
        nonlocal at
        value, = struct.unpack_from("<" + code, data, at)
        at += struct.calcsize(code)
        return value

    def string():
        nonlocal at
        length = number("H")
        at += length
        return data[at - length:at - 1].decode()

    if number("I") != 6 or string() != "WhisperSpec":
        raise SystemExit(f"error: '{path}' is not a Whisper model of CTranslate2's version 6")
    number("I")
    for _ in range(number("I")):
        name = string()
        shape = tuple(number("I") for _ in range(number("B")))
        kind, length = number("B"), number("I")
        if shape:
            if kind != FLOAT16:
                raise SystemExit(f"error: {name} in '{path}' is not float16")
            variables[name] = Tensor(shape, data[at:at + length])
        at += length
    return variables


def openai_tensors(variables):
    """openai-whisper's names. CTranslate2 stacks query, key and value, and key and value of cross-attention."""
    tensors, width = {}, variables["encoder/conv1/bias"].shape[0]

    def linear(to, source):
        tensors[f"{to}.weight"], tensors[f"{to}.bias"] = variables[f"{source}/weight"], variables[f"{source}/bias"]

    def norm(to, source):
        tensors[f"{to}.weight"], tensors[f"{to}.bias"] = variables[f"{source}/gamma"], variables[f"{source}/beta"]

    def stacked(to, source, parts):
        for index, part in enumerate(parts):
            rows = index * width, (index + 1) * width
            tensors[f"{to}.{part}.weight"] = variables[f"{source}/weight"].rows(*rows)
            if part != "key":       # its bias is zero, and openai-whisper has none
                tensors[f"{to}.{part}.bias"] = variables[f"{source}/bias"].rows(*rows)

    tensors["encoder.positional_embedding"] = variables["encoder/position_encodings/encodings"]
    linear("encoder.conv1", "encoder/conv1")
    linear("encoder.conv2", "encoder/conv2")
    tensors["decoder.positional_embedding"] = variables["decoder/position_encodings/encodings"]
    tensors["decoder.token_embedding.weight"] = variables["decoder/embeddings/weight"]
    for side in ("encoder", "decoder"):
        layer = 0
        while f"{side}/layer_{layer}/ffn/linear_0/weight" in variables:
            to, source = f"{side}.blocks.{layer}", f"{side}/layer_{layer}"
            stacked(f"{to}.attn", f"{source}/self_attention/linear_0", ("query", "key", "value"))
            linear(f"{to}.attn.out", f"{source}/self_attention/linear_1")
            norm(f"{to}.attn_ln", f"{source}/self_attention/layer_norm")
            if side == "decoder":
                linear(f"{to}.cross_attn.query", f"{source}/attention/linear_0")
                stacked(f"{to}.cross_attn", f"{source}/attention/linear_1", ("key", "value"))
                linear(f"{to}.cross_attn.out", f"{source}/attention/linear_2")
                norm(f"{to}.cross_attn_ln", f"{source}/attention/layer_norm")
            linear(f"{to}.mlp.0", f"{source}/ffn/linear_0")
            linear(f"{to}.mlp.2", f"{source}/ffn/linear_1")
            norm(f"{to}.mlp_ln", f"{source}/ffn/layer_norm")
            layer += 1
    norm("encoder.ln_post", "encoder/layer_norm")
    norm("decoder.ln", "decoder/layer_norm")
    return tensors


def dimensions(tensors):
    state, mels, _ = tensors["encoder.conv1.weight"].shape
    words, _ = tensors["decoder.token_embedding.weight"].shape

    def layers(side):
        return 1 + max(int(name.split(".")[2]) for name in tensors if name.startswith(f"{side}.blocks."))

    return {"n_mels": mels, "n_audio_ctx": tensors["encoder.positional_embedding"].shape[0], "n_audio_state": state,
            "n_audio_head": state // HEAD_WIDTH, "n_audio_layer": layers("encoder"), "n_vocab": words,
            "n_text_ctx": tensors["decoder.positional_embedding"].shape[0], "n_text_state": state,
            "n_text_head": state // HEAD_WIDTH, "n_text_layer": layers("decoder")}


def is_multilingual(dims):
    return dims["n_vocab"] >= 51865


def vocabulary(folder, dims):
    """The bytes of the ordinary tokens. The file spells them in characters, one for each byte, all of them printable."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    bytes_of = {chr(byte): byte for byte in printable}
    bytes_of |= {chr(256 + i): byte for i, byte in enumerate(sorted(set(range(256)) - set(printable)))}
    lines = (folder / "vocabulary.txt").read_text(encoding="utf-8").split("\n")
    tokens = [bytes(bytes_of[character] for character in line) for line in lines[:50256]]
    # In English files the end of text follows; in multilingual ones an empty token.
    return tokens + [b"" if is_multilingual(dims) else b"<|endoftext|>"]


# whisper.cpp

GGML_DIMENSIONS = ("n_vocab", "n_audio_ctx", "n_audio_state", "n_audio_head", "n_audio_layer", "n_text_ctx",
                   "n_text_state", "n_text_head", "n_text_layer", "n_mels")


def write_ggml(path, dims, tensors, tokens):
    filters = (REPOSITORY / f"Tests/Fixtures/mel/filters-{dims['n_mels']}.f32").read_bytes()
    with path.open("wb") as file:
        file.write(struct.pack("<12i", 0x67676D6C, *(dims[key] for key in GGML_DIMENSIONS), 1))
        file.write(struct.pack("<2i", dims["n_mels"], len(filters) // dims["n_mels"] // 4) + filters)
        file.write(struct.pack("<i", len(tokens)))
        for token in tokens:
            file.write(struct.pack("<i", len(token)) + token)
        for name, tensor in tensors.items():
            half = len(tensor.shape) > 1 and not name.endswith("positional_embedding")
            shape = (*tensor.shape, 1) if name in ("encoder.conv1.bias", "encoder.conv2.bias") else tensor.shape
            file.write(struct.pack("<3i", len(shape), len(name), int(half)))
            file.write(struct.pack(f"<{len(shape)}i", *reversed(shape)) + name.encode())
            file.write(tensor.data if half else tensor.floats)


# openai-whisper


def write_pt(path, dims, tensors):
    name = path.name.split(".pt")[0]
    with zipfile.ZipFile(path, "w") as archive:
        write_entry(archive, f"{name}/data.pkl", checkpoint_pickle(dims, tensors))
        write_entry(archive, f"{name}/byteorder", b"little")
        for index, tensor in enumerate(tensors.values()):
            write_entry(archive, f"{name}/data/{index}", tensor.data)
        write_entry(archive, f"{name}/version", b"3\n")


def write_entry(archive, name, data):
    """Stores an entry whose data begins at a multiple of 64, so that it can be mapped."""
    entry = zipfile.ZipInfo(name)
    fixed = 30      # bytes of a local header without the name and the extra field
    padding = -(archive.fp.tell() + fixed + len(name) + 4) % 64
    entry.extra = struct.pack("<2s H", b"FB", padding) + bytes(padding)
    archive.writestr(entry, data)


def checkpoint_pickle(dims, tensors):
    """{"dims": {…}, "model_state_dict": OrderedDict(…)} in protocol 2. The tensors refer to entries of the archive.

    Written by hand, because pickling a tensor would need PyTorch.
    """
    mark, reduce, ordered = pickle.MARK, pickle.REDUCE, b"ccollections\nOrderedDict\n" + pickle.EMPTY_TUPLE + pickle.REDUCE

    def text(value):
        return pickle.BINUNICODE + struct.pack("<I", len(value.encode())) + value.encode()

    def number(value):
        return pickle.BININT + struct.pack("<i", value)

    def numbers(values):
        return mark + b"".join(map(number, values)) + pickle.TUPLE

    def tensor(index, shape):
        count = math.prod(shape)
        strides = [math.prod(shape[axis + 1:]) for axis in range(len(shape))]
        storage = (mark + text("storage") + b"ctorch\nHalfStorage\n" + text(str(index)) + text("cpu") + number(count)
                   + pickle.TUPLE + pickle.BINPERSID)
        return (b"ctorch._utils\n_rebuild_tensor_v2\n" + mark + storage + number(0) + numbers(shape) + numbers(strides)
                + pickle.NEWFALSE + ordered + pickle.TUPLE + reduce)

    sizes = b"".join(text(name) + number(value) for name, value in dims.items())
    state = b"".join(text(name) + tensor(index, x.shape) for index, (name, x) in enumerate(tensors.items()))
    return (pickle.PROTO + b"\x02" + pickle.EMPTY_DICT + mark
            + text("dims") + pickle.EMPTY_DICT + mark + sizes + pickle.SETITEMS
            + text("model_state_dict") + ordered + mark + state + pickle.SETITEMS
            + pickle.SETITEMS + pickle.STOP)


# transformers

# What openai-whisper's names become, in this order.
HF_NAMES = ((".cross_attn_ln.", ".encoder_attn_layer_norm."), (".attn_ln.", ".self_attn_layer_norm."),
            (".mlp_ln.", ".final_layer_norm."), (".cross_attn.", ".encoder_attn."), (".attn.", ".self_attn."),
            (".query.", ".q_proj."), (".key.", ".k_proj."), (".value.", ".v_proj."), (".out.", ".out_proj."),
            (".mlp.0.", ".fc1."), (".mlp.2.", ".fc2."), (".blocks.", ".layers."),
            ("encoder.ln_post.", "encoder.layer_norm."), ("decoder.ln.", "decoder.layer_norm."),
            ("positional_embedding", "embed_positions.weight"), ("token_embedding.", "embed_tokens."))


def write_hf(folder, dims, tensors, source):
    folder.mkdir()
    write_safetensors(folder / "model.safetensors", {hf_name(name): tensor for name, tensor in tensors.items()})
    end = 50257 if is_multilingual(dims) else 50256
    (folder / "config.json").write_text(json.dumps({
        "model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"], "torch_dtype": "float16",
        "num_mel_bins": dims["n_mels"], "vocab_size": dims["n_vocab"], "d_model": dims["n_audio_state"],
        "encoder_layers": dims["n_audio_layer"], "encoder_attention_heads": dims["n_audio_head"],
        "decoder_layers": dims["n_text_layer"], "decoder_attention_heads": dims["n_text_head"],
        "encoder_ffn_dim": 4 * dims["n_audio_state"], "decoder_ffn_dim": 4 * dims["n_text_state"],
        "max_source_positions": dims["n_audio_ctx"], "max_target_positions": dims["n_text_ctx"],
        "decoder_start_token_id": end + 1, "bos_token_id": end, "eos_token_id": end, "pad_token_id": end,
        "activation_function": "gelu", "scale_embedding": False}, indent=2))
    config = json.loads((source / "config.json").read_text())
    (folder / "generation_config.json").write_text(json.dumps({
        "alignment_heads": config["alignment_heads"], "suppress_tokens": config["suppress_ids"],
        "begin_suppress_tokens": config["suppress_ids_begin"], "is_multilingual": is_multilingual(dims),
        "decoder_start_token_id": end + 1, "eos_token_id": end, "no_timestamps_token_id": end + 106}, indent=2))
    shutil.copyfile(source / "tokenizer.json", folder / "tokenizer.json")


def hf_name(name):
    for old, new in HF_NAMES:
        name = name.replace(old, new)
    return f"model.{name}"


def write_safetensors(path, tensors):
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, tensor in sorted(tensors.items()):
        end = offset + len(tensor.data)
        header[name], offset = {"dtype": "F16", "shape": tensor.shape, "data_offsets": [offset, end]}, end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, tensor in sorted(tensors.items()):
            file.write(tensor.data)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
