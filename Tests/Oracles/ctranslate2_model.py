"""Conversion of a ggml model to CTranslate2's format, which faster-whisper reads."""
import json
from pathlib import Path

import numpy as np
import tokenizers
from ctranslate2.specs import WhisperSpec

import ggml
from tokenizer import ranked_tokens, special_tokens, tokenizer


def convert(source, folder):
    """Writes the model, its tokenizer and the number of mel bands to an existing folder."""
    dimensions, tensors = ggml.read(source)
    spec = WhisperSpec(dimensions["n_audio_layer"], dimensions["n_audio_head"],
                       dimensions["n_text_layer"], dimensions["n_text_head"])
    set_weights(spec, tensors)
    set_config(spec, dimensions)
    names = printable_tokens()
    spec.register_vocabulary([*names, *added_tokens()])
    spec.validate()
    spec.optimize()
    spec.save(str(folder))
    hf_tokenizer(names).save(str(Path(folder) / "tokenizer.json"))
    (Path(folder) / "preprocessor_config.json").write_text(json.dumps({"feature_size": dimensions["n_mels"]}))


# Weights


def set_weights(spec, tensors):
    for side, norm in (("encoder", "ln_post"), ("decoder", "ln")):
        part = getattr(spec, side)
        part.position_encodings.encodings = tensors[f"{side}.positional_embedding"]
        set_norm(part.layer_norm, tensors, f"{side}.{norm}")
        for index, layer in enumerate(part.layer):
            set_layer(layer, tensors, f"{side}.blocks.{index}")
    for name in ("conv1", "conv2"):
        set_linear(getattr(spec.encoder, name), tensors, f"encoder.{name}")
    embedding = tensors["decoder.token_embedding.weight"]
    spec.decoder.embeddings.weight = spec.decoder.projection.weight = embedding


def set_layer(layer, tensors, name):
    set_attention(layer.self_attention, tensors, f"{name}.attn", [("query", "key", "value"), ("out",)])
    if f"{name}.cross_attn.out.weight" in tensors:
        set_attention(layer.attention, tensors, f"{name}.cross_attn", [("query",), ("key", "value"), ("out",)])
    set_norm(layer.ffn.layer_norm, tensors, f"{name}.mlp_ln")
    set_linear(layer.ffn.linear_0, tensors, f"{name}.mlp.0")
    set_linear(layer.ffn.linear_1, tensors, f"{name}.mlp.2")


def set_attention(attention, tensors, name, groups):
    """Sets projections that are stacked by groups; the key has no bias, so that it gets zeros."""
    set_norm(attention.layer_norm, tensors, f"{name}_ln")
    for linear, group in zip(attention.linear, groups):
        weights = [tensors[f"{name}.{projection}.weight"] for projection in group]
        biases = [tensors.get(f"{name}.{projection}.bias", np.zeros(len(weight), np.float32))
                  for projection, weight in zip(group, weights)]
        linear.weight, linear.bias = np.concatenate(weights), np.concatenate(biases)


def set_linear(linear, tensors, name):
    linear.weight, linear.bias = tensors[f"{name}.weight"], tensors[f"{name}.bias"]


def set_norm(norm, tensors, name):
    norm.gamma, norm.beta = tensors[f"{name}.weight"], tensors[f"{name}.bias"]


def set_config(spec, dimensions):
    tokens = special_tokens("multilingual-100")
    layers, heads = dimensions["n_text_layer"], dimensions["n_text_head"]
    spec.config.alignment_heads = [[layer, head] for layer in range(layers // 2, layers) for head in range(heads)]
    spec.config.lang_ids = tokens["all_language_tokens"]
    spec.config.suppress_ids = tokens["suppress_minus_one"]
    spec.config.suppress_ids_begin = [*tokens["blank_ids"], tokens["eot"]]


# Tokenizer


def added_tokens():
    """Special tokens and timestamps, in the order of their ids."""
    ids = tokenizer("multilingual-100").special_tokens
    return sorted(ids, key=ids.get)


def printable_tokens():
    """Ordinary tokens with a printable character for each byte, as in GPT-2's files, in the order of their ids."""
    # Bytes that are printable in Latin-1 stand for themselves; the others follow from U+0100 on.
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    characters = {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}
    return ["".join(characters[byte] for byte in token) for token in ranked_tokens("multilingual", 50257)]


def hf_tokenizer(names):
    ranks = {name: rank for rank, name in enumerate(names)}
    merges = [merge for name in names if len(name) > 1 and (merge := last_merge(name, ranks))]
    bpe = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=ranks, merges=merges))
    bpe.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = tokenizers.decoders.ByteLevel()
    bpe.add_special_tokens(added_tokens())
    return bpe


def last_merge(name, ranks):
    """The two tokens that a token was merged from: what its characters become with the merges of lower ranks."""
    parts = list(name)
    while len(parts) > 2:
        pairs = [(ranks.get(parts[i] + parts[i + 1], len(ranks)), i) for i in range(len(parts) - 1)]
        rank, i = min(pairs)
        if rank >= ranks[name]:
            return None
        parts[i:i + 2] = [parts[i] + parts[i + 1]]
    return tuple(parts)
