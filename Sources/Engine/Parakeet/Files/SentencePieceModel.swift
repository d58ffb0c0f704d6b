import EngineBasics
import EngineWeights

extension ParakeetVocabulary {
    /// Reads the pieces of a SentencePiece model, a protocol buffer: field 1 is a piece, and field 1 of that its text.
    ///
    /// - Throws: `ModelError.badVocabulary`.
    init(sentencePiece file: ReadOnlyFile) throws(ModelError) {
        var pieces: [String] = []
        func bad(_ problem: String, at offset: Int) -> ModelError {
            .badVocabulary(path: file.path, entry: pieces.count, offset: offset, problem: problem)
        }
        guard file.count <= Self.maxBytes else { throw bad("is in a tokenizer of \(file.count) bytes", at: 0) }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try file.bytes(0..<file.count)
        } catch { throw ModelError(error, path: file.path) }
        var message = ProtocolBuffer(bytes[...])
        while !message.isAtEnd {
            let offset = message.offset
            guard let (number, content) = message.next() else { throw bad("is damaged", at: offset) }
            guard number == 1 else { continue }
            var fields = ProtocolBuffer(content), text: ArraySlice<UInt8>?
            while !fields.isAtEnd {
                guard let (number, content) = fields.next() else { throw bad("is damaged", at: fields.offset) }
                if number == 1 { text = content }
            }
            guard let text, !text.isEmpty else { throw bad("is empty", at: offset) }
            guard let piece = String(validating: text, as: UTF8.self) else {
                throw bad("is not valid UTF-8", at: offset)
            }
            guard pieces.count < Self.maxPieces else { throw bad("is one too many", at: offset) }
            pieces.append(piece)
        }
        guard !pieces.isEmpty else { throw bad("is missing", at: 0) }
        self.init(pieces)
    }

    /// Real ones have up to 500 kB.
    private static let maxBytes = 16 << 20
    private static let maxPieces = 200_000
}

/// The fields of a protocol buffer in their order.
private struct ProtocolBuffer {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }
    var offset: Int { rest.startIndex }

    /// The number of the next field, and its bytes if it has a length; `nil` if it is damaged.
    mutating func next() -> (number: UInt64, content: ArraySlice<UInt8>)? {
        guard let tag = varint() else { return nil }
        let size: Int
        switch tag & 7 {
        case 0: return varint().map { _ in (tag >> 3, []) }
        case 1: size = 8
        case 2:
            guard let length = varint().flatMap({ Int(exactly: $0) }) else { return nil }
            size = length
        case 5: size = 4
        default: return nil
        }
        guard size <= rest.count else { return nil }
        defer { rest = rest.dropFirst(size) }
        return (tag >> 3, rest.prefix(size))
    }

    /// Seven bits a byte, the lowest first; the eighth says that more follow.
    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 70, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7f) << UInt64(shift)
            if byte < 0x80 { return value }
        }
        return nil
    }
}
