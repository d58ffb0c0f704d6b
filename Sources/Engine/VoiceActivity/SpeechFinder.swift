/// Finds the speech of a recording whose samples are given once, piece by piece.
package struct SpeechFinder: Sendable {
    private enum Listener: Sendable {
        case energy(EnergyDetector)
        case silero(SileroNetwork, SileroState)
    }

    private let rules: SpeechSegmentation
    private var listener: Listener
    /// Of each window of `rules.windowSamples` the probability of speech; an energy detector is sure, 0 or 1.
    private var probabilities: [Float] = []
    /// Samples of a window that is not yet full; only for the network.
    private var pending: [Float] = []
    private var sampleCount = 0

    /// - Parameters:
    ///   - standardSilence: milliseconds of silence that end speech where the options leave them open.
    ///   - maxSpeechSeconds: longer speech is cut.
    package init(
        _ options: VoiceActivityOptions, standardSilence: Int = 2000, maxSpeechSeconds: Double = .infinity
    ) {
        var rules = SpeechSegmentation()
        rules.minSpeechMilliseconds = options.minSpeechMilliseconds
        rules.minSilenceMilliseconds = options.minSilenceMilliseconds ?? standardSilence
        rules.padMilliseconds = options.speechPadMilliseconds
        rules.maxSpeechSeconds = maxSpeechSeconds
        switch options.detector {
        case .energy:
            rules.windowSamples = FrameLevels.frameSamples
            listener = .energy(EnergyDetector())
        case .silero(let network):
            rules.threshold = options.threshold
            listener = .silero(network, SileroState())
        }
        self.rules = rules
    }

    /// Hears the next samples, 16 kHz mono, -1…1.
    package mutating func feed(_ samples: [Float]) {
        sampleCount += samples.count
        switch listener {
        case .energy(var detector):
            for event in detector.feed(samples) {
                if case .voiced(let range) = event { mark(range.lowerBound / rules.windowSamples) }
            }
            listener = .energy(detector)
        case .silero(let network, var state):
            var position = 0
            while position < samples.count {
                let end = min(samples.count, position + rules.windowSamples - pending.count)
                for sample in samples[position..<end] { pending.append(sample.isFinite ? sample : 0) }
                position = end
                if pending.count == rules.windowSamples {
                    probabilities.append(network.probability(of: pending, state: &state))
                    pending.removeAll(keepingCapacity: true)
                }
            }
            listener = .silero(network, state)
        }
    }

    private mutating func mark(_ window: Int) {
        while probabilities.count <= window { probabilities.append(0) }
        probabilities[window] = 1
    }

    /// The stretches of speech in samples, in order and without overlap, pads included.
    package mutating func finish() -> [Range<Int>] {
        if case .silero(let network, var state) = listener, !pending.isEmpty {
            pending += [Float](repeating: 0, count: rules.windowSamples - pending.count)
            probabilities.append(network.probability(of: pending, state: &state))
            pending = []
        }
        // Frames behind the last voiced one; without them speech would last to the end.
        while probabilities.count * rules.windowSamples < sampleCount { probabilities.append(0) }
        return rules.segments(probabilities, sampleCount: sampleCount)
    }
}
