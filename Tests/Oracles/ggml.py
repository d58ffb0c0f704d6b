"""whisper.cpp's model files: reading them into openai-whisper's network, and writing float16 ones."""
import struct
from pathlib import Path

import numpy as np

MAGIC = 0x67676D6C
DIMENSIONS = ("n_vocab", "n_audio_ctx", "n_audio_state", "n_audio_head", "n_audio_layer",
              "n_text_ctx", "n_text_state", "n_text_head", "n_text_layer", "n_mels")
TYPES = {0: "<f4", 1: "<f2"}
FLOAT32, FLOAT16 = TYPES

# Vectors that are stored as matrices of one column.
COLUMNS = {"encoder.conv1.bias", "encoder.conv2.bias"}

# Float16 files hold matrices and kernels in float16, but not these, nor any vector.
ALWAYS_FLOAT32 = COLUMNS | {"encoder.positional_embedding", "decoder.positional_embedding"}


def load_model(path):
    """openai-whisper's network, in float32, with the weights of a float16 or float32 file."""
    import torch
    import whisper
    dimensions, tensors = read(path)
    model = whisper.model.Whisper(whisper.model.ModelDimensions(**dimensions))
    model.load_state_dict({name: torch.from_numpy(tensor) for name, tensor in tensors.items()})
    return model.eval()


def read(path):
    """The dimensions and the tensors, in float32 and with PyTorch's shapes."""
    data = Path(path).read_bytes()
    magic, *dimensions, _ = struct.unpack_from("<12i", data)
    if magic != MAGIC:
        raise ValueError(f"{path}: not a ggml model")
    bands, bins = struct.unpack_from("<2i", data, 48)
    offset = 56 + 4 * bands * bins
    (tokens,) = struct.unpack_from("<i", data, offset)
    offset += 4
    for _ in range(tokens):
        offset += 4 + struct.unpack_from("<i", data, offset)[0]
    tensors = {}
    while offset < len(data):
        name, tensor, offset = read_tensor(data, offset)
        tensors[name] = tensor
    return dict(zip(DIMENSIONS, dimensions)), tensors


def read_tensor(data, offset):
    rank, name_length, type = struct.unpack_from("<3i", data, offset)
    shape = struct.unpack_from(f"<{rank}i", data, offset + 12)[::-1]
    offset += 12 + 4 * rank
    name = data[offset:offset + name_length].decode()
    offset += name_length
    tensor = np.frombuffer(data, TYPES[type], np.prod(shape), offset)
    if name in COLUMNS:
        shape = shape[:1]
    return name, tensor.reshape(shape).astype(np.float32), offset + tensor.nbytes


def write(file, dimensions, filters, vocabulary, tensors):
    """Writes a float16 file."""
    file.write(struct.pack("<12i", MAGIC, *(dimensions[name] for name in DIMENSIONS), FLOAT16))
    file.write(struct.pack("<2i", *filters.shape) + filters.astype("<f4").tobytes())
    file.write(struct.pack("<i", len(vocabulary)))
    for token in vocabulary:
        file.write(struct.pack("<i", len(token)) + token)
    for name, tensor in tensors.items():
        write_tensor(file, name, tensor)


def write_tensor(file, name, tensor):
    if name in COLUMNS:
        tensor = tensor.reshape(-1, 1)
    type = FLOAT32 if tensor.ndim == 1 or name in ALWAYS_FLOAT32 else FLOAT16
    file.write(struct.pack("<3i", tensor.ndim, len(name), type))
    file.write(struct.pack(f"<{tensor.ndim}i", *reversed(tensor.shape)))
    file.write(name.encode() + tensor.astype(TYPES[type]).tobytes())
