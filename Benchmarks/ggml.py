"""Reading and writing models in whisper.cpp's ggml format."""
import struct
from pathlib import Path

import numpy as np

MAGIC = 0x67676D6C
#: The dimensions, in the order of the header.
DIMENSIONS = ("n_vocab n_audio_ctx n_audio_state n_audio_head n_audio_layer n_text_ctx n_text_state n_text_head "
              "n_text_layer n_mels").split()
BLOCK = 32
#: Type numbers of a tensor and of a whole file, whose thousands are the version of the quantization.
TYPES = {"f32": (0, 0), "f16": (1, 1), "q5_0": (6, 2008), "q8_0": (8, 2007)}
FLOAT32, FLOAT16 = 0, 1
ALWAYS_FLOAT32 = {"encoder.positional_embedding", "decoder.positional_embedding"}
#: Vectors stored as matrices with one column.
COLUMN_VECTORS = {"encoder.conv1.bias", "encoder.conv2.bias"}


def quantized(values, type):
    """The bytes of `values` in blocks of 32: a float16 scale, then integers of 8 bits (q8_0) or 5 bits (q5_0)."""
    blocks = values.reshape(-1, BLOCK)
    if type == "q8_0":
        scale = np.abs(blocks).max(axis=1, keepdims=True) / 127
    else:
        # The value of largest magnitude becomes -16, whatever its sign.
        scale = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=1)[:, None], 1) / -16
    scaled = np.divide(blocks, scale, out=np.zeros_like(blocks), where=scale != 0)
    scale_bytes = scale.astype("<f2").view(np.uint8)
    if type == "q8_0":
        return np.hstack([scale_bytes, np.rint(scaled).astype(np.int8).view(np.uint8)]).tobytes()
    levels = np.clip(np.rint(scaled) + 16, 0, 31).astype(np.uint8)
    high_bits = np.packbits(levels >> 4, axis=1, bitorder="little")
    low_bits = levels & 15
    return np.hstack([scale_bytes, high_bits, low_bits[:, :16] | low_bits[:, 16:] << 4]).tobytes()


def write_ggml(path, dimensions, filters, vocabulary, tensors, type="f16"):
    """Writes a model as whisper.cpp's tools would: matrices in `type`, convolution kernels in float16 (float32 if `type`
    is f32), everything else in float32.

    `filters` is the mel filter bank, `vocabulary` a list of bytes objects, and `tensors` yields pairs of a name and a
    float32 array.
    """
    matrix_type, file_type = TYPES[type]
    with open(path, "wb") as file:
        file.write(struct.pack("<12i", MAGIC, *(dimensions[name] for name in DIMENSIONS), file_type))
        file.write(struct.pack("<2i", *filters.shape) + filters.astype("<f4").tobytes())
        file.write(struct.pack("<i", len(vocabulary)))
        for token in vocabulary:
            file.write(struct.pack("<i", len(token)) + token)
        for name, tensor in tensors:
            if name in COLUMN_VECTORS:
                tensor = tensor.reshape(-1, 1)
            if name.endswith("bias") or tensor.ndim < 2 or name in ALWAYS_FLOAT32 or type == "f32":
                number, data = FLOAT32, tensor.astype("<f4").tobytes()
            elif tensor.ndim == 3 or type == "f16":
                number, data = FLOAT16, tensor.astype("<f2").tobytes()
            else:
                number, data = matrix_type, quantized(tensor, type)
            file.write(struct.pack("<3i", tensor.ndim, len(name), number))
            file.write(struct.pack(f"<{tensor.ndim}i", *reversed(tensor.shape)) + name.encode() + data)


def read_ggml(path):
    """Returns (dimensions, mel filters, vocabulary, tensors by name) of a float32 or float16 model, all as float32."""
    data = memoryview(Path(path).read_bytes())
    offset = 0

    def integers(count):
        nonlocal offset
        values = struct.unpack_from(f"<{count}i", data, offset)
        offset += 4 * count
        return values

    def array(count, type):
        nonlocal offset
        values = np.frombuffer(data, dtype=type, count=count, offset=offset)
        offset += values.nbytes
        return values

    magic, *header, _ = integers(12)
    if magic != MAGIC:
        raise SystemExit(f"{path} is not a ggml model")
    bands, bins = integers(2)
    filters = array(bands * bins, "<f4").reshape(bands, bins)
    vocabulary = [bytes(array(integers(1)[0], "u1")) for _ in range(integers(1)[0])]
    tensors = {}
    while offset < len(data):
        rank, length, type = integers(3)
        shape = tuple(reversed(integers(rank)))
        name = bytes(array(length, "u1")).decode()
        if type not in (FLOAT32, FLOAT16):
            raise SystemExit(f"{path}: {name} is quantized; only float32 and float16 models can be read")
        tensor = array(int(np.prod(shape)), "<f4" if type == FLOAT32 else "<f2").astype(np.float32).reshape(shape)
        tensors[name] = tensor.reshape(-1) if name in COLUMN_VECTORS else tensor
    return dict(zip(DIMENSIONS, header)), filters, vocabulary, tensors
