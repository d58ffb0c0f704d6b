/// A change reported by a voice activity detector. Positions are samples, counted from the first one fed.
package enum VoiceActivityEvent: Sendable, Hashable {
    /// Speech starts here, pre-roll included.
    case opened(at: Int)
    /// A voiced frame within open speech; frames are in order and do not overlap.
    case voiced(Range<Int>)
    /// Speech ends before this sample, padding included.
    case closed(at: Int)
}

/// Detects speech in a stream of samples.
///
/// The events depend on the samples alone, not on the sizes of the blocks in which they are fed.
package protocol VoiceActivityDetector: Sendable {
    /// Processes the next samples: 16 kHz mono, -1…1.
    mutating func feed(_ samples: [Float]) -> [VoiceActivityEvent]

    /// Closes open speech at the last sample. Feeding may continue; positions keep counting.
    mutating func finish() -> [VoiceActivityEvent]

    /// Resets the noise floor or the network's state after samples were lost; positions keep counting.
    mutating func reset()

    /// Sets how much silence ends speech, from the next frame on.
    ///
    /// - Parameter samples: rounded to the detector's frames.
    mutating func setEndSilence(_ samples: Int)

    /// Sets the probability from which a frame counts as speech, 0…1. A detector without probabilities ignores it.
    mutating func setThreshold(_ probability: Float)

    /// The speech so far, complete after `finish`; `nil` if the detector does not keep it.
    var stretches: SpeechStretches? { get }
}

extension VoiceActivityDetector {
    package var stretches: SpeechStretches? { nil }
}
