import EngineBasics
import EngineModels
import EngineWeights

/// The pieces that tokens stand for: SentencePiece's, in which `▁` begins a word.
package struct ParakeetVocabulary: Sendable {
    /// By id, without the blank.
    package let pieces: [String]
    /// Ids by piece, for encoding.
    private let ids: [String: Int]

    static let wordMark: Character = "▁"

    package init(_ pieces: [String]) {
        self.pieces = pieces
        // Files distinguish pieces that Swift regards as equal because they differ only in their Unicode form.
        ids = Dictionary(pieces.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func contains(_ piece: String) -> Bool { ids[piece] != nil }

    /// The text of a token with a space for each `▁`; `nil` for the blank and for pieces such as `<unk>` or `<|en|>`,
    /// which are not text.
    func text(of token: Int) -> String? {
        guard pieces.indices.contains(token) else { return nil }
        let piece = pieces[token]
        if piece.count > 1, piece.hasPrefix("<"), piece.hasSuffix(">") { return nil }
        return String(piece.map { $0 == Self.wordMark ? " " : $0 })
    }
}

extension ParakeetVocabulary: TokenSpelling {
    package func textBytes(of token: Int) -> [UInt8]? { text(of: token).map { Array($0.utf8) } }

    package func text(of tokens: [Int]) -> String { tokens.compactMap { text(of: $0) }.joined() }

    /// As SentencePiece: neighbors are joined, those first whose union has the lowest id. Unknown capitals are written in
    /// lower case, as by a model without capitals; other unknown characters are left out.
    package func encode(_ text: String) -> [Int] {
        let words = text.split(separator: " ").map { "\(Self.wordMark)\($0)" }
        return words.flatMap { word in
            var parts = word.flatMap { character in
                let part = String(character)
                return ids[part] == nil ? part.lowercased().map(String.init) : [part]
            }
            while let best = parts.indices.dropLast().compactMap({ index in
                ids[parts[index] + parts[index + 1]].map { (id: $0, index: index) }
            }).min(by: { ($0.id, $0.index) < ($1.id, $1.index) }) {
                parts.replaceSubrange(best.index...(best.index + 1), with: [pieces[best.id]])
            }
            return parts.compactMap { ids[$0] }
        }
    }
}

extension ParakeetVocabulary {
    /// The language that a piece such as `<en-US>` names.
    package func language(of piece: Int) -> String? {
        guard pieces.indices.contains(piece) else { return nil }
        let text = pieces[piece]
        guard text.hasPrefix("<"), text.hasSuffix(">"), text.contains("-") else { return nil }
        return (try? Language(String(text.dropFirst().dropLast())))?.code
    }

    /// Reads the `tokenizer.json` of a Hugging Face folder.
    ///
    /// - Parameter size: the number of tokens without the blank. Those from it on are the blank and padding.
    init(_ path: FilePath, size: Int) throws(ModelError) {
        let value = try JSONFile.read(path, .vocabulary)
        if let type = value["model"]?["type"], type != .string("BPE") {
            throw .badSetting(path: path, key: "model.type", found: type.shown, expected: "BPE")
        }
        guard case .object(let members)? = value["model"]?["vocab"] else {
            throw .badContents(path: path, problem: "has no model.vocab")
        }
        var entries: [(piece: String, id: JSONValue?)] = members.map { ($0.name, $0.value) }
        if case .array(let added)? = value["added_tokens"] {
            for token in added {
                guard let piece = token["content"]?.string else {
                    throw .badContents(path: path, problem: "has an added token without content")
                }
                entries.append((piece, token["id"]))
            }
        }
        var pieces = [String?](repeating: nil, count: size), others: Set<Int> = []
        for (piece, id) in entries {
            guard let id = id?.count else {
                throw .badContents(path: path, problem: "gives the token \(ShellQuoting.shown(piece)) no id")
            }
            guard id < size else {
                others.insert(id)
                continue
            }
            if let other = pieces[id], other != piece {
                throw .badContents(
                    path: path,
                    problem: "gives \(ShellQuoting.shown(other)) and \(ShellQuoting.shown(piece)) the id \(id)")
            }
            pieces[id] = piece
        }
        // Another model's tokenizer has pieces for all ids, too, and more.
        if others.count > 2 {
            throw .badContents(
                path: path,
                problem: "has \(others.count) tokens from the id \(size) on, where only blank and padding are")
        }
        guard pieces.contains(where: { $0?.first == Self.wordMark }) else {
            throw .badContents(path: path, problem: "has no token that begins with \(Self.wordMark)")
        }
        var complete: [String] = []
        for (id, piece) in pieces.enumerated() {
            guard let piece else { throw .badContents(path: path, problem: "has no token with the id \(id)") }
            complete.append(piece)
        }
        self.init(complete)
    }
}
