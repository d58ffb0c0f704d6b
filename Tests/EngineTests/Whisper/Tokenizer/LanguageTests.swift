import Testing

@Suite("Language")
struct LanguageTests {
    struct Golden: Decodable {
        let order: [String], names: [String: String], aliases: [String: String], noSpaceLanguages: [String]
    }

    @Test("the table is the reference's")
    func table() throws {
        let golden = try TokenizerGolden.load("languages", as: Golden.self)
        #expect(Language.all.map(\.code) == golden.order)
        #expect(Language.all.map(\.index) == Array(0..<100))
        for language in Language.all { #expect(language.name == golden.names[language.code]) }
        let aliases = Language.all.flatMap { language in language.aliases.map { ($0, language.code) } }
        #expect(Dictionary(aliases, uniquingKeysWith: { first, _ in first }) == golden.aliases)
        #expect(aliases.count == golden.aliases.count)
        #expect(Set(Language.all.filter(\.splitsWithoutSpaces).map(\.code)) == Set(golden.noSpaceLanguages))
    }

    @Test(
        "a language is found by code, name, alias and locale, ignoring case",
        arguments: [
            ("en", "en"), ("EN", "en"), ("English", "en"), ("haitian creole", "ht"), ("Castilian", "es"),
            ("MANDARIN", "zh"), ("moldovan", "ro"), ("en-US", "en"), ("pt_BR", "pt"), ("pt_BR.UTF-8", "pt"),
            ("zh-Hant-TW", "zh"), ("yue-HK", "yue"), ("iw", "he"), ("iw-IL", "he"), ("jw", "jw"), ("haw", "haw"),
        ])
    func lookup(text: String, code: String) throws {
        #expect(try Language(text).code == code)
    }

    @Test(
        "an unknown language is rejected with the nearest one",
        arguments: [
            ("jp", "ja"), ("JP", "ja"), ("cn", "zh"), ("eng", "en"), ("deu", "de"), ("germna", "de"),
            ("englisch", "en"), ("deutsch", "de"), ("portugese", "pt"), ("", nil), ("x", nil), ("xx", nil),
            ("klingon", nil), ("auto", nil), ("e", nil), ("en US", nil), ("english-US", "en"), ("-", nil),
            (String(repeating: "a", count: 100_000), nil),
        ])
    func unknown(text: String, nearest: String?) {
        #expect(Language.nearest(to: text)?.code == nearest)
        #expect(throws: Language.LookupError.unknown(language: text, nearest: nearest)) { try Language(text) }
    }

    @Test(
        "the error message has advice and escapes control characters",
        arguments: [
            ("jp", "ja", "unknown language jp; did you mean ja (japanese)?"),
            ("xx", nil, "unknown language xx; use a code or an English name, such as de or german"),
            (
                "\u{1b}[31m", nil,
                "unknown language $'\\x1b[31m'; use a code or an English name, such as de or german"
            ),
        ])
    func message(text: String, nearest: String?, expected: String) {
        #expect(Language.LookupError.unknown(language: text, nearest: nearest).description == expected)
    }
}
