import Testing

/// Compares segments with the reference's.
enum SegmentComparison {
    /// Times may differ by one audio position.
    static let timeTolerance = 0.02 + 1e-9

    static func expectEqual(_ segments: [TranscriptSegment], _ expected: [TranscriptSegment], clip: String) {
        #expect(segments.map(\.text) == expected.map(\.text), "\(clip)")
        #expect(segments.map(\.tokens) == expected.map(\.tokens), "\(clip)")
        guard segments.count == expected.count else { return }
        for (segment, other) in zip(segments, expected) {
            #expect(abs(segment.start - other.start) <= timeTolerance, "\(clip) segment \(segment.id)")
            #expect(abs(segment.end - other.end) <= timeTolerance, "\(clip) segment \(segment.id)")
            #expect(segment.id == other.id && segment.temperature == other.temperature)
            #expect(abs(segment.avgLogprob - other.avgLogprob) < 1e-3)
            #expect(abs(segment.noSpeechProb! - other.noSpeechProb!) < 1e-3)
            #expect(abs(segment.compressionRatio! - other.compressionRatio!) < 1e-9)
            #expect(segment.words?.map(\.word) == other.words?.map(\.word), "\(clip) segment \(segment.id)")
            for (word, otherWord) in zip(segment.words ?? [], other.words ?? []) {
                #expect(abs(word.start - otherWord.start) <= timeTolerance, "\(clip) \(word.word)")
                #expect(abs(word.end - otherWord.end) <= timeTolerance, "\(clip) \(word.word)")
                #expect(abs(word.probability - otherWord.probability) < 1e-2)
            }
        }
    }
}
