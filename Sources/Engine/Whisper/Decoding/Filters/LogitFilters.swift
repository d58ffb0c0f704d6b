import EngineCompute

/// Makes ids that this window already contains less likely (CTranslate2's rule).
///
/// A negative logit is multiplied by the penalty, a positive one divided by it, once per id.
package struct RepetitionPenalty: LogitFilter {
    /// Values above 1 discourage repetition, values below 1 encourage it.
    package let penalty: Float

    package init(penalty: Float) {
        self.penalty = penalty
    }

    package func apply(to logits: inout [Float], sampled: [Int]) {
        // All values are computed before any is written, so that an id generated twice is penalized once.
        let penalized = sampled.map { logits[$0] < 0 ? logits[$0] * penalty : logits[$0] / penalty }
        for (id, logit) in zip(sampled, penalized) { logits[id] = logit }
    }
}

/// Prevents any n-gram from occurring twice in a window.
package struct NoRepeatNgrams: LogitFilter {
    /// n, at least 1.
    package let size: Int

    package init(size: Int) {
        self.size = size
    }

    package func apply(to logits: inout [Float], sampled: [Int]) {
        guard sampled.count >= size else { return }
        let opening = sampled.suffix(size - 1)
        for end in (size - 1)..<sampled.count where sampled[(end - size + 1)..<end].elementsEqual(opening) {
            logits[sampled[end]] = -.infinity
        }
    }
}

/// Prevents a blank or the end of text from being the first token.
package struct SuppressBlank: LogitFilter {
    /// Ids of the text " ".
    package let blank: [Int]
    package let endOfText: Int

    package init(blank: [Int], endOfText: Int) {
        self.blank = blank
        self.endOfText = endOfText
    }

    package var needsEveryLogit: Bool { false }

    package func apply(to logits: inout [Float], sampled: [Int]) {
        guard sampled.isEmpty else { return }
        for id in blank { logits[id] = -.infinity }
        logits[endOfText] = -.infinity
    }
}

/// Suppresses a fixed set of ids.
package struct SuppressTokens: LogitFilter {
    /// In ascending order, without duplicates.
    package let tokens: [Int]

    package init(_ tokens: [Int]) {
        self.tokens = Set(tokens).sorted()
    }

    /// The ids of `DecodingOptions.suppressTokens`, where -1 stands for the non-speech tokens, plus those that are
    /// suppressed whenever any are: tasks, start tokens and "no speech". Language tokens are not among them.
    package init(_ option: [Int], nonSpeechTokens: [Int], specials: SpecialTokens) {
        self.init(
            option.filter { $0 >= 0 } + (option.contains(-1) ? nonSpeechTokens : []) + [
                specials.transcribe, specials.translate, specials.startOfTranscript, specials.startOfPrevious,
                specials.startOfLanguageModel, specials.noSpeech,
            ])
    }

    package var alwaysSuppressed: [Int] { tokens }
    package var needsEveryLogit: Bool { false }

    package func apply(to logits: inout [Float], sampled: [Int]) {
        for id in tokens { logits[id] = -.infinity }
    }
}

/// Forces an exact number of text tokens, then the end of text: for measuring networks with random weights.
package struct ForcedLength: LogitFilter {
    package let count: Int
    /// Ids below it are text, ids above it are special.
    package let endOfText: Int

    package var needsEveryLogit: Bool { false }

    package func apply(to logits: inout [Float], sampled: [Int]) {
        if sampled.count < count {
            LogitKernels.fill(&logits, in: endOfText..<logits.count, with: -.infinity)
        } else {
            LogitKernels.fill(&logits, in: 0..<logits.count, with: -.infinity)
            logits[endOfText] = 0
        }
    }
}
