import Testing

/// Tests when the language of a session is decided, and what becomes final before.
@Suite("Language of a session")
struct SessionLanguageTests {
    /// Evidence for one of the languages, with the rest of the probability spread over the others.
    private static func evidence(_ code: String, _ probability: Double, noSpeech: Double = 0.05)
        -> SessionLanguage.Evidence
    {
        let codes = ["ar", "en", "es", "fr", "ko"]
        let rest = (1 - probability) / Double(codes.count - 1)
        return SessionLanguage.Evidence(
            Dictionary(uniqueKeysWithValues: codes.map { ($0, $0 == code ? probability : rest) }),
            noSpeechProb: noSpeech)
    }

    /// Lets it hear the windows of one utterance, the last of which ends it.
    private static func hear(
        _ language: inout SessionLanguage, _ windows: [(seconds: Double, Evidence)], from start: Int
    ) {
        for (index, window) in windows.enumerated() {
            language.hear(
                start..<(start + Int(window.seconds * 16_000)), voice: window.seconds,
                isWhole: index == windows.count - 1, { window.1 })
        }
    }

    private typealias Evidence = SessionLanguage.Evidence

    @Test("less than a second of speech decides nothing, however probable its language")
    func early() {
        for seconds in [0.02, 0.5, 0.9] {
            for probability in [0.5, 0.9, 0.999] {
                var language = SessionLanguage(fixed: nil)
                language.hear(0..<8_000, voice: seconds, isWhole: false) { Self.evidence("ar", probability) }
                #expect(language.certainty == .unclear && language.code == "ar")
                language.hear(0..<32_000, voice: 2, isWhole: false) { Self.evidence("es", 0.999) }
                #expect(language.code == "es", "\(seconds) \(probability)")
                language.hear(0..<48_000, voice: 3, isWhole: true) { Self.evidence("es", 0.999) }
                #expect(language.certainty == .clear && language.code == "es")
            }
        }
    }

    @Test("a clear language stays after ten seconds of speech, and nothing more is detected")
    func stays() {
        var language = SessionLanguage(fixed: nil)
        for second in stride(from: 2, through: 10, by: 2) {
            language.hear(0..<(second * 16_000), voice: Double(second), isWhole: false) { Self.evidence("es", 0.95) }
            #expect(language.certainty == .clear && language.isOpen == (second < 10))
        }
        let best = language.best
        language.hear(0..<320_000, voice: 20, isWhole: true) {
            Issue.record("detected again")
            return Self.evidence("en", 1)
        }
        language.startUtterance()
        #expect(language.best == best)
        var given = SessionLanguage(fixed: "de")
        given.hear(0..<64_000, voice: 4, isWhole: true) {
            Issue.record("detected")
            return Self.evidence("en", 1)
        }
        #expect(given.certainty == .given && given.best == DetectedLanguage(code: "de", probability: 1))
    }

    @Test("a wrong guess on a second of speech is revised in a later utterance")
    func wrongGuess() {
        var language = SessionLanguage(fixed: nil)
        Self.hear(&language, [(1.1, Self.evidence("ar", 0.95))], from: 0)
        #expect(language.certainty == .clear && language.code == "ar")
        language.startUtterance()
        // Two seconds in another language are no more certain than that one.
        Self.hear(&language, [(1, Self.evidence("es", 0.6)), (2, Self.evidence("es", 0.97))], from: 32_000)
        language.startUtterance()
        #expect(language.code == "ar")
        // The utterance keeps its language while it lasts.
        Self.hear(&language, [(3, Self.evidence("es", 0.99))], from: 96_000)
        #expect(language.certainty == .clear && language.code == "ar")
        language.startUtterance()
        #expect(language.certainty == .clear && language.code == "es" && (language.best?.probability ?? 0) > 0.9)
    }

    @Test("one of the languages that may be spoken is chosen, with its probability among all")
    func possible() throws {
        let evidence = SessionLanguage.Evidence(["ar": 0.8, "es": 0.19, "fr": 0.01], noSpeechProb: 0)
        var language = SessionLanguage(fixed: nil, among: ["fr", "es"])
        language.hear(0..<32_000, voice: 2, isWhole: false) { evidence }
        let best = try #require(language.best)
        #expect(language.certainty == .clear && best.code == "es")
        #expect(abs(best.probability - 0.19) < 1e-9 && abs(best.share - 0.95) < 1e-9)
        // Languages that the model does not know limit nothing.
        var other = SessionLanguage(fixed: nil, among: ["yue"])
        other.hear(0..<32_000, voice: 2, isWhole: false) { evidence }
        #expect(other.code == "ar")
    }

