import WhisperEngine

/// Splits a growing text into pieces that add up to it without surrounding white space.
struct TextDeltas {
    /// All pieces so far.
    private(set) var text = ""
    /// White space at the end, which is part of the text only if more follows.
    private var held = ""

    /// - Returns: the piece to send after a segment; empty if there is none yet.
    mutating func next(_ segment: String) -> String {
        var piece = held + segment
        if text.isEmpty {
            let scalars = piece.unicodeScalars.drop(while: WhiteSpace.contains)
            piece = String(String.UnicodeScalarView(scalars))
        }
        let scalars = piece.unicodeScalars
        let end = scalars.lastIndex { !WhiteSpace.contains($0) }.map { scalars.index(after: $0) } ?? scalars.startIndex
        held = String(String.UnicodeScalarView(scalars[end...]))
        piece = String(String.UnicodeScalarView(scalars[..<end]))
        text += piece
        return piece
    }

    /// - Parameter whole: the complete text.
    /// - Returns: the piece that is still missing; empty if the pieces are complete or are not the start of the text.
    mutating func rest(of whole: String) -> String {
        let whole = WhiteSpace.strip(whole)
        guard whole.utf8.starts(with: text.utf8) else { return "" }
        let rest = String(decoding: whole.utf8.dropFirst(text.utf8.count), as: UTF8.self)
        text = whole
        return rest
    }
}
