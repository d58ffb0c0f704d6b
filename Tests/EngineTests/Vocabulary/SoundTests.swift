import Testing

@Suite("Correction by sound")
struct SoundTests {
    @Test(
        "codes are those of Metaphone",
        arguments: [
            ("knight", "nt"), ("night", "nt"), ("thumb", "0m"), ("phone", "fn"), ("photo", "ft"), ("physics", "fsks"),
            ("school", "skl"), ("cheese", "xs"), ("nation", "nxn"), ("judge", "jj"), ("laugh", "l"), ("ghost", "kst"),
            ("sign", "sn"), ("whale", "wl"), ("write", "rt"), ("xenon", "snn"), ("box", "bks"), ("yellow", "yl"),
            ("science", "sns"), ("back", "bk"), ("christina", "krstn"), ("catherine", "k0rn"), ("match", "mx"),
        ])
    func codes(word: String, code: String) {
        #expect(String(Metaphone.code(Array(word))) == code)
    }

    private static func corrected(
        _ text: String, _ terms: [String], language: String = "en", common: Set<String> = []
    ) -> String {
        TextCorrection(
            terms: terms.map { Term($0) }, rules: [], language: language, isCommon: { common.contains($0) }
        ).corrected(text)
    }

    @Test(
        "words that sound like a term become the term, and what is around them stays",
        arguments: [
            (["Terraform"], " Use terra form, please.", " Use Terraform, please."),
            (["Kubernetes"], "the Cubernetes' pods, \"cubernetes\"!", "the Kubernetes' pods, \"Kubernetes\"!"),
            (["Catherine"], "Katherine's here", "Catherine's here"),
            (["PostgreSQL"], "in postgresql", "in PostgreSQL"),
            (
                ["metoprolol"], "Metroprolol is a drug. Metoprolol, metroprolol.",
                "Metoprolol is a drug. Metoprolol, metoprolol."
            ),
            // Across the end of a clause, there is no term.
            (["Terraform"], "terra. Form", "terra. Form"),
            // Too short, or too different.
            (["IAX", "Ann"], "eye axe iax an ann", "eye axe iax an ann"), (["Gutenberg"], "a good berg", "a good berg"),
            // Nothing to change.
            (["Siobhan"], "Siobhan and Siobhan's", "Siobhan and Siobhan's"),
        ])
    func alike(terms: [String], text: String, wanted: String) {
        #expect(Self.corrected(text, terms) == wanted)
    }

    @Test("the best term wins, and one that is there already stays")
    func best() {
        #expect(Self.corrected("Hannah and Hanna", ["Hanna", "Hannah"]) == "Hannah and Hanna")
    }

    @Test("frequent words must be more alike, and a term that is one is left alone")
    func common() {
        let common: Set = ["terra", "forms", "apple"]
        #expect(Self.corrected("terra forms", ["Terraform"]) == "Terraform")
        #expect(Self.corrected("terra forms", ["Terraform"], common: common) == "terra forms")
        #expect(Self.corrected("an apple", ["Apple"]) == "an Apple")
        #expect(Self.corrected("an apple", ["Apple"], common: common) == "an apple")
    }

    @Test("in other languages than English, letters without accents are compared")
    func letters() {
        #expect(Self.corrected("bei Mueler", ["Müller"], language: "de") == "bei Mueler")
        #expect(Self.corrected("bei Muler und müller", ["Müller"], language: "de") == "bei Müller und Müller")
        #expect(Self.corrected("Рядом Воронова", ["Воронова"], language: "ru") == "Рядом Воронова")
        #expect(Self.corrected("рядом воронова", ["Воронова"], language: "ru") == "рядом Воронова")
        // Not as in English.
        #expect(Self.corrected("Kathryn", ["Catherine"], language: "de") == "Kathryn")
    }

    @Test("what a rule has written is not corrected")
    func afterRules() throws {
        let vocabulary = try UserVocabulary("Terraform\nterra form => Earth")
        let correction = TextCorrection(terms: vocabulary.terms, rules: vocabulary.rules, language: "en")
        #expect(correction.corrected("terra form, terraform") == "Earth, Terraform")
    }

    @Test("ten thousand terms take milliseconds a sentence")
    func many() {
        let terms = (0..<10_000).map {
            "Zarquon\(String($0, radix: 26).map { "abcdefghijklmnopqrstuvwxyz0123456789".contains($0) ? String($0) : "" }.joined())"
        }
        let correction = TextCorrection(
            terms: terms.map { Term($0) }, rules: [], language: "en")
        let text = "The quick brown fox jumps over the lazy dog and runs away from all of the hunters in the forest"
        let duration = ContinuousClock().measure { #expect(correction.corrected(text) == text) }
        #expect(duration < .milliseconds(200))
    }
}
