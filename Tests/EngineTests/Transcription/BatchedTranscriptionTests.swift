// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Names are those in the stored files.

import Foundation
import TestSupport
import Testing

@Suite("Windows decoded in parallel")
struct BatchedTranscriptionTests {
    struct File: Decodable {
        struct Case: Decodable {
            struct Options: Decodable {
                var without_timestamps: Bool?
                var hotwords: String?
                var initial_prompt: String?
            }
            struct Clip: Decodable {
                let start: Double
                let end: Double
            }
            struct Segment: Decodable {
                let seek: Int
                let start: Double
                let end: Double
                let text: String
                let tokens: [Int]
                let avg_logprob: Double
            }
            let name: String
            let signal: String?
            let options: Options
            let clips: [Clip]?
            let segments: [Segment]
        }
        let cases: [Case]
    }

    // The compression ratio is not compared: faster-whisper's is that of the segment, here it is the window's.
    @Test("batched clips equal those of faster-whisper", arguments: RandomModel.backends, [2, 3, 8])
    func golden(backend: ComputeOptions.Backend, size: Int) async throws {
        let cases = try Fixtures.json("faster/batched.json", as: File.self).cases
        #expect(cases.count == 4)
        let recognizer = try Recognizer.random("micro-v3", backend)
        let long = SampleSource(try RandomModel.composedSignal())
        let fox = SampleSource(try MelFixture.samples("mel/espeak-fox.wav"))
        for one in cases {
            var options = TranscriptionOptions.reference
            options.batchSize = size
            options.language = "en"
            options.whisper.temperatures = [0]
            options.whisper.compressionRatioThreshold = nil
            options.whisper.logprobThreshold = nil
            options.whisper.noSpeechThreshold = nil
            options.whisper.decoding.withoutTimestamps = one.options.without_timestamps ?? true
            options.whisper.hotwords = one.options.hotwords
            options.whisper.initialPrompt = one.options.initial_prompt
            options.clipTimestamps = (one.clips ?? []).flatMap { [$0.start, $0.end] }
            let source = one.signal == "fox" ? fox : long
            let transcript = try await recognizer.transcribe(source, options: options)
            let segments = transcript.segments.filter { !$0.text.isEmpty }
            // The engine also returns segments without text or length.
            let expected = one.segments.filter { !$0.text.isEmpty }
            #expect(segments.map(\.tokens) == expected.map(\.tokens), "\(one.name)")
            #expect(segments.map(\.text) == expected.map(\.text), "\(one.name)")
            #expect(transcript.text == segments.map(\.text).joined(), "\(one.name)")
            for (segment, other) in zip(segments, expected) {
                // faster-whisper does not limit times to the clip.
                let clip = one.clips?.last { $0.start <= Double(other.seek) / 100 }
                let (start, end) = (clip?.start ?? 0, clip?.end ?? transcript.duration)
                #expect(segment.seek == other.seek, "\(one.name)")
                #expect(abs(segment.start - min(max(other.start, start), end)) < 1e-6, "\(one.name)")
                #expect(abs(segment.end - min(max(other.end, start), end)) < 1e-6, "\(one.name)")
                #expect(abs(segment.avgLogprob - other.avg_logprob) < 1e-4, "\(one.name)")
            }
        }
    }

    /// Six clips with pauses, and the options to recognize them with.
    private static func speech() throws -> (samples: [Float], options: TranscriptionOptions) {
        var samples: [Float] = []
        for index in 0..<6 {
            samples += try MelFixture.samples("clips/say-0\(index).wav") + [Float](repeating: 0, count: 16000)
        }
        var options = TranscriptionOptions.reference
        var clips: [Double] = []
        var start = 0
        for index in 0..<6 {
            let count = try MelFixture.samples("clips/say-0\(index).wav").count
            clips += [Double(start) / 16000, Double(start + count + 8000) / 16000]
            start += count + 16000
        }
        options.clipTimestamps = clips
        options.whisper.conditionOnPreviousText = false
        return (samples, options)
    }

    /// The search goes back where it tries these in vain.
    private static let terms = ["the fantasy", "two percentages", "set a timetable", "fan"].map { Term($0, weight: 3) }

