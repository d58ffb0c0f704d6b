package import EngineModels
package import EngineWeights

/// Whether the result of a window with a shortened audio context can be trusted.
///
/// Models are trained with full windows. A shortened one may mislead them into repeating themselves, continuing past the
/// end of the audio, or generating nothing; such a window is decoded again in full.
package struct ShortContextCheck: Sendable {
    /// A lower mean log probability is doubtful. Texts that differed from those of full windows, in a number or a name that
    /// sounds alike, had -0.25 or less, whatever the margin; Benchmarks/notes.md lists the cases.
    static let minLogprob = -0.2

    private let options: TranscriptionOptions
    private let special: SpecialTokens

    package init(options: TranscriptionOptions, special: SpecialTokens) {
        self.options = options
        self.special = special
    }

    /// - Parameters:
    ///   - maxTokens: the maximum that the search may generate.
    ///   - positions: of the shortened context.
    package func trusts(_ result: DecodingResult, maxTokens: Int, positions: Int) -> Bool {
        // Whether a window is silent is decided with its full context, too.
        if let threshold = options.whisper.noSpeechThreshold, result.noSpeechProb > threshold { return false }
        if result.avgLogprob < max(Self.minLogprob, options.whisper.logprobThreshold ?? -.infinity) { return false }
        if let threshold = options.whisper.compressionRatioThreshold, result.compressionRatio > threshold {
            return false
        }
        if result.text.isEmpty || result.tokens.count >= maxTokens { return false }
        return result.tokens.allSatisfy { $0 < special.firstTimestamp || $0 - special.firstTimestamp <= positions }
    }
}
