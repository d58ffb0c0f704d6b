/// A stretch of speech by one speaker, as the diarizer finds it.
package struct SpeakerTurn: Hashable, Sendable {
    /// Seconds from the start of the recording.
    package var start: Double
    package var end: Double
    /// Counts from 0 in the order in which the speakers first talk.
    package var speaker: Int

    package init(start: Double, end: Double, speaker: Int) {
        self.start = start
        self.end = end
        self.speaker = speaker
    }
}

/// How many speakers a recording may have.
public struct SpeakerLimits: Hashable, Sendable {
    public var minimum: Int
    /// `nil` is no limit.
    public var maximum: Int?

    /// - Parameters:
    ///   - minimum: at least 1.
    ///   - maximum: not below the minimum.
    public init(minimum: Int = 1, maximum: Int? = nil) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// Exactly this number of speakers, at least 1.
    public init(exactly count: Int) { self.init(minimum: count, maximum: count) }
}
