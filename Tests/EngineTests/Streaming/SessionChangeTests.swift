import Foundation
import Testing

/// Tests changes of the prompt and the languages of a running session with real networks.
@Suite("Session changes")
struct SessionChangeTests {
    @Test("a changed prompt gives the same pass as a prompt given from the start")
    func prompt() async throws {
        let recognizer = try await LiveNetworkTests.recognizer()
        let clip = try #require(try await LiveNetworkTests.clips().first)
        let prompt = "Minutes of the city council."
        func decoder(_ initial: String?) -> any LiveDecoder {
            var options = LiveNetworkTests.options(.agree)
            options.transcription.whisper.initialPrompt = initial
            return recognizer.model.liveDecoder(options, cancellation: CancellationFlag())
        }
        let request = LiveRequest(range: 0..<clip.samples.count, samples: clip.samples)
        let given = try decoder(prompt).decode(request)
        let changed = decoder(nil)
        let without = try changed.decode(request)
        var change = SessionChange()
        change.initialPrompt = prompt
        changed.change(change)
        #expect(try changed.decode(request) == given)
        #expect(without.avgLogprob != given.avgLogprob)
        #expect(changed.spokenLanguage == DetectedLanguage(code: "en", probability: 1))
    }

    @Test("languages can be fixed, restricted and detected again for each utterance")
    func languages() throws {
        let recognizer = try Recognizer(
            GGMLFile(FilePath(Fixtures.url("models/ggml-micro-v3.bin").path(percentEncoded: false))),
            backend: ComputeOptions(backend: .openblas, computeType: .float32, threads: 2).makeBackend())
        var options = LiveNetworkTests.options(.agree)
        options.transcription.multilingual = true
        let decoder = recognizer.model.liveDecoder(options, cancellation: CancellationFlag())
        var request = LiveRequest(
            range: 0..<16_000, samples: (0..<16_000).map { Float($0 % 40) / 80 - 0.25 })
        request.isClosing = true
        func spoken(_ languages: [String]?) throws -> DetectedLanguage {
            var change = SessionChange()
            change.languages = languages
            decoder.change(change)
            decoder.startUtterance()
            #expect(decoder.spokenLanguage == nil || languages?.count == 1)
            _ = try decoder.decode(request)
            return try #require(decoder.spokenLanguage)
        }
        let any = try spoken(nil)
        // The network is random, so no language of a hundred is probable.
        #expect(any.probability > 0.01 && any.probability < 0.5)
        let two = try spoken(["de", "fr"])
        #expect(["de", "fr"].contains(two.code) && two.probability <= any.probability)
        #expect(two.share >= 0.5 && two.share < 1 && any.share == any.probability)
        #expect(try spoken(["cy"]) == DetectedLanguage(code: "cy", probability: 1))
        #expect(try spoken([]) == any)
    }
}
