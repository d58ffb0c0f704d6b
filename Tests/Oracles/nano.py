#!/usr/bin/env python3
"""Fixtures/nano: whole transcriptions of the clips by the model in Models/ under ten option sets.

Every clip is transcribed twice, the second time with noise added to the encoder output. `stable` is true if ids, times
and words stay the same, so that another implementation can be expected to produce them too.
"""
import hashlib

import torch
import whisper

import common
import ggml

BASE = {"language": "en", "fp16": False, "temperature": 0.0}
OPTION_SETS = {
    "greedy": {},
    "beam5": {"beam_size": 5},
    "beam5-words": {"beam_size": 5, "word_timestamps": True},
    "greedy-no-timestamps": {"without_timestamps": True},
    "greedy-words-prompt": {"word_timestamps": True,
                            "initial_prompt": "Names and numbers: David, Robert, 9:45, $3.50."},
    "greedy-no-condition": {"condition_on_previous_text": False},
    "greedy-suppress-none": {"suppress_tokens": ""},
    "beam5-patience2-penalty": {"beam_size": 5, "patience": 2.0, "length_penalty": 0.6},
    "greedy-words-hallucination": {"word_timestamps": True, "hallucination_silence_threshold": 2.0,
                                   "condition_on_previous_text": False},
    "greedy-clips-carry": {"clip_timestamps": "0.4,2.2,1.0", "initial_prompt": "Carried words.",
                           "carry_initial_prompt": True},
}

# Noise on the encoder output, as a share of its mean magnitude.
NOISE = 1e-5


def main():
    arguments = parse_arguments()
    folder = arguments.output / "nano"
    common.use_one_thread()
    model = ggml.load_model(common.REPOSITORY / "Models/nano.en.ggml.bin")
    encoder = model.encoder.forward = NoisyEncoder(model.encoder.forward)
    for option_set in arguments.sets:
        write_options(folder / option_set, option_set, model)
        for clip in arguments.clips:
            print(f"{option_set}: {clip}", flush=True)
            write_transcription(folder / option_set, clip, model, encoder, BASE | OPTION_SETS[option_set])


def parse_arguments():
    clips = {path.stem for path in (common.FIXTURES / "clips").iterdir() if path.suffix in (".wav", ".flac")}
    parser = common.output_parser(__doc__)
    parser.add_argument("--sets", nargs="+", choices=OPTION_SETS, default=OPTION_SETS, metavar="SET",
                        help=f"option sets (default: all): {', '.join(OPTION_SETS)}")
    parser.add_argument("--clips", nargs="+", choices=clips, default=sorted(clips), metavar="CLIP",
                        help="names in Tests/Fixtures/clips without extension (default: all)")
    return parser.parse_args()


class NoisyEncoder:
    """Adds noise once `noise` is a generator. Keeps encoded windows, because most recur under every option set."""

    def __init__(self, encode):
        self.encode, self.noise, self.encoded = encode, None, {}

    def __call__(self, mel):
        key = hashlib.sha256(mel.numpy().tobytes()).digest()
        if key not in self.encoded:
            self.encoded[key] = self.encode(mel)
        output = self.encoded[key]
        if self.noise is None:
            return output
        return output + NOISE * output.abs().mean() * torch.randn(output.shape, generator=self.noise)


def write_options(folder, name, model):
    common.write_json(folder / "options.json", {
        "name": name, "options": BASE | OPTION_SETS[name],
        "model": {"dims": vars(model.dims), "weights_sha256": weights_digest(model)},
        "alignment_heads": model.alignment_heads.indices().T.tolist(), "versions": common.versions()}, indent=1)


def weights_digest(model):
    """The SHA-256 of each tensor's name, a zero byte and its float32 values, in the order of the names."""
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode() + b"\0" + tensor.numpy().tobytes())
    return digest.hexdigest()


def write_transcription(folder, clip, model, encoder, options):
    (path,) = (common.FIXTURES / "clips").glob(f"{clip}.*")
    samples = whisper.load_audio(str(path))
    encoder.noise = None
    result = model.transcribe(samples, **options)
    encoder.noise = torch.Generator().manual_seed(3)
    stable = outline(model.transcribe(samples, **options)) == outline(result)
    common.write_json(folder / f"{clip}.json", {"clip": f"{clip}.wav", "samples": len(samples), "options": options,
                                                "stable": stable, "result": result}, indent=1)


def outline(result):
    """What must not change for a transcription to be called stable."""
    return [(segment["start"], segment["end"], segment["tokens"],
             [(word["word"], word["start"], word["end"]) for word in segment.get("words", [])])
            for segment in result["segments"]]


if __name__ == "__main__":
    main()
