"""Makes a model with other dimensions from one of the small ones, by repeating its layers.

    model.py MODEL RESULT ENCODER_LAYERS DECODER_LAYERS [zero-encoder] [overflow] [damaged-vocabulary] [hostile-vocabulary]

With damaged-vocabulary, partial characters in the vocabulary become U+FFFD, as in files of early converters. With
hostile-vocabulary, the word " fan" contains control characters. With overflow, the decoder's last layer adds the largest
number to all values.
"""
import re
import struct
import sys

source, result, encoder, decoder = sys.argv[1:5]
silent = "zero-encoder" in sys.argv[5:]
data = open(source, "rb").read()
numbers = list(struct.unpack("<12i", data[:48]))
mels, columns = struct.unpack("<2i", data[48:56])
place = 56 + 4 * mels * columns
(count,) = struct.unpack("<i", data[place:place + 4])
place += 4
# Appending to bytes would copy the whole vocabulary for each word.
head = bytearray(data[48:place])
for _ in range(count):
    (length,) = struct.unpack("<i", data[place:place + 4])
    piece = data[place + 4:place + 4 + length]
    place += 4 + length
    if "damaged-vocabulary" in sys.argv[5:]:
        piece = piece.decode(errors="replace").encode()
    if "hostile-vocabulary" in sys.argv[5:] and piece == b" fan":
        piece = " \x1b]0;x\x07f\x9ban\u202e".encode()
    head += struct.pack("<i", len(piece)) + piece
numbers[5], numbers[9] = int(encoder), int(decoder)

records = []
while place < len(data):
    dimensions, length, kind = struct.unpack("<3i", data[place:place + 12])
    sizes = struct.unpack(f"<{dimensions}i", data[place + 12:place + 12 + 4 * dimensions])
    start = place + 12 + 4 * dimensions
    name = data[start:start + length].decode()
    values = start + length
    items = 1
    for size in sizes:
        items *= size
    place = values + items * {0: 4, 1: 2}[kind]
    records.append((name, dimensions, kind, sizes, data[values:place]))

with open(result, "wb") as out:
    out.write(struct.pack("<12i", *numbers) + head)
    for name, dimensions, kind, sizes, values in records:
        part = re.match(r"(encoder|decoder)\.blocks\.(\d+)\.(.*)", name)
        names = [name]
        if part:
            have = {"encoder": struct.unpack("<i", data[20:24])[0],
                                 "decoder": struct.unpack("<i", data[36:40])[0]}[part[1]]
            wanted = int(encoder if part[1] == "encoder" else decoder)
            names = [f"{part[1]}.blocks.{layer}.{part[3]}" for layer in range(int(part[2]), wanted, have)]
        if silent and name.startswith("encoder.") and name.endswith(".weight") and dimensions > 1:
            values = bytes(len(values))
        if "overflow" in sys.argv[5:] and name == "decoder.ln.bias":
            values = struct.pack("<f", 3.4e38) * (len(values) // 4)
        for name in names:
            out.write(struct.pack(f"<{3 + dimensions}i", dimensions, len(name), kind, *sizes))
            out.write(name.encode() + values)
