import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Language detection against the reference")
struct LanguageOracleTests {
    struct File: Decodable {
        struct Case: Decodable {
            let clip: String
            let token: Int
            let language: String
            let probabilities: [String: Double]
        }
        let cases: [Case]
    }

    @Test("the probability of each language equals the reference's", arguments: RandomModel.backends)
    func probabilities(backend: ComputeOptions.Backend) throws {
        let random = try RandomModel("micro-v3", backend, rows: 1)
        let encoder = try AudioEncoder(random.model)
        let cases = try Fixtures.json("model/micro-v3/languages.json", as: File.self).cases
        #expect(cases.map(\.clip) == ["espeak-fox", "espeak-nine"])
        for one in cases {
            let samples = try MelFixture.samples("mel/\(one.clip).wav")
            random.decoder.attend(to: encoder.encode(MelFixture.scaled(samples, bands: 128, frames: 0..<3000)))
            let detection = try LanguageDetection(scorer: random.decoder, specials: random.tokenizer.special)
            #expect(detection.best == one.token)
            #expect(detection.probabilities.count == 100 && one.probabilities.count == 100)
            for (token, probability) in detection.probabilities {
                let code = try #require(random.tokenizer.language(ofToken: token)?.code)
                let expected = try #require(one.probabilities[code])
                #expect(abs(probability - expected) <= 2e-3 * expected, "\(code)")
            }
        }
    }

    @Test("the detected language is reported and part of the transcript", arguments: RandomModel.backends)
    func recognizer(backend: ComputeOptions.Backend) async throws {
        let one = try #require(try Fixtures.json("model/micro-v3/languages.json", as: File.self).cases.first)
        let recognizer = try Recognizer.random("micro-v3", backend)
        let log = UpdateLog()
        var options = TranscriptionOptions.reference
        options.whisper.temperatures = [0]
        let transcript = try await recognizer.transcribe(
            SampleSource(MelFixture.samples("mel/\(one.clip).wav")), options: options, updates: log.add)
        let languages = log.all.compactMap {
            if case .language(let code, let probability, _) = $0 { (code, probability) } else { nil }
        }
        #expect(transcript.language == one.language && languages.map(\.0) == [one.language])
        let expected = try #require(one.probabilities[one.language])
        #expect(abs((languages.first?.1 ?? 0) - expected) <= 2e-3 * expected)
    }

    @Test("the start of a recording has its length and the probability of every language", arguments: [1, 2])
    func start(batchSize: Int) async throws {
        let one = try #require(try Fixtures.json("model/micro-v3/languages.json", as: File.self).cases.first)
        let recognizer = try Recognizer.random("micro-v3", .auto)
        let source = SampleSource(try MelFixture.samples("mel/\(one.clip).wav"))
        var options = TranscriptionOptions.reference
        (options.whisper.temperatures, options.batchSize) = ([0], batchSize)
        let starts = Mutex<[RecordingStart]>([])
        _ = try await recognizer.transcribe(
            source, options: options, onStart: { start in starts.withLock { $0.append(start) } }, updates: { _ in })
        let alone = try await recognizer.start(of: source, options: options)
        for start in starts.withLock(\.self) + [alone] {
            #expect(start.language == one.language && start.duration == Double(source.samples.count) / 16_000)
            let all = try #require(start.languageProbabilities)
            #expect(all.count == 100 && all[0].code == one.language)
            #expect(all[0].probability == start.languageProbability)
            #expect(all.map(\.probability) == all.map(\.probability).sorted(by: >))
        }
        #expect(starts.withLock(\.count) == 1)
        options.language = "de"
        let given = try await recognizer.start(of: source, options: options)
        #expect(given.language == "de" && given.languageProbability == 1 && given.languageProbabilities == nil)
    }

    @Test("the language of most windows is chosen unless one is probable enough")
    func windows() async throws {
        let recognizer = try Recognizer.random("micro-v3", .auto)
        let speech = try MelFixture.samples("mel/espeak-fox.wav")
        let noise = (0..<480_000).map { Float(($0 &* 7919) % 2003) / 4000 - 0.25 }
        var windows = [noise, [Float](repeating: 0, count: 480_000), noise]
        windows[1].replaceSubrange(0..<speech.count, with: speech)
        var options = TranscriptionOptions.reference
        var single: [RecordingStart] = []
        for window in windows {
            single.append(try await recognizer.start(of: SampleSource(window), options: options))
        }
        try #require(single[0].language != single[1].language)
        (options.whisper.languageWindows, options.whisper.languageThreshold) = (3, 1)
        let voted = try await recognizer.start(of: SampleSource(windows.flatMap(\.self)), options: options)
        #expect(voted.language == single[0].language)
        options.whisper.languageThreshold = 0
        let first = try await recognizer.start(of: SampleSource((windows[1] + noise + noise)), options: options)
        #expect(first.language == single[1].language)
    }
}
