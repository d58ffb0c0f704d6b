import WhisperEngine

extension WindowEvent {
    /// The line shown by `--verbose`.
    var detail: String {
        switch self {
        case .retried(let retry):
            "decoded again at temperature \(NumberRange.text(retry.temperature)): " + retry.reason.detail
        case .skipped(let start, let end, let noSpeechProb, let avgLogprob):
            "\(Timestamp.span(from: start, to: end)) skipped: no-speech probability "
                + "\(Self.short(noSpeechProb)), mean log probability \(Self.short(avgLogprob))"
        case .skippedLeadingSilence(let start, let end):
            "\(Timestamp.span(from: start, to: end)) skipped: silence before a likely hallucination"
        case .droppedHallucination(let start, let end, let text):
            "\(Timestamp.span(from: start, to: end)) dropped as a likely hallucination: \(ShellQuoting.quoted(text))"
        case .silence: "the recording is silent: all samples are equal"
        case .removedSilence(let kept, let whole):
            "speech: \(TimeSyntax.clock(kept)) of \(TimeSyntax.clock(whole)); the rest is skipped"
        case .noProgress(let start, let end):
            "\(Timestamp.span(from: start, to: end)) skipped: decoding made no progress"
        case .guarded(let measure): measure.detail
        }
    }

    /// Two decimals with a point.
    fileprivate static func short(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e9 else { return "\(value)" }
        let hundredths = Int((abs(value) * 100).rounded())
        return (value < 0 && hundredths > 0 ? "-" : "") + "\(hundredths / 100)."
            + TimeSyntax.twoDigits(hundredths % 100)
    }
}

extension DecodingRetry.Reason {
    fileprivate var detail: String {
        switch self {
        case .repetitive(let ratio): "compression ratio \(WindowEvent.short(ratio))"
        case .improbable(let logprob): "mean log probability \(WindowEvent.short(logprob))"
        case .looping(let times): "the text repeats \(times) times in a row"
        case .speechDetected(let share):
            "classified as silence, but \(Int((share * 100).rounded()))% of it is speech"
        }
    }
}

extension GuardMeasure {
    fileprivate var detail: String {
        switch self {
        case .noSpeechLeft(let start, let end):
            "\(Timestamp.span(from: start, to: end)) skipped: no speech"
        case .promptCleared(let text):
            "prompt cleared: the last segments have the same text: \(ShellQuoting.quoted(text))"
        case .promptDropped(let start, let end, let text):
            "\(Timestamp.span(from: start, to: end)) dropped: repeats the prompt: \(ShellQuoting.quoted(text))"
        case .wordsLengthened(let count):
            "lengthened \(count) \(count == 1 ? "word that was" : "words that were") too short"
        case .timesClamped(let count):
            "shortened \(count) \(count == 1 ? "segment" : "segments") to the end of the recording"
        case .continuedAfterLastWord(let time):
            "the next window starts after the last word, at \(TimeSyntax.clock(time))"
        case .languageDetected(let time): "detecting the language at \(TimeSyntax.clock(time)), where speech begins"
        }
    }
}
