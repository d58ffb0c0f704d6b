#!/usr/bin/env python3
"""Fixtures/decoding (except decoding/faster): logit filters, search and sampling over planted logits, ranking, and
compression ratios."""
import random
import zlib
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn.functional as F
from torch.distributions import Categorical
from whisper.decoding import (ApplyTimestampRules, BeamSearchDecoder, DecodingOptions, DecodingTask, GreedyDecoder,
                              Inference, MaximumLikelihoodRanker, SuppressBlank, SuppressTokens)
from whisper.utils import compression_ratio

import common
from tokenizer import tokenizer, write_special_tokens

# Search runs over a small vocabulary.
VOCABULARY, EOT, START = 24, 23, 0

UNIT_ARGUMENTS = [(1, (0,)), (1, (1,)), (1, (0, 0)), (7, (3, 5, 9)), (1000, (50257,)), (123456789, (1, 2, 3, 4, 5)),
                  (5, ())]


def main():
    folder = common.parse_output(__doc__) / "decoding"
    common.use_one_thread()
    write_units(folder)
    write_filters(folder)
    write_single_filters(folder)
    write_beam_search(folder)
    write_greedy_search(folder)
    write_ranking(folder)
    write_sampling(folder)
    write_best_of(folder)
    write_compression_ratios(folder)
    write_special_tokens(folder)


def write_units(folder):
    cases = [{"seed": seed, "ints": integers, "value": common.unit(seed, *integers)}
             for seed, integers in UNIT_ARGUMENTS]
    common.write_cases(folder / "unit.json", {"definition": "see reference/README.md"}, cases)


# Logit filters

FILTER_OPTIONS = {
    "default": {},
    "no-max-initial": {"max_initial_timestamp": None},
    "max-initial-zero": {"max_initial_timestamp": 0.0},
    "max-initial-2.5": {"max_initial_timestamp": 2.5},
    "suppress-none": {"suppress_tokens": ""},
    "suppress-list": {"suppress_tokens": "5,6,400"},
    "suppress-both": {"suppress_tokens": "-1,400"},
    "blank-ok": {"suppress_blank": False},
    "no-stamps": {"without_timestamps": True},
}


def histories(zero, eot):
    """Tokens sampled so far; `zero` is the timestamp 0.00."""
    return {
        "start": [], "text": [400], "one-stamp": [zero], "stamp-text": [zero, 400],
        "stamp-text-stamp": [zero, 400, zero + 50], "pair": [zero, 400, zero + 50, zero + 50],
        "pair-text": [zero, 400, zero + 50, zero + 50, 370], "pair-later": [zero + 10, 400, zero + 50, zero + 60, 370],
        "two-texts": [zero + 3, 400, 370], "late": [zero, 400, zero + 1500],
        "late-pair": [zero, 400, zero + 1500, zero + 1500], "text-stamp": [400, zero + 7],
        "text-two": [400, 370, zero + 7], "eot": [zero, 400, zero + 50, eot], "only-pair": [zero, zero + 5],
        "decreasing": [zero + 80, 400, zero + 20]}


def boosts(zero, eot):
    """(id, logit) pairs that overwrite the planted logits."""
    mass = [(zero + i, 8.5) for i in range(1501)] + [(452, 9.0)]
    return {"plain": [], "text-strong": [(452, 30.0)], "stamp-strong": [(zero + 700, 30.0)], "mass": mass,
            "eot-strong": [(eot, 30.0)]}


def write_filters(folder):
    cases = []
    for vocabulary, option_set, history, boost in filter_combinations():
        cases.append(filter_case(vocabulary, option_set, history, boost, seed=1000 + len(cases)))
    common.write_cases(folder / "filters.json", {
        "logits": "logits[i] = f32(8 * unit(seed, i)), then the boosts overwrite",
        "encoding": "newly_suppressed: inclusive runs first,last,first,last; filters in the order applied"}, cases)


def filter_combinations():
    """Everything with the default options of one vocabulary; a selection of the rest."""
    for vocabulary in ("english", "multilingual-99", "multilingual-100"):
        for option_set in FILTER_OPTIONS:
            for history in histories(0, 0):
                for boost in boosts(0, 0):
                    if option_set != "default" and (boost not in ("plain", "mass")
                                                    or history not in ("start", "text", "stamp-text-stamp", "pair")):
                        continue
                    if vocabulary != "multilingual-99" and (boost == "eot-strong"
                                                            or option_set not in ("default", "suppress-both")):
                        continue
                    yield vocabulary, option_set, history, boost


