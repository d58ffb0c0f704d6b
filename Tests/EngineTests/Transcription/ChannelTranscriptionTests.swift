import Foundation
import TestSupport
import Testing

@Suite("Transcription by channel")
struct ChannelTranscriptionTests {
    private static func samples(_ name: String) async throws -> [Float] {
        let path = FilePath(Fixtures.url("clips/\(name).wav").path(percentEncoded: false))
        return try await pcm16(path).map { Float($0) / 32768 }
    }

    private static func silence(_ seconds: Double) -> [Float] { Array(repeating: 0, count: Int(seconds * 16_000)) }

    /// Two speakers who take turns and once speak at the same time, over more than one window.
    private static func call() async throws -> [[Float]] {
        let (fan, door) = (try await samples("say-00"), try await samples("say-01"))
        let left = fan + silence(30) + fan + silence(2) + door
        let right = silence(3) + door + silence(28) + fan + silence(12)
        return [left, right]
    }

    private static let sets: [(name: String, change: @Sendable (inout TranscriptionOptions) -> Void)] = [
        ("greedy", { _ in }),
        ("words", { $0.wordTimestamps = true }),
        ("beam search", { $0.beamSize = 3 }),
        ("voice activity", { $0.voiceActivity = VoiceActivityOptions() }),
        ("guards", { $0.guards = true }),
        (
            "a part",
            {
                $0.offset = 2; $0.duration = 38
            }
        ),
        ("clips", { $0.clipTimestamps = [1, 9, 34, 50] }),
        (
            "batches",
            {
                $0.voiceActivity = VoiceActivityOptions()
                $0.batchSize = 4
                $0.whisper.conditionOnPreviousText = false
            }
        ),
    ]

    @Test("each channel has the same segments as alone, merged in chronological order", arguments: sets.indices)
    func alone(set: Int) async throws {
        let recognizer = try await Recognizer(
            model: NanoParityTests.model, options: ComputeOptions(computeType: .float32, threads: 2))
        var options = TranscriptionOptions.reference
        Self.sets[set].change(&options)
        let channels = try await Self.call().map { SampleSource($0) }
        let log = UpdateLog()
        let merged = try await recognizer.transcribe(
            channels: channels, speakers: ["Anna"], options: options, updates: log.add)

        #expect(Set(merged.segments.map(\.speaker)) == ["Anna", "speaker 2"])
        options.ordersTimes = true
        for (channel, speaker) in zip(channels, ["Anna", "speaker 2"]) {
            let expected = try await recognizer.transcribe(channel, options: options).segments
                .filter { !$0.text.isEmpty }.map { segment in
                    var segment = segment
                    segment.speaker = speaker
                    segment.language = "en"
                    segment.id = 0
                    return segment
                }
            #expect(!expected.isEmpty)
            let found = merged.segments.filter { $0.speaker == speaker }.map { segment in
                var segment = segment
                segment.id = 0
                return segment
            }
            #expect(found == expected, "\(Self.sets[set].name)")
        }
        let starts = merged.segments.map(\.start)
        #expect(starts == starts.sorted())
        #expect(merged.segments.map(\.id) == Array(merged.segments.indices))
        #expect(merged.text == merged.segments.map(\.text).joined())
        #expect(merged.language == "en")
        let finals = log.all.compactMap { if case .final(let segment) = $0 { segment } else { nil } }
        #expect(finals == merged.segments)
    }

    @Test("finals are reported while later windows are still to be decoded")
    func progressive() async throws {
        let recognizer = try await Recognizer(
            model: NanoParityTests.model, options: ComputeOptions(computeType: .float32, threads: 2))
        let log = UpdateLog()
        _ = try await recognizer.transcribe(
            channels: try await Self.call().map { SampleSource($0) }, updates: log.add)
        let firstFinal = try #require(log.all.firstIndex { if case .final = $0 { true } else { false } })
        let later = log.all[firstFinal...].count { if case .progress = $0 { true } else { false } }
        #expect(later >= 3)
    }

    @Test("digital silence in one channel has no segments, however the other one is transcribed")
    func silentChannel() async throws {
        let recognizer = try await Recognizer(
            model: NanoParityTests.model, options: ComputeOptions(computeType: .float32, threads: 2))
        let fan = try await Self.samples("say-00")
        for (isFirst, batchSize) in [(true, 1), (false, 1), (true, 4), (false, 4)] {
            let quiet = Self.silence(Double(fan.count) / 16_000)
            let channels = (isFirst ? [quiet, fan] : [fan, quiet]).map { SampleSource($0) }
            var options = TranscriptionOptions.reference
            // The thresholds that normally recognize silence are off.
            options.whisper.noSpeechThreshold = nil
            options.whisper.logprobThreshold = nil
            if batchSize > 1 {
                options.batchSize = batchSize
                options.clipTimestamps = [0]
                options.whisper.conditionOnPreviousText = false
            }
            let merged = try await recognizer.transcribe(channels: channels, options: options)
            #expect(Set(merged.segments.map(\.speaker)) == [isFirst ? "speaker 2" : "speaker 1"])
            #expect(merged.text == " Turn the fan down to 5%. Where did you put the short chair?")
        }
        let none = try await recognizer.transcribe(channels: [SampleSource(Self.silence(70)), SampleSource([])])
        #expect(none.segments.isEmpty && none.text.isEmpty && none.duration == 70)
    }

    @Test("a recording that fails midway is transcribed as far as it can be read, in every channel")
    func readFailure() async throws {
        struct Failing: AudioSource {
            let samples: [Float]
            var duration: Duration? { nil }
            func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
                AsyncThrowingStream { continuation in
                    continuation.yield(AudioChunk(start: 0, samples: samples))
                    continuation.finish(throwing: AudioFormatError.readFailed(FilePath("x"), at: 9, of: nil))
                }
            }
        }
        let recognizer = try await Recognizer(
            model: NanoParityTests.model, options: ComputeOptions(computeType: .float32, threads: 2))
        let channels = [
            Failing(samples: try await Self.samples("say-00")), Failing(samples: try await Self.samples("say-01")),
        ]
        for batchSize in [1, 4] {
            var options = TranscriptionOptions.reference
            options.batchSize = batchSize
            if batchSize > 1 { options.voiceActivity = VoiceActivityOptions() }
            let log = UpdateLog()
            await #expect(throws: AudioFormatError.readFailed(FilePath("x"), at: 9, of: nil)) {
                try await recognizer.transcribe(channels: channels, options: options, updates: log.add)
            }
            let speakers = log.all.compactMap { if case .final(let segment) = $0 { segment.speaker } else { nil } }
            #expect(Set(speakers) == ["speaker 1", "speaker 2"])
        }
    }

    @Test("the language is detected for each channel unless it is given")
    func languages() async throws {
        let recognizer = try Recognizer.random("micro-v3", .auto)
        let channels = try await [Self.samples("say-00"), Self.samples("say-01")].map { SampleSource($0) }
        var options = TranscriptionOptions.reference
        options.whisper.temperatures = [0]
        options.whisper.decoding.sampleLength = 8
        let log = UpdateLog()
        _ = try await recognizer.transcribe(channels: channels, options: options, updates: log.add)
        let detected = log.all.compactMap { if case .language(_, _, let speaker) = $0 { speaker } else { nil } }
        #expect(detected == ["speaker 1", "speaker 2"])
        options.language = "de"
        let given = try await recognizer.transcribe(channels: channels, options: options)
        #expect(!given.segments.isEmpty && given.segments.allSatisfy { $0.language == "de" })
        #expect(given.language == "de")
    }
}
