import EngineBasics

extension Language {
    /// Looks up a language by its code (`en`), a locale (`en-US`, `pt_BR.UTF-8`), its English name or an alias,
    /// ignoring case.
    ///
    /// - Throws: `Language.LookupError.unknown`.
    public init(_ text: String) throws(LookupError) {
        let key = text.lowercased()
        let code = key.prefix { $0 != "-" && $0 != "_" }
        guard let language = Self.byName[key] ?? Self.byCode[String(code)] else {
            throw .unknown(language: text, nearest: Self.nearest(to: text)?.code)
        }
        self = language
    }

    /// The English name of the language with a code; the code itself if it is unknown.
    package static func name(ofCode code: String) -> String { all.first { $0.code == code }?.name ?? code }

    /// The language that a misspelled name or code probably means.
    package static func nearest(to text: String) -> Language? {
        let key = text.lowercased()
        if let code = commonMistakes[key] { return byCode[code] }
        let written = Array(key.unicodeScalars)
        guard (2...24).contains(written.count) else { return nil }
        // Codes are so short and similar that the first letter must match.
        if written.count <= 3 {
            return all.first {
                $0.code.unicodeScalars.first == written[0]
                    && EditDistance(Array($0.code.unicodeScalars), written).value == 1
            }
        }
        var best: (language: Language, distance: Int)?
        for language in all {
            for name in [language.name] + language.aliases {
                let distance = EditDistance(Array(name.unicodeScalars), written).value
                if distance <= written.count / 3, distance < best?.distance ?? .max { best = (language, distance) }
            }
        }
        return best?.language
    }

    private static let byCode: [String: Language] = {
        var table = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })
        // The code of Hebrew until 1989, still used by Java and Android.
        table["iw"] = table["he"]
        return table
    }()

    private static let byName: [String: Language] = Dictionary(
        all.flatMap { language in ([language.name] + language.aliases).map { ($0, language) } },
        uniquingKeysWith: { first, _ in first })

    /// Common mistakes, such as country codes and native names, whose nearest spelling would be another language.
    private static let commonMistakes = [
        "jp": "ja", "cn": "zh", "kr": "ko", "gr": "el", "cz": "cs", "dk": "da", "ua": "uk", "vn": "vi", "us": "en",
        "gb": "en", "deutsch": "de", "français": "fr", "francais": "fr", "español": "es", "espanol": "es",
        "farsi": "fa", "filipino": "tl",
    ]
}

extension Language {
    /// Why a language cannot be used.
    public enum LookupError: Error, Hashable, Sendable {
        /// No language has this name or code; `nearest` is the code of the one that was probably meant.
        case unknown(language: String, nearest: String?)
        /// The model's vocabulary has no token for the language.
        case notInVocabulary(code: String, name: String, languages: Int)
    }
}

extension Language.LookupError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown(let language, let nearest):
            let shown = ShellQuoting.quoted(String(language.unicodeScalars.prefix(40)))
            guard let nearest else {
                return "unknown language \(shown); use a code or an English name, such as de or german"
            }
            let name = Language.all.first { $0.code == nearest }.map { " (\($0.name))" } ?? ""
            return "unknown language \(shown); did you mean \(nearest)\(name)?"
        case .notInVocabulary(let code, let name, let languages):
            return "this model supports \(languages) languages but not \(code) (\(name)); "
                + "use a model that does, such as large-v3 or turbo"
        }
    }
}