def filter_case(vocabulary, option_set, history, boost, seed):
    tokens = tokenizer(vocabulary)
    options = FILTER_OPTIONS[option_set]
    zero, eot = tokens.timestamp_begin, tokens.eot
    sampled, pairs = histories(zero, eot)[history], boosts(zero, eot)[boost]
    task = DecodingTask(model_stub(vocabulary), DecodingOptions(language="en", fp16=False, **options))
    logits = planted_logits(seed, tokens.encoding.n_vocab, pairs)
    steps = []
    for logit_filter in task.logit_filters:
        before = suppressed(logits)
        logit_filter.apply(logits, torch.tensor([[*task.initial_tokens, *sampled]]))
        steps.append({"filter": type(logit_filter).__name__,
                      "newly_suppressed": common.runs(suppressed(logits) - before)})
    best = int(logits[0].argmax())
    mass = "mass: ids timestamp_begin..timestamp_begin+1500 = 8.5, id 452 = 9.0"
    return {"vocabulary": vocabulary, "option_set": option_set, "options": options, "history": history,
            "sampled": sampled, "initial_tokens": task.initial_tokens, "seed": seed,
            "boost": mass if boost == "mass" else pairs, "filters": steps,
            "finite": logits.numel() - len(suppressed(logits)), "argmax": best,
            "argmax_logprob": float(F.log_softmax(logits[0], -1)[best])}


def model_stub(vocabulary):
    """Enough of a model for DecodingTask."""
    return SimpleNamespace(is_multilingual=vocabulary != "english",
                           num_languages=100 if vocabulary == "multilingual-100" else 99,
                           dims=SimpleNamespace(n_text_ctx=448, n_audio_ctx=1500), decoder=SimpleNamespace(blocks=[]))


def planted_logits(seed, count, boost):
    logits = (8.0 * common.unit_array(seed, (), count)).astype(np.float32)
    for id, value in boost:
        logits[id] = value
    return torch.from_numpy(logits)[None]


def suppressed(logits):
    return set(torch.where(torch.isinf(logits[0]))[0].tolist())


def write_single_filters(folder):
    """Writes what each filter suppresses on its own."""
    tokens = tokenizer("multilingual-99")
    zero, initial = tokens.timestamp_begin, list(tokens.sot_sequence)
    filters = {"SuppressBlank": SuppressBlank(tokens, 3), "SuppressTokens": SuppressTokens((1, 2, 50362)),
               "ApplyTimestampRules-50": ApplyTimestampRules(tokens, 3, 50),
               "ApplyTimestampRules-none": ApplyTimestampRules(tokens, 3, None),
               "ApplyTimestampRules-0": ApplyTimestampRules(tokens, 3, 0)}
    sampled = [[], [400], [zero + 5], [zero + 5, 400], [zero + 5, 400, zero + 9], [zero + 5, 400, zero + 9, zero + 9],
               [zero + 5, zero + 9]]
    boost = [(452, 30.0)]
    cases = []
    for name, logit_filter in filters.items():
        for history in sampled:
            seed = 5000 + len(cases)
            logits = planted_logits(seed, tokens.encoding.n_vocab, boost)
            logit_filter.apply(logits, torch.tensor([initial + history]))
            cases.append({"filter": name, "sampled": history, "seed": seed, "boost": boost,
                          "suppressed": common.runs(suppressed(logits))})
    common.write_cases(folder / "filters-alone.json", {
        "vocabulary": "multilingual-99", "sample_begin": 3, "initial_tokens": initial}, cases)


# Search over planted logits


class PlantedInference(Inference):
    """A language model by formula: the logits depend on the whole prefix. Records the reordering of the cache."""

    def __init__(self, seed, sharp, eot_gain, prompt_length):
        self.seed, self.sharp, self.eot_gain, self.prompt_length = seed, sharp, eot_gain, prompt_length
        self.sources = []

    def logits(self, tokens, audio_features):
        rows = [next_logits(self.seed, prefix, self.sharp, self.eot_gain, self.prompt_length)
                for prefix in tokens.tolist()]
        return torch.from_numpy(np.stack(rows))

    def rearrange_kv_cache(self, source_indices):
        self.sources.append(list(source_indices))


def next_logits(seed, prefix, sharp, eot_gain, prompt_length=0):
    logits = (sharp * common.unit_array(seed, prefix, VOCABULARY)).astype(np.float32)
    logits[EOT] += np.float32(eot_gain * len(prefix))
    if len(prefix) <= prompt_length:
        logits[EOT] = -np.inf               # an empty result would divide by zero in the ranking
    return logits


