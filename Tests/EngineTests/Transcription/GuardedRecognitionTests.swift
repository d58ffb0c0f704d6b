import Foundation
import TestSupport
import Testing

/// Runs the trained model with guards on recordings that are known to make models hallucinate or lose words.
@Suite("Transcription with guards")
struct GuardedRecognitionTests {
    private static func samples(_ clip: String) async throws -> [Float] {
        let path = FilePath(Fixtures.url("clips/\(clip).wav").path(percentEncoded: false))
        var samples: [Float] = []
        for try await chunk in try AudioFile.open(path).chunks() { samples += chunk.samples }
        return samples
    }

    private static func recognizer() async throws -> Recognizer {
        let model = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Models/nano.en.ggml.bin")
        return try await Recognizer(model: FilePath(model.path(percentEncoded: false)))
    }

    private static var guarded: TranscriptionOptions {
        var options = TranscriptionOptions.reference
        options.guards = true
        options.whisper.temperatures = [0]
        return options
    }

    @Test("silence after speech produces no words, in recordings of 29 to 32 s")
    func silentTail() async throws {
        let recognizer = try await Self.recognizer()
        var speech: [Float] = []
        for clip in ["say-19", "say-00", "say-02"] { speech += try await Self.samples(clip) }
        for length in stride(from: 29.0, through: 32.0, by: 0.5) {
            for silence in [1.0, 3, 5] {
                let spoken = length - silence
                let samples = Array(speech.prefix(Int(spoken * 16_000)))
                let tail = BackendFixture.values(Int(silence * 16_000), seed: 1).map { $0 * 1e-4 }
                let transcript = try await recognizer.transcribe(
                    SampleSource(samples + tail), options: Self.guarded)
                let segments = transcript.segments.filter { !$0.text.isEmpty }
                #expect(segments.count > 3)
                #expect(
                    segments.allSatisfy { $0.start < spoken && $0.end <= length },
                    "\(length) s with \(silence) s of silence: \(segments.suffix(2).map(\.text))")
                #expect(zip(segments, segments.dropFirst()).allSatisfy { $0.text != $1.text })
            }
        }
    }

    @Test("cutting a clip anywhere in its last 2 s never loses earlier words")
    func cut() async throws {
        let recognizer = try await Self.recognizer()
        let whole = try await Self.samples("say-00")
        var options = TranscriptionOptions.reference
        options.whisper.temperatures = [0]
        var worded = options
        worded.wordTimestamps = true
        let reference = try await recognizer.transcribe(SampleSource(whole), options: worded)
        let words = reference.segments.flatMap { $0.words ?? [] }
        #expect(words.count > 8)
        for count in stride(from: whole.count - 32_000, to: whole.count, by: 160) {
            let end = Double(count) / 16_000
            let text = try await recognizer.transcribe(
                SampleSource(Array(whole.prefix(count))), options: options
            ).text.lowercased().filter { $0.isLetter || $0 == " " }
            // A word that ends less than half a second before the cut may be misrecognized.
            for word in words where word.end < end - 0.5 {
                let plain = word.word.lowercased().filter(\.isLetter)
                // A word that could not be aligned has zero length, at the end of the previous word.
                guard !plain.isEmpty, word.end > word.start else { continue }
                #expect(text.contains(plain), "cut at \(end) s: '\(text)' does not contain '\(plain)'")
            }
        }
    }

    @Test("in batches of clips, text is dropped where a clip has no speech", arguments: [true, false])
    func clipsInBatches(isGuarded: Bool) async throws {
        // Random weights write text into anything.
        let recognizer = try Recognizer.random("micro-v3", .openblas)
        var options = Self.guarded
        options.guards = isGuarded
        options.batchSize = 2
        options.clipTimestamps = [0, 9, 11, 20]
        options.whisper.conditionOnPreviousText = false
        (
            options.whisper.noSpeechThreshold, options.whisper.compressionRatioThreshold,
            options.whisper.logprobThreshold
        ) = (nil, nil, nil)
        options.whisper.decoding.sampleLength = 20
        options.language = "en"
        let noise = BackendFixture.values(20 * 16_000, seed: 1).map { $0 * 1e-4 }
        let transcript = try await recognizer.transcribe(SampleSource(noise), options: options)
        #expect(transcript.segments.contains { !$0.text.isEmpty } != isGuarded)
    }

    @Test("the language is detected where there is speech")
    func language() async throws {
        let clip = try await Self.samples("say-01")
        let recognizer = try Recognizer.random("micro-v3", .openblas)
        var options = Self.guarded
        options.whisper.decoding.sampleLength = 1
        for isGuarded in [true, false] {
            options.guards = isGuarded
            let log = UpdateLog()
            _ = try await recognizer.transcribe(
                SampleSource([Float](repeating: 0, count: 35 * 16_000) + clip), options: options
            ) { log.add($0) }
            let detections = log.all.compactMap { update -> Double? in
                if case .event(let event) = update, case .guarded(.languageDetected(let time)) = event.window {
                    time
                } else {
                    nil
                }
            }
            #expect(isGuarded ? (detections.count == 1 && (34.5...36).contains(detections[0])) : detections == [])
        }
    }
}
