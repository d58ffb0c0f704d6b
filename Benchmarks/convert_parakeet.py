#!/usr/bin/env python3
"""Writes a Parakeet TDT model (a Hugging Face folder) in the format of every peer and prints the paths by format, as JSON.

    .build/parakeet-peers/bin/python Benchmarks/convert_parakeet.py MODEL FOLDER

parakeet.py calls this with the Python of the peers' environment, which has the packages it needs.
"""
import argparse
import json
import shutil
import sys
from pathlib import Path

import gguf
import numpy as np
import torch
import transformers
from gguf import GGMLQuantizationType as Type
from onnxruntime.quantization import QuantType, quantize_dynamic

from harness import ROOT

sys.path.append(str(ROOT / "Tests/Oracles"))
from parakeet_model import filter_bank, hann  # noqa: E402

#: transformers' names to CrispASR's, in this order.
CRISPASR_NAMES = (("encoder.subsampling.layers", "encoder.pre.conv"), ("encoder.subsampling.linear", "encoder.pre.out"),
                  ("feed_forward", "ff"), ("norm_self_att", "norm_attn"), ("self_attn.", "attn."), ("_proj.", "."),
                  (".relative_k.", ".pos."), (".o.", ".out."), ("attn.bias_", "attn.pos_bias_"),
                  ("pointwise_conv", "pw"), ("depthwise_conv", "dw"), ("conv.norm.", "conv.bn."),
                  ("decoder.embedding", "decoder.embed"), ("encoder_projector", "joint.enc"),
                  ("decoder.decoder_projector", "joint.pred"), ("joint.head", "joint.out"))


