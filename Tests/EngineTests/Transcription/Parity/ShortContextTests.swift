import Foundation
import TestSupport
import Testing

@Suite("Audio contexts on recordings")
struct ShortContextTests {
    /// Three of a hundred texts differ from those of full windows, where two words are about as likely.
    @Test(
        "auto gives nearly the same texts as full", .enabled(if: RealSpeech.isInstalled, RealSpeech.reason),
        arguments: [1, 5])
    func sameTexts(beamSize: Int) async throws {
        let model = try #require(RealSpeech.models).appending(path: "ggml-tiny.en.bin").path
        let recognizer = try await Recognizer(model: model, options: ComputeOptions(threads: 2))
        var options = TranscriptionOptions()
        options.beamSize = beamSize
        var differences: [String] = []
        let clips = try RealSpeech.clips().values.filter { $0.clip.hasPrefix("en/") && $0.samples < 12 * 16_000 }
        for clip in clips {
            let source = SampleSource(try await RealSpeech.samples(clip))
            var texts: [[Substring]] = []
            for context in [AudioContext.full, .auto] {
                options.whisper.audioContext = context
                let text = try await recognizer.transcribe(source, options: options).text.lowercased()
                texts.append(text.split { !$0.isLetter && !$0.isNumber })
            }
            if texts[0] != texts[1] { differences.append("\(clip.clip): \(texts[1])") }
        }
        #expect(clips.count > 50 && differences.count <= 3, "\(differences)")
    }

    @Test("a recording is transcribed to its end in windows of two seconds")
    func shortWindows() async throws {
        let recognizer = try await Recognizer(
            model: NanoParityTests.model, options: ComputeOptions(computeType: .float32, threads: 2))
        var options = TranscriptionOptions.reference
        options.whisper.temperatures = [0]
        options.wordTimestamps = true
        options.whisper.audioContext = .positions(100)
        let clip = try #require(try Clips.all().first { $0.name == "say-19" })
        let transcript = try await recognizer.transcribe(try AudioFile.open(clip.path), options: options)
        #expect(!transcript.text.isEmpty)
        #expect(transcript.segments.allSatisfy { $0.start <= $0.end && $0.end <= transcript.duration + 2 })
        #expect(zip(transcript.segments, transcript.segments.dropFirst()).allSatisfy { $0.seek! <= $1.seek! })
        #expect(transcript.segments.compactMap(\.seek).max() ?? 0 > Int(transcript.duration * 100) - 600)
    }
}
