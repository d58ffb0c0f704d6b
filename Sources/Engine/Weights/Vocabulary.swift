/// The byte strings of a model's ordinary tokens, in rank order (the rank is the id).
public struct Vocabulary: Hashable, Sendable {
    /// Piece i is the text of id i as bytes; often only a part of a character. Special tokens are not among them.
    public let pieces: [[UInt8]]
    /// Number of ids of the model, special tokens and timestamps included: 51864, 51865 or 51866.
    public let size: Int

    public init(pieces: [[UInt8]], size: Int) {
        self.pieces = pieces
        self.size = size
    }
}
