import Foundation
import Testing

/// Complete transcriptions by the models with random weights, in which each window depends on all before it.
@Suite("Transcription against the references")
struct TranscriptionOracleTests {
    struct File: Decodable {
        struct Case: Decodable {
            let name: String
            let options: ReferenceResult.Options
            let result: ReferenceResult.Result
        }
        let samples: Int
        let cases: [Case]
    }

    @Test("every field equals openai-whisper's", arguments: NetworkFixture.models, RandomModel.backends)
    func whole(name: String, backend: ComputeOptions.Backend) async throws {
        let file = try Fixtures.json("model/\(name)/transcribe.json", as: File.self)
        #expect(file.cases.count == (name == "micro-v3" ? 9 : 8))
        let signal = SampleSource(try RandomModel.composedSignal())
        #expect(signal.samples.count == file.samples)
        let recognizer = try Recognizer.random(name, backend)
        for one in file.cases {
            let transcript = try await recognizer.transcribe(signal, options: one.options.transcription)
            #expect(transcript.text == one.result.text, "\(one.name)")
            #expect(transcript.language == one.result.language)
            #expect(transcript.segments.map(\.tokens) == one.result.segments.map(\.tokens), "\(one.name)")
            #expect(transcript.segments.map(\.seek) == one.result.segments.map(\.seek), "\(one.name)")
            for (segment, other) in zip(transcript.segments, one.result.segments) {
                let label = Comment(rawValue: "\(one.name) segment \(segment.id)")
                #expect(segment.id == other.id && segment.text == other.text, label)
                #expect(abs(segment.start - other.start) < 1e-6 && abs(segment.end - other.end) < 1e-6, label)
                #expect(segment.temperature == other.temperature, label)
                #expect(abs(segment.avgLogprob - other.avgLogprob) < 1e-4, label)
                #expect(abs(segment.compressionRatio! - other.compressionRatio!) < 1e-9, label)
                #expect(abs(segment.noSpeechProb! - other.noSpeechProb!) <= 2e-3 * other.noSpeechProb!, label)
                #expect(segment.words?.map(\.word) == other.words?.map(\.word), label)
                for (word, otherWord) in zip(segment.words ?? [], other.words ?? []) {
                    #expect(abs(word.start - otherWord.start) < 1e-6 && abs(word.end - otherWord.end) < 1e-6, label)
                    #expect(abs(word.probability - otherWord.probability) <= 2e-3 * otherWord.probability, label)
                }
            }
        }
    }

    struct FasterFile: Decodable {
        struct Case: Decodable {
            struct Segment: Decodable {
                let seek: Int
                let start: Double
                let end: Double
                let text: String
                let tokens: [Int]
            }
            let signal: String
            let name: String
            let segments: [Segment]
        }
        let cases: [Case]
    }

    struct FasterOptions: Decodable {
        struct Case: Decodable { let options: ReferenceResult.Options }
        let cases: [Case]
    }

    @Test("with faster-whisper's additional options the results equal its own", arguments: RandomModel.backends)
    func faster(backend: ComputeOptions.Backend) async throws {
        let recognizer = try Recognizer.random("micro-v3", backend)
        let long = SampleSource(try RandomModel.composedSignal())
        let fox = SampleSource(try MelFixture.samples("mel/espeak-fox.wav"))
        let cases = try Fixtures.json("model/micro-v3/faster.json", as: FasterFile.self).cases
        let options = try Fixtures.json("model/micro-v3/faster.json", as: FasterOptions.self).cases.map(\.options)
        #expect(cases.count == 19)
        for (one, options) in zip(cases, options) {
            let transcript = try await recognizer.transcribe(
                one.signal == "fox" ? fox : long, options: options.transcription)
            let segments = transcript.segments.filter { !$0.text.isEmpty }
            #expect(segments.map(\.tokens) == one.segments.map(\.tokens), "\(one.signal) \(one.name)")
            #expect(segments.map(\.text) == one.segments.map(\.text), "\(one.signal) \(one.name)")
            for (segment, other) in zip(segments, one.segments) {
                #expect(segment.seek == other.seek, "\(one.signal) \(one.name)")
                #expect(abs(segment.start - other.start) < 1e-6, "\(one.signal) \(one.name)")
                #expect(abs(segment.end - other.end) < 1e-6, "\(one.signal) \(one.name)")
            }
        }
    }
}
