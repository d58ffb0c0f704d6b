import WhisperEngine
import WhisperServer

/// Models that never load, cannot be loaded, or are loaded already.
struct FakeModels: ModelProvider {
    enum Answer {
        case never
        case failure
        /// Takes a moment to load.
        case model(ServedModel)
        /// `nano.en`, under the name that was asked for.
        case nano
    }

    let names: [String]
    let defaultModel: String
    private let answer: Answer

    /// - Parameter defaultModel: by default, the first one.
    init(_ names: [String] = ["fake.en", "other"], defaultModel: String? = nil, answer: Answer = .failure) {
        self.names = names
        self.defaultModel = defaultModel ?? names[0]
        self.answer = answer
    }

    func traits(of name: String) -> ModelTraits? {
        guard name.hasSuffix(".en") else { return nil }
        return ModelTraits(
            family: "Fake", languages: Language.all.filter { $0.code == "en" }, vocabularySize: 100, longestWindow: 30)
    }

    func model(_ requested: String?) async throws(HTTPError) -> ServedModel {
        switch answer {
        case .never:
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
            throw HTTPError(503, "cancelled")
        case .failure: throw HTTPError(500, "no such file")
        case .model(let model):
            try? await Task.sleep(for: .milliseconds(200))
            return model
        case .nano:
            let name = requested ?? defaultModel
            guard let recognizer = try? await NanoModel.shared.recognizer() else { throw HTTPError(500, "no nano.en") }
            return ServedModel(
                name: name, recognizer: recognizer, defaults: TranscriptionOptions(),
                stamp: ModelStamp(name: name, path: FilePath("/nowhere")))
        }
    }
}

extension ModelProvider {
    var hasSpeakerNetworks: Bool { false }

    /// Without the networks for speakers, unless a provider has them.
    func speakerNetworks() async throws(HTTPError) -> SpeakerNetworks { throw .noSpeakerNetworks }
}
