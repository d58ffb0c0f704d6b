import WhisperEngine

/// The language of a request.
enum LanguageField {
    /// Looks up a code, a locale such as `en-US`, a name or an alias.
    ///
    /// - Parameters:
    ///   - param: the name of the field.
    ///   - isStrict: accepts nothing but codes.
    /// - Returns: `nil` if the language is to be detected.
    /// - Throws: 400 for an unknown language.
    static func language(_ text: String, param: String = "language", isStrict: Bool) throws(HTTPError) -> Language? {
        if text.isEmpty || text == "auto" && !isStrict { return nil }
        let code = text.lowercased().prefix { $0 != "-" && $0 != "_" }
        do throws(Language.LookupError) {
            // Whisper has its own codes for Javanese and Norwegian; Java and Android keep old ones.
            let language = try Language(other[String(code)] ?? text)
            if !isStrict || text == language.code || other[text] == language.code { return language }
        } catch {
            // The same answer as for a name in strict mode.
        }
        throw .invalid(param, "The language is not known. Send a code such as en or de, or leave it out.")
    }

    private static let other = ["jv": "jw", "nb": "no", "iw": "he", "in": "id"]
}
