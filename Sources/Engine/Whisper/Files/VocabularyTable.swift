import EngineBasics
import EngineWeights

/// The tokens of a vocabulary file by their IDs, from which a `Vocabulary` is made once they are checked.
struct VocabularyTable {
    private let path: FilePath
    private let tokens: SpecialTokens
    /// The texts of all tokens that the file has, in GPT-2's alphabet (`ByteAlphabet`).
    private var texts: [String?]

    private init(path: FilePath, size: Int) {
        self.path = path
        tokens = SpecialTokens(vocabularySize: size)
        texts = [String?](repeating: nil, count: size)
    }

    private func bad(_ problem: String) -> ModelError { .badContents(path: path, problem: problem) }

    /// `vocabulary.txt`: one token per line.
    init(lines: [UInt8], path: FilePath, size: Int) throws(ModelError) {
        self.init(path: path, size: size)
        guard let text = String(validating: lines, as: UTF8.self) else { throw bad("is not valid UTF-8") }
        let newline = UInt8(ascii: "\n"), isEnded = lines.last == newline
        // Counted first, because splitting takes many times the memory of the file.
        try checkCount(lines.count { $0 == newline } + (isEnded ? 0 : 1))
        let tokens = text.utf8.split(separator: newline, omittingEmptySubsequences: false)
        texts = tokens.prefix(texts.count).map { String(Substring($0)) }
    }

    /// `vocabulary.json`: a list of all tokens.
    init(list: JSONValue, path: FilePath, size: Int) throws(ModelError) {
        self.init(path: path, size: size)
        guard case .array(let elements) = list else { throw bad("is not a list") }
        let tokens = elements.compactMap(\.string)
        guard tokens.count == elements.count else { throw bad("has a token that is not text") }
        try checkCount(tokens.count)
        texts = tokens
    }

    private func checkCount(_ count: Int) throws(ModelError) {
        guard count == texts.count else {
            throw bad("has \(count) tokens, expected the model's \(texts.count)")
        }
    }

    /// `tokenizer.json`: ordinary tokens with their IDs, and added ones, which are the special tokens.
    init(tokenizer: JSONValue, path: FilePath, size: Int) throws(ModelError) {
        self.init(path: path, size: size)
        guard let model = tokenizer["model"], case .object(let ranks)? = model["vocab"] else {
            throw bad("has no model with a vocabulary")
        }
        try add(ranks)
        var known = ByteStringTable(capacity: ranks.count)
        for token in ranks { known.add(token.name.utf8.span) }
        try checkMerges(model["merges"], known: known)
        guard let added = tokenizer["added_tokens"] else { return }
        guard case .array(let added) = added else { throw bad("has added tokens that are not a list") }
        for token in added {
            guard let text = token["content"]?.string, let id = token["id"]?.count else {
                throw bad("has an added token without text or ID")
            }
            try add(text, id: id)
        }
    }

    /// `vocab.json` and `added_tokens.json`: IDs by text.
    init(ranks: JSONValue, added: JSONValue?, path: FilePath, size: Int) throws(ModelError) {
        self.init(path: path, size: size)
        guard case .object(let members) = ranks else { throw bad("is not an object") }
        try add(members)
        guard let added else { return }
        guard case .object(let members) = added else { throw bad("has added tokens that are not an object") }
        try add(members)
    }

    private mutating func add(_ members: [JSONValue.Member]) throws(ModelError) {
        for member in members {
            guard let id = member.value.count else {
                throw bad("has no valid ID for token \(ShellQuoting.shown(member.name))")
            }
            try add(member.name, id: id)
        }
    }

    private mutating func add(_ text: String, id: Int) throws(ModelError) {
        guard id < texts.count else {
            throw bad("has token \(ShellQuoting.shown(text)) with the ID \(id), expected less than \(texts.count)")
        }
        // The end of the text is an ordinary and an added token.
        if let other = texts[id], other != text {
            throw bad(
                "has two tokens with the ID \(id): \(ShellQuoting.shown(other)) and \(ShellQuoting.shown(text))")
        }
        texts[id] = text
    }

