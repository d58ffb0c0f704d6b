import EngineVocabulary
import Testing

/// Live text with corrections: nothing that is final changes, and no correction is lost where words become final one by one.
@Suite("Live vocabulary")
struct LiveVocabularyTests {
    /// Words of 0.25 s in one utterance.
    private static func speech(_ text: String) -> PlantedSpeech {
        let words = text.split(separator: " ").enumerated().map { index, word in
            PlantedSpeech.Word(text: " " + word, start: 4_800 * index + 1_600, end: 4_800 * index + 5_600)
        }
        return PlantedSpeech(words: words, count: (words.last?.end ?? 0) + 4_000)
    }

    private static func run(
        _ text: String, _ vocabulary: String, policy: StreamingOptions.Policy, change: SessionChange? = nil,
        hasPunctuation: Bool = false
    ) throws -> LiveBench {
        let vocabulary = try UserVocabulary(vocabulary)
        let bench = LiveBench(
            PlantedDecoder(speech(text)), options: .test(policy),
            corrections: TextCorrections(
                terms: vocabulary.terms, rules: vocabulary.rules, language: "en", hasPunctuation: hasPunctuation))
        if let change { bench.loop.loop.change(change) }
        let samples = speech(text).samples
        for start in stride(from: 0, to: samples.count, by: 1_600) {
            try bench.feed(Array(samples[start..<min(start + 1_600, samples.count)]))
        }
        try bench.loop.loop.close()
        return bench
    }

    private static let text = (0..<36).map { $0 % 6 == 0 ? "engine ex" : $0 % 6 == 3 ? "Cubernetes um" : "w\($0)" }
        .joined(separator: " ")

    @Test("rules and terms apply as to the whole text", arguments: StreamingOptions.Policy.allCases)
    func whole(policy: StreamingOptions.Policy) throws {
        let vocabulary = "Kubernetes\nengine ex => nginx\num =>\nw5 engine ex w7 => four words"
        let bench = try Self.run(Self.text, vocabulary, policy: policy)
        let parsed = try UserVocabulary(vocabulary)
        let wanted = TextCorrection(terms: parsed.terms, rules: parsed.rules, language: "en").corrected(" " + Self.text)
        #expect(wanted.contains("Kubernetes w4 four words w8"))
        #expect(bench.text == wanted)
        #expect(bench.violations.isEmpty, "\(bench.violations)")
        #expect(bench.state.volatile == nil)
        #expect(bench.finals.allSatisfy { $0.words == nil || $0.words?.map(\.word).joined() == $0.text })
        if policy != .utterance { #expect(bench.finals.count > 5) }
    }

    @Test("spoken signs are written, wherever words become final", arguments: [StreamingOptions.Policy.agree, .align])
    func signs(policy: StreamingOptions.Policy) throws {
        let text = (0..<30).map { $0 % 5 == 3 ? "w\($0) question mark" : "w\($0)" }.joined(separator: " ")
        let bench = try Self.run(text, "", policy: policy, hasPunctuation: true)
        let wanted = (0..<30).map { $0 % 5 == 3 ? "w\($0)?" : $0 % 5 == 4 ? "W\($0)" : "w\($0)" }
        #expect(bench.text == " " + wanted.joined(separator: " "))
        #expect(bench.violations.isEmpty, "\(bench.violations)")
        #expect(bench.finals.count > 5)
    }

    @Test("volatile text is corrected, too")
    func volatile() throws {
        let bench = try Self.run(Self.text, "engine ex => nginx", policy: .align)
        let shown = bench.outputs.compactMap { output -> String? in
            if case .volatile(let segment?) = output { segment.text } else { nil }
        }
        #expect(shown.contains { $0.contains("nginx") })
        #expect(!shown.contains { $0.contains("engine ex ") })
    }

    @Test("a session in which everything is deleted has no finals")
    func nothing() throws {
        let bench = try Self.run("um um um", "um =>", policy: .align)
        #expect(bench.finals.isEmpty && bench.violations.isEmpty)
        #expect(bench.state.volatile == nil)
    }

    @Test("terms can be added to those of the options")
    func change() throws {
        var change = SessionChange()
        change.terms = [Term("Kubernetes")]
        let bench = try Self.run("the cubernetes pods", "", policy: .align, change: change)
        #expect(bench.text == " the Kubernetes pods")
    }
}
