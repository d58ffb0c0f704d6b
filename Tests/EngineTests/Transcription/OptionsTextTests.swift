import Testing

@Suite("Options as text")
struct OptionsTextTests {
    /// For each property of the options a change of it.
    private static let changes: [(name: String, change: @Sendable (inout TranscriptionOptions) -> Void)] = [
        ("temperatures", { $0.temperatures = [0] }),
        ("compressionRatioThreshold", { $0.compressionRatioThreshold = nil }),
        ("logprobThreshold", { $0.logprobThreshold = -1.5 }),
        ("noSpeechThreshold", { $0.noSpeechThreshold = 0.5 }),
        ("conditionOnPreviousText", { $0.conditionOnPreviousText = false }),
        ("initialPrompt", { $0.initialPrompt = "a\nprefix=\"b\"" }),
        ("carryInitialPrompt", { $0.carryInitialPrompt = true }),
        ("prefix", { $0.prefix = "a" }),
        ("hotwords", { $0.hotwords = "null" }),
        ("tokenLogprobs", { $0.tokenLogprobs = true }),
        ("wordTimestamps", { $0.wordTimestamps = true }),
        ("seeksByWords", { $0.seeksByWords = false }),
        ("prependPunctuations", { $0.prependPunctuations = "" }),
        ("appendPunctuations", { $0.appendPunctuations = "" }),
        ("clipTimestamps", { $0.clipTimestamps = [1, 2.5] }),
        ("hallucinationSilenceThreshold", { $0.hallucinationSilenceThreshold = 2 }),
        ("audioContext", { $0.audioContext = .margin(64) }),
        ("voiceActivity", { $0.voiceActivity = VoiceActivityOptions() }),
        ("guards", { $0.guards = true }),
        ("batchSize", { $0.batchSize = 4 }),
        ("offset", { $0.offset = 1 }),
        ("duration", { $0.duration = 1 }),
        ("ordersTimes", { $0.ordersTimes = true }),
        ("decoding.task", { $0.decoding.task = .translate }),
        ("decoding.language", { $0.decoding.language = "en" }),
        ("decoding.temperature", { $0.decoding.temperature = 0.2 }),
        ("decoding.sampleLength", { $0.decoding.sampleLength = 10 }),
        ("decoding.bestOf", { $0.decoding.bestOf = 5 }),
        ("decoding.beamSize", { $0.decoding.beamSize = 5 }),
        ("decoding.patience", { $0.decoding.patience = 2 }),
        ("decoding.lengthPenalty", { $0.decoding.lengthPenalty = 0.5 }),
        ("decoding.prompt", { $0.decoding.prompt = [1, 2] }),
        ("decoding.prefix", { $0.decoding.prefix = [1] }),
        ("decoding.suppressTokens", { $0.decoding.suppressTokens = nil }),
        ("decoding.suppressBlank", { $0.decoding.suppressBlank = false }),
        ("decoding.withoutTimestamps", { $0.decoding.withoutTimestamps = true }),
        ("decoding.maxInitialTimestamp", { $0.decoding.maxInitialTimestamp = nil }),
        ("decoding.repetitionPenalty", { $0.decoding.repetitionPenalty = 1.1 }),
        ("decoding.noRepeatNgramSize", { $0.decoding.noRepeatNgramSize = 3 }),
        ("decoding.maxNewTokens", { $0.decoding.maxNewTokens = 10 }),
        ("decoding.hotwords", { $0.decoding.hotwords = [1] }),
        ("decoding.seed", { $0.decoding.seed = 1 }),
        ("decoding.languages", { $0.decoding.languages = ["de"] }),
        ("decoding.forcedTokenCount", { $0.decoding.forcedTokenCount = 1 }),
    ]
    private func properties(_ value: Any) -> [String] { Mirror(reflecting: value).children.compactMap(\.label) }

    @Test("every property of the options is part of the text")
    func complete() {
        let options = TranscriptionOptions()
        let whole = properties(options).filter { $0 != "decoding" }
        let decoding = properties(options.decoding)
        #expect(whole.count > 15 && decoding.count > 15)
        #expect(OptionsText.fields(of: options).map(\.name) == whole)
        #expect(OptionsText.fields(of: options.decoding).map(\.name) == decoding)
        // These need the weights of a network.
        let changeable =
            whole.filter { !["guardDetector", "speakers"].contains($0) } + decoding.map { "decoding.\($0)" }
        #expect(Self.changes.map(\.name) == changeable)
    }

    @Test("changing any property changes the text, and no two changes give the same text")
    func distinct() {
        var texts = [OptionsText.text(of: TranscriptionOptions())]
        for (_, change) in Self.changes {
            var options = TranscriptionOptions()
            change(&options)
            texts.append(OptionsText.text(of: options))
        }
        #expect(Set(texts).count == Self.changes.count + 1)
    }

    @Test("the text covers each setting of the voice activity")
    func voiceActivity() {
        #expect(properties(VoiceActivityOptions()).count == 4)
        let changes: [(inout VoiceActivityOptions) -> Void] = [
            { _ in }, { $0.minSpeechMilliseconds = 100 }, { $0.minSilenceMilliseconds = 100 },
            { $0.speechPadMilliseconds = 100 },
        ]
        let texts = changes.map { change in
            var options = TranscriptionOptions()
            var voiceActivity = VoiceActivityOptions()
            change(&voiceActivity)
            options.voiceActivity = voiceActivity
            return OptionsText.text(of: options)
        }
        #expect(Set(texts).count == 4)
    }

    @Test("quotes and line breaks in a text cannot imitate another option")
    func quoting() {
        var one = TranscriptionOptions()
        one.initialPrompt = "a\"\ncarryInitialPrompt=true\nprefix=\"b"
        var other = TranscriptionOptions()
        other.initialPrompt = "a"
        other.carryInitialPrompt = true
        other.prefix = "b"
        #expect(OptionsText.text(of: one) != OptionsText.text(of: other))
        let lines = [one, other].map { OptionsText.text(of: $0).split(separator: "\n").count }
        #expect(lines[0] == lines[1])
    }
}
