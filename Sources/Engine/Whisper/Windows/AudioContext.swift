package import EngineWeights

/// How many of a window's 1500 audio positions (20 ms each) the encoder computes. Its cost grows with their number.
public enum AudioContext: Sendable, Hashable {
    /// All positions, padding included: what the reference does and what models are trained with.
    case full
    /// The positions that contain audio, plus a margin. A window whose text is then doubtful is decoded again in full.
    case auto
    /// The positions that contain audio, plus this many.
    case margin(Int)
    /// This many positions, 1…1500. Windows are shortened to match, so that nothing is skipped.
    case positions(Int)

    /// Positions added after the audio by `auto`: five seconds.
    package static let margin = 256

    /// Maximum number of 10 ms frames in a window.
    package var maxFrames: Int {
        switch self {
        case .full, .auto, .margin: WindowSpan.fullFrames
        case .positions(let count): 2 * min(max(1, count), WindowSpan.fullFrames / 2)
        }
    }

    /// Positions to encode for a window with this many frames of audio, all of which are included.
    ///
    /// - Parameter limit: the model's number of positions.
    package func positions(frames: Int, limit: Int) -> Int {
        let needed = (frames + 1) / 2
        let count =
            switch self {
            case .full: limit
            case .auto: Self.rounded(needed + Self.margin)
            case .margin(let count): Self.rounded(needed + min(max(0, count), limit))
            case .positions(let count): max(needed, count)
            }
        return min(max(1, count), limit)
    }

    /// Rounds up to a multiple of the number of rows that kernels process at once.
    private static func rounded(_ positions: Int) -> Int { (positions + 63) / 64 * 64 }
}

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
        if let threshold = options.noSpeechThreshold, result.noSpeechProb > threshold { return false }
        if result.avgLogprob < max(Self.minLogprob, options.logprobThreshold ?? -.infinity) { return false }
        if let threshold = options.compressionRatioThreshold, result.compressionRatio > threshold { return false }
        if result.text.isEmpty || result.tokens.count >= maxTokens { return false }
        return result.tokens.allSatisfy { $0 < special.firstTimestamp || $0 - special.firstTimestamp <= positions }
    }
}
