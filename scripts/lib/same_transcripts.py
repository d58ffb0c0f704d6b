#!/usr/bin/env python3
"""Compares a transcript in JSON with an expected one, which may be golden data: texts, tokens and times exactly,
probabilities with a tolerance. Golden data of Parakeet have text and tokens.

same_transcripts.py EXPECTED FOUND TOLERANCE"""

import json
import sys

PROBABILITIES = "avg_logprob", "no_speech_prob", "probability"


def transcript(path):
    content = json.load(open(path))
    return content.get("result", content)


def parts(transcript):
    """The segments and their words."""
    for segment in transcript["segments"]:
        yield segment
        yield from segment.get("words", [])


def compare(name, expected, found):
    if expected != found:
        sys.exit(f"error: {name} differs\nexpected: {expected}\nfound:    {found}")


expected, found, tolerance = transcript(sys.argv[1]), transcript(sys.argv[2]), float(sys.argv[3])
if whole := expected.get("whole"):
    compare("text", whole["text"], found["text"].strip())
    compare("tokens", whole["tokens"], [token for segment in found["segments"] for token in segment["tokens"]])
    sys.exit()
differences = [
    abs(one.pop(name) - other.pop(name))
    for one, other in zip(parts(expected), parts(found))
    for name in PROBABILITIES
    if name in one and name in other
]
# Golden data have times such as 0.44000000000000017.
for part in [*parts(expected), *parts(found)]:
    part["start"], part["end"] = round(part["start"], 6), round(part["end"], 6)
for name in "text", "language", "segments":
    compare(name, expected[name], found[name])
if any(not difference <= tolerance for difference in differences):
    sys.exit(f"error: probabilities differ: {differences}")
