"""Recordings of any length, composed of the tests' clips with pauses between them, and the word error rate of a text."""
import json
import random
import re
import sys
import wave

from harness import ROOT

sys.path.append(str(ROOT / "Tests/Oracles/real"))
from recordings import join

CLIPS = ROOT / "Tests/Fixtures/clips"
SAMPLE_RATE = 16_000
SEED = 1


def compose(path, seconds):
    """Writes a 16-bit mono WAV file of at least `seconds` and returns the words spoken in it."""
    clips = [clip for clip in json.loads((CLIPS / "manifest.json").read_text())
             if clip["file"].startswith("say-") and (CLIPS / clip["file"]).exists()]
    generator = random.Random(SEED)
    words, frames = [], 0
    with wave.open(str(path), "wb") as output:
        output.setnchannels(1)
        output.setsampwidth(2)
        output.setframerate(SAMPLE_RATE)
        while frames < seconds * SAMPLE_RATE:
            clip = generator.choice(clips)
            with wave.open(str(CLIPS / clip["file"])) as source:
                speech = source.readframes(source.getnframes())
            pause = bytes(2 * int(SAMPLE_RATE * generator.uniform(0.3, 2.5)))
            output.writeframes(speech + pause)
            frames += (len(speech) + len(pause)) // 2
            words += normalized(clip["text"])
    return words


def compose_prompts(speech, language, minutes, path):
    """Writes the first prompts of `long-LANGUAGE.wav`, up to this length; returns the length in seconds and the text.

    This is human speech, from the folder `speech` that scripts/install-recordings.sh fills.
    """
    prompts = json.loads((speech / f"{language}.json").read_text())
    return join(prompts, speech / language, path, minutes * 60)


def normalized(text):
    """Words in lower case, without punctuation."""
    return re.findall(r"[a-z0-9']+", text.lower())


def word_errors(reference, hypothesis):
    """The smallest number of substitutions, deletions and insertions that turn one list of words into the other."""
    row = list(range(len(hypothesis) + 1))
    for i, expected in enumerate(reference, 1):
        diagonal, row[0] = row[0], i
        for j, word in enumerate(hypothesis, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (expected != word))
    return row[-1]


def word_error_rate(reference, text):
    """Word errors in `text`, divided by the number of reference words."""
    return word_errors(reference, normalized(text)) / max(1, len(reference))
