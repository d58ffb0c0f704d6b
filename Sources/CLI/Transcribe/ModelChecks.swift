import WhisperEngine

/// What a model cannot do of what is asked, and what it does unasked.
struct ModelChecks {
    let model: Recognizer
    let name: String
    let options: TranscribeOptions
    let search: ModelSearch

    /// Tokens of a prompt that count: half the text context, less one.
    private static let longestPrompt = 223

    func check(console: Console) throws {
        let dimensions = model.model.dimensions
        for warning in model.model.warnings { console.warning("\(warning)") }
        if !dimensions.isMultilingual {
            if let language = options.language, language.code != "en" {
                throw EnglishOnly.language(language, model: name, able: multilingual)
            }
            if options.engine.decoding.task == .translate { throw EnglishOnly.translation(model: name) }
            console.detail("language: english (the model knows no other)")
        }
        if let language = options.language,
            !model.tokenizer.special.languages.contains(language.index + model.tokenizer.special.firstLanguage)
        {
            throw LanguageError.notInVocabulary(
                code: language.code, name: language.name, languages: model.tokenizer.special.languageCount)
        }
        // The turbo models: large-v3's encoder with four decoder layers, trained on transcription alone.
        if options.engine.decoding.task == .translate, dimensions.nTextLayer == 4, dimensions.nAudioLayer >= 24 {
            console.warning("\(name) was not trained to translate; take another model of that size")
        }
        for id in options.engine.decoding.suppressTokens ?? [] where id >= dimensions.nVocab {
            throw DecodingError.unknownToken(
                option: "--suppress-tokens", id: id, vocabularySize: dimensions.nVocab)
        }
        for (option, text) in [
            ("--initial-prompt", options.engine.initialPrompt), ("--hotwords", options.engine.hotwords),
            ("--prefix", options.engine.prefix),
        ] {
            let count = text.map { model.tokenizer.encode(" " + $0).count } ?? 0
            if count > Self.longestPrompt {
                let part = option == "--initial-prompt" ? "last" : "first"
                console.warning("\(option): only the \(part) \(Self.longestPrompt) of its \(count) tokens count")
            }
        }
    }

    /// Installed models that know more than English.
    private var multilingual: [String] {
        search.installed().compactMap { installed in
            guard let file = try? GGMLFile(installed.path), file.dimensions.isMultilingual else { return nil }
            return installed.name
        }
    }

    /// What an English-only model is asked for in vain.
    enum EnglishOnly: ReportedError {
        case language(Language, model: String, able: [String])
        case translation(model: String)

        var report: ErrorReport {
            switch self {
            case .language(let language, let model, let able):
                ErrorReport(
                    .usage, "model \(model) knows English only, not \(language.name)",
                    cure: able.isEmpty
                        ? "a multilingual model; none is installed" : "--model \(able.joined(separator: " or "))")
            case .translation(let model):
                ErrorReport(
                    .usage, "model \(model) cannot translate: it knows English only", cure: "a multilingual model")
            }
        }
    }
}
