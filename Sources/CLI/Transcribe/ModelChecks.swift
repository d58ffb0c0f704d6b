import WhisperEngine

/// Checks the options of a run against the model.
struct ModelChecks {
    let model: Recognizer
    let name: String
    let options: TranscribeOptions
    let search: ModelSearch

    func check(console: Console) throws {
        let traits = model.model.traits
        for warning in model.model.warnings {
            warning.isDetail ? console.detail("\(warning)") : console.warning("\(warning)")
        }
        if !traits.isMultilingual {
            if let language = options.language, !traits.knows(language.code) {
                throw EnglishOnly.language(language, model: name, alternatives: multilingualModels)
            }
            if options.engine.decoding.task == .translate { throw EnglishOnly.translation(model: name) }
            console.detail("language: english (English-only model)")
        }
        if let language = options.language, !traits.knows(language.code) {
            throw Language.LookupError.notInVocabulary(
                code: language.code, name: language.name, languages: traits.languages.count)
        }
        if options.engine.decoding.task == .translate, traits.translation != .trained {
            console.warning("\(name) was not trained to translate; use another model")
        }
        for id in options.engine.decoding.suppressTokens ?? [] where id >= traits.vocabularySize {
            throw DecodingError.unknownToken(
                option: "--suppress-tokens", id: id, vocabularySize: traits.vocabularySize)
        }
        guard let limit = traits.maxPromptTokens else { return }
        for (option, text) in [
            ("--initial-prompt", options.engine.initialPrompt), ("--hotwords", options.engine.hotwords),
            ("--prefix", options.engine.prefix),
        ] {
            let count = text.map { model.model.spelling.encode(" " + $0).count } ?? 0
            if count > limit {
                let end = option == "--initial-prompt" ? "last" : "first"
                console.warning("\(option): only the \(end) \(limit) of \(count) tokens are used")
            }
        }
    }

    /// Names of the installed models that are not English-only.
    private var multilingualModels: [String] {
        search.installed().compactMap { installed in
            guard let file = try? ModelFile.open(installed.path), file.dimensions.isMultilingual else { return nil }
            return installed.name
        }
    }

    /// A request that an English-only model cannot fulfill.
    enum EnglishOnly: ReportedError {
        case language(Language, model: String, alternatives: [String])
        case translation(model: String)

        var report: ErrorReport {
            switch self {
            case .language(let language, let model, let alternatives):
                ErrorReport(
                    .usage, "model \(model) is English-only and cannot transcribe \(language.name)",
                    advice: alternatives.isEmpty
                        ? "whisper-local models pull base (no multilingual model is installed)"
                        : "--model \(alternatives.joined(separator: " or "))")
            case .translation(let model):
                ErrorReport(
                    .usage, "model \(model) is English-only and cannot translate", advice: "use a multilingual model")
            }
        }
    }
}
