/// Finds speech by Silero's network, in windows of 512 samples.
public struct SileroDetector: VoiceActivityDetector {
    /// Kept before the first window of speech: 300 ms.
    private static let preRollSamples = 4800
    /// Speech closes after 500 ms below the threshold and keeps 200 ms of them.
    private static let hangSamples = 8000
    private static let padSamples = 3200
    /// Speech goes on down to so much below the threshold that opens it.
    package static let hysteresis: Float = 0.15
    /// The least probability at which it can still end.
    package static let leastEnd: Float = 0.01

    private let network: SileroNetwork
    private let threshold: Float
    private var state = SileroState()
    /// Samples of the window that is not yet full.
    private var pending: [Float] = []
    /// Samples heard, those of full windows.
    private var heard = 0
    private var lastEnd = 0
    /// Where the pause began that may end the speech.
    private var pauseStart: Int?

    public private(set) var isSpeech = false

    /// - Parameter threshold: the probability from which a window counts as speech.
    public init(_ network: SileroNetwork, threshold: Float = 0.5) {
        self.network = network
        self.threshold = threshold
    }

    public mutating func feed(_ samples: [Float]) -> [VoiceActivityEvent] {
        var events: [VoiceActivityEvent] = []
        var position = 0
        while position < samples.count {
            let end = min(samples.count, position + SileroNetwork.windowSamples - pending.count)
            // What is no number is no sound; the network would never forget it.
            for sample in samples[position..<end] { pending.append(sample.isFinite ? sample : 0) }
            position = end
            if pending.count == SileroNetwork.windowSamples {
                let probability = network.probability(of: pending, state: &state)
                pending.removeAll(keepingCapacity: true)
                hear(probability, events: &events)
                heard += SileroNetwork.windowSamples
            }
        }
        return events
    }

    public mutating func finish() -> [VoiceActivityEvent] {
        guard isSpeech else { return [] }
        return [close(at: heard + pending.count)]
    }

    /// Open speech stays open.
    public mutating func reset() {
        state = SileroState()
        pauseStart = nil
    }

    private mutating func hear(_ probability: Float, events: inout [VoiceActivityEvent]) {
        let window = heard..<(heard + SileroNetwork.windowSamples)
        if probability >= threshold {
            pauseStart = nil
            if !isSpeech {
                isSpeech = true
                events.append(.opened(at: max(window.lowerBound - Self.preRollSamples, lastEnd)))
            }
        } else if isSpeech, probability < max(threshold - Self.hysteresis, Self.leastEnd) {
            let start = pauseStart ?? window.lowerBound
            pauseStart = start
            if window.lowerBound - start >= Self.hangSamples {
                events.append(close(at: start + Self.padSamples))
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
