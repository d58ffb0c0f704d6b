import Testing

@Suite("Transcript state")
struct TranscriptStateTests {
    private static func segment(_ id: Int, _ start: Double, _ end: Double, isFinal: Bool = true) -> TranscriptSegment {
        var segment = TranscriptSegment.planted(id: id, isFinal: isFinal)
        segment.start = start
        segment.end = end
        return segment
    }

    @Test("finals are appended; volatile text is replaced, and cleared by the next final")
    func order() throws {
        var state = TranscriptState()
        try state.apply(.volatile(Self.segment(0, 0, 1, isFinal: false)))
        try state.apply(.volatile(Self.segment(0, 0, 2, isFinal: false)))
        #expect(state.text == " ?")
        try state.apply(.final(Self.segment(0, 0, 1)))
        #expect(state.volatile == nil && state.text == " f0" && state.nextID == 1)
        try state.apply(.volatile(Self.segment(1, 1, 2, isFinal: false)))
        try state.apply(.volatile(nil))
        #expect(state.volatile == nil && state.finalized.count == 1)
    }

    @Test("an update that breaks a rule is rejected and changes nothing")
    func refusal() throws {
        var state = TranscriptState(firstID: 3, startingAt: 5)
        try state.apply(.final(Self.segment(3, 5, 6)))
        let before = state
        func refuses(_ update: TranscriptUpdate, _ error: TranscriptState.InvalidUpdate) {
            #expect(throws: error) { try state.apply(update) }
            #expect(state == before)
        }
        refuses(.final(Self.segment(3, 6, 7)), .wrongID(expected: 4, found: 3))
        refuses(.final(Self.segment(4, 5.5, 7)), .overlap(id: 4, start: 5.5, previousEnd: 6))
        refuses(.final(Self.segment(4, 8, 7)), .backwards(id: 4, start: 8, end: 7))
        refuses(.volatile(Self.segment(4, 5, 7, isFinal: false)), .overlap(id: 4, start: 5, previousEnd: 6))
        refuses(.volatile(Self.segment(4, 6, 7)), .wrongKind(id: 4, isFinal: true))
        refuses(.final(Self.segment(4, 6, 7, isFinal: false)), .wrongKind(id: 4, isFinal: false))
        var words = Self.segment(4, 6, 7)
        words.words = [
            TranscriptWord(word: " a", start: 6, end: 6.5, probability: 1),
            TranscriptWord(word: " b", start: 6.4, end: 6.6, probability: 1),
        ]
        refuses(.final(words), .backwards(id: 4, start: 6.4, end: 6.6))
    }
}