    @Test("short utterances add up; passes over the same one do not")
    func addsUp() {
        var language = SessionLanguage(fixed: nil)
        for utterance in 0..<3 {
            #expect(language.certainty == .unclear)
            Self.hear(&language, [(0.4, Self.evidence("es", 0.6))], from: utterance * 32_000)
        }
        #expect(language.certainty == .clear && language.code == "es" && (language.best?.probability ?? 0) > 0.9)

        var same = SessionLanguage(fixed: nil)
        for pass in 1...20 {
            for _ in 0..<3 {
                same.hear(0..<(pass * 8_000), voice: Double(pass) / 2, isWhole: false) { Self.evidence("es", 0.6) }
            }
        }
        #expect(same.certainty == .unclear && abs((same.best?.probability ?? 0) - 0.6) < 1e-9)
        // As much speech as `transcribe` would hear is enough.
        same.hear(0..<480_000, voice: 30, isWhole: false) { Self.evidence("es", 0.6) }
        #expect(same.certainty == .clear)
    }

    @Test("sounds that are no speech decide nothing, however many and however probable their language")
    func sounds() {
        var language = SessionLanguage(fixed: nil)
        for ring in 0..<50 {
            let windows = [
                (1.0, Self.evidence("en", 0.9, noSpeech: 0.7)), (4, Self.evidence("en", 0.99, noSpeech: 0.8)),
            ]
            Self.hear(&language, windows, from: ring * 96_000)
            #expect(language.certainty == .unclear && language.code == "en")
        }
        Self.hear(&language, [(0.8, Self.evidence("fr", 0.5)), (1.6, Self.evidence("fr", 0.97))], from: 9_600_000)
        #expect(language.certainty == .clear && language.code == "fr")
    }

    /// Speaks a word each second, in whatever language it takes the audio for.
    private final class Decoder: LiveDecoder {
        var language = SessionLanguage(fixed: nil)
        /// The seconds in which somebody speaks.
        let spoken: [Range<Int>]
        /// What a window says, by its start and its seconds of voice.
        let evidence: (Int, Double) -> Evidence
        private(set) var requests: [LiveRequest] = []
        private(set) var certainties: [LanguageCertainty] = []

        init(_ spoken: [Range<Int>], _ evidence: @escaping (Int, Double) -> Evidence) {
            (self.spoken, self.evidence) = (spoken, evidence)
        }

        var spokenLanguage: DetectedLanguage? { language.best }
        var languageCertainty: LanguageCertainty { language.certainty }
        func startUtterance() { language.startUtterance() }

        func decode(_ request: LiveRequest) -> LivePass {
            requests.append(request)
            if request.forced.isEmpty || request.isClosing && language.certainty == .clear {
                language.hear(request.range, voice: request.voice, isWhole: request.isClosing) {
                    evidence(request.range.lowerBound, request.voice)
                }
            }
            certainties.append(language.certainty)
            let start = max(request.forced.last?.end ?? 0, request.range.lowerBound)
            let seconds = ((start + 15_999) / 16_000..<request.range.upperBound / 16_000).filter { second in
                spoken.contains { $0.contains(second) }
            }
            let words = seconds.map { second in
                LiveWord(
                    text: " \(language.code)\(second)", tokens: [second], start: second * 16_000,
                    end: second * 16_000 + 15_000, isStable: (second + 1) * 16_000 <= request.range.upperBound - 8_000)
            }
            return LivePass(words: words)
        }

        func transcribe(_ samples: [Float]) -> [TranscriptSegment] { [] }
    }

