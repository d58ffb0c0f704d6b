import Testing
import WhisperEngine

@Suite("Repetition limit")
struct RepetitionLimitTests {
    private let limit = RepetitionLimit(times: 6, endOfText: 1000)

    private static func repeated(_ run: [Int], _ times: Int) -> [Int] {
        (0..<times).flatMap { _ in run }
    }

    @Test("a run of any length that comes six times in a row is too much", arguments: 1...30)
    func runs(length: Int) {
        let run = Array(1...length)
        #expect(limit.excess(in: [500] + Self.repeated(run, 5) + [501]) == nil)
        #expect(limit.excess(in: [500] + Self.repeated(run, 6) + [501]) == 6)
        #expect(limit.excess(in: Self.repeated(run, 8)) == 8)
    }

    @Test("timestamps between the runs do not hide them")
    func timestamps() {
        let tokens = (0..<7).flatMap { [1000 + $0, 5, 6, 7, 1001 + $0] }
        #expect(limit.excess(in: tokens) == 7)
    }

    @Test("what comes often but not in a row is no loop", arguments: [[], [1], [1, 2, 3, 1, 2, 4, 1, 2, 5, 1, 2, 6]])
    func speech(tokens: [Int]) {
        #expect(limit.excess(in: tokens) == nil)
    }

    @Test("a loop fails a window that passes both other tests, and silence is no loop")
    func fallback() {
        let fallback = TemperatureFallback(
            temperatures: [0, 1], compressionRatioThreshold: 2.4, logprobThreshold: -1, noSpeechThreshold: 0.6,
            repetitionLimit: limit)
        let loop = Self.repeated([1, 2], 6)
        #expect(fallback.failure(of: .scripted(loop)) == .looping(times: 6))
        #expect(fallback.failure(of: .scripted(loop, avgLogprob: -2, noSpeechProb: 0.9)) == nil)
        #expect(fallback.failure(of: .scripted([1, 2, 3])) == nil)
    }
}