    @Test(
        "each window of a batch gives the same result as alone, words included", arguments: [1, 5],
        [(2, []), (4, []), (3, terms)])
    func alone(beams: Int, batch: (size: Int, terms: [Term])) async throws {
        let (samples, plain) = try Self.speech()
        let size = batch.size
        var options = plain
        options.terms = batch.terms
        options.beamSize = beams
        options.wordTimestamps = true
        let recognizer = try await Recognizer(model: VoiceActivityFilterTests.model)
        options.batchSize = size
        let log = UpdateLog()
        let batched = try await recognizer.transcribe(SampleSource(samples), options: options, updates: log.add)
        var single: [TranscriptSegment] = []
        for clip in 0..<6 {
            var one = options
            one.batchSize = 1
            one.clipTimestamps = []
            let bounds = options.clipTimestamps[(2 * clip)...(2 * clip + 1)].map { Int(($0 * 100).rounded()) * 160 }
            let part = Array(samples[bounds[0]..<min(bounds[1], samples.count)])
            single += try await recognizer.transcribe(SampleSource(part), options: one).segments
        }
        #expect(batched.segments.count >= 6)
        #expect(batched.segments.map(\.text) == single.map(\.text))
        #expect(batched.segments.map(\.tokens) == single.map(\.tokens))
        #expect(batched.segments.map(\.id) == Array(batched.segments.indices))
        for (segment, other) in zip(batched.segments, single) {
            #expect(abs(segment.avgLogprob - other.avgLogprob) < 1e-3)
            #expect(segment.words?.map(\.word) == other.words?.map(\.word))
        }
        let finals = log.all.compactMap { if case .final(let segment) = $0 { segment } else { nil } }
        #expect(finals == batched.segments.filter { !$0.text.isEmpty })
    }

    @Test("speech found by energy is transcribed in batches with times of the recording")
    func voice() async throws {
        let (samples, plain) = try Self.speech()
        var options = plain
        options.clipTimestamps = []
        options.voiceActivity = VoiceActivityOptions(detector: .energy)
        let recognizer = try await Recognizer(model: VoiceActivityFilterTests.model)
        let transcript = try await recognizer.transcribe(SampleSource(samples), options: options)
        #expect(transcript.text.hasPrefix(" Turn the fan down to 5%."))
        var last = 0.0
        for segment in transcript.segments where !segment.text.isEmpty {
            #expect(segment.start >= last && segment.end >= segment.start && segment.end <= transcript.duration)
            last = segment.end
        }
        #expect(last > Double(samples.count) / 16000 - 5)
    }

    @Test("windows that fail are decoded again without affecting the others")
    func fallback() async throws {
        // Random weights generate repetitive text, so that every window fails at every temperature.
        let recognizer = try Recognizer.random("micro.en", .auto)
        var options = TranscriptionOptions.reference
        options.whisper.temperatures = [0, 0.5]
        options.whisper.decoding.maxNewTokens = 20
        options.whisper.decoding.bestOf = 3
        options.clipTimestamps = [0, 2, 2, 4, 4, 6, 36, 39]
        options.whisper.conditionOnPreviousText = false
        let source = SampleSource(try RandomModel.composedSignal())
        var results: [[TranscriptSegment]] = []
        for size in [2, 3, 4, 4] {
            options.batchSize = size
            results.append(try await recognizer.transcribe(source, options: options).segments)
        }
        #expect(results[0].contains { $0.temperature == 0.5 })
        for result in results { #expect(result.map(\.tokens) == results[0].map(\.tokens)) }
    }

    @Test("a cancelled transcription ends immediately", .timeLimit(.minutes(1)))
    func cancelled() async throws {
        let recognizer = try Recognizer.random("micro.en", .auto)
        var options = TranscriptionOptions.reference
        options.batchSize = 4
        options.whisper.decoding.forcedTokenCount = 400
        options.clipTimestamps = (0..<40).map { Double($0 / 2 + $0 % 2) }
        options.whisper.temperatures = [0]
        let source = SampleSource(try RandomModel.composedSignal())
        let wanted = options
        let task = Task { try await recognizer.transcribe(source, options: wanted) }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // The recognizer can be used again.
        options.clipTimestamps = [0, 1]
        options.whisper.decoding.forcedTokenCount = 3
        #expect(try await recognizer.transcribe(source, options: options).segments.isEmpty == false)
    }

    @Test("an error in a window ends the transcription with that error")
    func failing() async throws {
        let recognizer = try Recognizer.random("micro.en", .auto)
        var options = TranscriptionOptions.reference
        options.batchSize = 3
        options.whisper.decoding.maxNewTokens = 448
        options.clipTimestamps = [0, 1, 1, 2, 2, 3]
        let source = SampleSource(try RandomModel.composedSignal())
        let wanted = options
        await #expect(throws: EngineWhisper.DecodingError.self) {
            try await recognizer.transcribe(source, options: wanted)
        }
    }
}
