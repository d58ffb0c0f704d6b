package import WhisperEngine

/// The status of a live session in one line: `1:02  listening  [####......]  lag 0.4 s`.
package struct LiveStatusLine: Sendable, Equatable {
    package var status: SessionStatus
    /// Which key goes on after a pause, if one does.
    package var hasKeys: Bool

    package init(status: SessionStatus, hasKeys: Bool) {
        self.status = status
        self.hasKeys = hasKeys
    }

    package var text: String {
        var parts = [TimeSyntax.clock(status.clock), state]
        if status.state == .listening || status.state == .idle { parts.append(Self.bar(status.levelDBFS)) }
        parts.append("lag \(ProgressLine.oneDecimal(status.lag)) s")
        if status.unsaved > 0 { parts.append("\(status.unsaved) not saved") }
        return parts.joined(separator: "  ")
    }

    private var state: String {
        switch status.state {
        case .idle, .listening: status.speech ? "speech   " : "listening"
        case .paused: hasKeys ? "paused (space goes on)" : "paused"
        case .draining: "finishing…"
        case .stopped: "stopped"
        case .failed: "failed"
        }
    }

    /// Ten places from -60 dB to full scale.
    package static func bar(_ level: Double?) -> String {
        let share = max(0, min(1, ((level ?? -100) + 60) / 60))
        let count = Int((share * 10).rounded())
        return "[" + String(repeating: "#", count: count) + String(repeating: ".", count: 10 - count) + "]"
    }
}
