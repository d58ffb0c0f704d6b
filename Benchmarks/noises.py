#!/usr/bin/env python3
"""Writes 200 clips of 30 s without speech: silence, noise, hum, tones, music and clicks.

    .build/peers/bin/python Benchmarks/noises.py FOLDER

The clips are the same on every run. invented.py calls this with the Python of the peers' environment, which has numpy.
"""
import sys
import wave
from pathlib import Path

import numpy as np

RATE, SECONDS = 16_000, 30
COUNT = RATE * SECONDS
TIME = np.arange(COUNT) / RATE
#: How many clips there are of each kind.
KINDS = {"silence": 10, "white": 30, "pink": 30, "wind": 20, "hum": 20, "tones": 30, "music": 50, "clicks": 10}
QUIET, LOUD = -70, -10


def silence(random, number):
    """Digital silence, a constant offset, and noise of one or two steps."""
    return [np.zeros(COUNT), np.full(COUNT, 0.01), random.integers(-1, 2, COUNT) / 32_768,
            random.integers(-2, 3, COUNT) / 32_768][number % 4]


def colored(random, exponent):
    """Noise whose power falls with frequency to this exponent, at most 1."""
    spectrum = np.fft.rfft(random.standard_normal(COUNT))
    spectrum *= np.maximum(np.fft.rfftfreq(COUNT, 1 / RATE), 20) ** (-exponent / 2)
    return full_scale(np.fft.irfft(spectrum))


def full_scale(samples):
    return samples / max(1e-9, np.abs(samples).max())


def leveled(samples, random):
    return full_scale(samples) * 10 ** (random.uniform(QUIET, LOUD) / 20)


def wind(random):
    gusts = np.interp(TIME, np.arange(SECONDS + 1), random.uniform(0.05, 1, SECONDS + 1))
    return colored(random, 2) * gusts


def hum(random):
    mains = random.choice([50, 60])
    tones = sum(random.uniform(0, 1) / k * np.sin(2 * np.pi * (k * mains * TIME + random.random())) for k in range(1, 9))
    return full_scale(tones) + random.uniform(0, 0.1) * random.standard_normal(COUNT)


def tones(random, number):
    low, high = sorted(random.uniform(150, 4000, 2))
    if number % 4 == 0:
        return np.sin(2 * np.pi * low * TIME)
    if number % 4 == 1:    # a sweep
        return np.sin(2 * np.pi * (low * TIME + (high - low) * TIME ** 2 / 2 / SECONDS))
    if number % 4 == 2:    # beeps, like a ringing or busy telephone
        period = random.uniform(0.4, 5)
        return (np.sin(2 * np.pi * low * TIME) + np.sin(2 * np.pi * high * TIME)) * (TIME % period < period / 2)
    # telephone keys
    keys = np.repeat(random.integers(0, 4, (2, SECONDS * 4)), RATE // 4, axis=1)
    rows, columns = np.array([697, 770, 852, 941])[keys[0]], np.array([1209, 1336, 1477, 1633])[keys[1]]
    return (np.sin(2 * np.pi * rows * TIME) + np.sin(2 * np.pi * columns * TIME)) * (TIME % 0.25 < 0.15)


def note(pitch, length, random):
    """A tone with harmonics that fades; the pitch counts semitones from A at 440 Hz."""
    time = np.arange(int(length * RATE)) / RATE
    frequency = 440 * 2 ** (pitch / 12)
    harmonics = sum(np.sin(2 * np.pi * k * frequency * time) / k ** random.uniform(1, 2)
                    for k in range(1, 8) if k * frequency < RATE / 2)
    return harmonics * np.exp(-time * random.uniform(1, 4)) * np.minimum(1, time * 100)


def music(random):
    """A melody over chords, half of the time with drums."""
    beat = random.uniform(0.25, 0.7)
    scale = np.array([0, 2, 4, 5, 7, 9, 11]) if random.random() < 0.5 else np.array([0, 2, 3, 5, 7, 8, 10])
    key, drums = random.integers(-9, 3), random.random() < 0.5
    samples = np.zeros(COUNT + 4 * RATE)

    def add(sound, start):
        first = int(start * RATE)
        samples[first:first + len(sound)] += sound

    root, step = 0, 4
    for index, start in enumerate(np.arange(0, SECONDS - beat, beat)):
        if index % 4 == 0:
            root = random.choice([0, 3, 4, 5])
            for third in (0, 2, 4):
                degree = root + third
                add(0.4 * note(key - 12 + scale[degree % 7] + 12 * (degree // 7), 4 * beat, random), start)
        step = int(np.clip(step + random.integers(-2, 3), 0, 13))
        if random.random() < 0.8:
            add(note(key + scale[step % 7] + 12 * (step // 7), beat * random.choice([1, 1, 2]), random), start)
        if drums:
            add(0.5 * random.standard_normal(RATE // 10) * np.exp(-np.arange(RATE // 10) / 300), start)
    return samples[:COUNT]


def clicks(random):
    samples = 0.001 * random.standard_normal(COUNT)
    for start in random.integers(0, COUNT - 400, random.integers(20, 200)):
        samples[start:start + 400] += random.uniform(0.1, 1) * random.standard_normal(400) * np.exp(-np.arange(400) / 60)
    return samples


def clip(kind, number):
    random = np.random.default_rng([len(kind), ord(kind[0]), number])
    match kind:
        case "silence":
            return silence(random, number)
        case "white" | "pink":
            return leveled(colored(random, 0 if kind == "white" else 1), random)
        case "tones":
            return leveled(tones(random, number), random)
        case _:
            return leveled({"wind": wind, "hum": hum, "music": music, "clicks": clicks}[kind](random), random)


def main(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for kind, count in KINDS.items():
        for number in range(count):
            with wave.open(str(folder / f"{kind}-{number:02}.wav"), "wb") as file:
                file.setparams((1, 2, RATE, 0, "NONE", ""))
                file.writeframes((clip(kind, number) * 32_767).round().astype("<i2").tobytes())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
