#!/usr/bin/env python3
"""Fixtures/real: transcriptions of real speech by OpenAI's tiny.en and base, computed with openai-whisper in float32.

Needs the weights and the recordings that scripts/install-test-models.sh and scripts/install-recordings.sh install. Hours of
single-threaded work: --work keeps every result, so that an interrupted run continues where it stopped.

Each case carries its margin: the smallest gap, in log probability, by which the reference made any of its decisions.
Where another implementation decides differently although its arithmetic is as exact, the margin shows that it was a tie.
"""
import argparse
import hashlib
import json
import math
import os
import sys
import wave
from pathlib import Path

import numpy as np
import torch
import whisper

sys.path.insert(0, str(Path(__file__).parent.parent))
import common  # noqa: E402
import ggml  # noqa: E402
import margins  # noqa: E402
import nano  # noqa: E402

LANGUAGES = ("fr", "es", "it", "ru")
MINUTE = 60 * common.SAMPLE_RATE
LAST_CLIP_END = 2.2 * common.SAMPLE_RATE

# All prompts are transcribed under these, and the first few of each language under every option set.
MAIN_SETS = ("greedy", "beam5")

# For a multilingual model. `detect` leaves the language to the model.
MULTILINGUAL = {"detect": {"language": None}, "beam5-translate": {"beam_size": 5, "task": "translate"}}

# The sets of nano.en and these, in the order of their importance.
OPTION_SETS = {name: nano.OPTION_SETS[name] for name in MAIN_SETS} | MULTILINGUAL | nano.OPTION_SETS

# Decimal places of what the segments carry; the tests' tolerances are wider.
PLACES = {"avg_logprob": 6, "compression_ratio": 12, "no_speech_prob": 7, "probability": 5, "start": 2, "end": 2}


def main():
    parser = common.output_parser(__doc__)
    parser.add_argument("--models", type=Path, default=os.environ.get("WHISPER_LOCAL_TEST_MODELS"), metavar="FOLDER")
    parser.add_argument("--speech", type=Path, default=os.environ.get("WHISPER_LOCAL_TEST_SPEECH"), metavar="FOLDER")
    parser.add_argument("--work", type=Path, required=True, metavar="FOLDER", help="keeps encoder outputs and results")
    arguments = parser.parse_args()
    common.use_one_thread()
    recordings = Recordings(arguments.speech)
    jobs = {"tiny.en": english_jobs(recordings), "base": multilingual_jobs(recordings)}
    models = {name: Model(name, arguments.models, arguments.work) for name in jobs}
    for option_set in OPTION_SETS:
        for name, model in models.items():
            clips = [clip for clip, sets in jobs[name] if option_set in sets]
            if option_set == "greedy-clips-carry":
                # openai-whisper never terminates if a clip ends after the recording.
                clips = [clip for clip in clips if len(recordings.samples(clip)) > LAST_CLIP_END]
            if clips:
                write_set(arguments.output / "real" / name, option_set, clips, recordings, model)
                recordings.write(arguments.output / "real/recordings.json")


def english_jobs(recordings):
    """Pairs of a clip and the names of its option sets."""
    english = [name for name in OPTION_SETS if name not in MULTILINGUAL]
    jobs = [(clip, english if index < 4 else MAIN_SETS) for index, clip in enumerate(recordings.prompts("en", 60))]
    return jobs + [("minute-en", english), ("long-en", MAIN_SETS)]


def multilingual_jobs(recordings):
    jobs = [(clip, ("detect",)) for clip in recordings.prompts("en", 5)] + [("minute-en", ("greedy", "detect"))]
    for language in LANGUAGES:
        for index, clip in enumerate(recordings.prompts(language, 20)):
            jobs.append((clip, OPTION_SETS if index < 1 else (*MAIN_SETS, *MULTILINGUAL) if index < 5 else MAIN_SETS))
        jobs.append((f"minute-{language}", (*MAIN_SETS, *MULTILINGUAL) + (("beam5-words",) if language == "fr" else ())))
    return jobs


