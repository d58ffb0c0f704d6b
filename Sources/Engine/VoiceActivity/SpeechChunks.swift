/// Puts stretches of speech together so that each part fits into a window: faster-whisper's `collect_chunks`.
package struct SpeechChunker: Sendable {
    private let most: Double
    private var part: [Range<Int>] = []
    private var count = 0

    /// - Parameter seconds: most speech of a part; a longer stretch is a part of its own.
    package init(seconds: Double) { most = seconds * Double(AudioChunk.sampleRate) }

    /// Takes the next stretch.
    ///
    /// - Returns: the part that it no longer fits into, which is complete.
    package mutating func add(_ stretch: Range<Int>) -> [Range<Int>]? {
        if stretch.isEmpty { return nil }
        let complete = Double(count + stretch.count) > most ? finish() : nil
        part.append(stretch)
        count += stretch.count
        return complete
    }

    /// The part that is left.
    package mutating func finish() -> [Range<Int>]? {
        defer { (part, count) = ([], 0) }
        return part.isEmpty ? nil : part
    }
}
