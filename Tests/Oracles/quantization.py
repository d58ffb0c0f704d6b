#!/usr/bin/env python3
"""Fixtures/quantization: blocks of 32 numbers, and their bytes in each number format of ggml files.

The bytes come from ggml's own quantizer, in the shared library that pywhispercpp brings.
"""
import ctypes
import importlib.util
from pathlib import Path

import numpy as np

import common

# The numbers of the tensor types.
TYPES = {"f16": 1, "q4_0": 2, "q4_1": 3, "q5_0": 6, "q5_1": 7, "q8_0": 8, "bf16": 30}
BLOCK = 32


def main():
    folder = common.parse_output(__doc__) / "quantization"
    values = np.concatenate(blocks()).astype("<f4")
    common.write_floats(folder / "values", values)
    for name, number in TYPES.items():
        (folder / f"{name}.bin").write_bytes(quantized(values, number))


def blocks():
    """Blocks of every kind: random ones, and those on which implementations differ."""
    units = common.unit_array(90, [], 64 * BLOCK).reshape(64, BLOCK) - 0.5
    ramp = np.arange(BLOCK) - 15.5
    signs = np.where(np.arange(BLOCK) % 2, -1.0, 1.0)
    result = [row * 10.0 ** (index % 10 - 5) for index, row in enumerate(units)]
    # Constants, zeros of both signs, and several numbers of the largest magnitude.
    result += [np.full(BLOCK, value) for value in (0.0, -0.0, 1.0, -1.0, 0.1, -65504.0)]
    result += [signs, -signs, signs * 0.0, np.where(ramp > 0, 3.0, -3.0), np.where(ramp == 0.5, 1.0, 0.0)]
    # Numbers halfway between two levels.
    result += [ramp, -ramp, ramp / 8, ramp + 15.5, np.floor(ramp) * 4, 127 * units[0].round(2) * 2]
    # Scales that are subnormal or zero in float16, and whose inverse is infinite in float32.
    result += [units[1] * 2.0 ** exponent for exponent in (-15, -20, -24, -26, -60, -120, -128, -135, -140, -149)]
    return result


def quantized(values, number):
    """The bytes of the values in the type with this number."""
    ggml = library()
    result = np.zeros(values.nbytes, np.uint8)
    size = ggml.ggml_quantize_chunk(number, values.ctypes.data_as(ctypes.c_void_p),
                                    result.ctypes.data_as(ctypes.c_void_p), 0, len(values) // BLOCK, BLOCK, None)
    return result[:size].tobytes()


def library():
    packages = Path(importlib.util.find_spec("_pywhispercpp").origin).parent
    ggml = ctypes.CDLL(str(packages / "libggml-base.so"))
    ggml.ggml_quantize_chunk.restype = ctypes.c_size_t
    ggml.ggml_quantize_chunk.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64,
                                         ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    return ggml


if __name__ == "__main__":
    main()
