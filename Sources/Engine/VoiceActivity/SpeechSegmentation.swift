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
        var pass = Pass(self)
        for (index, probability) in probabilities.enumerated() {
            pass.hear(probability, at: index * windowSamples)
        }
        return padded(pass.finish(at: sampleCount), sampleCount: sampleCount)
    }

    private func padded(_ segments: [Range<Int>], sampleCount: Int) -> [Range<Int>] {
        let pad = Self.samples(padMilliseconds)
        var bounds = segments.map { (start: $0.lowerBound, end: $0.upperBound) }
        guard !bounds.isEmpty else { return [] }
        bounds[0].start = max(0, bounds[0].start - pad)
        for index in bounds.indices.dropLast() {
            let gap = bounds[index + 1].start - bounds[index].end
            let share = gap < 2 * pad ? gap / 2 : pad
            bounds[index].end += share
            bounds[index + 1].start -= share
        }
        let last = bounds.count - 1
        bounds[last].end = min(sampleCount, bounds[last].end + pad)
        return bounds.compactMap { $0.start < $0.end ? $0.start..<$0.end : nil }
    }

    private static func samples(_ milliseconds: Int) -> Int { milliseconds * AudioChunk.sampleRate / 1000 }

    /// The walk over the windows. Positions are samples.
    private struct Pass {
        private let threshold: Float
        private let endThreshold: Float
        private let minSpeech: Int
        private let minSilence: Int
        private let maxSpeech: Double
        private let cut: Int
        private let cutsAtLongestSilence: Bool

        private var segments: [Range<Int>] = []
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

        mutating func hear(_ probability: Float, at position: Int) {
            if probability >= threshold {
                if let pause {
                    if position - pause > cut { pauses.append(pause..<position) }
                    if resumption < lastPause ?? 0 { resumption = position }
                }
                pause = nil
                if start == nil {
                    start = position
                    return
                }
            }
            if let start, Double(position - start) > maxSpeech, !shorten(from: start, at: position) { return }
            if probability < endThreshold, let start { hearPause(at: position, from: start) }
        }

        /// Cuts speech that is too long.
        ///
        /// - Returns: whether the window is still to be looked at for a pause.
        private mutating func shorten(from start: Int, at position: Int) -> Bool {
            if cutsAtLongestSilence {
                guard let longest = pauses.max(by: { $0.count < $1.count }) else { return cutHere(start, position) }
                segments.append(start..<longest.lowerBound)
                self.start = longest.upperBound
                pause = nil
                pauses = []
                return true
            }
            guard let lastPause else { return cutHere(start, position) }
            segments.append(start..<lastPause)
            self.start = resumption < lastPause ? nil : resumption
            self.lastPause = nil
            resumption = 0
            pause = nil
            return true
        }

        private mutating func cutHere(_ start: Int, _ position: Int) -> Bool {
            segments.append(start..<position)
            close()
            return false
        }

        private mutating func hearPause(at position: Int, from start: Int) {
            let begin = pause ?? position
            pause = begin
            if position - begin > cut { lastPause = begin }
            guard position - begin >= minSilence else { return }
            if begin - start > minSpeech { segments.append(start..<begin) }
            close()
        }

        private mutating func close() {
            start = nil
            pause = nil
            pauses = []
            lastPause = nil
            resumption = 0
        }

        func finish(at end: Int) -> [Range<Int>] {
            guard let start, end - start > minSpeech else { return segments }
            return segments + [start..<end]
        }
    }
}
