#!/usr/bin/env python3
"""Fixtures/writers: transcription results and the text, subtitle, table and JSON files written from them."""
import io
import json
import math
import platform
import random
import struct

from whisper.utils import WriteJSON, WriteSRT, WriteTSV, WriteTXT, WriteVTT, format_timestamp

import common

OPTIONS = {
    "default": {},
    "highlight": {"highlight_words": True},
    "width20": {"max_line_width": 20},
    "width20-count1": {"max_line_width": 20, "max_line_count": 1},
    "width20-count2": {"max_line_width": 20, "max_line_count": 2},
    "width42-count2": {"max_line_width": 42, "max_line_count": 2},
    "width5-count2": {"max_line_width": 5, "max_line_count": 2},
    "count2-only": {"max_line_count": 2},
    "words3": {"max_words_per_line": 3},
    "words1": {"max_words_per_line": 1},
    "words5-width12": {"max_words_per_line": 5, "max_line_width": 12},
    "width20-count2-highlight": {"max_line_width": 20, "max_line_count": 2, "highlight_words": True},
    "words2-highlight": {"max_words_per_line": 2, "highlight_words": True},
    "width0": {"max_line_width": 0, "max_line_count": 0},
}

TIMES = [0.0, 0.0004, 0.0005, 0.0015, 0.9994, 0.9995, 1.0, 1.0005, 1.2345, 59.9994, 59.9996, 60.0, 61.5, 3599.9995,
         3599.99951, 3600.0, 3661.001, 86399.999, 360000.5, 0.02 * 7, 12.34, 2.675]

# Numbers at the limits of a notation, of the range, and of rounding.
CHOSEN_FLOATS = [
    0.0, -0.0, 1.0, -1.0, 0.1, 0.2, 0.3, 0.30000000000000004, 0.3333333333333333, 0.6666666666666666, 0.0001,
    9.999e-05, 1e-05, 1.5e-05, 0.00012345, 1000000000000000.0, 1e+16, 9999999999999998.0, 9007199254740991.0,
    9007199254740992.0, 9007199254740992.0, 1.2345678901234568e+16, 1.2345678901234568e+17, 1e+17, 1e+21, 1e+22,
    1e+23, 5e-324, 1e-323, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e+308,
    -1.7976931348623157e+308, 360001.9996, 3725.0625, 100.0, 1e+100, 1e-100, 123456.789, 0.5, -0.25, -0.375,
    0.9999999999999999, 1.0000000000000002, 4.35, 0.57, 1.15, 2.675, math.inf, -math.inf, math.nan]


def main():
    folder = common.parse_output(__doc__) / "writers"
    index = [case for name, result in results().items() for case in write_result(folder, name, result)]
    common.write_cases(folder / "index.json", {"versions": common.versions()}, index)
    write_timestamps(folder)
    write_floats(folder)


def write_result(folder, name, result):
    """Writes a result and all files made from it; yields their entries in the index."""
    source = f"{name}.input.json"
    common.write_json(folder / source, result, indent=1)
    for option_set, options in OPTIONS.items():
        if option_set == "default":
            writers = [WriteTXT, WriteVTT, WriteSRT, WriteTSV, WriteJSON]
        else:
            writers = [] if name in ("plain", "none") else [WriteVTT, WriteSRT]     # options need words
        for writer in writers:
            golden = f"{name}.{option_set}.{writer.extension}"
            file = io.StringIO()
            writer("").write_result(result, file=file, options=None, **options)
            (folder / golden).write_bytes(file.getvalue().encode())
            yield {"input": source, "options": options, "format": writer.extension, "golden": golden}


def write_timestamps(folder):
    cases = [{"seconds": time, "vtt": format_timestamp(time), "srt": format_timestamp(time, True, ","),
              "always_hours": format_timestamp(time, True), "tsv": round(1000 * time)} for time in TIMES]
    rule = "milliseconds = round half to even of seconds * 1000 in double precision"
    common.write_cases(folder / "timestamps.json", {"rule": rule}, cases)


def write_floats(folder):
    """Writes numbers by their bits together with what json.dumps makes of them."""
    numbers = CHOSEN_FLOATS + [2.0**power for power in [*range(-1074, 1024, 31), *range(-60, 70)]]
    numbers += [10.0**power for power in range(-30, 31)] + random_floats()
    cases = [{"bits": struct.pack(">d", number).hex(), "json": json.dumps(number)} for number in numbers]
    common.write_cases(folder / "python-floats.json", {"python": platform.python_version()}, cases)


