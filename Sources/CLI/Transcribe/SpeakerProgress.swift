import WhisperEngine

/// The progress of finding the speakers, before the first segment.
package struct SpeakerProgress: ProgressText, Equatable {
    /// Of the work, 0…1.
    package let share: Double
    /// Seconds since the start.
    package let elapsed: Double

    package init(share: Double, elapsed: Double) {
        self.share = share
        self.elapsed = elapsed
    }

    /// `finding the speakers: 45%, 0:08 left`
    package var text: String {
        let text = "finding the speakers: \(max(0, min(100, Int(100 * share))))%"
        guard elapsed > 0.5, share > 0, share < 1 else { return text }
        return text + ", \(Timestamp.clock(elapsed * (1 - share) / share)) left"
    }
}
