/// A measure against invented text that the reference does not know, taken in a window.
///
/// Times are seconds from the start of the recording.
public enum GuardMeasure: Hashable, Sendable {
    /// Nobody speaks in what is left, so it is not decoded.
    case noSpeechLeft(start: Double, end: Double)
    /// Segments in a row have one text: the next window is not prompted with it.
    case promptCleared(text: String)
    /// A segment is the prompt said again where there is hardly any speech.
    case promptDropped(start: Double, end: Double, text: String)
    /// Words without length have got some.
    case wordsLengthened(Int)
    /// Segments that ended behind the recording end with it.
    case timesClamped(Int)
    /// The next window begins behind the last word, not 30 s later.
    case wentOnBehindLastWord(at: Double)
    /// The language was asked of a window that does not begin the recording.
    case languageAsked(at: Double)
}
