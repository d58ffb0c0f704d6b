import WhisperEngine

extension WindowEvent {
    /// What `--verbose` says.
    var detail: String {
        switch self {
        case .retried(let retry):
            "decoded again at temperature \(NumberRule.text(retry.temperature)): " + retry.reason.detail
        case .skipped(let start, let end, let noSpeechProb, let avgLogprob):
            "\(Timestamp.span(from: start, to: end)) passed over: no-speech probability "
                + "\(Self.short(noSpeechProb)), mean log probability \(Self.short(avgLogprob))"
        case .skippedLeadingSilence(let start, let end):
            "\(Timestamp.span(from: start, to: end)) passed over: silence before words that look invented"
        case .droppedHallucination(let start, let end, let text):
            "\(Timestamp.span(from: start, to: end)) dropped, it looks invented: \(ShellQuoting.quoted(text))"
        case .removedSilence(let kept, let whole):
            "speech: \(TimeSyntax.clock(kept)) of \(TimeSyntax.clock(whole)), the rest is left out"
        case .stoodStill(let start, let end):
            "\(Timestamp.span(from: start, to: end)) passed over: the window led nowhere"
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
        }
    }
}
