/// Which ids stand for signs that are written but not spoken: openai-whisper's `non_speech_tokens`.
enum NonSpeechTokens {
    private static let signs =
        ["\"", "#", "(", ")", "*", "+", "/", ":", ";", "<", "=", ">", "@", "[", "\\", "]", "^", "_", "`"]
        + ["{", "|", "}", "~", "「", "」", "『", "』", "<<", ">>", "<<<", ">>>", "--", "---", "-(", "-[", "('", "(\""]
        + ["((", "))", "(((", ")))", "[[", "]]", "{{", "}}", "♪♪", "♪♪♪"]
    private static let musicSigns = ["♩", "♪", "♫", "♬", "♭", "♮", "♯"]

    /// Ascending. A sign counts where it is a single id; of music signs, whose ids are parts of characters, the first
    /// id counts. Hyphens and apostrophes are wanted inside words, so only their forms that begin a word are here.
    static func ids(_ encoder: BytePairEncoder) -> [Int] {
        var ids = Set([" -", " '"].compactMap { encoder.encode($0).first })
        for sign in signs + musicSigns {
            for text in [sign, " " + sign] {
                let encoded = encoder.encode(text)
                if encoded.count == 1 || musicSigns.contains(sign) { ids.formUnion(encoded.prefix(1)) }
            }
        }
        return ids.sorted()
    }
}

extension Tokenizer {
    /// The ids that an option's list keeps from being produced, ascending, each once.
    ///
    /// - Parameter list: ids, -1 for the non-speech tokens. An empty list suppresses nothing; any other also the special
    ///   tokens that open a transcript, except languages. Ids that the vocabulary does not have are left out.
    public func suppressedTokens(_ list: [Int]) -> [Int] {
        guard !list.isEmpty else { return [] }
        var ids = Set(list.filter { $0 >= 0 && $0 < vocabulary.size })
        if list.contains(-1) { ids.formUnion(nonSpeechTokens) }
        ids.formUnion([
            special.transcribe, special.translate, special.startOfTranscript, special.startOfPrevious,
            special.startOfLanguageModel, special.noSpeech,
        ])
        return ids.sorted()
    }
}
