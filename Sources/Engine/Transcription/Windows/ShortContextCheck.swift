/// Whether what a window gave with a shortened audio context can be trusted.
///
/// Models are trained with full windows. Where a short one misleads them they repeat themselves, go on behind the end
/// of the sound, or hear nothing; such a window is decoded again in full.
package struct ShortContextCheck: Sendable {
    /// A smaller mean log probability leaves a doubt. Where texts differed from those of full windows, by a number or a
    /// name that sounds alike, it was -0.25 or less, whatever the margin; docs/performance.md has the cases.
    package static let leastLogprob = -0.2

    private let options: TranscriptionOptions
    private let special: SpecialTokens

    package init(options: TranscriptionOptions, special: SpecialTokens) {
        self.options = options
        self.special = special
    }

    /// - Parameters:
    ///   - mostTokens: what the search may produce at most.
    ///   - positions: the context's.
    package func trusts(_ result: DecodingResult, mostTokens: Int, positions: Int) -> Bool {
        // Whether a window is silent is decided with its full context, too.
        if let threshold = options.noSpeechThreshold, result.noSpeechProb > threshold { return false }
        if result.avgLogprob < max(Self.leastLogprob, options.logprobThreshold ?? -.infinity) { return false }
        if let threshold = options.compressionRatioThreshold, result.compressionRatio > threshold { return false }
        if result.text.isEmpty || result.tokens.count >= mostTokens { return false }
        return result.tokens.allSatisfy { $0 < special.firstTimestamp || $0 - special.firstTimestamp <= positions }
    }
}
