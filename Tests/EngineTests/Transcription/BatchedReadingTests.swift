import Foundation
import TestSupport
import Testing

@Suite("Reading while batches are transcribed")
struct BatchedReadingTests {
    /// Yields its samples, but holds back the last ones until some text is final.
    private struct WaitingSource: AudioSource {
        let samples: [Float]
        let held: Int
        let log: UpdateLog
        var failure: AudioFormatError?

        var duration: Duration? { nil }

        func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
            AsyncThrowingStream { continuation in
                let task = Task {
                    for start in stride(from: 0, to: samples.count, by: 16_000) {
                        while start >= samples.count - held, !log.all.contains(where: \.isFinal) {
                            try await Task.sleep(for: .milliseconds(5))
                        }
                        let part = Array(samples[start..<min(start + 16_000, samples.count)])
                        continuation.yield(AudioChunk(start: start, samples: part))
                    }
                    continuation.finish(throwing: failure)
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }
    }

    private static func speech() throws -> [Float] {
        try (0..<14).flatMap { index in
            try MelFixture.samples("clips/say-\(index < 10 ? "0" : "")\(index).wav")
                + [Float](repeating: 0, count: 16_000)
        }
    }

    private static var options: TranscriptionOptions {
        var options = TranscriptionOptions.reference
        options.voiceActivity = VoiceActivityOptions(detector: .energy)
        options.batchSize = 2
        options.whisper.temperatures = [0]
        return options
    }

    @Test("text becomes final before the end has been read, and is the same as when everything has")
    func early() async throws {
        let samples = try Self.speech()
        let recognizer = try await Recognizer(model: VoiceActivityFilterTests.model)
        let log = UpdateLog()
        // If no text became final before the last second, this would never return.
        let early = try await recognizer.transcribe(
            WaitingSource(samples: samples, held: 16_000, log: log), options: Self.options, updates: log.add)
        let whole = try await recognizer.transcribe(SampleSource(samples), options: Self.options)
        #expect(early.segments.count > 10 && early == whole)
        let unknown = log.all.compactMap { if case .progress(_, let duration) = $0 { duration } else { nil } }
        #expect(unknown.last == early.duration)
    }

    @Test("audio read before a failure is transcribed, then the failure is thrown")
    func failure() async throws {
        let samples = try Self.speech()
        let recognizer = try await Recognizer(model: VoiceActivityFilterTests.model)
        let log = UpdateLog()
        let failure = AudioFormatError.readFailed(FilePath("talk.wav"), at: 7, of: 9)
        await #expect(throws: failure) {
            try await recognizer.transcribe(
                WaitingSource(samples: samples, held: 16_000, log: log, failure: failure), options: Self.options,
                updates: log.add)
        }
        let whole = try await recognizer.transcribe(SampleSource(samples), options: Self.options)
        let finals = log.all.compactMap { if case .final(let segment) = $0 { segment } else { nil } }
        #expect(finals == whole.segments.filter { !$0.text.isEmpty })
    }

    @Test("a transcription that is cancelled while waiting for audio ends immediately")
    func cancelled() async throws {
        let samples = try Self.speech()
        let recognizer = try await Recognizer(model: VoiceActivityFilterTests.model)
        // Nothing ever becomes final in this log, so the source never continues.
        let source = WaitingSource(samples: samples, held: samples.count / 2, log: UpdateLog())
        let task = Task { try await recognizer.transcribe(source, options: Self.options) }
        try await Task.sleep(for: .milliseconds(300))
        let start = ContinuousClock.now
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}

extension TranscriptUpdate {
    fileprivate var isFinal: Bool { if case .final = self { true } else { false } }
}
