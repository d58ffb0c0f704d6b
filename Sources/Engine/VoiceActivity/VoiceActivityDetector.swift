/// Speech found in a stream of sound, in samples counted from the first one fed.
public enum VoiceActivityEvent: Sendable, Hashable {
    /// Speech begins, pre-roll included.
    case opened(at: Int)
    /// A voiced stretch inside open speech, frame by frame; stretches are in order and do not overlap.
    case voiced(Range<Int>)
    /// Speech ended, pad included: samples before the position belong to it.
    case closed(at: Int)
}

/// Tells speech from silence. What it finds is a function of the samples alone, not of how they are cut into pieces.
public protocol VoiceActivityDetector: Sendable {
    /// Hears the next samples, 16 kHz mono, -1…1.
    mutating func feed(_ samples: [Float]) -> [VoiceActivityEvent]

    /// Closes open speech at the last sample. Feeding may go on afterwards; positions count on.
    mutating func finish() -> [VoiceActivityEvent]

    /// Forgets the noise and the network's state after sound was lost; positions count on.
    mutating func reset()

    /// Whether speech is open.
    var isSpeech: Bool { get }
}
