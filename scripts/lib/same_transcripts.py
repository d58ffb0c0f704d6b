#!/usr/bin/env python3
"""Compares a transcript in JSON with an expected one, which may be golden data: texts, tokens and times exactly,
probabilities with a tolerance.

same_transcripts.py EXPECTED FOUND TOLERANCE"""

import json
import sys

PROBABILITIES = "avg_logprob", "no_speech_prob"


def transcript(path):
    content = json.load(open(path))
    return content.get("result", content)


expected, found, tolerance = transcript(sys.argv[1]), transcript(sys.argv[2]), float(sys.argv[3])
pairs = list(zip(expected["segments"], found["segments"]))
differences = [
    abs(one.pop(name) - other.pop(name)) for one, other in pairs for name in PROBABILITIES if name in one
]
for name in "text", "language", "segments":
    if expected[name] != found[name]:
        sys.exit(f"error: {name} differs\nexpected: {expected[name]}\nfound:    {found[name]}")
if any(not difference <= tolerance for difference in differences):
    sys.exit(f"error: probabilities differ: {differences}")