    /// Plays utterances and checks the rules of live recognition.
    private static func play(_ decoder: Decoder) throws -> LiveBench {
        let bench = LiveBench(decoder, options: .test(.align), usesDetector: true)
        for second in 0..<((decoder.spoken.last?.upperBound ?? 0) + 2) {
            let isSpeech = decoder.spoken.contains { $0.contains(second) }
            for frame in 0..<50 {
                // Words last 0.9 s.
                let level: Float = isSpeech && frame < 45 ? 0.1 : 0
                try bench.feed((0..<320).map { $0 % 2 == 0 ? level : -level })
            }
        }
        try bench.loop.loop.close()
        #expect(bench.violations.isEmpty)
        return bench
    }

    private static func languages(_ bench: LiveBench) -> [String] {
        bench.outputs.compactMap { if case .language(let language) = $0 { language.code } else { nil } }
    }

    @Test("words wait until the language is clear, while they are shown as volatile text")
    func waits() throws {
        let decoder = Decoder([1..<6]) { _, voice in
            voice < 1.9 ? Self.evidence("ar", 0.8) : Self.evidence("es", 0.999)
        }
        // A word is stable half a second after its end, so the first would become final at 1.6 s.
        let bench = try Self.play(decoder)
        #expect(bench.text == " es1 es2 es3 es4 es5")
        #expect(bench.state.finalized.allSatisfy { $0.language == "es" })
        #expect(Self.languages(bench) == ["es"])
    }

    @Test("the language is revised while it is unclear, and finals that are shown never change", arguments: 0..<20)
    func revises(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let codes = ["ar", "en", "es", "fr", "ko"]
        var script: [Int: [Evidence]] = [:]
        let decoder = Decoder([1..<4, 5..<7, 10..<26, 28..<29, 31..<35]) { start, voice in
            while script[start, default: []].count <= Int(voice) {
                let code = codes.randomElement(using: &random) ?? "en"
                let probability = Double.random(in: 0.3...0.98, using: &random)
                script[start, default: []].append(
                    Self.evidence(code, probability, noSpeech: Double.random(in: 0...0.8, using: &random)))
            }
            return script[start, default: []][Int(voice)]
        }
        let bench = try Self.play(decoder)
        let seconds = bench.state.finalized.flatMap { ($0.words ?? []).map { String($0.word.dropFirst(3)) } }
        #expect(seconds == decoder.spoken.flatMap { $0 }.map(String.init))
        // Every final is in the language reported last.
        var reported: String?
        for output in bench.outputs {
            switch output {
            case .language(let language):
                #expect(language.code != reported)
                reported = language.code
            case .finals(let finals):
                for final in finals {
                    #expect(final.language == reported)
                    #expect((final.words ?? []).allSatisfy { $0.word.hasPrefix(" \(reported ?? "")") })
                }
            case .volatile, .utterance: break
            }
        }
        // No word that became final under a guess decides the language of a later utterance.
        for (request, certainty) in zip(decoder.requests, decoder.certainties) where certainty == .unclear {
            #expect(request.forced.isEmpty || request.range.lowerBound >= 9 * 16_000)
            if let first = request.forced.first { #expect(request.voice >= 6 && first.start >= 9 * 16_000) }
        }
    }

    @Test("after a revision nothing is carried over from the wrong language")
    func revisedSession() throws {
        let decoder = Decoder([1..<3, 4..<9, 10..<13]) { start, voice in
            start < 3 * 16_000 && voice < 2.5 ? Self.evidence("ar", 0.95) : Self.evidence("es", 0.999)
        }
        let bench = try Self.play(decoder)
        #expect(bench.text == " ar1 ar2 ar4 ar5 ar6 ar7 ar8 es10 es11 es12")
        #expect(Self.languages(bench) == ["ar", "es"])
        #expect(bench.state.finalized.allSatisfy { $0.text.contains($0.language ?? "?") })
        let last = decoder.requests.filter { $0.range.upperBound > 11 * 16_000 }
        #expect(!last.isEmpty && last.allSatisfy { $0.range.lowerBound > 9 * 16_000 })
    }

    @Test("words do not wait for ever if the language stays unclear")
    func patience() throws {
        let decoder = Decoder([1..<21]) { _, _ in Self.evidence("es", 0.5) }
        let bench = try Self.play(decoder)
        #expect(bench.text == (1..<21).map { " es\($0)" }.joined())
        let first = try #require(decoder.requests.first { !$0.forced.isEmpty })
        #expect(first.voice >= 6 && first.voice < 8.5)
        #expect(Self.languages(bench) == ["es"])
    }
}
