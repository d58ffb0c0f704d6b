#!/usr/bin/env python3
"""Fixtures/pytorch: small checkpoints written by torch.save, as openai-whisper's are, and their values.

plain.pt is an ordinary checkpoint in float16. views.pt has the same dimensions and everything that is legal but unusual:
all number formats, tensors that share a storage, transposed, sliced and expanded tensors, parameters, and the extras that
training tools add. flat.bin is a dictionary of tensors without dimensions. values.json has each tensor's shape, its
first values and the CRC-32 of all values as little-endian float32.
"""
import zlib
from collections import OrderedDict

import torch
from whisper.model import ModelDimensions, Whisper

import common

DIMENSIONS = {"n_mels": 80, "n_vocab": 51865, "n_audio_ctx": 1500, "n_audio_state": 2, "n_audio_head": 1,
              "n_audio_layer": 1, "n_text_ctx": 64, "n_text_state": 2, "n_text_head": 1, "n_text_layer": 1}
TYPES = [torch.float16, torch.float32, torch.bfloat16, torch.float64]


def main():
    folder = common.parse_output(__doc__) / "pytorch"
    folder.mkdir(parents=True, exist_ok=True)
    shapes = {name: tensor.shape for name, tensor in Whisper(ModelDimensions(**DIMENSIONS)).state_dict().items()}
    generator = torch.Generator().manual_seed(1)
    plain = {name: torch.randn(shape, generator=generator).half() for name, shape in shapes.items()}
    views = unusual_tensors(shapes, generator)
    flat = OrderedDict([("model.encoder.conv1.bias", views["encoder.conv1.bias"]),
                        ("proj_out.weight", torch.arange(6.0).reshape(2, 3).T)])
    save({"dims": DIMENSIONS, "model_state_dict": plain}, folder / "plain.pt")
    # As from a training script: other keys, and dimensions in another order.
    save({"epoch": 3, "loss": [0.5, 0.25, [None, True]], "steps": torch.arange(3), "seen": 2**40, "rate": -1e-5,
          "dims": dict(reversed(DIMENSIONS.items())), "model_state_dict": views}, folder / "views.pt")
    save(flat, folder / "flat.bin")
    files = {"plain.pt": plain, "views.pt": views, "flat.bin": flat}
    common.write_cases(folder / "values.json", {}, [described(tensor, file, name) for file, tensors in files.items()
                                                    for name, tensor in tensors.items()])


def save(value, path):
    torch.save(value, path)
    torch.load(path, weights_only=True)     # the reference accepts it, too


def unusual_tensors(shapes, generator):
    """Tensors of these shapes in storages of every type, hardly any of which are contiguous."""
    shared = {kind: torch.randn(4096, generator=generator).to(kind) for kind in TYPES}
    tensors = OrderedDict()
    for index, (name, shape) in enumerate(shapes.items()):
        storage = shared[TYPES[index % 4]]
        count = shape.numel()
        if count > 1500:            # the large ones repeat a row
            tensors[name] = storage[:shape[1:].numel()].reshape(shape[1:]).expand(shape)
        elif index % 3 == 0:        # transposed
            tensors[name] = storage[index:index + count].reshape(tuple(reversed(shape))).permute(
                *reversed(range(len(shape))))
        elif index % 3 == 1:        # every other column of a slice
            wide = storage[8:8 + 2 * count].reshape(*shape[:-1], 2 * shape[-1])
            tensors[name] = torch.nn.Parameter(wide[..., ::2])
        else:
            tensors[name] = storage[index:index + count].reshape(shape)
        assert tensors[name].shape == shape
    return tensors


def described(tensor, file, name):
    values = tensor.detach().float().contiguous().numpy().astype("<f4")
    return {"file": file, "name": name, "shape": list(tensor.shape), "first": values.reshape(-1)[:3],
            "crc32": zlib.crc32(values.tobytes())}


if __name__ == "__main__":
    main()
