/// The byte strings of a model's ordinary tokens, in rank order (a token's rank is its ID).
package struct Vocabulary: Hashable, Sendable {
    /// Piece i is the text of ID i as bytes, often only part of a character. Special tokens are not included.
    package let pieces: [[UInt8]]
    /// The number of token IDs including special tokens and timestamps: 51864, 51865 or 51866.
    package let size: Int

    package init(pieces: [[UInt8]], size: Int) {
        self.pieces = pieces
        self.size = size
    }

    /// Whether the pieces have lost bytes.
    ///
    /// Early converters decoded each piece as UTF-8 and replaced errors, which turned partial characters into U+FFFD.
    /// An intact vocabulary contains all 256 single bytes, a damaged one only half of them.
    package var isDamaged: Bool {
        Set(pieces.lazy.filter { $0.count == 1 }.map { $0[0] }).count < 256
    }
}
