/// Text to ids and back, for one model's vocabulary.
///
/// Equal to openai-whisper's `Tokenizer` (byte-level byte-pair encoding of GPT-2). Nothing here fails on any id or
/// text: ids that the vocabulary does not have stand for no text.
public struct Tokenizer: Sendable {
    public let vocabulary: Vocabulary
    public let special: SpecialTokens
    /// Ids of signs that are not spoken (brackets, music notes, …), ascending.
    public let nonSpeechTokens: [Int]

    let encoder: BytePairEncoder

    /// Takes a few milliseconds: hashes each piece once.
    public init(vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
        special = SpecialTokens(vocabularySize: vocabulary.size)
        // Some files list `<|endoftext|>` as a piece; from its id on nothing is text.
        let pieces = vocabulary.pieces
        encoder = BytePairEncoder(
            pieces: pieces.count > special.endOfText ? Array(pieces.prefix(special.endOfText)) : pieces)
        nonSpeechTokens = NonSpeechTokens.ids(encoder)
    }

    /// Ids of `text`. Names of special tokens in it are ordinary text.
    public func encode(_ text: String) -> [Int] {
        encoder.encode(text)
    }

    /// Text of `ids` without the timestamps; other special tokens print their names.
    ///
    /// Bytes that are not UTF-8 become U+FFFD, one for each maximal invalid part.
    public func decode(_ ids: [Int]) -> String {
        String(decoding: ids.lazy.filter { $0 < special.firstTimestamp }.flatMap(bytes(of:)), as: UTF8.self)
    }

    /// As `decode`, timestamps as `<|1.08|>`.
    public func decodeWithTimestamps(_ ids: [Int]) -> String {
        String(decoding: ids.flatMap(bytes(of:)), as: UTF8.self)
    }

    /// What `id` stands for: the bytes of its piece, the name of a special token, nothing if there is no such id.
    public func bytes(of id: Int) -> [UInt8] {
        if id >= special.endOfText { return special.name(of: id).map { Array($0.utf8) } ?? [] }
        return vocabulary.pieces.indices.contains(id) ? vocabulary.pieces[id] : []
    }

    /// The ids that open a transcript: start of transcript and, with multilingual vocabularies, language and task.
    ///
    /// - Parameter language: code, name or alias; `nil` is English. English vocabularies ignore it, and the task.
    public func startOfTranscriptSequence(
        language: String? = nil, task: TranscriptionTask = .transcribe
    ) throws(LanguageError) -> [Int] {
        guard special.isMultilingual else { return [special.startOfTranscript] }
        let language = try languageToken(language ?? "en")
        return [special.startOfTranscript, language, task == .translate ? special.translate : special.transcribe]
    }

    /// The id of a language's token.
    ///
    /// - Parameter language: code, name or alias.
    public func languageToken(_ language: String) throws(LanguageError) -> Int {
        let language = try Language(language)
        guard language.index < special.languageCount else {
            throw .notInVocabulary(code: language.code, name: language.name, languages: special.languageCount)
        }
        return special.firstLanguage + language.index
    }

    /// The language whose token `id` is.
    public func language(ofToken id: Int) -> Language? {
        guard special.languages.contains(id), id - special.firstLanguage < Language.all.count else { return nil }
        return Language.all[id - special.firstLanguage]
    }
}

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
