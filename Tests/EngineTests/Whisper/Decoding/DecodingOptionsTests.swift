import Testing

@Suite("Decoding options")
struct DecodingOptionsTests {
    typealias Change = @Sendable (inout DecodingOptions) -> Void

    static func error(_ change: Change) -> DecodingError? {
        var options = DecodingOptions()
        change(&options)
        do {
            try options.validate(vocabularySize: 51_864)
            return nil
        } catch {
            return error
        }
    }

    @Test("contradictory options are rejected")
    func contradictions() {
        #expect(
            Self.error {
                $0.beamSize = 5
                $0.bestOf = 5
            } == .beamsAndSamples)
        #expect(Self.error { $0.bestOf = 5 } == .samplesAtTemperatureZero)
        #expect(Self.error { $0.patience = 1 } == .patienceWithoutBeams)
    }

    static let wrong: [(String, Change)] = [
        ("temperature", { $0.temperature = -0.1 }), ("temperature", { $0.temperature = .nan }),
        ("temperature", { $0.temperature = .infinity }), ("length penalty", { $0.lengthPenalty = 1.01 }),
        ("length penalty", { $0.lengthPenalty = -0.01 }), ("length penalty", { $0.lengthPenalty = .nan }),
        ("length exponent", { $0.lengthExponent = .infinity }),
        ("length exponent", { ($0.lengthExponent, $0.lengthPenalty) = (1, 1) }),
        ("beam size", { $0.beamSize = 0 }), ("beam size", { $0.beamSize = 257 }),
        ("best-of", { ($0.bestOf, $0.temperature) = (0, 1) }),
        ("best-of", { ($0.bestOf, $0.temperature) = (Int.max, 1) }),
        ("patience", { ($0.beamSize, $0.patience) = (5, -1) }),
        ("patience", { ($0.beamSize, $0.patience) = (5, 0.1) }),
        ("patience", { ($0.beamSize, $0.patience) = (5, .nan) }),
        ("patience", { ($0.beamSize, $0.patience) = (5, .infinity) }),
        ("sample length", { $0.sampleLength = 0 }), ("max new tokens", { $0.maxNewTokens = 0 }),
        ("forced token count", { $0.forcedTokenCount = -1 }),
        ("no-repeat n-gram size", { $0.noRepeatNgramSize = -1 }),
        ("repetition penalty", { $0.repetitionPenalty = 0 }), ("repetition penalty", { $0.repetitionPenalty = -1 }),
        ("repetition penalty", { $0.repetitionPenalty = .nan }),
        ("repetition penalty", { $0.repetitionPenalty = 1e-300 }),
        ("max initial timestamp", { $0.maxInitialTimestamp = -1 }),
        ("max initial timestamp", { $0.maxInitialTimestamp = .nan }),
    ]

    @Test("numbers out of range are rejected by name", arguments: wrong.indices)
    func ranges(index: Int) throws {
        let (name, change) = Self.wrong[index]
        guard case .outOfRange(let option, let value, _)? = Self.error(change) else {
            Issue.record("\(name) was accepted")
            return
        }
        #expect(option == name)
        #expect(!value.isEmpty)
    }

    @Test("ids outside the vocabulary are rejected")
    func ids() {
        #expect(
            Self.error { $0.prompt = [1, 51_864] }
                == .unknownToken(option: "prompt", id: 51_864, vocabularySize: 51_864))
        #expect(Self.error { $0.prefix = [-1] } == .unknownToken(option: "prefix", id: -1, vocabularySize: 51_864))
        #expect(Self.error { $0.hotwords = [-5] } == .unknownToken(option: "hotwords", id: -5, vocabularySize: 51_864))
        #expect(
            Self.error { $0.suppressTokens = [-1, -2] }
                == .unknownToken(option: "suppressed tokens", id: -2, vocabularySize: 51_864))
    }

    @Test("options that the reference accepts are accepted")
    func accepted() {
        #expect(Self.error { _ in } == nil)
        #expect(Self.error { ($0.beamSize, $0.patience, $0.lengthPenalty) = (5, 2, 0) } == nil)
        // The reference treats None and 0 alike.
        #expect(Self.error { ($0.beamSize, $0.patience) = (5, 0) } == nil)
        #expect(Self.error { ($0.beamSize, $0.temperature) = (5, 0.4) } == nil)
        #expect(Self.error { ($0.bestOf, $0.temperature) = (5, 0.4) } == nil)
        #expect(Self.error { $0.maxInitialTimestamp = 0 } == nil)
        #expect(Self.error { $0.suppressTokens = [] } == nil)
    }

    @Test("error messages say what to do")
    func messages() {
        #expect(
            Self.error { $0.lengthPenalty = 2 }?.description == "length penalty is 2.0; use a number from 0 to 1")
        #expect(
            DecodingError.unknownToken(option: "prompt", id: 9, vocabularySize: 5).description
                == "token id 9 in prompt is not in the vocabulary; use ids from 0 to 4")
    }
}
