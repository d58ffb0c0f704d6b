import EngineVocabulary
import TestSupport
import Testing

@Suite("Options as text")
struct OptionsTextTests {
    /// For each property of the options a change of it.
    private static let changes: [(name: String, change: @Sendable (inout TranscriptionOptions) -> Void)] = [
        ("task", { $0.task = .translate }),
        ("language", { $0.language = "en" }),
        ("languages", { $0.languages = ["de"] }),
        ("multilingual", { $0.multilingual = true }),
        ("beamSize", { $0.beamSize = 5 }),
        ("terms", { $0.terms = [Term("a")] }),
        ("replacements", { $0.replacements = [ReplacementRule("a", written: "b")] }),
        ("tokenLogprobs", { $0.tokenLogprobs = true }),
        ("wordTimestamps", { $0.wordTimestamps = true }),
        ("clipTimestamps", { $0.clipTimestamps = [1, 2.5] }),
        ("voiceActivity", { $0.voiceActivity = VoiceActivityOptions() }),
        ("guards", { $0.guards = true }),
        ("batchSize", { $0.batchSize = 4 }),
        ("offset", { $0.offset = 1 }),
        ("duration", { $0.duration = 1 }),
        ("ordersTimes", { $0.ordersTimes = true }),
        ("resumesAt", { $0.resumesAt = 30 }),
        ("whisper.temperatures", { $0.whisper.temperatures = [0] }),
        ("whisper.compressionRatioThreshold", { $0.whisper.compressionRatioThreshold = nil }),
        ("whisper.logprobThreshold", { $0.whisper.logprobThreshold = -1.5 }),
        ("whisper.noSpeechThreshold", { $0.whisper.noSpeechThreshold = 0.5 }),
        ("whisper.conditionOnPreviousText", { $0.whisper.conditionOnPreviousText = false }),
        ("whisper.promptResetTemperature", { $0.whisper.promptResetTemperature = 1 }),
        ("whisper.initialPrompt", { $0.whisper.initialPrompt = "a\nprefix=\"b\"" }),
        ("whisper.carryInitialPrompt", { $0.whisper.carryInitialPrompt = true }),
        ("whisper.prefix", { $0.whisper.prefix = "a" }),
        ("whisper.hotwords", { $0.whisper.hotwords = "null" }),
        ("whisper.seeksByWords", { $0.whisper.seeksByWords = false }),
        ("whisper.prependPunctuations", { $0.whisper.prependPunctuations = "" }),
        ("whisper.appendPunctuations", { $0.whisper.appendPunctuations = "" }),
        ("whisper.hallucinationSilenceThreshold", { $0.whisper.hallucinationSilenceThreshold = 2 }),
        ("whisper.chunkLength", { $0.whisper.chunkLength = 20 }),
        ("whisper.languageWindows", { $0.whisper.languageWindows = 3 }),
        ("whisper.languageThreshold", { $0.whisper.languageThreshold = 0.5 }),
        ("whisper.audioContext", { $0.whisper.audioContext = .margin(64) }),
        ("decoding.task", { $0.whisper.decoding.task = .translate }),
        ("decoding.language", { $0.whisper.decoding.language = "en" }),
        ("decoding.temperature", { $0.whisper.decoding.temperature = 0.2 }),
        ("decoding.sampleLength", { $0.whisper.decoding.sampleLength = 10 }),
        ("decoding.bestOf", { $0.whisper.decoding.bestOf = 5 }),
        ("decoding.beamSize", { $0.whisper.decoding.beamSize = 5 }),
        ("decoding.patience", { $0.whisper.decoding.patience = 2 }),
        ("decoding.lengthPenalty", { $0.whisper.decoding.lengthPenalty = 0.5 }),
        ("decoding.lengthExponent", { $0.whisper.decoding.lengthExponent = 0.5 }),
        ("decoding.prompt", { $0.whisper.decoding.prompt = [1, 2] }),
        ("decoding.prefix", { $0.whisper.decoding.prefix = [1] }),
        ("decoding.prefixInText", { $0.whisper.decoding.prefixInText = true }),
        ("decoding.suppressTokens", { $0.whisper.decoding.suppressTokens = nil }),
        ("decoding.suppressBlank", { $0.whisper.decoding.suppressBlank = false }),
        ("decoding.withoutTimestamps", { $0.whisper.decoding.withoutTimestamps = true }),
        ("decoding.maxInitialTimestamp", { $0.whisper.decoding.maxInitialTimestamp = nil }),
        ("decoding.repetitionPenalty", { $0.whisper.decoding.repetitionPenalty = 1.1 }),
        ("decoding.noRepeatNgramSize", { $0.whisper.decoding.noRepeatNgramSize = 3 }),
        ("decoding.maxNewTokens", { $0.whisper.decoding.maxNewTokens = 10 }),
        ("decoding.hotwords", { $0.whisper.decoding.hotwords = [1] }),
        ("decoding.seed", { $0.whisper.decoding.seed = 1 }),
        ("decoding.forcedTokenCount", { $0.whisper.decoding.forcedTokenCount = 1 }),
    ]
    private func properties(_ value: Any) -> [String] { Mirror(reflecting: value).children.compactMap(\.label) }

