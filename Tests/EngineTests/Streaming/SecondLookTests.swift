import Testing

@Suite("A second look at improbable words")
struct SecondLookTests {
    /// Knows a word for each second, `w0`, `w1`, …, but is wrong in its first passes.
    private final class Decoder: LiveDecoder {
        /// Where the passes ended.
        private(set) var ends: [Int] = []

        func decode(_ request: LiveRequest) -> LivePass {
            let end = request.range.upperBound
            if ends.last != end { ends.append(end) }
            let start = request.forced.last?.end ?? request.range.lowerBound
            let words = ((start + 15_999) / 16_000..<end / 16_000).map { second in
                LiveWord(
                    text: ends.count == 1 ? " wrong" : " w\(second)", tokens: [second], start: second * 16_000,
                    end: second * 16_000 + 15_000, probability: ends.count == 1 ? 0.1 : 0.9, isStable: true)
            }
            return LivePass(words: words)
        }

        func transcribe(_ samples: [Float]) -> [TranscriptSegment] { [] }
    }

    @Test("where a late pass hears the first words at once, improbable ones wait for another pass")
    func late() throws {
        var options = StreamingOptions()
        options.isDeterministic = false
        let decoder = Decoder()
        let bench = LiveBench(decoder, options: options)
        let speech = (0..<7 * 16_000).map { Float($0 % 2 == 0 ? 0.1 : -0.1) }
        try bench.feed(Array(speech[..<(5 * 16_000)]))
        #expect(decoder.ends.count == 1 && bench.text == "")
        try bench.feed(Array(speech[(5 * 16_000)...]))
        try bench.loop.loop.close()
        #expect(bench.text == " w0 w1 w2 w3 w4 w5 w6" && bench.violations.isEmpty)
    }

    @Test("at the end of an utterance nothing waits")
    func closing() throws {
        let decoder = Decoder()
        let bench = LiveBench(decoder, options: StreamingOptions())
        try bench.feed((0..<32_000).map { Float($0 % 2 == 0 ? 0.1 : -0.1) }, backlog: 400_000)
        try bench.loop.loop.close()
        #expect(decoder.ends.count == 1 && bench.text == " wrong wrong")
    }
}
