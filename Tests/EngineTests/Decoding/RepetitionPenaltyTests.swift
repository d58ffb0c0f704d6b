import Testing
import WhisperEngine

@Suite("Repetition penalty")
struct RepetitionPenaltyTests {
    @Test("multiplies below zero, divides above, once for each id")
    func rule() {
        var logits: [Float] = [3, -3, 0, 3, -.infinity]
        RepetitionPenalty(penalty: 1.5).apply(to: &logits, sampled: [0, 1, 1, 0, 2, 4])
        #expect(logits == [2, -4.5, 0, 3, -.infinity])
    }

    @Test("below 1 favours repetitions")
    func below() {
        var logits: [Float] = [3, -3]
        RepetitionPenalty(penalty: 0.5).apply(to: &logits, sampled: [0, 1])
        #expect(logits == [6, -1.5])
    }
}
