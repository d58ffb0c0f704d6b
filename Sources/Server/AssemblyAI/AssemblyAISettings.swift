package import WhisperEngine

/// Settings of the streaming protocols.
package struct AssemblyAISettings: Sendable {
    /// The names that version 3 uses in its messages.
    package enum Fields: String, Sendable, CaseIterable {
        /// Both versions' names for clients that mix them, otherwise only its own.
        case auto
        case v3
        case hybrid
    }

    /// Whether a text is the server's key. Takes constant time.
    package var isKey: @Sendable (String) -> Bool = { _ in true }
    /// Whether a session needs the key or a temporary token.
    package var requiresKey = false
    /// Whether to enforce limits of the cloud service that are not needed here.
    package var isStrict = false
    /// Maximum number of concurrent sessions.
    package var maxSessions = 16
    package var fields = Fields.auto
    /// How sessions recognize speech.
    package var streaming: StreamingOptions

    // Maximum length of a session in seconds. A temporary token may set a lower limit.
    package var maxSession = 10_800
    /// Time for the last words of a session; clients wait for five seconds.
    package var endTime = 4.0
    /// A session without audio for this long ends when another client needs it.
    package var idleTime = 60.0
    /// Audio that may wait to be recognized.
    package var maxQueue = 300.0

    package init() {
        streaming = StreamingOptions()
        streaming.policy = .agree
    }

    /// Whether a client of version 3 also gets the names of version 2. No official client sends a bearer token without
    /// a sample rate.
    func isHybrid(_ head: RequestHead) -> Bool {
        switch fields {
        case .v3: false
        case .hybrid: true
        case .auto:
            head.queryValue("sample_rate") == nil
                && head.headers["Authorization"]?.lowercased().hasPrefix("bearer ") == true
        }
    }
}
