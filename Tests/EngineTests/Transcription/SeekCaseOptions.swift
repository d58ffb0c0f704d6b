import WhisperEngine

/// The options of a case as `transcribe()` was given them, where "not given" differs from `null`.
struct SeekCaseOptions: Decodable {
    let transcription: TranscriptionOptions
    let language: String?

    enum CodingKeys: String, CodingKey {
        case temperature, patience, language, task
        case beamSize = "beam_size"
        case bestOf = "best_of"
        case compressionRatioThreshold = "compression_ratio_threshold"
        case logprobThreshold = "logprob_threshold"
        case noSpeechThreshold = "no_speech_threshold"
        case conditionOnPreviousText = "condition_on_previous_text"
        case initialPrompt = "initial_prompt"
        case carryInitialPrompt = "carry_initial_prompt"
        case wordTimestamps = "word_timestamps"
        case prependPunctuations = "prepend_punctuations"
        case appendPunctuations = "append_punctuations"
        case clipTimestamps = "clip_timestamps"
        case hallucinationSilenceThreshold = "hallucination_silence_threshold"
        case withoutTimestamps = "without_timestamps"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        var options = TranscriptionOptions()
        func set<T: Decodable>(_ path: WritableKeyPath<TranscriptionOptions, T>, _ key: CodingKeys) throws {
            if values.contains(key) { options[keyPath: path] = try values.decode(T.self, forKey: key) }
        }
        options.temperatures =
            try (try? values.decode([Double].self, forKey: .temperature))
            ?? [values.decode(Double.self, forKey: .temperature)]
        try set(\.decoding.patience, .patience)
        try set(\.decoding.task, .task)
        try set(\.decoding.beamSize, .beamSize)
        try set(\.decoding.bestOf, .bestOf)
        try set(\.decoding.withoutTimestamps, .withoutTimestamps)
        try set(\.compressionRatioThreshold, .compressionRatioThreshold)
        try set(\.logprobThreshold, .logprobThreshold)
        try set(\.noSpeechThreshold, .noSpeechThreshold)
        try set(\.conditionOnPreviousText, .conditionOnPreviousText)
        try set(\.initialPrompt, .initialPrompt)
        try set(\.carryInitialPrompt, .carryInitialPrompt)
        try set(\.wordTimestamps, .wordTimestamps)
        try set(\.prependPunctuations, .prependPunctuations)
        try set(\.appendPunctuations, .appendPunctuations)
        try set(\.hallucinationSilenceThreshold, .hallucinationSilenceThreshold)
        if let text = try? values.decode(String.self, forKey: .clipTimestamps) {
            options.clipTimestamps = text.split(separator: ",").compactMap { Double($0) }
        } else {
            try set(\.clipTimestamps, .clipTimestamps)
        }
        transcription = options
        language = try values.decodeIfPresent(String.self, forKey: .language)
    }
}
