import WhisperEngine

/// The languages of a model in tables: the name of the only one, or their number.
enum LanguageText {
    static func of(_ languages: some Collection<Language>) -> String {
        languages.count == 1 ? languages.map(\.title)[0] : "\(languages.count) languages"
    }
}

extension Language {
    /// The name as it begins a sentence.
    var title: String { name.prefix(1).uppercased() + name.dropFirst() }
}