def language(clip):
    """The language of a clip: of `fr/hello.wav`, `minute-fr` and `long-fr`."""
    return clip.split("/")[0].split("-")[-1]


class Recordings:
    """The installed recordings, and which of them were used."""

    def __init__(self, folder):
        self.folder, self.used = folder, {}

    def prompts(self, language, count):
        items = json.loads((self.folder / f"{language}.json").read_text())
        return [f"{language}/{item['file']}" for item in items[:count]]

    def samples(self, clip):
        """Float samples, as openai-whisper reads them from 16-bit files."""
        path = clip if "/" in clip else f"long-{language(clip)}.wav"
        with wave.open(str(self.folder / path)) as file:
            assert file.getframerate() == common.SAMPLE_RATE and file.getnchannels() == 1
            data = file.readframes(MINUTE if clip.startswith("minute-") else file.getnframes())
        self.used[clip] = {"clip": clip, "file": path, "samples": len(data) // 2,
                           "sha256": hashlib.sha256(data).hexdigest()}
        return np.frombuffer(data, "<i2").astype(np.float32) / 32768

    def write(self, path):
        common.write_cases(path, {}, [self.used[clip] for clip in sorted(self.used)])


class Model:
    """openai-whisper's network with the weights of a file; encoder outputs and results are kept in a folder."""

    def __init__(self, name, models, work):
        self.name, self.work = name, work / name
        self.work.mkdir(parents=True, exist_ok=True)
        self.network = ggml.load_model(models / f"ggml-{name}.bin")
        self.network.set_alignment_heads(whisper._ALIGNMENT_HEADS[name])
        self.encode, self.network.encoder.forward = self.network.encoder.forward, self.encoded

    def encoded(self, mel):
        path = self.work / (hashlib.sha256(mel.numpy().tobytes()).hexdigest()[:24] + ".npy")
        if path.exists():
            return torch.from_numpy(np.load(path))
        output = self.encode(mel)
        temporary = path.with_suffix(".tmp.npy")
        np.save(temporary, output.numpy())
        temporary.rename(path)
        return output

    def transcribe(self, clip, option_set, samples, options):
        """The case of a clip: the reference's result, and the margin of its decisions."""
        path = self.work / f"{option_set}--{clip.replace('/', '--')}.json"
        if not path.exists():
            with margins.measured() as measured:
                result = self.network.transcribe(samples, **options)
            case = {"clip": clip, "margin": measured.smallest, "result": rounded(common.plain(result))}
            if options["language"] is None:
                case["languages"] = self.languages(samples)
            path.write_text(common.dumps(case), encoding="utf-8")
        return json.loads(path.read_text())

    def languages(self, samples):
        """The five most probable languages."""
        mel = whisper.log_mel_spectrogram(samples, self.network.dims.n_mels, padding=whisper.audio.N_SAMPLES)
        _, found = self.network.detect_language(whisper.pad_or_trim(mel, whisper.audio.N_FRAMES))
        best = sorted(found, key=found.get, reverse=True)[:5]
        return {code: round(found[code], 6) for code in best}


def write_set(folder, option_set, clips, recordings, model):
    cases = []
    for clip in clips:
        options = nano.BASE | {"language": language(clip)} | OPTION_SETS[option_set]
        print(f"{model.name} {option_set}: {clip}", flush=True)
        cases.append(model.transcribe(clip, option_set, recordings.samples(clip), options))
    header = {"options": nano.BASE | OPTION_SETS[option_set], "dims": vars(model.network.dims),
              "weights_sha256": nano.weights_digest(model.network), "versions": common.versions()}
    # The language is that of the clip.
    if option_set != "detect":
        del header["options"]["language"]
    common.write_cases(folder / f"{option_set}.json", header, cases)


def rounded(value, key=None):
    if isinstance(value, dict):
        return {key: rounded(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return round(value, PLACES[key]) if key in PLACES and math.isfinite(value) else value


if __name__ == "__main__":
    main()
