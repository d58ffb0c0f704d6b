/// Finds the speech of a recording whose samples are given once, piece by piece.
package struct SpeechFinder: Sendable {
    private enum Listener: Sendable {
        case energy(EnergyDetector)
        case silero(SileroNetwork, SileroState)
    }

    private let windowSamples: Int
    private var listener: Listener
    private var walk: SpeechSegmentation.Walk
    /// The probability of speech of windows that are not yet settled; an energy detector is sure, 0 or 1.
    private var probabilities: [Float] = []
    /// Windows that are.
    private var settled = 0
    /// Samples of a window that is not yet full; only for the network.
    private var pending: [Float] = []
    private var sampleCount = 0

    /// - Parameters:
    ///   - defaultMinSilence: milliseconds of silence that end speech where the options leave them open.
    ///   - maxSpeechSeconds: longer speech is cut.
    package init(
        _ options: VoiceActivityOptions, defaultMinSilence: Int = 2000, maxSpeechSeconds: Double = .infinity
    ) {
        var rules = SpeechSegmentation()
        rules.minSpeechMilliseconds = options.minSpeechMilliseconds
        rules.minSilenceMilliseconds = options.minSilenceMilliseconds ?? defaultMinSilence
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
        windowSamples = rules.windowSamples
        walk = SpeechSegmentation.Walk(rules)
    }

    /// Hears the next samples, 16 kHz mono, -1…1.
    ///
    /// - Returns: the next stretches of speech that nothing to come will change; see `finish`.
    package mutating func feed(_ samples: [Float]) -> [Range<Int>] {
        sampleCount += samples.count
        switch listener {
        case .energy(var detector):
            for event in detector.feed(samples) {
                if case .voiced(let range) = event { mark(range.lowerBound / windowSamples) }
            }
            listener = .energy(detector)
        case .silero(let network, var state):
            var position = 0
            while position < samples.count {
                let end = min(samples.count, position + windowSamples - pending.count)
                for sample in samples[position..<end] { pending.append(sample.isFinite ? sample : 0) }
                position = end
                if pending.count == windowSamples {
                    probabilities.append(network.probability(of: pending, state: &state))
                    pending.removeAll(keepingCapacity: true)
                }
            }
            listener = .silero(network, state)
        }
        return settle(through: sampleCount / windowSamples - EnergyDetector.lateFrames)
    }

    private mutating func mark(_ window: Int) {
        while settled + probabilities.count <= window { probabilities.append(0) }
        probabilities[window - settled] = 1
    }

    /// Hands the windows before `window` on; those without a probability held no voice.
    private mutating func settle(through window: Int) -> [Range<Int>] {
        guard window > settled else { return [] }
        while settled + probabilities.count < window { probabilities.append(0) }
        var stretches: [Range<Int>] = []
        for probability in probabilities[..<(window - settled)] { stretches += walk.hear(probability) }
        probabilities.removeFirst(window - settled)
        settled = window
        return stretches
    }

    /// The stretches of speech that are left, in samples. All together are in order and without overlap, pads included.
    package mutating func finish() -> [Range<Int>] {
        if case .silero(let network, var state) = listener, !pending.isEmpty {
            pending += [Float](repeating: 0, count: windowSamples - pending.count)
            probabilities.append(network.probability(of: pending, state: &state))
            pending = []
        }
        // Without the windows behind the last voiced one speech would last to the end.
        return settle(through: (sampleCount + windowSamples - 1) / windowSamples)
            + walk.finish(sampleCount: sampleCount)
    }
}
