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

    /// Whether speech is open.
    var isSpeech: Bool { get }
}
