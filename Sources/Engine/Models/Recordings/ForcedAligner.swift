/// Times words that are known, whether or not the model would have recognized them.
package protocol ForcedAligner: AnyObject {
    /// The longest part of a recording, in seconds.
    var longestPart: Double { get }

    /// Times the words of a part of the recording, from start to end.
    ///
    /// - Parameters:
    ///   - words: with their leading blanks.
    ///   - start: in seconds of the recording, as are the times returned.
    /// - Returns: a timing for each word; `nil` if there are too many.
    func timings(of words: [String], from start: Double, to end: Double) throws -> [ForcedTiming]?
}

/// When a given word is said, if it is.
package struct ForcedTiming: Hashable, Sendable {
    package var start: Double
    package var end: Double
    /// Mean probability of its tokens after the words before it, 0…1.
    package var probability: Double

    package init(start: Double, end: Double, probability: Double) {
        self.start = start
        self.end = end
        self.probability = probability
    }
}
