import Foundation
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
}
