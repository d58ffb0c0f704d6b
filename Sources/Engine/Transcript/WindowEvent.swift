/// What happened to a window besides its segments: all that was skipped, dropped or decoded again, and why.
///
/// Times are seconds from the start of the recording.
public enum WindowEvent: Hashable, Sendable {
    /// Decoded again at a higher temperature.
    case retried(DecodingRetry)
    /// Taken for silence, its text dropped.
    case skipped(start: Double, end: Double, noSpeechProb: Double, avgLogprob: Double)
    /// The window begins with silence before words that look invented; it is decoded again from those on.
    case skippedLeadingSilence(start: Double, end: Double)
    /// Text that looks invented, between silences, was dropped with all that follows it in the window.
    case droppedHallucination(start: Double, end: Double, text: String)
    /// The result asked to go on at or before the window's own start; the whole window is passed instead.
    case stoodStill(start: Double, end: Double)
    /// Before the first window: the recording is nothing but zeros or one constant value.
    case silence
    /// Before the first window: so many seconds of so many were taken for speech, the rest is not recognized.
    case removedSilence(kept: Double, of: Double)
    /// A measure of `TranscriptionOptions.guards`.
    case guarded(GuardMeasure)
}