    @Test("every property of the options is part of the text")
    func complete() {
        let options = TranscriptionOptions.reference
        let whole = properties(options).filter { $0 != "whisper" }
        let whisper = properties(options.whisper).filter { $0 != "decoding" }
        let decoding = properties(options.whisper.decoding)
        #expect(whole.count > 10 && whisper.count > 10 && decoding.count > 15)
        #expect(OptionsText.fields(of: options).map(\.name) == whole)
        #expect(OptionsText.fields(of: options.whisper).map(\.name) == whisper)
        #expect(OptionsText.fields(of: options.whisper.decoding).map(\.name) == decoding)
        // These need the weights of a network.
        let changeable =
            whole.filter { !["guardDetector", "speakers"].contains($0) } + whisper.map { "whisper.\($0)" }
            + decoding.map { "decoding.\($0)" }
        #expect(Self.changes.map(\.name) == changeable)
    }

    @Test("changing any property changes the text, and no two changes give the same text")
    func distinct() {
        var texts = [OptionsText.text(of: TranscriptionOptions.reference)]
        for (_, change) in Self.changes {
            var options = TranscriptionOptions.reference
            change(&options)
            texts.append(OptionsText.text(of: options))
        }
        #expect(Set(texts).count == Self.changes.count + 1)
    }

    @Test("the text covers each setting of the voice activity")
    func voiceActivity() {
        #expect(properties(VoiceActivityOptions()).count == 6)
        let changes: [(inout VoiceActivityOptions) -> Void] = [
            { _ in }, { $0.minSpeechMilliseconds = 100 }, { $0.minSilenceMilliseconds = 100 },
            { $0.speechPadMilliseconds = 100 }, { $0.endThreshold = 0.1 }, { $0.maxSpeechSeconds = 10 },
        ]
        let texts = changes.map { change in
            var options = TranscriptionOptions.reference
            var voiceActivity = VoiceActivityOptions()
            change(&voiceActivity)
            options.voiceActivity = voiceActivity
            return OptionsText.text(of: options)
        }
        #expect(Set(texts).count == 6)
    }

    @Test("quotes and line breaks in a text cannot imitate another option")
    func quoting() {
        var one = TranscriptionOptions.reference
        one.whisper.initialPrompt = "a\"\ncarryInitialPrompt=true\nprefix=\"b"
        var other = TranscriptionOptions.reference
        other.whisper.initialPrompt = "a"
        other.whisper.carryInitialPrompt = true
        other.whisper.prefix = "b"
        #expect(OptionsText.text(of: one) != OptionsText.text(of: other))
        let lines = [one, other].map { OptionsText.text(of: $0).split(separator: "\n").count }
        #expect(lines[0] == lines[1])
    }
}
