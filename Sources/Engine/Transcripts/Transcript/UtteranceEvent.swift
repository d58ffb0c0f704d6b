/// Something that happened to an utterance of a live session besides its segments.
///
/// Times are seconds on the session's clock.
package enum UtteranceEvent: Hashable, Sendable {
    /// Speech starts, pre-roll included.
    case opened(at: Double)
    /// Speech ends here; its last words follow, and then `closed`.
    ///
    /// - Parameter isForced: whether the end was requested. Nothing is reported then if no utterance is open.
    case ending(at: Double, isForced: Bool)
    /// All text before this time is final: an utterance has ended, or its end was requested.
    ///
    /// - Parameters:
    ///   - isForced: whether the end was requested. This is reported even if no utterance was open.
    ///   - language: the language of the last utterance; `nil` if it is unknown.
    case closed(at: Double, isForced: Bool, language: DetectedLanguage?)
    /// As much silence as `SessionChange.longSilence` has followed the last word. Reported once per silence.
    case silence(at: Double)
}

extension UtteranceEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .opened(let time): "an utterance starts at \(Timestamp.clock(time))"
        case .ending(let time, _): "speech ends at \(Timestamp.clock(time))"
        case .closed(let time, _, _): "an utterance ends at \(Timestamp.clock(time))"
        case .silence(let time): "a long silence lasts at \(Timestamp.clock(time))"
        }
    }
}
