import WhisperEngine

/// What a running `dictate` is doing, for programs that ask it.
package struct DictateStatus: Equatable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// No `dictate` is running.
        case stopped
        case idle, recording, transcribing, error
    }

    package let state: State
    /// Why there is an error.
    package let reason: String

    package init(_ state: State, reason: String = "") { (self.state, self.reason) = (state, reason) }

    package init(_ phase: PushToTalk.Phase, isRecording: Bool) {
        switch phase {
        // From the first moment, also of a press that may be accidental.
        case _ where isRecording: self.init(.recording)
        case .recording: self.init(.recording)
        case .processing: self.init(.transcribing)
        case .error(let reason): self.init(.error, reason: reason)
        case .idle, .complete, .noSpeech: self.init(.idle)
        }
    }

    /// `idle`, `error device lost`
    package var line: String {
        reason.isEmpty ? state.rawValue : "\(state.rawValue) \(String(reason.map { $0.isNewline ? " " : $0 }))"
    }

    /// - Returns: `nil` if it is no such line.
    package init?(line: String) {
        let words = line.split(separator: " ", maxSplits: 1)
        guard let state = words.first.flatMap({ State(rawValue: String($0)) }) else { return nil }
        self.init(state, reason: words.count > 1 ? String(words[1]) : "")
    }

    /// With the members that Waybar expects of a module's program.
    package var json: String {
        let word = JSONText.string(state.rawValue)
        return JSONText.object([
            ("state", word), ("text", word), ("alt", word), ("class", word), ("tooltip", JSONText.string(reason)),
        ])
    }
}
