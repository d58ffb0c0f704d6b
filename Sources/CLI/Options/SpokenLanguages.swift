import WhisperEngine

/// What `--language` and `--languages` say about the speech.
struct SpokenLanguages: Sendable {
    /// `nil` if it is detected.
    var only: Language?
    /// Those that detection chooses from; empty for all that the model knows.
    var possible: [Language] = []
    /// Whether it is detected again and again.
    var isMixed = false
    /// Whether the user asks for the list of all languages.
    var isHelp = false

    /// The language of the speech; `nil` if it is detected.
    ///
    /// - Parameter given: the options on the command line, which win over those of the config file.
    func language(_ given: Set<String>) -> Language? {
        let single = possible.count == 1 ? possible[0] : nil
        let detects = given.contains("--languages") || isMixed && given.contains("--multilingual")
        return detects && !given.contains("--language") ? single : only ?? single
    }

    /// What these options mean for the engine.
    func apply(to options: inout TranscriptionOptions, _ given: Set<String>) {
        let language = language(given)
        options.language = language?.code
        options.languages = language == nil ? possible.map(\.code) : []
        options.multilingual = isMixed && language == nil
    }

    func check(_ given: Set<String>) throws(UsageError) {
        let isLimited = given.contains("--languages") && !possible.isEmpty
        let isMixed = given.contains("--multilingual") && isMixed
        if given.contains("--language"), let only, isLimited || isMixed {
            throw .contradiction(
                "--language \(only.code)", isLimited ? "--languages" : "--multilingual",
                why: "a language that is given is not detected")
        }
        if isMixed, isLimited, possible.count == 1 {
            throw .contradiction(
                "--languages \(possible[0].code)", "--multilingual", why: "there is only one language to detect")
        }
    }
}

extension SpokenLanguages {
    static func flag<Options: SpokenOptions>(sets path: Path<Options, SpokenLanguages>) -> Flag<Options> {
        let entry = FlagEntry(
            name: "--language", short: "-l", group: .model, shape: .value, placeholder: "NAME|CODE|auto",
            help: "spoken language; `auto` detects it, `help` lists all languages", defaultValue: "auto",
            example: "en", completion: .words(["auto", "help"] + Language.all.map(\.code)))
        return Flag(entry) { (value, options) throws(UsageError) in
            let text = try ValueSyntax.utf8(value, option: "--language")
            options[keyPath: path].isHelp = text == "help"
            options[keyPath: path].only =
                try text == "help" || text == "auto" || ValueSyntax.isNone(value) ? nil : language(text)
        }
    }

    static func listFlag<Options: OptionValues>(
        _ help: String = "detect one of these languages only", sets path: Path<Options, [Language]>
    ) -> Flag<Options> {
        let entry = FlagEntry(
            name: "--languages", group: .model, shape: .value, placeholder: "NAME|CODE,…|auto",
            help: help, defaultValue: "auto", example: "en,fr",
            completion: .words(["auto"] + Language.all.map(\.code)))
        return Flag(entry) { (value, options) throws(UsageError) in
            let text = try ValueSyntax.utf8(value, option: "--languages")
            var languages: [Language] = []
            if text != "auto", !ValueSyntax.isNone(value) {
                for name in text.split(separator: ",", omittingEmptySubsequences: false) {
                    let language = try language(String(name.drop { $0 == " " }))
                    if !languages.contains(language) { languages.append(language) }
                }
            }
            options[keyPath: path] = languages
        }
    }

    private static func language(_ text: String) throws(UsageError) -> Language {
        do {
            return try Language(text)
        } catch {
            throw .unknownLanguage(text, nearest: Language.nearest(to: text))
        }
    }

    /// Prints the list of `--language help`.
    static func list(_ streams: StandardStreams) throws -> ExitStatus {
        try streams.writeOutput(
            TerminalText(Language.all.map { "\(Help.padded($0.code, to: 5))\($0.name)\n" }.joined()))
        return .success
    }
}