def random_floats():
    """Times in hundredths, log probabilities, random bits, and float32 numbers."""
    draw = random.Random(20250625)
    hundredths = [round(draw.uniform(0, 36000), 2) for _ in range(40)]
    negative = [-draw.uniform(0, 5) for _ in range(20)]
    any_bits = []
    while len(any_bits) < 190:
        (number,) = struct.unpack("<d", draw.randbytes(8))
        if math.isfinite(number):
            any_bits.append(number)
    singles = [struct.unpack("f", struct.pack("f", draw.uniform(-3, 3)))[0] for _ in range(40)]
    return hundredths + negative + any_bits + singles


def results():
    return {"plain": plain(), "words": words(), "first-empty": first_empty(),
            "all-empty": result([segment(0, "", 0.5, 0.5, [])]), "none": result([])}


def plain():
    """Segments without words: arrows, tabs, line breaks, no text, rounded times, many hours."""
    texts = [(" Hello there.", 0.0, 1.234), (" An arrow --> and a\ttab.", 1.234, 3.5), ("", 3.5, 3.5),
             ("  Ünïcode 😀 and 日本語 ", 59.999, 60.0005), (" After an hour.", 3600.5, 3725.0625),
             (" Hundred hours", 360000.0, 360001.9996), (" line\nbreak inside", 4000.0044, 4000.0055),
             (' "quotes" & <tags> \\ back', 4001.0, 4002.0)]
    return result([segment(id, *text) for id, text in enumerate(texts)])


def words():
    """Segments with words: pauses, a word longer than a line, no spaces, punctuation, crossing an hour."""
    fox = [" " + word for word in "The quick brown fox jumps over the lazy dog and runs away".split()]
    pauses = "Well, then... it isn't over—yet! supercalifragilisticexpialidocious word".split()
    pauses[1:] = [" " + word for word in pauses[1:]]
    odd = [(" one", 30.0, 30.0, 0.1), (" two", 30.5, 30.4, 0.2), ("-three", 30.6, 31.0, 0.3), (" <b>", 31.0, 31.0, 0.4),
           ("\n", 31.0, 31.2, 0.5), (" a --> b", 31.2, 31.5, 0.6)]
    hour = [(f" x{i}", 3599.0 + i * 0.5, 3599.3 + i * 0.5, 0.9) for i in range(9)]
    return result([
        worded_segment(0, 0.0, 3.6, spread(fox, 0.0)),
        worded_segment(1, 5.0, 12.0, spread(pauses, 5.0, 0.25, pauses={3: 4.0, 5: 1.0})),
        segment(2, "", 12.0, 12.0, []),
        worded_segment(3, 20.0, 22.0, spread(["今天", "天气", "很", "好", "。"], 20.0, 0.4)),
        worded_segment(4, 30.0, 31.5, odd),
        worded_segment(5, 3599.0, 3603.3, hour)])


def first_empty():
    return result([segment(0, "", 0.0, 0.0, []),
                   worded_segment(1, 7.0, 7.6, spread([" later", " words"], 7.0))])


def result(segments):
    return {"text": "".join(segment["text"] for segment in segments), "segments": segments, "language": "en"}


def worded_segment(id, start, end, words):
    return segment(id, "".join(word for word, *_ in words), start, end, words)


def segment(id, text, start, end, words=None):
    segment = {"id": id, "seek": 0, "start": start, "end": end, "text": text, "tokens": [50363, 400 + id, 50400],
               "temperature": 0.0, "avg_logprob": -0.25 - id / 8, "compression_ratio": 1.25, "no_speech_prob": 1.5e-05}
    if words is not None:
        segment["words"] = [{"word": word, "start": start, "end": end, "probability": probability}
                            for word, start, end, probability in words]
    return segment


def spread(words, start, duration=0.3, pauses={}):
    """Words one after the other, with a pause before those whose index is given."""
    timed = []
    for index, word in enumerate(words):
        start += pauses.get(index, 0.0)
        timed.append((word, round(start, 2), round(start + duration, 2), 0.5 + index % 5 / 10))
        start += duration
    return timed


if __name__ == "__main__":
    main()
