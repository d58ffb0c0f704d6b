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

    private static let channelSets: [(name: String, change: @Sendable (inout TranscriptionOptions) -> Void)] = [
        ("windows", { $0.wordTimestamps = true }),
        (
            "an offset and the speech in clips",
            {
                ($0.offset, $0.clipTimestamps) = (3, [4, 20, 21, 60])
                $0.voiceActivity = VoiceActivityOptions(detector: .energy)
            }
        ),
        (
            "batches",
            {
                $0.voiceActivity = VoiceActivityOptions(detector: .energy)
                $0.batchSize = 2
            }
        ),
        ("replacements", { $0.replacements = [ReplacementRule("fan", written: "ventilator")] }),
    ]

    @Test(
        "channels go on after any window of any of them, and are merged as without an interruption",
        arguments: channelSets.indices)
    func channels(set: Int) async throws {
        let recognizer = try await Recognizer(
            model: VoiceActivityFilterTests.model, options: ComputeOptions(computeType: .float32, threads: 1))
        var options = TranscriptionOptions.reference
        options.whisper.conditionOnPreviousText = false
        Self.channelSets[set].change(&options)
        let samples = try Self.samples()
        let sources = [samples, [Float](repeating: 0, count: 16_000 * 11) + samples.dropLast(16_000 * 30)]
            .map { SampleSource($0) }
        let (log, heard) = (UpdateLog(), [UpdateLog(), UpdateLog()])
        let whole = try await recognizer.transcribe(
            channels: sources, speakers: ["Anna", "Ben"], options: options, earlier: [],
            heard: { heard[$0].add($1) }, updates: log.add)
        let finals = Self.finals(log)
        // Ben may be anywhere when Anna's windows end: finals may have been held back for either.
        let parts = heard.map(Self.parts)
        try #require(parts.allSatisfy { $0.count > 1 }, "\(Self.channelSets[set].name)")
        let (lastOfAnna, lastOfBen) = (parts[0].count - 1, parts[1].count - 1)
        for (first, second) in [(1, 0), (0, 1), (1, 1), (lastOfAnna, 1), (1, lastOfBen)] {
            let log = UpdateLog()
            let again = try await recognizer.transcribe(
                channels: sources, speakers: ["Anna", "Ben"], options: options,
                earlier: [parts[0][first], parts[1][second]], heard: { _, _ in }, updates: log.add)
            #expect(again == whole, "\(Self.channelSets[set].name) \(first) \(second)")
            #expect(Self.finals(log) == finals)
        }
    }

    /// What there was of a channel at the start and after each window.
    private static func parts(_ log: UpdateLog) -> [TranscribedPart] {
        var segments: [TranscriptSegment] = []
        let nothing = Transcript(text: "", language: "en", duration: 0, segments: [])
        var parts = [TranscribedPart(position: 0, transcript: nothing)]
        for update in log.all {
            switch update {
            case .final(let segment): segments.append(segment)
            case .progress(let position, _):
                let transcript = Transcript(text: "", language: "en", duration: position, segments: segments)
                parts.append(TranscribedPart(position: position, transcript: transcript))
            default: break
            }
        }
        return parts
    }

    private static func finals(_ log: UpdateLog) -> [TranscriptSegment] {
        log.all.compactMap { if case .final(let segment) = $0 { segment } else { nil } }
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
