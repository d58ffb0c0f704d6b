package import WhisperEngine

/// How the routes of OpenAI's Realtime API behave.
package struct RealtimeSettings: Sendable {
    /// `nil` if every client is accepted.
    package var key: AccessKey?
    /// Rejects what the cloud service rejects, instead of accepting everything that makes sense.
    package var isStrict = false
    /// Rejects models that are neither installed nor known by name.
    package var hasStrictModels = false
    /// How sessions recognize speech.
    package var streaming = StreamingOptions()

    // Seconds.
    /// Maximum length of a session.
    package var maxSession = 10_800.0
    /// A session without a message for this long ends.
    package var maxPause = 300.0
    /// Time for the last words of a session.
    package var endTime = 4.0
    /// Audio waiting to be recognized above which nothing more is read.
    package var maxQueue = 60.0

    package init() { streaming.policy = .agree }
}
