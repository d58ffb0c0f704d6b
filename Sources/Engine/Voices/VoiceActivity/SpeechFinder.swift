/// Finds the segments of speech in a recording whose samples arrive block by block.
package struct SpeechFinder: Sendable {
    private enum Detector: Sendable {
        case energy(EnergyDetector)
        case silero(SileroStream)
    }

    private let windowSamples: Int
    private var detector: Detector
    private var segmenter: SpeechSegmentation.Segmenter
    /// Speech probabilities of the windows not yet passed to the segmenter; 0 or 1 from the energy detector.
    private var probabilities: [Float] = []
    /// Number of windows passed to the segmenter.
    private var processed = 0
    private var sampleCount = 0
    /// Only of the network; complete after `finish`.
    package private(set) var stretches: SpeechStretches?

    /// - Parameters:
    ///   - defaultMinSilence: milliseconds of silence that end a segment if the options do not say.
    ///   - maxSpeechSeconds: longer segments are split.
    package init(
        _ options: VoiceActivityOptions,
        defaultMinSilence: Int = VoiceActivityOptions.defaultMinSilenceMilliseconds,
        maxSpeechSeconds: Double = .infinity
    ) {
        var rules = SpeechSegmentation()
        rules.minSpeechMilliseconds = options.minSpeechMilliseconds
        rules.minSilenceMilliseconds = options.minSilenceMilliseconds ?? defaultMinSilence
        rules.padMilliseconds = options.speechPadMilliseconds
        rules.maxSpeechSeconds = min(maxSpeechSeconds, options.maxSpeechSeconds ?? .infinity)
        rules.endThreshold = options.endThreshold
        switch options.detector {
        case .energy:
            rules.windowSamples = FrameLevelMeter.frameSamples
            detector = .energy(EnergyDetector())
        case .silero(let network, let threshold):
            rules.threshold = threshold
            detector = .silero(SileroStream(network))
            stretches = SpeechStretches(threshold: threshold)
        }
        windowSamples = rules.windowSamples
        segmenter = SpeechSegmentation.Segmenter(rules)
    }

    /// Processes the next samples: 16 kHz mono, -1…1.
    ///
    /// - Returns: the next segments of speech, in samples, that later samples cannot change; see `finish`.
    package mutating func feed(_ samples: [Float]) -> [Range<Int>] {
        sampleCount += samples.count
        switch detector {
        case .energy(var energy):
            for event in energy.feed(samples) {
                if case .voiced(let range) = event { markVoiced(range.lowerBound / windowSamples) }
            }
            detector = .energy(energy)
        case .silero(var stream):
            for probability in stream.feed(samples) { add(probability) }
            detector = .silero(stream)
        }
        return segment(through: sampleCount / windowSamples - EnergyDetector.maxDelayFrames)
    }

    private mutating func add(_ probability: Float) {
        probabilities.append(probability)
        stretches?.add(probability)
    }

    private mutating func markVoiced(_ window: Int) {
        while processed + probabilities.count <= window { probabilities.append(0) }
        probabilities[window - processed] = 1
    }

    /// Passes the windows before `window` to the segmenter; windows without a probability contain no speech.
    private mutating func segment(through window: Int) -> [Range<Int>] {
        guard window > processed else { return [] }
        while processed + probabilities.count < window { probabilities.append(0) }
        var segments: [Range<Int>] = []
        for probability in probabilities[..<(window - processed)] { segments += segmenter.add(probability) }
        probabilities.removeFirst(window - processed)
        processed = window
        return segments
    }

    /// Returns the remaining segments of speech, in samples. All segments are in order and do not overlap, padding
    /// included.
    package mutating func finish() -> [Range<Int>] {
        if case .silero(var stream) = detector, let probability = stream.finish() { probabilities.append(probability) }
        stretches?.finish(sampleCount: sampleCount)
        // Without the windows after the last voiced one, speech would last to the end.
        return segment(through: (sampleCount + windowSamples - 1) / windowSamples)
            + segmenter.finish(sampleCount: sampleCount)
    }
}
