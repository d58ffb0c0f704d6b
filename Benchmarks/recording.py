"""A recording of any length, composed of the tests' clips with pauses between them, and what is said in it."""
import json
import random
import re
import wave
from pathlib import Path

CLIPS = Path(__file__).resolve().parent.parent / "Tests/Fixtures/clips"
RATE = 16_000


def compose(path, seconds, seed=1):
    """Writes a 16-bit mono WAV of about `seconds` and returns its words in order."""
    clips = [clip for clip in json.loads((CLIPS / "manifest.json").read_text())
             if clip["file"].startswith("say-") and (CLIPS / clip["file"]).exists()]
    choose = random.Random(seed)
    words, length = [], 0
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        while length < seconds * RATE:
            clip = choose.choice(clips)
            with wave.open(str(CLIPS / clip["file"])) as sound:
                samples = sound.readframes(sound.getnframes())
            pause = bytes(2 * int(RATE * choose.uniform(0.3, 2.5)))
            file.writeframes(samples + pause)
            length += (len(samples) + len(pause)) // 2
            words += normalised(clip["text"])
    return words


def normalised(text):
    """Lower-case words without punctuation."""
    return re.findall(r"[a-z0-9']+", text.lower())


def word_error_rate(words, text):
    """Substitutions, deletions and insertions as a share of `words`."""
    found = normalised(text)
    row = list(range(len(found) + 1))
    for i, word in enumerate(words, 1):
        last, row[0] = row[0], i
        for j, other in enumerate(found, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (word != other))
    return row[-1] / max(1, len(words))
