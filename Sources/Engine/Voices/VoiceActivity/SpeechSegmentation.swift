import EngineAudio

/// Splits a recording into segments of speech by the speech probabilities of its windows, like faster-whisper's
/// `get_speech_timestamps` and Silero's own.
package struct SpeechSegmentation: Sendable, Hashable {
    /// Speech that is too long is split only at silences longer than this many milliseconds.
    private static let minSplitMilliseconds = 98

    /// Windows from this probability on are speech.
    package var threshold = VoiceActivityOptions.defaultThreshold
    /// Speech ends below this probability (hysteresis); `nil` means 0.15 below the threshold, at least 0.01.
    package var endThreshold: Float?
    package var minSpeechMilliseconds = 0
    package var minSilenceMilliseconds = VoiceActivityOptions.defaultMinSilenceMilliseconds
    package var padMilliseconds = VoiceActivityOptions.defaultSpeechPadMilliseconds
    /// Longer speech is split at a silence, or anywhere if there is none.
    package var maxSpeechSeconds = Double.infinity
    /// Whether long speech is split at the longest silence so far, as in Silero; otherwise at the last one, as in
    /// faster-whisper.
    package var splitsAtLongestSilence = false
    /// Samples per window.
    var windowSamples = SileroNetwork.windowSamples

    package init() {}

    /// Segments windows that arrive one by one: detects speech, then pads it.
    package struct Segmenter: Sendable {
        private let pad: Int
        private let windowSamples: Int
        private var detection: Detection
        private var windows = 0
        /// The last segment, padded at its start only: the padding at its end depends on what follows.
        private var last: Range<Int>?

        package init(_ rules: SpeechSegmentation) {
            pad = SpeechSegmentation.samples(rules.padMilliseconds)
            windowSamples = rules.windowSamples
            detection = Detection(rules)
        }

        /// Adds the probability of the next window.
        ///
        /// - Returns: the segments that this completes.
        package mutating func add(_ probability: Float) -> [Range<Int>] {
            let segments = detection.add(probability, at: windows * windowSamples)
            windows += 1
            return segments.compactMap { complete(before: $0) }
        }

        /// Returns the remaining segments.
        package mutating func finish(sampleCount: Int) -> [Range<Int>] {
            let completed = detection.finish(at: sampleCount).flatMap { complete(before: $0) }
            let final = last.map { $0.lowerBound..<max($0.lowerBound, min(sampleCount, $0.upperBound + pad)) }
            last = nil
            return [completed, final].compactMap { $0 }.filter { !$0.isEmpty }
        }

        /// Pads the end of the last segment; neighbors less than two pads apart share the gap between them.
        private mutating func complete(before next: Range<Int>) -> Range<Int>? {
            guard let before = last else {
                last = max(0, next.lowerBound - pad)..<next.upperBound
                return nil
            }
            let gap = next.lowerBound - before.upperBound
            let share = gap < 2 * pad ? gap / 2 : pad
            last = (next.lowerBound - share)..<next.upperBound
            let completed = before.lowerBound..<(before.upperBound + share)
            return completed.isEmpty ? nil : completed
        }
    }

    private static func samples(_ milliseconds: Int) -> Int { milliseconds * AudioChunk.sampleRate / 1000 }

    /// Detects segments without padding by thresholds with hysteresis. Positions are samples.
    private struct Detection: Sendable {
        private let threshold: Float
        private let endThreshold: Float
        private let minSpeech: Int
        private let minSilence: Int
        private let maxSpeech: Double
        private let minSplit: Int
        private let splitsAtLongestSilence: Bool

        /// Start of the open speech.
        private var start: Int?
        /// Start of the pause that may end the speech.
        private var pause: Int?
        /// Pauses in the open speech that are long enough to split at.
        private var pauses: [Range<Int>] = []
        /// Start of the last such pause, and where speech resumed after it; only for splitting at the last pause.
        private var lastPause: Int?
        private var resumption = 0

        init(_ rules: SpeechSegmentation) {
            threshold = rules.threshold
            endThreshold =
                rules.endThreshold ?? max(rules.threshold - SileroDetector.hysteresis, SileroDetector.minEndThreshold)
            minSpeech = SpeechSegmentation.samples(rules.minSpeechMilliseconds)
            minSilence = SpeechSegmentation.samples(rules.minSilenceMilliseconds)
            let pads = 2 * SpeechSegmentation.samples(rules.padMilliseconds)
            maxSpeech = rules.maxSpeechSeconds * Double(AudioChunk.sampleRate) - Double(rules.windowSamples + pads)
            minSplit = SpeechSegmentation.samples(SpeechSegmentation.minSplitMilliseconds)
            splitsAtLongestSilence = rules.splitsAtLongestSilence
        }

        /// Adds the probability of the window that starts at `position`.
        ///
        /// - Returns: speech that ends here or ended shortly before.
        mutating func add(_ probability: Float, at position: Int) -> [Range<Int>] {
            if probability >= threshold {
                if let pause {
                    if position - pause > minSplit { pauses.append(pause..<position) }
                    if resumption < lastPause ?? 0 { resumption = position }
                }
                pause = nil
                if start == nil {
                    start = position
                    return []
                }
            }
            var segments: [Range<Int>] = []
            if let start, Double(position - start) > maxSpeech {
                let (speech, checksPause) = split(from: start, at: position)
                segments.append(speech)
                if !checksPause { return segments }
            }
            if probability < endThreshold, let start, let speech = extendPause(to: position, speechStart: start) {
                segments.append(speech)
            }
            return segments
        }

        /// Splits speech that is too long.
        ///
        /// - Returns: the part split off, and whether the current window may still be a pause.
        private mutating func split(from start: Int, at position: Int) -> (speech: Range<Int>, checksPause: Bool) {
            if splitsAtLongestSilence {
                guard let longest = pauses.max(by: { $0.count < $1.count }) else { return splitHere(start, position) }
                self.start = longest.upperBound
                pause = nil
                pauses = []
                return (start..<longest.lowerBound, true)
            }
            guard let lastPause else { return splitHere(start, position) }
            self.start = resumption < lastPause ? nil : resumption
            self.lastPause = nil
            resumption = 0
            pause = nil
            return (start..<lastPause, true)
        }

        private mutating func splitHere(_ start: Int, _ position: Int) -> (speech: Range<Int>, checksPause: Bool) {
            close()
            return (start..<position, false)
        }

        /// Starts or extends a pause.
        ///
        /// - Returns: the speech before it, if the pause is long enough to end it.
        private mutating func extendPause(to position: Int, speechStart: Int) -> Range<Int>? {
            let pauseStart = pause ?? position
            pause = pauseStart
            if position - pauseStart > minSplit { lastPause = pauseStart }
            guard position - pauseStart >= minSilence else { return nil }
            close()
            return pauseStart - speechStart > minSpeech ? speechStart..<pauseStart : nil
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
