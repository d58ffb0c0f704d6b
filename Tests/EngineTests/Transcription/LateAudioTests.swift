import Foundation
import Testing

/// Audio that begins later than its file.
@Suite("Times of late audio")
struct LateAudioTests {
    private struct LateSource: AudioSource {
        let samples: SampleSource
        let start: Duration

        var duration: Duration? { samples.duration }
        func chunks() -> AsyncThrowingStream<AudioChunk, any Error> { samples.chunks() }
    }

    private static let delay = 7.25

    private static func recognizer() async throws -> Recognizer {
        let model = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Models/nano.en.ggml.bin").path(percentEncoded: false)
        return try await Recognizer(model: FilePath(model), options: ComputeOptions(threads: 1))
    }

    private static func samples() async throws -> SampleSource {
        var samples: [Float] = []
        for try await chunk in try AudioFile.open(Recording.say).chunks() { samples += chunk.samples }
        return SampleSource(samples)
    }

    /// The times of everything in a transcript.
    private static func times(_ transcript: Transcript) -> [Double] {
        transcript.segments.flatMap { [$0.start, $0.end] + ($0.words ?? []).flatMap { [$0.start, $0.end] } }
            + (transcript.speech ?? []).flatMap { [$0.start, $0.end] }
    }

    private static func options() -> TranscriptionOptions {
        var options = TranscriptionOptions()
        options.language = "en"
        options.wordTimestamps = true
        options.guards = true
        return options
    }

    @Test("segments, words, speech and progress are those of the file", arguments: [false, true])
    func all(isBatched: Bool) async throws {
        let recognizer = try await Self.recognizer()
        let samples = try await Self.samples()
        var options = Self.options()
        if isBatched {
            (options.voiceActivity, options.batchSize) = (VoiceActivityOptions(detector: try .installed()), 2)
        }
        let plain = try await recognizer.transcribe(samples, options: options)
        let log = UpdateLog()
        let late = try await recognizer.transcribe(
            LateSource(samples: samples, start: .seconds(Self.delay)), options: options
        ) { log.add($0) }
        #expect(!plain.segments.isEmpty && plain.text == late.text)
        #expect(plain.speech?.count == late.speech?.count)
        let shifted = Self.times(plain).map { $0 + Self.delay }
        #expect(zip(Self.times(late), shifted).allSatisfy { abs($0 - $1) < 0.002 })
        #expect(Self.times(late).count == shifted.count)
        let ends = log.all.compactMap { update -> Double? in
            if case .progress(_, let duration) = update { duration } else { nil }
        }
        #expect(abs((ends.last ?? 0) - plain.duration - Self.delay) < 0.01)
    }

    @Test("offset, duration and clips are times of the file")
    func parts() async throws {
        let recognizer = try await Self.recognizer()
        let samples = try await Self.samples()
        let late = LateSource(samples: samples, start: .seconds(Self.delay))
        let plain = try await recognizer.transcribe(samples, options: Self.options())
        let middle = try #require(plain.segments.last).start - 0.2
        try #require(plain.segments.count > 1)

        var options = Self.options()
        (options.offset, options.duration) = (2, Self.delay + middle - 2)
        var found = try await recognizer.transcribe(late, options: options)
        #expect(abs(found.duration - middle) < 0.01 && found.segments.allSatisfy { $0.start >= Self.delay })
        (options.offset, options.duration) = (Self.delay + middle, nil)
        found = try await recognizer.transcribe(late, options: options)
        #expect(found.segments.allSatisfy { $0.start >= Self.delay + middle - 0.01 } && !found.segments.isEmpty)
        (options.offset, options.duration) = (0, Self.delay - 1)
        found = try await recognizer.transcribe(late, options: options)
        #expect(found.segments.allSatisfy { $0.text.isEmpty })
        options = Self.options()
        options.clipTimestamps = [0, 5, Self.delay + middle]
        found = try await recognizer.transcribe(late, options: options)
        #expect(found.segments.allSatisfy { $0.start >= Self.delay + middle - 0.01 } && !found.segments.isEmpty)
    }
}
