import Foundation
import Testing

/// Word times in every output, not only in subtitles, begin and end with the speech.
@Suite("Words begin and end with speech", .enabled(if: RealSpeech.isInstalled, RealSpeech.reason))
struct WordSnappingTests {
    private static func transcript(
        _ change: (inout TranscriptionOptions) throws -> Void = { _ in }, channels: Int = 1,
        _ updates: @escaping @Sendable (TranscriptUpdate) -> Void = { _ in }
    ) async throws -> Transcript {
        let recognizer = try await Recognizer(
            model: VoiceActivityFilterTests.model, options: ComputeOptions(threads: 1))
        var samples = [Float](repeating: 0, count: 16_000)
        for try await chunk in try AudioFile.open(Recording.say).chunks() { samples += chunk.samples }
        let weights = try #require(RealSpeech.models).appending(path: "silero_vad_16k.safetensors").path
        var options = TranscriptionOptions()
        options.language = "en"
        options.wordTimestamps = true
        options.guardDetector = .silero(try SileroNetwork(FilePath(weights)))
        try change(&options)
        let source = SampleSource(samples)
        if channels == 1 { return try await recognizer.transcribe(source, options: options, updates: updates) }
        return try await recognizer.transcribe(
            channels: Array(repeating: source, count: channels), options: options, updates: updates)
    }

    /// The words of a speaker that begin or end a stretch of speech.
    private static func edges(_ transcript: Transcript, _ speaker: String? = nil) throws -> [(
        word: Double, speech: Double
    )] {
        let words = transcript.segments.filter { $0.speaker == speaker }.flatMap { $0.words ?? [] }
        return try #require(transcript.speech).filter { $0.speaker == speaker }.flatMap { span in
            let inside = words.filter { $0.start < span.end && $0.end > span.start }
            return [(inside.first?.start ?? 0, span.start), (inside.last?.end ?? 0, span.end)]
        }
    }

    @Test("where a network hears it, in batches, too", arguments: [false, true])
    func snapped(isBatched: Bool) async throws {
        let log = UpdateLog()
        let transcript = try await Self.transcript({ options in
            guard isBatched, let detector = options.guardDetector else { return }
            (options.voiceActivity, options.batchSize) = (VoiceActivityOptions(detector: detector), 2)
        }) { log.add($0) }
        let edges = try Self.edges(transcript)
        #expect(!edges.isEmpty && edges.allSatisfy { abs($0.word - $0.speech) < 0.001 }, "\(edges)")
        #expect(transcript.segments.allSatisfy { $0.start == $0.words?.first?.start && $0.end == $0.words?.last?.end })
        let finals = log.all.compactMap { if case .final(let segment) = $0 { segment } else { nil } }
        #expect(finals == transcript.segments.filter { !$0.text.isEmpty })
        let heard = log.all.compactMap { update -> [TranscriptSpan]? in
            if case .event(let event) = update, case .heard(let speech) = event.window { speech } else { nil }
        }
        #expect(heard.flatMap(\.self) == transcript.speech)
    }

    @Test("in every channel")
    func channels() async throws {
        let transcript = try await Self.transcript(channels: 2)
        for speaker in ["speaker 1", "speaker 2"] {
            let edges = try Self.edges(transcript, speaker)
            #expect(!edges.isEmpty && edges.allSatisfy { abs($0.word - $0.speech) < 0.001 }, "\(edges)")
        }
    }

    @Test("but not without guards, where times are openai-whisper's")
    func reference() async throws {
        let plain = try await Self.transcript { $0.guards = false }
        #expect(plain.speech == nil)
    }
}
