import Foundation
import Testing

@Suite("An interrupted transcription goes on")
struct ResumeTests {
    /// More than two windows, with pauses.
    private static func samples() throws -> [Float] {
        let clips = try ["say-00", "say-01", "say-00", "say-01"].map { try MelFixture.samples("clips/\($0).wav") }
        return clips.flatMap {
            [Float](repeating: 0, count: 5 * 16_000) + $0 + [Float](repeating: 0, count: 9 * 16_000)
        }
    }

    private static let sets: [(name: String, change: @Sendable (inout TranscriptionOptions) throws -> Void)] = [
        ("windows", { $0.wordTimestamps = true }),
        ("an offset and clips", { ($0.offset, $0.clipTimestamps) = (3, [4, 20, 21, 40, 50]) }),
        (
            "guards and the speech of a network",
            {
                $0.guards = true
                $0.wordTimestamps = true
                $0.guardDetector = try .installed()
            }
        ),
        (
            "speech in clips",
            {
                $0.voiceActivity = VoiceActivityOptions(detector: .energy)
                $0.clipTimestamps = [4, 20, 21, 40, 50]
            }
        ),
        ("batches of clips", { ($0.clipTimestamps, $0.batchSize) = ([4, 20, 21, 40, 50], 2) }),
    ]

    @Test("after any window, the rest is what a run without an interruption has", arguments: sets.indices)
    func rest(set: Int) async throws {
        let recognizer = try await Recognizer(
            model: VoiceActivityFilterTests.model, options: ComputeOptions(computeType: .float32, threads: 1))
        var options = TranscriptionOptions.reference
        options.whisper.conditionOnPreviousText = false
        try Self.sets[set].change(&options)
        let source = SampleSource(try Self.samples())
        let log = UpdateLog()
        let whole = Self.said(try await recognizer.transcribe(source, options: options, updates: log.add))
        var points: [(position: Double, count: Int)] = []
        var count = 0
        for update in log.all {
            if case .final = update { count += 1 }
            if case .progress(let position, _) = update, count > points.last?.count ?? 0, count < whole.count {
                points.append((position, count))
            }
        }
        #expect(!points.isEmpty, "\(Self.sets[set].name)")
        for point in points {
            options.resumesAt = point.position
            let rest = try await recognizer.transcribe(source, options: options)
            #expect(Self.said(rest) == Array(whole[point.count...]), "\(Self.sets[set].name) \(point)")
        }
    }

    /// The segments with text, without their numbers.
    private static func said(_ transcript: Transcript) -> [TranscriptSegment] {
        transcript.segments.filter { !$0.text.isEmpty }.map { segment in
            var segment = segment
            segment.id = 0
            return segment
        }
    }
}
