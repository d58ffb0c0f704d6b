/// Something that happened to a window besides its segments: what was skipped, dropped or decoded again, and why.
///
/// Times are seconds from the start of the recording.
public enum WindowEvent: Hashable, Sendable {
    /// The window was decoded again at a higher temperature.
    case retried(DecodingRetry)
    /// The window was classified as silence and its text dropped.
    case skipped(start: Double, end: Double, noSpeechProb: Double, avgLogprob: Double)
    /// The window starts with silence before words that look hallucinated; it is decoded again from those words on.
    case skippedLeadingSilence(start: Double, end: Double)
    /// A segment between silences looks hallucinated; it was dropped with the rest of the window.
    case droppedHallucination(start: Double, end: Double, text: String)
    /// The next window would have started no later than this one; the whole window was skipped instead.
    case noProgress(start: Double, end: Double)
    /// Before the first window: all samples of the recording are zero or one constant value.
    case silence
    /// Before the first window: `kept` of `of` seconds were classified as speech; the rest is not decoded.
    case removedSilence(kept: Double, of: Double)
    /// A measure of `TranscriptionOptions.guards` was applied.
    case guarded(GuardMeasure)
}

/// A measure against hallucinated text that the reference does not have.
///
/// Times are seconds from the start of the recording.
public enum GuardMeasure: Hashable, Sendable {
    /// The rest of the clip contains no speech and is not decoded.
    case noSpeechLeft(start: Double, end: Double)
    /// Consecutive segments have the same text; the next window is not prompted with it.
    case promptCleared(text: String)
    /// A segment that repeats the prompt where there is hardly any speech was dropped.
    case promptDropped(start: Double, end: Double, text: String)
    /// This many words of zero length were lengthened.
    case wordsLengthened(Int)
    /// This many segments that ended after the recording now end with it.
    case timesClamped(Int)
    /// The next window starts after the last word, not 30 s later.
    case continuedAfterLastWord(at: Double)
    /// The language was detected in a window other than the first.
    case languageDetected(at: Double)
}
