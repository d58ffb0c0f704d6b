import Testing

@Suite("Temperature fallback")
struct TemperatureFallbackTests {
    private func fallback(_ temperatures: [Double] = [0, 0.2, 0.4]) -> TemperatureFallback {
        TemperatureFallback(temperatures: temperatures, judge: TextJudge(WhisperOptions()), endOfText: 1000)
    }

    @Test("beams are used at temperature 0, samples above it")
    func options() throws {
        var options = DecodingOptions()
        options.beamSize = 5
        options.patience = 1.5
        options.bestOf = 3
        var asked: [DecodingOptions] = []
        var retries: [DecodingRetry] = []
        let result = try fallback().decode(
            options: options,
            attempt: {
                asked.append($0)
                return .scripted([], temperature: $0.temperature, avgLogprob: -2)
            }, retried: { retries.append($0) })
        #expect(result.temperature == 0.4)
        #expect(asked.map(\.temperature) == [0, 0.2, 0.4])
        #expect(asked.map(\.beamSize) == [5, nil, nil])
        #expect(asked.map(\.patience) == [1.5, nil, nil])
        #expect(asked.map(\.bestOf) == [nil, 3, 3])
        #expect(retries.map(\.failedTemperature) == [0, 0.2])
        #expect(retries.map(\.temperature) == [0.2, 0.4])
    }

    @Test("without temperatures a window is decoded once, at the options' temperature")
    func noTemperatures() throws {
        var options = DecodingOptions()
        options.temperature = 0.3
        let result = try fallback([]).decode(options: options) { .scripted([], temperature: $0.temperature) }
        #expect(result.temperature == 0.3)
    }

    @Test("results are judged by compression ratio and probability; improbable silence is accepted")
    func failures() {
        func failure(ratio: Double = 1, logprob: Double = -0.5, noSpeech: Double = 0) -> DecodingRetry.Reason? {
            fallback().failure(
                of: .scripted([], avgLogprob: logprob, noSpeechProb: noSpeech, compressionRatio: ratio))
        }
        #expect(failure() == nil)
        #expect(failure(ratio: 2.4) == nil)
        #expect(failure(ratio: 2.5) == .repetitive(compressionRatio: 2.5))
        #expect(failure(logprob: -1) == nil)
        #expect(failure(logprob: -1.1) == .improbable(avgLogprob: -1.1))
        #expect(failure(ratio: 2.5, noSpeech: 0.7) == .repetitive(compressionRatio: 2.5))
        #expect(failure(ratio: 2.5, logprob: -1.1, noSpeech: 0.7) == nil)
        #expect(failure(logprob: -1.1, noSpeech: 0.6) == .improbable(avgLogprob: -1.1))
    }

    @Test("without thresholds every result is accepted")
    func noThresholds() {
        var options = WhisperOptions()
        (options.compressionRatioThreshold, options.logprobThreshold, options.noSpeechThreshold) = (nil, nil, nil)
        let none = TemperatureFallback(temperatures: [0, 1], judge: TextJudge(options), endOfText: 1000)
        #expect(none.failure(of: .scripted([], avgLogprob: -9, noSpeechProb: 1, compressionRatio: 9)) == nil)
    }
}

@Suite("Repetitions")
struct RepetitionTests {
    private static func fallback(_ temperatures: [Double] = [0, 1]) -> TemperatureFallback {
        var judge = TextJudge()
        judge.repetitions = 6
        return TemperatureFallback(temperatures: temperatures, judge: judge, endOfText: 1000)
    }

    private static func repeated(_ run: [Int], _ times: Int) -> [Int] {
        (0..<times).flatMap { _ in run }
    }

    @Test("a run of any length that repeats six times in a row exceeds the limit", arguments: 1...30)
    func runs(length: Int) {
        let run = Array(1...length)
        #expect(([500] + Self.repeated(run, 5) + [501]).repetition(atLeast: 6) == nil)
        #expect(([500] + Self.repeated(run, 6) + [501]).repetition(atLeast: 6).map { $0 == (6, length + 1) } == true)
        #expect(Self.repeated(run, 8).repetition(atLeast: 6)?.times == 8)
    }

    @Test("timestamps between repetitions are ignored")
    func timestamps() {
        let tokens = (0..<7).flatMap { [1000 + $0, 5, 6, 7, 1001 + $0] }
        #expect(Self.fallback().failure(of: .scripted(tokens)) == .looping(times: 7))
    }

    @Test(
        "frequent tokens that do not repeat in a row are not a loop",
        arguments: [[], [1], [1, 2, 3, 1, 2, 4, 1, 2, 5, 1, 2, 6]])
    func speech(tokens: [Int]) {
        #expect(tokens.repetition(atLeast: 6) == nil)
    }

    @Test("a loop is rejected even if it passes both other tests, unless it is silence")
    func fallback() {
        let fallback = Self.fallback()
        let loop = Self.repeated([1, 2], 6)
        #expect(fallback.failure(of: .scripted(loop)) == .looping(times: 6))
        #expect(fallback.failure(of: .scripted(loop, avgLogprob: -2, noSpeechProb: 0.9)) == nil)
        #expect(fallback.failure(of: .scripted([1, 2, 3])) == nil)
    }
}
