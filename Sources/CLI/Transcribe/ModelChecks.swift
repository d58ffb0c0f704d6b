import WhisperEngine

/// Checks the options of a run against the model.
struct ModelChecks {
    let model: Recognizer
    let name: String
    let options: TranscriptionOptions
    /// The names of the options on the command line.
    let given: Set<String>
    /// What the options would be if the user had set none.
    let defaults: WhisperOptions
    let search: ModelSearch

    func check(console: Console) throws {
        let traits = model.model.traits
        for warning in model.model.warnings {
            warning.isDetail ? console.detail("\(warning)") : console.warning("\(warning)")
        }
        if let names = Self.unused(options, by: traits, given: given, defaults: defaults).first {
            throw UnusedOptionsError(names: [names.first(where: given.contains) ?? names[0]], family: traits.family)
        }
        try checkLanguages(traits, console: console)
        for id in options.whisper.decoding.suppressTokens ?? [] where id >= traits.vocabularySize {
            throw DecodingError.unknownToken(
                option: "--suppress-tokens", id: id, vocabularySize: traits.vocabularySize)
        }
        checkTerms(console: console)
        guard let limit = traits.maxPromptTokens else { return }
        for (option, text) in [
            ("--initial-prompt", options.whisper.initialPrompt), ("--hotwords", options.whisper.hotwords),
            ("--prefix", options.whisper.prefix),
        ] {
            let count = text.map { model.model.spelling.encode(" " + $0).count } ?? 0
            if count > limit {
                let end = option == "--initial-prompt" ? "last" : "first"
                console.warning("\(option): only the \(end) \(limit) of \(count) tokens are used")
            }
        }
    }

    private func checkTerms(console: Console) {
        let ignored = options.terms.filter { TermProblem($0, for: model.model.spelling) != nil }
        guard let first = ignored.first else { return }
        let others = ignored.count > 1 ? " and \(Counted.text(ignored.count - 1, "other"))" : ""
        console.note(
            "note: \(ShellQuoting.inQuotes(first.text.utf8))\(others) of the vocabulary: too short, too frequent, too long or in "
                + "letters that the model does not write; whisper-local vocabulary check")
    }

    private func checkLanguages(_ traits: ModelTraits, console: Console) throws {
        let language = try options.language.map { try Language($0) }
        if !traits.isMultilingual {
            let known = traits.languages[0]
            if let language, language != known {
                throw OneLanguage.language(language, known: known, model: name, alternatives: models(for: language))
            }
            if !options.languages.isEmpty, !options.languages.contains(known.code) {
                let language = try Language(options.languages[0])
                throw OneLanguage.language(language, known: known, model: name, alternatives: models(for: language))
            }
            if options.task == .translate { throw OneLanguage.translation(known: known, model: name) }
            if options.multilingual {
                console.warning("model \(name) \(Self.ignoresMultilingual(traits))")
            }
            console.detail("language: \(known.name) (\(known.title)-only model)")
        }
        if let language, !traits.knows(language.code) {
            throw Language.LookupError.notInVocabulary(
                code: language.code, name: language.name, languages: traits.languages.count)
        }
        let unknown = try options.languages.filter { !traits.knows($0) }.map { try Language($0) }
        if let first = unknown.first {
            if unknown.count == options.languages.count {
                throw Language.LookupError.notInVocabulary(
                    code: first.code, name: first.name, languages: traits.languages.count)
            }
            console.warning("model \(name) \(Self.ignorance(of: unknown))")
        }
        if !options.languages.isEmpty, !traits.takesLanguage, traits.isMultilingual {
            console.note(
                "\(name) finds the language by itself; --languages only decides which is noted as that of the transcript"
            )
        }
        if let language, !traits.takesLanguage, traits.isMultilingual {
            console.note(
                "\(name) finds the language by itself; \(language.title) is only noted as that of the transcript")
        }
        if options.task == .translate, traits.translation != .trained {
            console.warning("\(name) was not trained to translate; use another model")
        }
    }

    /// What a model cannot do with the languages that it does not know.
    static func ignorance(of languages: [Language]) -> String {
        "does not know \(languages.map(\.title).joined(separator: ", ")); it only detects the others"
    }

    static func ignoresMultilingual(_ traits: ModelTraits) -> String {
        "is \(traits.languages[0].title)-only; --multilingual has no effect"
    }

    /// The options of the engine that a model would ignore, each as those on the command line that set it.
    static func unused(
        _ options: TranscriptionOptions, by traits: ModelTraits, given: Set<String>, defaults: WhisperOptions
    ) -> [[String]] {
        let preset = "--preset"
        if given.contains(preset), !traits.usesWhisperOptions { return [[preset]] }
        return traits.unused(options, differingFrom: defaults) { !given.isDisjoint(with: Self.options($0)) }.map(
            Self.options)
    }

    /// Whether a model that the user has not named knows the language of the options and has a use for all of them.
    static func suits(
        _ options: TranscriptionOptions, _ traits: ModelTraits, given: Set<String>,
        defaults: WhisperOptions = WhisperOptions()
    ) -> Bool {
        if !([options.language].compactMap(\.self) + options.languages).allSatisfy(traits.knows) { return false }
        return unused(options, by: traits, given: given, defaults: defaults).isEmpty
    }

    /// The options on the command line that set an option of the engine.
    private static func options(_ name: String) -> [String] {
        let names = [
            "temperatures": ["--temperature", "--temperature-increment-on-fallback"],
            "task": ["--task", "--translate"],
            "audioContext": ["--audio-ctx"], "suppressBlank": ["--no-suppress-blank"],
        ]
        let dashed = name.reduce(into: "--") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
        return names[name] ?? [dashed]
    }

    /// Names of the installed models that know a language.
    private func models(for language: Language) -> [String] {
        search.installed().compactMap { installed in
            (try? ModelFamilies.open(installed.path))?.traits.knows(language.code) == true ? installed.name : nil
        }
    }

    /// A request that a model with one language cannot fulfill.
    enum OneLanguage: ReportedError {
        case language(Language, known: Language, model: String, alternatives: [String])
        case translation(known: Language, model: String)

        var report: ErrorReport {
            switch self {
            case .language(let language, let known, let model, let alternatives):
                ErrorReport(
                    .usage, "model \(model) is \(known.title)-only and cannot transcribe \(language.name)",
                    advice: alternatives.isEmpty
                        ? "whisper-local models pull base (no installed model knows \(language.name))"
                        : "--model \(alternatives.joined(separator: " or "))")
            case .translation(let known, let model):
                ErrorReport(
                    .usage, "model \(model) is \(known.title)-only and cannot translate",
                    advice: "use a multilingual model")
            }
        }
    }
}
