import WhisperEngine

extension WindowEvent {
    /// What `--verbose` says.
    var detail: String {
        switch self {
        case .retried(let retry):
            "decoded again at temperature \(NumberRange.text(retry.temperature)): " + retry.reason.detail
        case .skipped(let start, let end, let noSpeechProb, let avgLogprob):
            "\(Timestamp.span(from: start, to: end)) passed over: no-speech probability "
                + "\(Self.short(noSpeechProb)), mean log probability \(Self.short(avgLogprob))"
        case .skippedLeadingSilence(let start, let end):
            "\(Timestamp.span(from: start, to: end)) passed over: silence before words that look invented"
        case .droppedHallucination(let start, let end, let text):
            "\(Timestamp.span(from: start, to: end)) dropped, it looks invented: \(ShellQuoting.quoted(text))"
        case .silence: "the recording holds no sound: all its samples are alike"
        case .removedSilence(let kept, let whole):
            "speech: \(TimeSyntax.clock(kept)) of \(TimeSyntax.clock(whole)), the rest is left out"
        case .stoodStill(let start, let end):
            "\(Timestamp.span(from: start, to: end)) passed over: the window led nowhere"
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
        case .looping(let times): "it says the same \(times) times in a row"
        case .speechHeard(let share): "\(Int((share * 100).rounded()))% of what was to be passed over is speech"
        }
    }
}

extension GuardMeasure {
    fileprivate var detail: String {
        switch self {
        case .noSpeechLeft(let start, let end):
            "\(Timestamp.span(from: start, to: end)) passed over: nobody speaks in it"
        case .promptCleared(let text):
            "the next window is not told what came before: the last segments all say \(ShellQuoting.quoted(text))"
        case .promptDropped(let start, let end, let text):
            "\(Timestamp.span(from: start, to: end)) dropped, it repeats the prompt: \(ShellQuoting.quoted(text))"
        case .wordsLengthened(let count): "\(count) \(count == 1 ? "word was" : "words were") too short, lengthened"
        case .timesClamped(let count):
            "\(count) \(count == 1 ? "segment" : "segments") ended behind the recording, now with it"
        case .wentOnBehindLastWord(let time):
            "the next window begins behind the last word, at \(TimeSyntax.clock(time))"
        case .languageAsked(let time): "language asked at \(TimeSyntax.clock(time)), where somebody speaks"
        }
    }
}
