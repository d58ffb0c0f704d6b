"""How narrowly openai-whisper's decoder decides: the gaps between what it took and what it would have taken next."""
import contextlib
import math
import types

from whisper import decoding


class Margins:
    def __init__(self):
        self.smallest = float("inf")

    def add(self, gap):
        gap = abs(float(gap))
        if math.isfinite(gap):      # not where one of the two is impossible
            self.smallest = min(self.smallest, gap)


@contextlib.contextmanager
def measured():
    """Watches every decision between text, times, beams, results and languages until the end of the block."""
    margins = Margins()
    watchers = {(decoding.GreedyDecoder, "update"): greedy, (decoding.BeamSearchDecoder, "update"): beams,
                (decoding.MaximumLikelihoodRanker, "rank"): ranking, (decoding.ApplyTimestampRules, "apply"): times,
                (decoding.DecodingTask, "run"): silence}
    originals = {place: getattr(*place) for place in watchers}
    for place, watch in watchers.items():
        setattr(*place, watch(margins)(originals[place]))
    try:
        yield margins
    finally:
        for place, original in originals.items():
            setattr(*place, original)


def greedy(margins):
    """The best token against the second best."""
    def wrap(update):
        def watched(self, tokens, logits, sum_logprobs):
            best = logits.float().log_softmax(dim=-1).topk(2).values
            for row, (first, second) in zip(tokens, best.tolist()):
                if row[-1] != self.eot:
                    margins.add(first - second)
            return update(self, tokens, logits, sum_logprobs)
        return watched
    return wrap


def beams(margins):
    """The last candidate that was kept against the first one that was not."""
    def wrap(update):
        def watched(self, tokens, logits, sum_logprobs):
            logprobs = logits.float().log_softmax(dim=-1)
            for first in range(0, len(tokens), self.beam_size):
                scores = {}
                for beam in range(first, first + self.beam_size):
                    for logprob, token in zip(*logprobs[beam].topk(self.beam_size + 1)):
                        key = (*tokens[beam].tolist(), token.item())
                        scores[key] = (sum_logprobs[beam] + logprob).item()
                kept = 0
                ordered = sorted(scores, key=scores.get, reverse=True)
                for better, worse in zip(ordered, ordered[1:]):
                    kept += better[-1] != self.eot
                    if kept == self.beam_size:
                        margins.add(scores[better] - scores[worse])
                        break
            return update(self, tokens, logits, sum_logprobs)
        return watched
    return wrap


def ranking(margins):
    """The best finished hypothesis against the second best, by score."""
    def wrap(rank):
        def watched(self, tokens, sum_logprobs):
            for hypotheses, sums in zip(tokens, sum_logprobs):
                scores = []
                for hypothesis, total in zip(hypotheses, sums):
                    length = len(hypothesis)
                    penalty = length if self.length_penalty is None else ((5 + length) / 6) ** self.length_penalty
                    scores.append(total / penalty)
                if len(scores) > 1:
                    best, second = sorted(scores, reverse=True)[:2]
                    margins.add(best - second)
            return rank(self, tokens, sum_logprobs)
        return watched
    return wrap


def times(margins):
    """All timestamps together against the best text token."""
    def wrap(apply):
        def watched(self, logits, tokens):
            computed = []

            def log_softmax(*arguments, **options):
                computed.append(functional.log_softmax(*arguments, **options))
                return computed[-1]

            functional, decoding.F = decoding.F, types.SimpleNamespace(log_softmax=log_softmax)
            try:
                apply(self, logits, tokens)
            finally:
                decoding.F = functional
            begin = self.tokenizer.timestamp_begin
            for row, logprobs in zip(tokens, computed[0]):
                if row[-1] != self.tokenizer.eot:
                    margins.add(logprobs[begin:].logsumexp(dim=-1) - logprobs[:begin].max())
        return watched
    return wrap


def silence(margins):
    """The probability of silence against the threshold, where the transcription uses it."""
    def wrap(run):
        def watched(self, mel):
            results = run(self, mel)
            for result in results:
                margins.add(result.no_speech_prob - 0.6)
            return results
        return watched
    return wrap
