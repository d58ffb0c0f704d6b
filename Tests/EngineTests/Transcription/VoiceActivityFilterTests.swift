import Foundation
import TestSupport
import Testing

/// Transcribes recordings without their silences.
@Suite("Voice activity filter")
struct VoiceActivityFilterTests {
    static let model = Fixtures.folder.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Models/nano.en.ggml.bin").path

    /// Two clips with silence before, between and after them.
    private static func composed() throws -> (samples: [Float], clips: [Range<Double>]) {
        var samples = silence(7.3)
        var clips: [Range<Double>] = []
        for (name, pause) in [("say-00", 12.7), ("say-01", 5.1)] {
            let clip = try MelFixture.samples("clips/\(name).wav")
            clips.append(Double(samples.count) / 16000..<Double(samples.count + clip.count) / 16000)
            samples += clip + silence(pause)
        }
        return (samples, clips)
    }

    private static func silence(_ seconds: Double) -> [Float] {
        var generator = SplitMix64(seed: 3)
        return (0..<Int(seconds * 16000)).map { _ in Float.random(in: -0.0005...0.0005, using: &generator) }
    }

    private static func options(words: Bool = false) -> TranscriptionOptions {
        var options = TranscriptionOptions.reference
        options.voiceActivity = VoiceActivityOptions(detector: .energy)
        options.wordTimestamps = words
        return options
    }

    @Test("the text is that of the clips, and times are those of the recording", arguments: [false, true])
    func times(words: Bool) async throws {
        let (samples, clips) = try Self.composed()
        let recognizer = try await Recognizer(model: Self.model)
        let log = UpdateLog()
        let transcript = try await recognizer.transcribe(
            SampleSource(samples), options: Self.options(words: words), updates: log.add)
        #expect(
            transcript.text
                == " Turn the fan down to 5%. Where did you put the short chair? Open the garden door, please.")
        #expect(abs(transcript.duration - Double(samples.count) / 16000) < 1e-9)
        var last = 0.0
        for segment in transcript.segments {
            #expect(segment.start >= last && segment.end >= segment.start)
            let clip = segment.text.contains("garden") ? clips[1] : clips[0]
            #expect(segment.start > clip.lowerBound - 0.41 && segment.end < clip.upperBound + 0.41, "\(segment)")
            for word in segment.words ?? [] {
                #expect(word.start >= last && word.end >= word.start)
                last = word.end
            }
            last = segment.end
        }
        #expect(transcript.segments.allSatisfy { ($0.words != nil) == words })
        let removed = log.all.compactMap { update -> Double? in
            if case .event(let event) = update, case .removedSilence(let kept, let whole) = event.window {
                whole - kept
            } else {
                nil
            }
        }
        #expect(removed.count == 1 && removed[0] > 18)
    }

    @Test("an offset and clips select parts, and times remain those of the recording")
    func parts() async throws {
        let (samples, clips) = try Self.composed()
        let recognizer = try await Recognizer(model: Self.model)
        var options = Self.options()
        options.offset = clips[0].upperBound + 2
        var transcript = try await recognizer.transcribe(SampleSource(samples), options: options)
        #expect(transcript.text == " Open the garden door, please.")
        #expect(
            transcript.segments.allSatisfy {
                clips[1].lowerBound - 0.41 < $0.start && $0.end < clips[1].upperBound + 0.41
            })
        options = Self.options()
        options.clipTimestamps = [0, 1, clips[0].lowerBound - 1, clips[0].lowerBound + 3.3, clips[1].lowerBound - 1]
        transcript = try await recognizer.transcribe(SampleSource(samples), options: options)
        #expect(transcript.text == " Turn the fan down to 5%. Open the garden door, please.")
        #expect(transcript.segments.last.map { $0.start > clips[1].lowerBound - 0.41 } == true)
    }

    @Test("a recording without speech produces no text", arguments: [0.0, 0.2, 40])
    func silent(seconds: Double) async throws {
        let recognizer = try Recognizer.random("micro-v3", .auto)
        let transcript = try await recognizer.transcribe(
            SampleSource(Self.silence(seconds)), options: Self.options())
        #expect(transcript.text.isEmpty && transcript.segments.isEmpty && transcript.language == "en")
        #expect(abs(transcript.duration - seconds) < 1e-3)
    }

    @Test("times never go backwards, whatever the model generates", arguments: [false, true])
    func monotone(words: Bool) async throws {
        // Random weights generate timestamps in no order.
        var samples: [Float] = []
        let fox = try MelFixture.samples("mel/espeak-fox.wav")
        for pause in [0.5, 3, 1, 6, 2] { samples += Self.silence(pause) + fox }
        let recognizer = try Recognizer.random("micro.en", .auto)
        let transcript = try await recognizer.transcribe(
            SampleSource(samples), options: Self.options(words: words))
        #expect(!transcript.segments.isEmpty)
        var last = 0.0
        for segment in transcript.segments where !segment.text.isEmpty {
            #expect(segment.start >= last && segment.end >= segment.start && segment.end <= transcript.duration + 1e-9)
            for word in segment.words ?? [] {
                #expect(word.start >= segment.start && word.end >= word.start && word.end <= segment.end)
            }
            last = segment.end
        }
    }
}
