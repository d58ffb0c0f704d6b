import Foundation
import TestSupport
import Testing

@Suite("Shortened audio context on real recordings")
struct ShortContextTests {
    @Test("auto gives the same text as full for every clip", arguments: [1, 5])
    func sameText(beamSize: Int) async throws {
        let recognizer = try await Recognizer(
            model: NanoParityTests.model, options: ComputeOptions(computeType: .float32, threads: 2))
        var options = TranscriptionOptions.reference
        options.beamSize = beamSize
        // Sampling at higher temperatures would hide differences and take long.
        options.whisper.temperatures = [0]
        for clip in try Clips.all() where !clip.name.hasPrefix("long") {
            options.whisper.audioContext = .full
            let full = try await recognizer.transcribe(try AudioFile.open(clip.path), options: options)
            options.whisper.audioContext = .auto
            let short = try await recognizer.transcribe(try AudioFile.open(clip.path), options: options)
            #expect(short.text == full.text, "\(clip.name)")
        }
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
