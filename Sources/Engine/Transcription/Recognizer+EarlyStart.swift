package import EngineAudio
package import EngineModels
import EngineVoices

extension Recognizer {
    /// Seconds of a recording from which its language is detected before the rest is read: enough for the windows that the
    /// detection uses, unless there is hardly any speech in them.
    static let earlySeconds = 300.0

    /// Reports what is known of a long recording before it has been read: its language from its first minutes.
    ///
    /// - Parameters:
    ///   - source: can be read again.
    ///   - onStart: called at most once, on the recognizer's thread.
    /// - Returns: what was reported; `nil` if more has to be read. With a language that was detected, it must be set in the
    ///   options, so that it is not detected again.
    package func startEarly(
        _ source: some AudioSource, options: TranscriptionOptions, onStart: @escaping @Sendable (RecordingStart) -> Void
    ) async throws -> RecordingStart? {
        guard let duration = source.duration.map({ ($0 + source.start) / .seconds(1) - options.offset }),
            options.voiceActivity == nil, options.windowsAtOnce == 1
        else { return nil }
        let seconds = min(duration, options.duration ?? .infinity)
        let needed = max(Self.earlySeconds, Double(options.whisper.languageWindows) * model.traits.longestWindow)
        let isKnown = model.traits.language(for: options) != nil
        // Windows of other languages are found in the whole recording.
        guard isKnown || seconds > needed && !options.multilingual else { return nil }
        var early = options
        early.duration = isKnown ? 0 : needed
        let (start, summary) = try await startAndSummary(of: source, options: early)
        if !isKnown, summary.isSilence || options.guards != false && summary.voiced.firstSpeech(from: 0) == nil {
            return nil
        }
        var found = start
        found.duration = max(0, seconds)
        onStart(found)
        return found
    }
}