def search(decoder, inference, group, prompt, sample_len, n_ctx, length_penalty=None):
    """openai-whisper's decoding loop for one window of `group` candidates."""
    tokens, sums = torch.tensor([prompt] * group), torch.zeros(group)
    decoder.reset()
    for step in range(1, sample_len + 1):
        tokens, completed = decoder.update(tokens, inference.logits(tokens, None), sums)
        if completed or tokens.shape[-1] > n_ctx:
            break
    candidates, sums = finalize(decoder, tokens, sums, len(prompt))
    selected = rank(candidates, sums, length_penalty)
    chosen = candidates[selected]
    return {"steps": step, "completed": bool(completed), "candidates": candidates, "sum_logprobs": sums,
            "selected": selected, "tokens": chosen, "avg_logprob": sums[selected] / (len(chosen) + 1)}


def finalize(decoder, tokens, sums, prompt_length):
    """The finished candidates without prompt and end of text, and their sums."""
    sequences, sums = decoder.finalize(tokens[None], sums[None])
    candidates = [sequence.tolist() for sequence in sequences[0]]
    return [ids[prompt_length:ids.index(EOT)] for ids in candidates], sums[0]


def rank(candidates, sums, length_penalty):
    return int(MaximumLikelihoodRanker(length_penalty).rank([candidates], [sums])[0])


BEAM_OPTIONS = [    # beam size, patience, length penalty, sample length, context
    (1, None, None, 30, 1000), (2, None, None, 30, 1000), (3, None, None, 30, 1000), (5, None, None, 30, 1000),
    (5, 2.0, None, 30, 1000), (5, 0.5, None, 30, 1000), (4, 1.3, 0.0, 30, 1000), (4, None, 0.6, 30, 1000),
    (4, None, 1.0, 30, 1000), (5, None, None, 6, 1000), (3, None, None, 30, 8), (8, 1.0, None, 12, 1000)]
MORE_SEEDS = [(5, None, None, 30, 1000), (5, 2.0, None, 30, 1000), (3, None, None, 30, 8)]


def write_beam_search(folder):
    cases = []
    for seed in range(1, 13):
        for sharp, gain in ((3.0, 0.15), (6.0, 0.4), (1.5, 0.02)):
            cases += [beam_case(seed, sharp, gain, *options) for options in BEAM_OPTIONS
                      if seed <= 4 or options in MORE_SEEDS]
    common.write_cases(folder / "beam.json", {
        "vocabulary": VOCABULARY, "eot": EOT,
        "logits": "after prefix p (all tokens, begin included): x[i] = f32(sharp * unit(seed, p[0], p[1], ..., i)); "
                  "x[eot] = f32(x[eot] + f32(eot_gain * len(p))); x[eot] = -inf while len(p) == len(begin)",
        "loop": "at most sample_len updates; stop when completed or when the sequence is longer than n_ctx",
        "sources": "argument of the KV cache reordering at each step"}, cases)


def beam_case(seed, sharp, gain, beam_size, patience, length_penalty, sample_len, n_ctx):
    prompt = [START, seed]
    inference = PlantedInference(seed, sharp, gain, len(prompt))
    decoder = BeamSearchDecoder(beam_size, EOT, inference, patience)
    result = search(decoder, inference, beam_size, prompt, sample_len, n_ctx, length_penalty)
    return {"seed": seed, "sharp": sharp, "eot_gain": gain, "beam_size": beam_size, "patience": patience,
            "length_penalty": length_penalty, "sample_len": sample_len, "n_ctx": n_ctx, "begin": prompt,
            "max_candidates": decoder.max_candidates, **result, "sources": inference.sources}


def write_greedy_search(folder):
    cases, prompt = [], [START, 2]
    for seed in range(20, 32):
        for sharp, gain in ((3.0, 0.15), (6.0, 0.3)):
            for sample_len, n_ctx in ((30, 1000), (5, 1000), (30, 7)):
                inference = PlantedInference(seed, sharp, gain, len(prompt))
                result = search(GreedyDecoder(0.0, EOT), inference, 1, prompt, sample_len, n_ctx)
                cases.append({"seed": seed, "sharp": sharp, "eot_gain": gain, "sample_len": sample_len, "n_ctx": n_ctx,
                              "begin": prompt, **result})
    common.write_cases(folder / "greedy.json",
                       {"vocabulary": VOCABULARY, "eot": EOT, "logits": "as in beam.json"}, cases)


