package import EngineModels

/// Converts text to token IDs and back for one model's vocabulary.
///
/// Equivalent to openai-whisper's `Tokenizer` (GPT-2's byte-level byte-pair encoding). Any ID and any text is accepted;
/// IDs outside the vocabulary decode to nothing.
package struct Tokenizer: Sendable {
    package let vocabulary: Vocabulary
    package let special: SpecialTokens
    /// IDs of symbols that are not spoken (brackets, music notes, …), in ascending order.
    package let nonSpeechTokens: [Int]

    let encoder: BytePairEncoder

    /// Builds the lookup tables, which takes a few milliseconds.
    package init(vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
        special = SpecialTokens(vocabularySize: vocabulary.size)
        // Some files list `<|endoftext|>` as a piece; no ID from there on is text.
        let pieces = vocabulary.pieces
        encoder = BytePairEncoder(
            pieces: pieces.count > special.endOfText ? Array(pieces.prefix(special.endOfText)) : pieces)
        nonSpeechTokens = NonSpeechTokens.ids(encoder)
    }

    /// Encodes `text`. Names of special tokens are encoded as ordinary text.
    package func encode(_ text: String) -> [Int] {
        encoder.encode(text)
    }

    /// Decodes `ids`, omitting timestamps; other special tokens decode to their names.
    ///
    /// Each maximal invalid UTF-8 subpart becomes one U+FFFD.
    package func decode(_ ids: [Int]) -> String {
        String(decoding: ids.lazy.filter { $0 < special.firstTimestamp }.flatMap(bytes(of:)), as: UTF8.self)
    }

    /// Decodes the text in `ids`, omitting all special tokens, as models sometimes write that of a language, and bytes that
    /// are not part of a whole character.
    package func text(of ids: [Int]) -> String { UTF8Assembler.wholeCharacters(textBytes(of: ids)) }

    /// The bytes of the text in `ids`, which may begin and end inside a character.
    package func textBytes(of ids: some Sequence<Int>) -> [UInt8] {
        ids.lazy.filter { $0 < special.endOfText }.flatMap(bytes(of:))
    }

    /// Decodes `ids` like `decode`, with timestamps as `<|1.08|>`.
    package func decodeWithTimestamps(_ ids: [Int]) -> String {
        String(decoding: ids.flatMap(bytes(of:)), as: UTF8.self)
    }

    /// The bytes of an ID's piece or special token name; empty if there is no such ID.
    package func bytes(of id: Int) -> [UInt8] {
        if id >= special.endOfText { return special.name(of: id).map { Array($0.utf8) } ?? [] }
        return vocabulary.pieces.indices.contains(id) ? vocabulary.pieces[id] : []
    }

    /// The IDs that begin a transcript: start of transcript and, for multilingual vocabularies, language and task.
    ///
    /// - Parameters:
    ///   - language: a code, name or alias; `nil` means English. English-only vocabularies ignore it.
    ///   - task: ignored by English-only vocabularies.
    package func startOfTranscriptSequence(
        language: String? = nil, task: TranscriptionTask = .transcribe
    ) throws(Language.LookupError) -> [Int] {
        guard special.isMultilingual else { return [special.startOfTranscript] }
        let language = try languageToken(language ?? "en")
        return [special.startOfTranscript, language, task == .translate ? special.translate : special.transcribe]
    }

    /// The ID of a language's token.
    ///
    /// - Parameter language: a code, name or alias.
    /// - Throws: `Language.LookupError` if the language is unknown or the vocabulary has no token for it.
    package func languageToken(_ language: String) throws(Language.LookupError) -> Int {
        let language = try Language(language)
        guard language.index < special.languageCount else {
            throw .notInVocabulary(code: language.code, name: language.name, languages: special.languageCount)
        }
        return special.firstLanguage + language.index
    }

    /// The language of a language token; `nil` for any other ID.
    package func language(ofToken id: Int) -> Language? {
        guard special.languages.contains(id), id - special.firstLanguage < Language.all.count else { return nil }
        return Language.all[id - special.firstLanguage]
    }
}

/// IDs of symbols that are written but not spoken: openai-whisper's `non_speech_tokens`.
enum NonSpeechTokens {
    private static let symbols =
        ["\"", "#", "(", ")", "*", "+", "/", ":", ";", "<", "=", ">", "@", "[", "\\", "]", "^", "_", "`"]
        + ["{", "|", "}", "~", "「", "」", "『", "』", "<<", ">>", "<<<", ">>>", "--", "---", "-(", "-[", "('", "(\""]
        + ["((", "))", "(((", ")))", "[[", "]]", "{{", "}}", "♪♪", "♪♪♪"]
    private static let musicSymbols = ["♩", "♪", "♫", "♬", "♭", "♮", "♯"]

    /// The IDs in ascending order. A symbol is included if it encodes to a single ID. Music symbols encode to several
    /// partial characters, of which the first is included. Hyphens and apostrophes must remain possible inside words,
    /// so only their word-initial forms are included.
    static func ids(_ encoder: BytePairEncoder) -> [Int] {
        var ids = Set([" -", " '"].compactMap { encoder.encode($0).first })
        for symbol in symbols + musicSymbols {
            for text in [symbol, " " + symbol] {
                let encoded = encoder.encode(text)
                if encoded.count == 1 || musicSymbols.contains(symbol) { ids.formUnion(encoded.prefix(1)) }
            }
        }
        return ids.sorted()
    }
}
