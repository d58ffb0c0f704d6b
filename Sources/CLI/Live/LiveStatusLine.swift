package import WhisperEngine

/// The status line of a live session: `1:02  listening  [####......]  lag 0.4 s`.
package struct LiveStatusLine: Sendable, Equatable {
    package var status: SessionStatus
    /// Keys can be read, so space resumes after a pause.
    package var hasKeys: Bool

    package init(status: SessionStatus, hasKeys: Bool) {
        self.status = status
        self.hasKeys = hasKeys
    }

    package var text: String {
        var parts = [Timestamp.clock(status.clock), state]
        if status.state == .listening || status.state == .idle { parts.append(Self.bar(status.levelDBFS)) }
        parts.append("lag \(OneDecimal.text(status.lag)) s")
        if status.unsaved > 0 { parts.append("\(status.unsaved) unsaved") }
        return parts.joined(separator: "  ")
    }

    private var state: String {
        switch status.state {
        case .idle, .listening: status.speech ? "speech   " : "listening"
        case .paused where status.isDeviceLost: "microphone lost, waiting for it"
        case .paused: hasKeys ? "paused (space resumes)" : "paused"
        case .draining: "finishing…"
        case .stopped: "stopped"
        case .failed: "failed"
        }
    }

    /// A level bar of ten characters, from -60 dBFS to full scale.
    package static func bar(_ level: Double?) -> String {
        let fraction = max(0, min(1, ((level ?? -100) + 60) / 60))
        let count = Int((fraction * 10).rounded())
        return "[" + String(repeating: "#", count: count) + String(repeating: ".", count: 10 - count) + "]"
    }
}
