import WhisperEngine

/// Finds the installed model for the name of a model in the cloud or on another server.
package struct ModelNames: Sendable {
    /// Names of models of the clouds, all of which can be requested.
    package static let aliases =
        standIns + [
            "whisper-large-v3", "whisper-large-v3-turbo", "distil-whisper-large-v3-en", "whisper-large",
        ]
    /// Names that stand for the default model.
    private static let standIns = [
        "whisper-1", "gpt-transcribe", "gpt-4o-transcribe", "gpt-4o-mini-transcribe",
        "gpt-4o-mini-transcribe-2025-12-15", diarizing,
    ]
    package static let diarizing = "gpt-4o-transcribe-diarize"

    /// Whether the cloud's model of this name reports log probabilities.
    static func hasLogprobs(_ requested: String) -> Bool {
        requested.hasPrefix("gpt-4o-") && requested != diarizing
    }

    private static let sizes: Set<String> = [
        "tiny", "base", "small", "medium", "large", "large-v1", "large-v2", "large-v3", "large-v3-turbo", "turbo",
        "tiny.en", "base.en", "small.en", "medium.en", "distil-large-v2", "distil-large-v3", "distil-large-v3.5",
        "distil-medium.en", "distil-small.en",
    ]
    private static let sameModels = [
        "large": ["large-v3", "large-v2", "large-v1"], "turbo": ["large-v3-turbo"], "large-v3-turbo": ["turbo"],
    ]

    private let installed: [String]
    private let defaultModel: String

    package init(_ models: any ModelProvider) {
        installed = models.names
        defaultModel = models.defaultModel
    }

    /// The installed model that a name refers to; `nil` if the name is unknown.
    package func model(for requested: String) -> String? {
        if installed.contains(requested) || requested == defaultModel { return requested }
        if Self.standIns.contains(requested) { return defaultModel }
        let name = Self.plain(requested)
        if let match = ([name] + (Self.sameModels[name] ?? [])).first(where: installed.contains) { return match }
        if let match = ModelCatalogue.model(named: name)?.best(among: installed) { return match }
        return Self.sizes.contains(name) ? defaultModel : nil
    }

    /// Whether a name refers to an English-only model.
    package static func meansEnglish(_ requested: String) -> Bool {
        let name = requested.lowercased()
        return name.hasSuffix(".en") || name.contains("distil-") && name.hasSuffix("-en")
    }

    /// 1–200 characters without control characters.
    package static func isValid(_ requested: String) -> Bool {
        (1...200).contains(requested.unicodeScalars.count)
            && requested.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Without the owner and the parts that say how a model was converted: `Systran/faster-whisper-small` is `small`.
    private static func plain(_ requested: String) -> String {
        var name = String(requested.lowercased().split(separator: "/").last ?? "")
        for prefix in ["faster-", "whisper-"] where name.hasPrefix(prefix) { name.removeFirst(prefix.count) }
        if name.hasPrefix("distil-whisper-") { name = "distil-" + name.dropFirst("distil-whisper-".count) }
        if name.hasSuffix("-ct2") { name.removeLast(4) }
        if name.hasPrefix("distil-"), name.hasSuffix("-en") { name.removeLast(3) }
        return name
    }
}
