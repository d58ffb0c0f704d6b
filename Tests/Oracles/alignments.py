"""Alignment of given texts by a whole model, for the oracles `model` and `timing`."""
from unittest import mock

import torch
import whisper.timing

import common

TEXTS = [(" The quick brown fox jumps over the lazy dog.", 503), (" One, two, three.", 3000), (" Hi", 100)]


@torch.no_grad()
def write_alignments(folder, name, model, tokens, clip, mel, write_costs):
    """Writes alignment.json and, with `write_costs`, each matrix that is handed to dynamic time warping."""
    cases = []
    for index, (text, frames) in enumerate(TEXTS):
        ids = tokens.encode(text)
        with mock.patch.object(whisper.timing, "dtw", wraps=whisper.timing.dtw) as dtw:
            words = whisper.timing.find_alignment(model, tokens, ids, mel, frames)
        costs = dtw.call_args.args[0]
        write_costs(folder / f"alignment-{index}-cost", costs.numpy())
        path_text, path_time = whisper.timing.dtw(costs)
        cases.append({"text": text, "tokens": ids, "num_frames": frames, "path_text": path_text,
                      "path_time": path_time, "words": [word_timing(word) for word in words]})
    heads = model.alignment_heads.indices().T.tolist()
    common.write_cases(folder / "alignment.json", {"model": name, "clip": clip, "heads": heads}, cases)


def word_timing(word):
    """The fields of whisper.timing.WordTiming, as the fixtures have them."""
    return {"word": word.word, "tokens": word.tokens, "start": word.start, "end": word.end,
            "probability": word.probability}
