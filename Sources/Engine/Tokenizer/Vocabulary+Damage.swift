extension Vocabulary {
    /// Whether the pieces have lost bytes.
    ///
    /// Early converters passed each piece through "decode as UTF-8, replace errors", so that parts of characters became
    /// U+FFFD. A whole vocabulary holds all 256 single bytes, a damaged one half of them.
    public var isDamaged: Bool {
        var found = Set<UInt8>()
        for piece in pieces where piece.count == 1 { found.formUnion(piece) }
        return found.count < 256
    }
}
