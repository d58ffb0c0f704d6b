/// Cuts a recording into stretches of speech by the probabilities of its windows: faster-whisper's
/// `get_speech_timestamps`, and Silero's own.
package struct SpeechSegmentation: Sendable, Hashable {
    /// Silences shorter than this are no place to cut speech that is too long.
    private static let shortestCut = 98

    /// From here on a window is speech.
    package var threshold: Float = 0.5
    /// Below it speech ends; `nil` is 0.15 under the threshold, at least 0.01.
    package var endThreshold: Float?
    package var minSpeechMilliseconds = 0
    package var minSilenceMilliseconds = 2000
    package var padMilliseconds = 400
    /// Longer speech is cut at a silence, or anywhere when there is none.
    package var maxSpeechSeconds = Double.infinity
    /// Cuts at the longest silence so far as Silero does; else at the last one as faster-whisper.
    package var cutsAtLongestSilence = false
    /// Samples of a window.
    package var windowSamples = SileroNetwork.windowSamples

    package init() {}

    /// - Parameters:
    ///   - probabilities: of each window of the recording.
    ///   - sampleCount: of the recording; the last window may be cut short.
    /// - Returns: in order and without overlap, pads included.
    package func segments(_ probabilities: [Float], sampleCount: Int) -> [Range<Int>] {
        var walk = Walk(self)
        return probabilities.flatMap { walk.hear($0) } + walk.finish(sampleCount: sampleCount)
    }

    /// The same for windows that come one by one.
    package struct Walk: Sendable {
        private let pad: Int
        private let windowSamples: Int
        private var pass: Pass
        private var windows = 0
        /// The last speech, padded before and not yet behind: how far depends on what follows.
        private var last: Range<Int>?

        package init(_ rules: SpeechSegmentation) {
            pad = SpeechSegmentation.samples(rules.padMilliseconds)
            windowSamples = rules.windowSamples
            pass = Pass(rules)
        }

        /// Hears the next window.
        ///
        /// - Returns: the segments that are settled by it.
        package mutating func hear(_ probability: Float) -> [Range<Int>] {
            let found = pass.hear(probability, at: windows * windowSamples)
            windows += 1
            return found.compactMap { settle(before: $0) }
        }

        /// The segments that are left.
        package mutating func finish(sampleCount: Int) -> [Range<Int>] {
            let settled = pass.finish(at: sampleCount).flatMap { settle(before: $0) }
            let end = last.map { $0.lowerBound..<max($0.lowerBound, min(sampleCount, $0.upperBound + pad)) }
            last = nil
            return [settled, end].compactMap { $0 }.filter { !$0.isEmpty }
        }

        /// Neighbours closer than two pads share what is between them.
        private mutating func settle(before next: Range<Int>) -> Range<Int>? {
            guard let before = last else {
                last = max(0, next.lowerBound - pad)..<next.upperBound
                return nil
            }
            let gap = next.lowerBound - before.upperBound
            let share = gap < 2 * pad ? gap / 2 : pad
            last = (next.lowerBound - share)..<next.upperBound
            let settled = before.lowerBound..<(before.upperBound + share)
            return settled.isEmpty ? nil : settled
        }
    }

    private static func samples(_ milliseconds: Int) -> Int { milliseconds * AudioChunk.sampleRate / 1000 }

    /// The walk over the windows. Positions are samples.
    private struct Pass: Sendable {
        private let threshold: Float
        private let endThreshold: Float
        private let minSpeech: Int
        private let minSilence: Int
        private let maxSpeech: Double
        private let cut: Int
        private let cutsAtLongestSilence: Bool

        /// Start of the open speech.
        private var start: Int?
        /// Where the pause began that may end the speech.
        private var pause: Int?
        /// Pauses in the open speech that are long enough for a cut.
        private var pauses: [Range<Int>] = []
        /// The last one's start, and where speech went on behind it; only for cuts at the last pause.
        private var lastPause: Int?
        private var resumption = 0

        init(_ rules: SpeechSegmentation) {
            threshold = rules.threshold
            endThreshold =
                rules.endThreshold ?? max(rules.threshold - SileroDetector.hysteresis, SileroDetector.leastEnd)
            minSpeech = SpeechSegmentation.samples(rules.minSpeechMilliseconds)
            minSilence = SpeechSegmentation.samples(rules.minSilenceMilliseconds)
            let pads = 2 * SpeechSegmentation.samples(rules.padMilliseconds)
            maxSpeech = rules.maxSpeechSeconds * Double(AudioChunk.sampleRate) - Double(rules.windowSamples + pads)
            cut = SpeechSegmentation.samples(SpeechSegmentation.shortestCut)
            cutsAtLongestSilence = rules.cutsAtLongestSilence
        }

        /// - Returns: speech that ends here or ended shortly before.
        mutating func hear(_ probability: Float, at position: Int) -> [Range<Int>] {
            if probability >= threshold {
                if let pause {
                    if position - pause > cut { pauses.append(pause..<position) }
                    if resumption < lastPause ?? 0 { resumption = position }
                }
                pause = nil
                if start == nil {
                    start = position
                    return []
                }
            }
            var found: [Range<Int>] = []
            if let start, Double(position - start) > maxSpeech {
                let (speech, goesOn) = shorten(from: start, at: position)
                found.append(speech)
                if !goesOn { return found }
            }
            if probability < endThreshold, let start, let speech = hearPause(at: position, from: start) {
                found.append(speech)
            }
            return found
        }

        /// Cuts speech that is too long.
        ///
        /// - Returns: what is cut off, and whether the window is still to be looked at for a pause.
        private mutating func shorten(from start: Int, at position: Int) -> (speech: Range<Int>, goesOn: Bool) {
            if cutsAtLongestSilence {
                guard let longest = pauses.max(by: { $0.count < $1.count }) else { return cutHere(start, position) }
                self.start = longest.upperBound
                pause = nil
                pauses = []
                return (start..<longest.lowerBound, true)
            }
            guard let lastPause else { return cutHere(start, position) }
            self.start = resumption < lastPause ? nil : resumption
            self.lastPause = nil
            resumption = 0
            pause = nil
            return (start..<lastPause, true)
        }

        private mutating func cutHere(_ start: Int, _ position: Int) -> (speech: Range<Int>, goesOn: Bool) {
            close()
            return (start..<position, false)
        }

        private mutating func hearPause(at position: Int, from start: Int) -> Range<Int>? {
            let begin = pause ?? position
            pause = begin
            if position - begin > cut { lastPause = begin }
            guard position - begin >= minSilence else { return nil }
            close()
            return begin - start > minSpeech ? start..<begin : nil
        }

        private mutating func close() {
            start = nil
            pause = nil
            pauses = []
            lastPause = nil
            resumption = 0
        }

        func finish(at end: Int) -> Range<Int>? {
            guard let start, end - start > minSpeech else { return nil }
            return start..<end
        }
    }
}
