import Synchronization
package import WhisperEngine

/// A loaded model and what belongs to it.
package struct ServedModel: Sendable {
    /// The name under which it is installed, such as `tiny.en`.
    package let name: String
    package let recognizer: Recognizer
    /// What recordings are transcribed with unless the request says otherwise.
    package let defaults: TranscriptionOptions
    package let traits: ModelTraits
    /// Identifies its weights in the cache.
    package let stamp: ModelStamp
    /// Recognizers with these weights for several recordings at a time.
    let recognizers: RecognizerStock
    /// While there is one, the model is in use and stays in memory.
    var lease: ModelLease?

    /// - Parameter traits: in place of the model's own.
    package init(
        name: String, recognizer: Recognizer, defaults: TranscriptionOptions, traits: ModelTraits? = nil,
        stamp: ModelStamp? = nil
    ) {
        self.name = name
        self.recognizer = recognizer
        let traits = traits ?? recognizer.model.traits
        var defaults = defaults
        defaults.languages.removeAll { !traits.knows($0) }
        if let language = defaults.language, !traits.knows(language) { defaults.language = nil }
        self.defaults = defaults
        self.traits = traits
        self.stamp = stamp ?? ModelStamp(name: name, path: FilePath(name))
        recognizers = RecognizerStock(recognizer)
    }

    /// Finds speech; Silero's network if its weights are installed.
    package var detector: VoiceActivityOptions.Detector { defaults.guardDetector ?? .energy }
}

extension ServedModel {
    /// - Throws: 400 if the model was not trained to translate.
    func checkTranslation() throws(HTTPError) {
        guard traits.translation == .trained else {
            throw .invalid(
                "model", "The model \(shownName) cannot translate. Choose another model.", code: "unsupported_value")
        }
    }

    /// - Throws: 400 if the model takes no prompts.
    func checkPrompt() throws(HTTPError) {
        guard traits.maxPromptTokens != nil else {
            throw .invalid(
                "prompt", "The model \(shownName) takes no prompt. Leave it out, or choose another model.",
                code: "unsupported_value")
        }
    }

    /// - Throws: 400 if the model does not sample.
    func checkTemperature() throws(HTTPError) {
        guard traits.usesWhisperOptions else {
            throw .invalid(
                "temperature", "The model \(shownName) has no temperature. Leave it out, or choose another model.",
                code: "unsupported_value")
        }
    }

    /// - Throws: 400 if languages are given and the model knows none of them.
    func check(_ languages: [Language]) throws(HTTPError) {
        if let language = languages.first, !languages.contains(where: { traits.knows($0.code) }) {
            _ = try checked(language)
        }
    }

    /// - Returns: the same language.
    /// - Throws: 400 if the model does not know it.
    func checked(_ language: Language) throws(HTTPError) -> Language {
        guard traits.knows(language.code) else {
            throw .invalid(
                "language", "The model \(shownName) does not know \(language.name). Choose another model.",
                code: "unsupported_value")
        }
        return language
    }

    /// The name, shortened to fit into a message.
    var shownName: String { String(name.replacingControlCharacters().prefix(40)) }
}

/// Loads models by the names that clients use.
package protocol ModelProvider: Sendable {
    /// The model for a requested name, loaded if necessary; `nil` is the default model.
    func model(_ requested: String?) async throws(HTTPError) -> ServedModel
    /// The speaker networks, loaded when they are first requested.
    ///
    /// - Throws: 400 if they are not installed, 500 if they cannot be loaded.
    func speakerNetworks() async throws(HTTPError) -> SpeakerNetworks
    /// The name of the default model.
    var defaultModel: String { get }
    /// The names of all models that can be requested: the loaded ones first, then the other installed ones.
    var names: [String] { get }
    /// What a model can do, whether it is loaded or not; `nil` if it cannot be opened.
    func traits(of name: String) async -> ModelTraits?
    /// Whether the speaker networks are installed.
    var hasSpeakerNetworks: Bool { get }
    /// Seconds after its last use in which a model stays in memory; `nil` for ever.
    var idleTime: Double? { get }
}

extension ModelProvider {
    package var idleTime: Double? { nil }
}

extension HTTPError {
    /// The speaker networks are not installed.
    package static let noSpeakerNetworks = HTTPError.invalid(
        "response_format",
        "This server cannot identify speakers: speakers.safetensors is not installed. Use json or text.",
        code: "unsupported_value")
}

/// Tells when a model is no longer used: the pool's own copy has none.
package final class ModelLease: Sendable {
    private let onEnd: @Sendable (ContinuousClock.Instant) -> Void
    private let idleSince = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameter onEnd: called with the time of the last use.
    init(onEnd: @escaping @Sendable (ContinuousClock.Instant) -> Void) { self.onEnd = onEnd }

    /// Says that the model has not been used since then, although the lease has not ended.
    func idle(since time: ContinuousClock.Instant) { idleSince.withLock { $0 = time } }

    deinit { onEnd(idleSince.withLock(\.self) ?? .now) }
}
