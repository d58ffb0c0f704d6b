/// Detects speech by its level in quiet surroundings, and with Silero's network in loud noise.
///
/// In quiet surroundings the level is more reliable: it marks every voiced frame, even of a word that the network finds
/// improbable. In loud noise, however, level detection treats everything as speech, so that utterances never end.
package struct NoiseAwareDetector: VoiceActivityDetector {
    /// The noise floor in dB relative to full scale from which on the network decides.
    private static let loud = -40.0
    /// The noise floor below which the level decides again, and the network need not listen.
    private static let quiet = -45.0
    /// Samples that the network must process before it may decide: half a second.
    private static let warmUpSamples = 8000

    private var energy = EnergyDetector()
    private var silero: SileroDetector
    /// Whether the network decides.
    private var trustsNetwork = false
    /// Whether the network hears the next frame. In quiet surroundings it would only take time.
    private var isListening = false
    /// Samples that the network has heard without a gap.
    private var heard = 0
    /// Samples fed so far.
    private var samples = 0
    /// The end of the audio covered by the events so far.
    private var covered = 0

    package init(_ network: SileroNetwork, threshold: Float = VoiceActivityOptions.defaultThreshold) {
        silero = SileroDetector(network, threshold: threshold)
    }

    package var isSpeech: Bool { trustsNetwork ? silero.isSpeech : energy.isSpeech }

    package mutating func feed(_ block: [Float]) -> [VoiceActivityEvent] {
        var events: [VoiceActivityEvent] = []
        var rest = block[...]
        // Up to the next frame of the level, so that block sizes do not matter.
        while !rest.isEmpty {
            let frame = Array(rest.prefix(FrameLevelMeter.frameSamples - samples % FrameLevelMeter.frameSamples))
            rest = rest.dropFirst(frame.count)
            samples += frame.count
            let byLevel = energy.feed(frame), byNetwork = listen(frame)
            report(trustsNetwork ? byNetwork : byLevel, in: &events)
            if samples % FrameLevelMeter.frameSamples == 0 {
                choose(&events)
                isListening = trustsNetwork || energy.noiseFloor >= Self.quiet
            }
        }
        return events
    }

    package mutating func finish() -> [VoiceActivityEvent] {
        var events: [VoiceActivityEvent] = []
        let (byLevel, byNetwork) = (energy.finish(), silero.finish())
        report(trustsNetwork ? byNetwork : byLevel, in: &events)
        return events
    }

    package mutating func reset() {
        energy.reset()
        silero.reset()
    }

    package mutating func setEndSilence(_ samples: Int) {
        energy.setEndSilence(samples)
        silero.setEndSilence(samples)
    }

    package mutating func setThreshold(_ probability: Float) { silero.setThreshold(probability) }

    private mutating func listen(_ frame: [Float]) -> [VoiceActivityEvent] {
        guard isListening else {
            silero.skip(frame.count)
            heard = 0
            return []
        }
        heard += frame.count
        return silero.feed(frame)
    }

    /// Chooses the detector by the noise. Both must agree at that moment on whether there is speech, unless only noise keeps
    /// speech open.
    private mutating func choose(_ events: inout [VoiceActivityEvent]) {
        guard
            trustsNetwork
                ? energy.noiseFloor < Self.quiet : energy.noiseFloor >= Self.loud && heard >= Self.warmUpSamples
        else { return }
        if !trustsNetwork, energy.isSpeech, !silero.isSpeech { report(energy.finish(), in: &events) }
        if energy.isSpeech == silero.isSpeech { trustsNetwork.toggle() }
    }

    /// Appends events without the audio that the other detector has reported already.
    private mutating func report(_ new: [VoiceActivityEvent], in events: inout [VoiceActivityEvent]) {
        for event in new {
            switch event {
            case .opened(let start):
                events.append(.opened(at: max(start, covered)))
            case .voiced(let range):
                guard range.upperBound > covered else { continue }
                events.append(.voiced(max(range.lowerBound, covered)..<range.upperBound))
                covered = range.upperBound
            case .closed(let end):
                covered = max(end, covered)
                events.append(.closed(at: covered))
            }
        }
    }
}
