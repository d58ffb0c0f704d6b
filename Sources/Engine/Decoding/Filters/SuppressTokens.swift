/// Ids that never come.
package struct SuppressTokens: LogitFilter {
    /// In ascending order, each once.
    package let tokens: [Int]

    package init(_ tokens: [Int]) {
        self.tokens = Set(tokens).sorted()
    }

    /// The ids of `DecodingOptions.suppressTokens`, where -1 stands for the non-speech tokens, and those that are
    /// suppressed whenever any are: tasks, starts and "no speech". Language tokens are not among them.
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
