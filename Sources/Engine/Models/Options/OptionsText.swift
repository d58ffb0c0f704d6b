import EngineBasics
import EngineVocabulary
import EngineVoices

/// Transcription options as text: equal for equal options, different if any option differs.
package enum OptionsText {
    package static func text(of options: TranscriptionOptions) -> String {
        (fields(of: options) + fields(of: options.whisper).map { ("whisper.\($0.name)", $0.value) }
            + fields(of: options.whisper.decoding).map { ("decoding.\($0.name)", $0.value) })
            .map { "\($0.name)=\($0.value)\n" }.joined()
    }

    /// Every property except `whisper`, by its name.
    package static func fields(of options: TranscriptionOptions) -> [(name: String, value: String)] {
        [
            ("task", options.task.rawValue),
            ("language", JSONText.string(options.language)),
            ("languages", "\(options.languages)"),
            ("multilingual", "\(options.multilingual)"),
            ("beamSize", text(options.beamSize)),
            ("terms", "\(options.terms.map(VocabularyText.text))"),
            ("replacements", "\(options.replacements.map(VocabularyText.text))"),
            ("tokenLogprobs", "\(options.tokenLogprobs)"),
            ("wordTimestamps", "\(options.wordTimestamps)"),
            ("clipTimestamps", "\(options.clipTimestamps)"),
            ("voiceActivity", options.voiceActivity.map(text) ?? "nil"),
            ("guards", "\(options.isGuarded)"),
            ("guardDetector", text(options.guardDetector ?? .energy)),
            ("speakers", options.speakers.map(text) ?? "nil"),
            ("batchSize", text(options.batchSize)),
            ("offset", "\(options.offset)"),
            ("duration", text(options.duration)),
            ("ordersTimes", "\(options.ordersTimes)"),
            ("resumesAt", text(options.resumesAt)),
        ]
    }

    /// Every property except `decoding`, by its name.
    package static func fields(of options: WhisperOptions) -> [(name: String, value: String)] {
        [
            ("temperatures", "\(options.temperatures)"),
            ("compressionRatioThreshold", text(options.compressionRatioThreshold)),
            ("logprobThreshold", text(options.logprobThreshold)),
            ("noSpeechThreshold", text(options.noSpeechThreshold)),
            ("conditionOnPreviousText", "\(options.conditionOnPreviousText)"),
            ("promptResetTemperature", "\(options.promptResetTemperature)"),
            ("initialPrompt", JSONText.string(options.initialPrompt)),
            ("carryInitialPrompt", "\(options.carryInitialPrompt)"),
            ("prefix", JSONText.string(options.prefix)),
            ("hotwords", JSONText.string(options.hotwords)),
            ("seeksByWords", "\(options.seeksByWords)"),
            ("prependPunctuations", JSONText.string(options.prependPunctuations)),
            ("appendPunctuations", JSONText.string(options.appendPunctuations)),
            ("hallucinationSilenceThreshold", text(options.hallucinationSilenceThreshold)),
            ("chunkLength", text(options.chunkLength)),
            ("languageWindows", "\(options.languageWindows)"),
            ("languageThreshold", text(options.languageThreshold)),
            ("audioContext", "\(options.audioContext)"),
        ]
    }

    /// Every property, by its name.
    package static func fields(of options: DecodingOptions) -> [(name: String, value: String)] {
        [
            ("task", options.task.rawValue),
            ("language", JSONText.string(options.language)),
            ("temperature", "\(options.temperature)"),
            ("sampleLength", text(options.sampleLength)),
            ("bestOf", text(options.bestOf)),
            ("beamSize", text(options.beamSize)),
            ("patience", text(options.patience)),
            ("lengthPenalty", text(options.lengthPenalty)),
            ("lengthExponent", text(options.lengthExponent)),
            ("prompt", "\(options.prompt)"),
            ("prefix", "\(options.prefix)"),
            ("prefixInText", "\(options.prefixInText)"),
            ("suppressTokens", options.suppressTokens.map { "\($0)" } ?? "nil"),
            ("suppressBlank", "\(options.suppressBlank)"),
            ("withoutTimestamps", "\(options.withoutTimestamps)"),
            ("maxInitialTimestamp", text(options.maxInitialTimestamp)),
            ("repetitionPenalty", "\(options.repetitionPenalty)"),
            ("noRepeatNgramSize", "\(options.noRepeatNgramSize)"),
            ("maxNewTokens", text(options.maxNewTokens)),
            ("hotwords", "\(options.hotwords)"),
            ("seed", "\(options.seed)"),
            ("forcedTokenCount", text(options.forcedTokenCount)),
        ]
    }

    /// Every property of `VoiceActivityOptions`.
    private static func text(_ options: VoiceActivityOptions) -> String {
        "\(text(options.detector)) \(options.minSpeechMilliseconds) \(text(options.minSilenceMilliseconds)) "
            + "\(options.speechPadMilliseconds) \(text(options.endThreshold)) \(text(options.maxSpeechSeconds))"
    }

    private static func text(_ options: SpeakerOptions) -> String {
        let voices = options.knownVoices.map { "\(JSONText.string($0.name)) \($0.vector)" }
        return "\(options.limits.minimum) \(text(options.limits.maximum)) "
            + "\(options.names.map { JSONText.string($0) }) \(voices)"
    }

    private static func text(_ detector: VoiceActivityOptions.Detector) -> String {
        switch detector {
        case .energy: "energy"
        case .silero(_, let threshold): "silero \(threshold)"
        }
    }

    private static func text(_ value: (some CustomStringConvertible)?) -> String {
        value?.description ?? "nil"
    }
}
