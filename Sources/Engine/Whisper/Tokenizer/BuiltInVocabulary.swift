import EngineBasics
import CVocabularies

extension Vocabulary {
    /// Whisper's own vocabulary, which is compiled into the program, for models without one.
    ///
    /// English has 50256 pieces, multilingual 50257, of which the last is empty. They are unpacked at the first use, which
    /// takes a few milliseconds, and then shared by all models.
    ///
    /// - Parameter size: the number of token IDs: 51864 for English, 51865 or 51866 for multilingual.
    package static func builtIn(size: Int) -> Vocabulary {
        Vocabulary(pieces: size >= 51_865 ? multilingualPieces : englishPieces, size: size)
    }

    private static let englishPieces = unpackedPieces(0)
    private static let multilingualPieces = unpackedPieces(1)

    /// - Parameter index: of the vocabulary in `vocabularies.c`.
    private static func unpackedPieces(_ index: Int32) -> [[UInt8]] {
        var length = 0
        let packed = unsafe UnsafeBufferPointer(start: cv_vocabulary(index, &length), count: length)
        let number = { (index: Int) in
            unsafe packed[(4 * index)..<(4 * index + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let count = number(0)
        guard let bytes = unsafe Zlib.decompressed(UnsafeBufferPointer(rebasing: packed[8...]), count: number(1)) else {
            preconditionFailure("the built-in vocabulary is damaged")
        }
        var pieces: [[UInt8]] = []
        pieces.reserveCapacity(count)
        var start = count
        for length in bytes[..<count] {
            pieces.append(Array(bytes[start..<(start + Int(length))]))
            start += Int(length)
        }
        return pieces
    }

    /// The built-in vocabulary if it can replace this one, that is, if this one has pieces for all ordinary tokens;
    /// some converters also write a piece for the end of text.
    package var builtInReplacement: Vocabulary? {
        let replacement = Vocabulary.builtIn(size: size), endOfText = size >= 51_865 ? 50_257 : 50_256
        return pieces.count == endOfText || pieces.count == endOfText + 1 ? replacement : nil
    }
}
