import Testing
import WhisperEngine

@Suite("Temperature fallback")
struct TemperatureFallbackTests {
    private func fallback(_ temperatures: [Double] = [0, 0.2, 0.4]) -> TemperatureFallback {
        let options = TranscriptionOptions()
        return TemperatureFallback(
            temperatures: temperatures, compressionRatioThreshold: options.compressionRatioThreshold,
            logprobThreshold: options.logprobThreshold, noSpeechThreshold: options.noSpeechThreshold)
    }

    @Test("searches with beams at temperature 0 and with samples above")
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

    @Test("decodes once at the options' own temperature where none is listed")
    func noTemperatures() throws {
        var options = DecodingOptions()
        options.temperature = 0.3
        let result = try fallback([]).decode(options: options) { .scripted([], temperature: $0.temperature) }
        #expect(result.temperature == 0.3)
    }

    @Test("judges by compression and probability, and takes improbable silence for good")
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

    @Test("tests nothing without thresholds")
    func noThresholds() {
        let none = TemperatureFallback(
            temperatures: [0, 1], compressionRatioThreshold: nil, logprobThreshold: nil, noSpeechThreshold: nil)
        #expect(none.failure(of: .scripted([], avgLogprob: -9, noSpeechProb: 1, compressionRatio: 9)) == nil)
    }
}
