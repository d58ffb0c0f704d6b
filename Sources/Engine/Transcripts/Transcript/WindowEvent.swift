import EngineBasics

/// Something that happened to a window or an utterance besides its segments: what was skipped, dropped or decoded again,
/// and why.
///
/// Times are seconds from the start of the recording.
package enum WindowEvent: Hashable, Sendable {
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
    /// Before the first window: this share of the work of finding the speakers is done, 0…1.
    case findingSpeakers(share: Double)
    /// Where a detector has heard speech, before the segments in it are reported; subtitles begin and end there.
    case heard([TranscriptSpan])
    /// A measure of `TranscriptionOptions.guards` was applied.
    case guarded(GuardMeasure)
    /// Only in live sessions with `StreamingOptions.reportsUtterances`.
    case utterance(UtteranceEvent)
}

/// A measure against hallucinated text that the reference does not have.
///
/// Times are seconds from the start of the recording.
package enum GuardMeasure: Hashable, Sendable {
    /// This part, at least a window or up to the end of the clip, contains no speech and is not decoded.
    case noSpeech(start: Double, end: Double)
    /// A segment was dropped because there is no speech near it, or hardly any.
    case inventionDropped(start: Double, end: Double, text: String)
    /// The last segment of a window was dropped because its speech follows a pause, where the next window hears it, too.
    case misplacedDropped(start: Double, end: Double, text: String)
    /// Consecutive segments have the same text; the next window is not prompted with it.
    case promptCleared(text: String)
    /// The last segment of a window is left to the next one, which hears it together with the short rest of the clip.
    case heldBack(start: Double, end: Double, text: String)
    /// The text of the window cannot have been spoken, at any temperature; it was decoded again up to `end`.
    case windowShortened(start: Double, end: Double)
    /// That did not help, either: of the text from `start` on, only this was kept, without its repetitions.
    case repetitionCut(start: Double, text: String)
    /// Speech here, outside the segments of its window, was decoded again and has this text.
    case gapDecoded(start: Double, end: Double, text: String)
    /// A segment that repeats the prompt where there is hardly any speech was dropped.
    case promptDropped(start: Double, end: Double, text: String)
    /// This many words of zero length were lengthened.
    case wordsLengthened(Int)
    /// This many segments were lengthened, because their text takes longer to say.
    case timesLengthened(Int)
    /// This many segments that enclosed a long pause now have the times of their words.
    case pausesLeftOut(Int)
    /// This many segments that ended after the recording now end with it.
    case timesClamped(Int)
    /// The next window starts after the last word, not 30 s later.
    case continuedAfterLastWord(at: Double)
    /// The language was detected in a window other than the first.
    case languageDetected(at: Double)
}

// MARK: - Descriptions

extension WindowEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .retried(let retry):
            "decoded again at temperature \(Self.plain(retry.temperature)): " + retry.reason.description
        case .skipped(let start, let end, let noSpeechProb, let avgLogprob):
            "\(Timestamp.span(from: start, to: end)) skipped: no-speech probability "
                + "\(Self.short(noSpeechProb)), mean log probability \(Self.short(avgLogprob))"
        case .skippedLeadingSilence(let start, let end):
            "\(Timestamp.span(from: start, to: end)) skipped: silence before a likely hallucination"
        case .droppedHallucination(let start, let end, let text):
            "\(Timestamp.span(from: start, to: end)) dropped as a likely hallucination: \(ShellQuoting.quoted(text))"
        case .silence: "the recording is silent: all samples are equal"
        case .removedSilence(let kept, let whole):
            "speech: \(Timestamp.clock(kept)) of \(Timestamp.clock(whole)); the rest is skipped"
        case .noProgress(let start, let end):
            "\(Timestamp.span(from: start, to: end)) skipped: decoding made no progress"
        case .findingSpeakers(let share): "finding the speakers: \(Int(100 * share)) %"
        case .heard(let speech): "stretches of speech: \(speech.count)"
        case .guarded(let measure): measure.description
        case .utterance(let event): event.description
        }
    }

    /// Without decimals if it is a whole number.
    private static func plain(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// Two decimals with a point.
    fileprivate static func short(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "\(value)" }
        let hundredths = Int((abs(value) * 100).rounded())
        return (value < 0 && hundredths > 0 ? "-" : "") + "\(hundredths / 100)."
            + Digits.decimal(hundredths % 100)
    }
}

extension DecodingRetry.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .repetitive(let ratio): "compression ratio \(WindowEvent.short(ratio))"
        case .improbable(let logprob): "mean log probability \(WindowEvent.short(logprob))"
        case .looping(let times): "the text repeats \(times) times in a row"
        case .speechDetected(let share):
            "classified as silence, but \(Int((share * 100).rounded()))% of it is speech"
        }
    }
}

extension GuardMeasure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noSpeech(let start, let end):
            "\(Timestamp.span(from: start, to: end)) skipped: no speech"
        case .inventionDropped(let start, let end, let text):
            "\(Timestamp.span(from: start, to: end)) dropped: no speech there: \(ShellQuoting.quoted(text))"
        case .misplacedDropped(let start, let end, let text):
            "\(Timestamp.span(from: start, to: end)) dropped: spoken after the pause: \(ShellQuoting.quoted(text))"
        case .heldBack(let start, let end, let text):
            "\(Timestamp.span(from: start, to: end)) heard again with the rest: \(ShellQuoting.quoted(text))"
        case .windowShortened(let start, let end):
            "\(Timestamp.span(from: start, to: end)) decoded again: the text of the longer window cannot have been spoken"
        case .repetitionCut(let start, let text):
            "text from \(Timestamp.clock(start)) cut before its repetition: \(ShellQuoting.quoted(text))"
        case .gapDecoded(let start, let end, let text):
            "\(Timestamp.span(from: start, to: end)) decoded again, as its speech was left out: "
                + ShellQuoting.quoted(text)
        case .promptCleared(let text):
            "prompt cleared: the last segments have the same text: \(ShellQuoting.quoted(text))"
        case .promptDropped(let start, let end, let text):
            "\(Timestamp.span(from: start, to: end)) dropped: repeats the prompt: \(ShellQuoting.quoted(text))"
        case .wordsLengthened(let count):
            "lengthened \(count) \(count == 1 ? "word that was" : "words that were") too short"
        case .timesLengthened(let count):
            "lengthened \(Counted.text(count, "segment")) to the time that the text takes"
        case .pausesLeftOut(let count):
            "\(Counted.text(count, "segment")) no longer \(count == 1 ? "encloses" : "enclose") a pause"
        case .timesClamped(let count):
            "shortened \(Counted.text(count, "segment")) to the end of the recording"
        case .continuedAfterLastWord(let time):
            "the next window starts after the last word, at \(Timestamp.clock(time))"
        case .languageDetected(let time): "detecting the language at \(Timestamp.clock(time)), where speech begins"
        }
    }
}
