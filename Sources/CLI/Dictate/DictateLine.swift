/// The one line that `dictate` shows.
package struct DictateLine: Sendable {
    package enum Keys: Sendable {
        case held, toggled, none
    }

    package var phase: PushToTalk.Phase
    /// Loudness in dB relative to full scale, and what has been understood so far.
    package var level: Double?
    package var volatile = ""
    package var keys = Keys.held
    package var styled = true

    package init(phase: PushToTalk.Phase) { self.phase = phase }

    /// - Parameter time: seconds by any clock; what blinks and turns does so by it.
    package func text(columns: Int, at time: Double) -> String {
        let room = columns - 1
        guard room > 0 else { return "" }
        switch phase {
        case .idle: return DisplayWidth.head(of: "  idle   \(hint)", columns: room)
        case .recording(let seconds):
            // One second: half of it on, half of it off.
            let dot = Int(time * 2) % 2 == 0 ? "●" : " "
            let head = "   \(ProgressLine.oneDecimal(seconds)) s  \(LiveStatusLine.bar(level))"
            guard room > DisplayWidth.columns(of: head) else { return DisplayWidth.head(of: dot, columns: room) }
            let left = room - DisplayWidth.columns(of: head) - 2
            let words = String(ScreenCell.cells(of: volatile.drop { $0.isWhitespace }).map(\.character))
            let tail = left >= 8 ? DisplayWidth.tail(of: words, columns: left) : ""
            return colored(dot, "31") + head.dropFirst(1) + (tail.isEmpty ? "" : "  " + colored(tail, "2"))
        case .processing(let seconds):
            let sign = Array("|/-\\")[Int(time * 10) % 4]
            return DisplayWidth.head(of: "\(sign) \(ProgressLine.oneDecimal(seconds)) s", columns: room)
        case .complete(let words, let seconds):
            let text = "\(words) \(words == 1 ? "word" : "words"), \(ProgressLine.oneDecimal(seconds)) s"
            return colored("✓", "32") + DisplayWidth.head(of: " " + text, columns: room - 1)
        case .nothingHeard: return DisplayWidth.head(of: "  nothing heard", columns: room)
        case .error(let reason): return colored(DisplayWidth.head(of: reason, columns: room), "31")
        }
    }

    private var hint: String {
        switch keys {
        case .held: "hold SPACE to speak, q quits"
        case .toggled: "SPACE to speak, SPACE again to end, q quits"
        case .none: "SIGUSR1 to speak, SIGUSR2 to end"
        }
    }

    private func colored(_ text: String, _ code: String) -> String {
        guard styled, !text.isEmpty else { return text }
        return "\u{1b}[\(code)m\(text)\u{1b}[0m"
    }
}