    /// Merges are not used, because merging by rank gives the same tokens; they must name known tokens.
    private func checkMerges(_ merges: JSONValue?, known: ByteStringTable) throws(ModelError) {
        guard let merges else { return }
        guard case .array(let merges) = merges else { throw bad("has merges that are not a list") }
        // Both tokens of a merge, one after the other; reused for all.
        var merged: [UInt8] = []
        for merge in merges {
            merged.removeAll(keepingCapacity: true)
            guard let middle = Self.append(merge, to: &merged), middle > 0, middle < merged.count else {
                throw bad("has a merge that is not a pair")
            }
            for range in [0..<middle, middle..<merged.count, 0..<merged.count]
            where known.number(of: merged.span.extracting(range)) == nil {
                let text = String(decoding: merged[range], as: UTF8.self)
                throw bad("has a merge of the unknown token \(ShellQuoting.shown(text))")
            }
        }
    }

    /// Appends the two tokens of a merge, which are separated by a space or are the elements of a list.
    ///
    /// - Returns: the length of the first; `nil` if there are not two.
    private static func append(_ merge: JSONValue, to merged: inout [UInt8]) -> Int? {
        switch merge {
        case .string(let text):
            var middle: Int?
            for byte in text.utf8 {
                guard byte == UInt8(ascii: " ") else {
                    merged.append(byte)
                    continue
                }
                if middle != nil { return nil }
                middle = merged.count
            }
            return middle
        case .array(let pair):
            guard pair.count == 2, let first = pair[0].string, let second = pair[1].string else { return nil }
            merged.append(contentsOf: first.utf8)
            merged.append(contentsOf: second.utf8)
            return first.utf8.count
        default: return nil
        }
    }

    /// The vocabulary, whose ordinary tokens must be complete and whose special tokens must be Whisper's.
    func vocabulary() throws(ModelError) -> Vocabulary {
        var pieces: [[UInt8]] = []
        pieces.reserveCapacity(tokens.endOfText)
        for id in 0..<tokens.endOfText {
            guard let text = texts[id] else { throw bad("has no token with the ID \(id)") }
            guard let piece = ByteAlphabet.bytes(of: text) else {
                throw bad("has token \(id) with a character outside the byte alphabet: \(ShellQuoting.shown(text))")
            }
            pieces.append(piece)
        }
        for id in tokens.endOfText..<texts.count {
            guard let text = texts[id], let expected = tokens.name(of: id),
                (SpecialTokens.formerNames[text] ?? text) != expected
            else { continue }
            throw bad(
                "has \(ShellQuoting.shown(text)) with the ID \(id), expected \(ShellQuoting.quoted(expected)) in a "
                    + "vocabulary of \(texts.count)")
        }
        let vocabulary = Vocabulary(pieces: pieces, size: texts.count)
        if vocabulary.isDamaged { throw bad("lacks some of the 256 single bytes") }
        return vocabulary
    }
}

extension SpecialTokens {
    /// Names that OpenAI has changed, which published vocabularies still contain.
    static let formerNames = ["<|nocaptions|>": "<|nospeech|>", "<|iw|>": "<|he|>"]
}

/// GPT-2's printable alphabet for bytes: printable Latin-1 characters stand for themselves, the other 68 bytes are
/// U+0100, U+0101, … in ascending order.
enum ByteAlphabet {
    /// The byte of each character, by its scalar value.
    private static let table: [UInt8?] = {
        var table = [UInt8?](repeating: nil, count: 0x100 + 68), next = 0x100
        for byte in UInt8.min...UInt8.max {
            let isPrintable = (0x21...0x7e).contains(byte) || (0xa1...0xac).contains(byte) || byte >= 0xae
            table[isPrintable ? Int(byte) : next] = byte
            if !isPrintable { next += 1 }
        }
        return table
    }()

    /// The bytes that `text` stands for; `nil` if it contains another character.
    static func bytes(of text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            guard scalar.value < UInt32(table.count), let byte = table[Int(scalar.value)] else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