def write_ranking(folder):
    """Writes the choice among random lengths and sums, ties, and candidates without tokens."""
    draw, cases = random.Random(1), []
    for _ in range(60):
        count = draw.randint(1, 6)
        lengths = [draw.randint(1, 40) for _ in range(count)]
        sums = [-draw.random() * 30 for _ in range(count)]
        if draw.random() < 0.2:
            lengths, sums = [lengths[0]] * count, [sums[0]] * count
        cases += [rank_case(lengths, sums, penalty) for penalty in (None, 0.0, 0.3, 0.6, 1.0)]
    cases += [rank_case([0, 5], [-1.0, -3.0], None), rank_case([0], [-2.0], None)]
    common.write_cases(folder / "rank.json", {"rule": "first index of the greatest score"}, cases)


def rank_case(lengths, sums, length_penalty):
    case = {"lengths": lengths, "sum_logprobs": sums, "length_penalty": length_penalty}
    try:
        return case | {"selected": rank([[0] * length for length in lengths], sums, length_penalty)}
    except ZeroDivisionError:
        return case | {"error": "division by zero (Python float)"}


def write_sampling(folder):
    """Writes the distributions that are drawn from."""
    cases, prefix = [], [START, 1]
    for seed in (40, 41, 42):
        logits = torch.from_numpy(next_logits(seed, prefix, sharp=6.0, eot_gain=0.0))
        for temperature in (0.2, 0.4, 0.6, 0.8, 1.0):
            cases.append({"seed": seed, "prefix": prefix, "sharp": 6.0, "temperature": temperature,
                          "probabilities": Categorical(logits=logits / temperature).probs.numpy(),
                          "logprobs_added": F.log_softmax(logits, -1).numpy()})
    common.write_cases(folder / "sampling.json", {
        "note": "the draw uses softmax(logits / temperature); the score added is log_softmax(logits) WITHOUT the "
                "temperature",
        "logits": "as in beam.json with eot_gain 0"}, cases)


def write_best_of(folder):
    common.write_cases(folder / "best-of.json", {
        "note": "draws[step][candidate] are given; check sums and the selection", "logits": "as in beam.json"},
        [best_of_case(seed) for seed in range(50, 56)])


def best_of_case(seed, best_of=3):
    decoder, inference = GreedyDecoder(0.7, EOT), PlantedInference(seed, 4.0, 0.3, prompt_length=1)
    tokens, sums, draws = torch.tensor([[START]] * best_of), torch.zeros(best_of), []
    torch.manual_seed(seed)
    completed = False
    while not completed and len(draws) < 15:
        tokens, completed = decoder.update(tokens, inference.logits(tokens, None), sums)
        draws.append(tokens[:, -1].tolist())
    candidates, sums = finalize(decoder, tokens, sums, prompt_length=1)
    return {"seed": seed, "sharp": 4.0, "eot_gain": 0.3, "begin": [START], "temperature": 0.7, "best_of": best_of,
            "draws": draws, "candidates": candidates, "sum_logprobs": sums, "selected": rank(candidates, sums, None)}


# Compression


def write_compression_ratios(folder):
    common.write_cases(folder / "compression-ratio.json", {
        "rule": "utf8 bytes / length of a zlib stream, level 6, default window and strategy",
        "zlib": zlib.ZLIB_RUNTIME_VERSION},
        [{"text": text, "bytes": len(text.encode()), "compressed": len(zlib.compress(text.encode())),
          "ratio": compression_ratio(text)} for text in repetitive_texts()])


def repetitive_texts():
    draw = random.Random(2)
    words = "the of and to in is you that it he was for on are as with his they I at be this have from".split()

    def sentence(count):
        return " ".join(draw.choice(words) for _ in range(count))

    texts = ["a", "ab", "hello", " The quick brown fox jumps over the lazy dog.", "la " * 50, "♪" * 30, "あい" * 40,
             "thank you. " * 12, "Thank you for watching! " * 8, " ".join(map(str, range(80))), "\n" * 20, "😀" * 10]
    texts += [sentence(count) for count in (3, 8, 20, 60, 150, 400)]
    texts += ["".join(chr(draw.randrange(32, 127)) for _ in range(count)) for count in (10, 100, 1000)]
    texts += [(sentence(count) + " ") * times for count, times in ((2, 10), (4, 6), (7, 4), (5, 20))]
    return texts + [""]


if __name__ == "__main__":
    main()
