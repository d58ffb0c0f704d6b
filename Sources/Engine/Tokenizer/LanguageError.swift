/// Why a language cannot be used.
public enum LanguageError: Error, Hashable, Sendable {
    /// - Parameter nearest: code of the language that was probably meant.
    case unknown(language: String, nearest: String?)
    /// The model's vocabulary has no token for it.
    case notInVocabulary(code: String, name: String, languages: Int)
}

extension LanguageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown(let language, let nearest):
            let shown = ShellQuoting.quoted(String(language.unicodeScalars.prefix(40)))
            guard let nearest else {
                return "unknown language \(shown); give a code or an English name, such as de or german"
            }
            let name = Language.all.first { $0.code == nearest }.map { " (\($0.name))" } ?? ""
            return "unknown language \(shown); did you mean \(nearest)\(name)?"
        case .notInVocabulary(let code, let name, let languages):
            return "this model knows \(languages) languages, \(code) (\(name)) is not among them; "
                + "use a model that has it, such as large-v3 or turbo"
        }
    }
}