class Encoder(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.encoder = model.encoder

    def forward(self, audio_signal, length):
        mask = torch.arange(audio_signal.shape[2])[None] < length[:, None]
        result = self.encoder(audio_signal.transpose(1, 2), attention_mask=mask)
        return result.last_hidden_state.transpose(1, 2), result.attention_mask.sum(1)


class DecoderJoint(torch.nn.Module):
    """NeMo's export has the projection of the encoder's output here."""

    def __init__(self, model):
        super().__init__()
        self.projector, self.decoder, self.joint = model.encoder_projector, model.decoder, model.joint

    def forward(self, encoder_outputs, targets, target_length, input_states_1, input_states_2):
        hidden, states = self.decoder.lstm(self.decoder.embedding(targets), (input_states_1, input_states_2))
        encoded = self.projector(encoder_outputs.transpose(1, 2))
        outputs = self.joint(self.decoder.decoder_projector(hidden)[:, None], encoded[:, :, None])
        return outputs, target_length, *states


def export(module, path, inputs, outputs, dynamic):
    torch.onnx.export(module.eval(), tuple(inputs.values()), str(path), input_names=list(inputs), output_names=outputs,
                      dynamic_shapes=tuple(dynamic.get(name, {}) for name in inputs), dynamo=True, external_data=True,
                      optimize=True)


def write_onnx(source, folder, model):
    """Writes the files that onnx-asr reads, in float32 and, by onnxruntime's dynamic quantization, in int8."""
    config = model.config
    frames, states = torch.export.Dim.DYNAMIC, (config.num_decoder_layers, 1, config.decoder_hidden_size)
    mels = config.encoder_config.num_mel_bins
    encoder, joint = folder / "encoder-model.onnx", folder / "decoder_joint-model.onnx"
    export(Encoder(model), encoder, {"audio_signal": torch.randn(1, mels, 804), "length": torch.tensor([803])},
           ["outputs", "encoded_lengths"], {"audio_signal": {2: frames}})
    export(DecoderJoint(model), joint, {
        "encoder_outputs": torch.randn(1, config.encoder_config.hidden_size, 1),
        "targets": torch.zeros(1, 1, dtype=torch.int32), "target_length": torch.ones(1, dtype=torch.int32),
        "input_states_1": torch.zeros(states), "input_states_2": torch.zeros(states)},
        ["outputs", "prednet_lengths", "output_states_1", "output_states_2"], {})
    for path in (encoder, joint):
        quantize_dynamic(path, path.with_suffix(".int8.onnx"), weight_type=QuantType.QUInt8, use_external_data_format=False)
    pieces = vocabulary(source, config.blank_token_id) + ["<blk>"]
    (folder / "vocab.txt").write_text("".join(f"{piece} {number}\n" for number, piece in enumerate(pieces)), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({
        "model_type": "nemo-conformer-tdt", "features_size": mels, "subsampling_factor": 8}))


def vocabulary(source, count):
    ids = json.loads((source / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    return sorted(ids, key=ids.get)[:count]


def crispasr_name(name):
    for old, new in CRISPASR_NAMES:
        name = name.replace(old, new)
    if "lstm" in name:
        kind, side, layer = name.rpartition(".")[2].split("_")
        name = f"decoder.lstm.{layer[1:]}.{kind[0]}_{side}"
    return name


def write_gguf(source, path, model, matrices):
    """Writes a file that CrispASR reads; `matrices` is their type."""
    config, encoder = model.config, model.config.encoder_config
    extractor = transformers.AutoProcessor.from_pretrained(source).feature_extractor
    writer = gguf.GGUFWriter(path, "parakeet")
    for name, value in {
            "sample_rate": extractor.sampling_rate, "n_mels": encoder.num_mel_bins, "n_fft": extractor.n_fft,
            "win_length": extractor.win_length, "hop_length": extractor.hop_length, "d_model": encoder.hidden_size,
            "n_layers": encoder.num_hidden_layers, "n_heads": encoder.num_attention_heads,
            "head_dim": encoder.hidden_size // encoder.num_attention_heads, "ff_dim": encoder.intermediate_size,
            "subsampling_factor": encoder.subsampling_factor, "subsampling_channels": encoder.subsampling_conv_channels,
            "conv_kernel": encoder.conv_kernel_size, "pred_hidden": config.decoder_hidden_size,
            "pred_layers": config.num_decoder_layers, "joint_hidden": config.decoder_hidden_size,
            "vocab_size": config.blank_token_id, "blank_id": config.blank_token_id,
            "n_tdt_durations": len(config.durations), "frame_dur_cs": 8}.items():
        writer.add_uint32(f"parakeet.{name}", value)
    writer.add_bool("parakeet.xscaling", encoder.scale_input)
    writer.add_array("parakeet.tdt_durations", list(config.durations))
    writer.add_array("tokenizer.ggml.tokens", vocabulary(source, config.blank_token_id))
    tensors = {crispasr_name(name): tensor.numpy() for name, tensor in model.state_dict().items()
               if not name.endswith(("num_batches_tracked", "inv_freq"))}
    for layer in range(encoder.num_hidden_layers):
        # The bias that the batch normalization becomes.
        tensors.setdefault(f"encoder.layers.{layer}.conv.dw.bias", np.zeros(encoder.hidden_size))
    tensors |= {"preprocessor.fb": filter_bank(encoder.num_mel_bins)[None], "preprocessor.window": hann()}
    for name, tensor in tensors.items():
        if ".pw" in name:
            tensor = tensor[:, :, 0]
        if name.endswith(("embed.weight", "dw.weight")) or tensor.ndim == 4:
            kind = Type.F16
        else:
            kind = matrices if tensor.ndim == 2 and "pos_bias" not in name else Type.F32
        writer.add_tensor(name, gguf.quants.quantize(tensor.astype(np.float32), kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def convert(source, folder):
    """Converts a model, unless that was done before; returns the paths by format."""
    types = {"gguf-f16": Type.F16, "gguf-q8_0": Type.Q8_0}
    paths = {name: folder / f"{name}.gguf" for name in types}
    onnx = folder / "onnx"
    if not (folder / "complete").exists():
        model = transformers.AutoModelForTDT.from_pretrained(source, dtype=torch.float32).eval()
        shutil.rmtree(onnx, ignore_errors=True)
        onnx.mkdir(parents=True)
        with torch.no_grad():
            for name, kind in types.items():
                write_gguf(source, paths[name], model, kind)
            write_onnx(source, onnx, model)
        (folder / "complete").touch()
    return {"hf": str(source), "onnx": str(onnx)} | {name: str(path) for name, path in paths.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, metavar="MODEL", help="folder of the model")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder to write to")
    options = parser.parse_args()
    print(json.dumps(convert(options.model, options.folder)))


if __name__ == "__main__":
    main()
