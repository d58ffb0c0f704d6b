/// Detects speech with Silero's neural network, in windows of 512 samples.
package struct SileroDetector: VoiceActivityDetector {
    /// Pre-roll before the first window of speech: 300 ms.
    private static let preRollSamples = 4800
    /// At most 200 ms of the silence that ends speech are kept.
    private static let maxPadSamples = 3200
    /// How far below the threshold the probability must fall before speech can end.
    package static let hysteresis: Float = 0.15
    /// The lowest end threshold, for very low thresholds.
    static let minEndThreshold: Float = 0.01

    private var threshold: Float
    /// Speech closes after this much time below the threshold, by default after 500 ms.
    private var hangoverSamples = 8000
    private var stream: SileroStream
    /// Samples processed, in complete windows.
    private var processed = 0
    private var lastEnd = 0
    /// Start of the pause that may end the speech.
    private var pauseStart: Int?

    package private(set) var isSpeech = false
    package private(set) var stretches: SpeechStretches?

    /// - Parameters:
    ///   - threshold: the speech probability from which a window counts as speech.
    ///   - keepsStretches: for recordings; a stream may have no end.
    package init(
        _ network: SileroNetwork, threshold: Float = VoiceActivityOptions.defaultThreshold, keepsStretches: Bool = false
    ) {
        stream = SileroStream(network)
        self.threshold = threshold
        stretches = keepsStretches ? SpeechStretches(threshold: threshold) : nil
    }

    package mutating func feed(_ samples: [Float]) -> [VoiceActivityEvent] {
        var events: [VoiceActivityEvent] = []
        for probability in stream.feed(samples) {
            stretches?.add(probability)
            process(probability, events: &events)
            processed += SileroNetwork.windowSamples
        }
        return events
    }

    package mutating func finish() -> [VoiceActivityEvent] {
        stretches?.finish(sampleCount: processed + stream.pendingCount)
        guard isSpeech else { return [] }
        return [close(at: processed + stream.pendingCount)]
    }

    /// Open speech stays open.
    package mutating func reset() {
        stream.reset()
        pauseStart = nil
    }

    /// Passes over samples in which there is no speech; positions keep counting.
    mutating func skip(_ count: Int) {
        isSpeech = false
        pauseStart = nil
        processed += stream.pendingCount + count
        stream.clear()
    }

    package mutating func setEndSilence(_ samples: Int) { hangoverSamples = max(1, samples) }

    package mutating func setThreshold(_ probability: Float) { threshold = probability }

    private mutating func process(_ probability: Float, events: inout [VoiceActivityEvent]) {
        let window = processed..<(processed + SileroNetwork.windowSamples)
        if probability >= threshold {
            pauseStart = nil
            if !isSpeech {
                isSpeech = true
                events.append(.opened(at: max(window.lowerBound - Self.preRollSamples, lastEnd)))
            }
        } else if isSpeech, probability < max(threshold - Self.hysteresis, Self.minEndThreshold) {
            let start = pauseStart ?? window.lowerBound
            pauseStart = start
            if window.lowerBound - start >= hangoverSamples {
                events.append(close(at: start + min(Self.maxPadSamples, hangoverSamples)))
                return
            }
        }
        if isSpeech, pauseStart == nil {
            events.append(.voiced(max(window.lowerBound, lastEnd)..<window.upperBound))
        }
    }

    private mutating func close(at sample: Int) -> VoiceActivityEvent {
        isSpeech = false
        pauseStart = nil
        lastEnd = sample
        return .closed(at: sample)
    }
}
