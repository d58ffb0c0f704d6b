import EngineBasics
import EngineCompute
import EngineModels
import EngineVocabulary
import EngineVoices

/// The options of a transcription that recordings and live streams share.
struct SpokenOptions {
    var engine = TranscriptionOptions()
    var speech = SpeechOptions()
    private var findsSpeakers = false
    private var limits = SpeakerLimits()
    private var speakerNames: [String] = []

    /// Reads the options, but not what only recordings have.
    mutating func read(_ reader: inout OptionReader) throws {
        try reader.read("task", .choice, into: &engine.task)
        try reader.read("language", .text, into: &engine.language)
        if let language = engine.language { engine.language = try Language(language).code }
        try reader.read("languages", .texts, into: &engine.languages)
        engine.languages = try engine.languages.map { try Language($0).code }
        try reader.read("multilingual", .flag, into: &engine.multilingual)
        try reader.read("beam_size", .integer(1...100), into: &engine.beamSize)
        try reader.read("word_timestamps", .flag, into: &engine.wordTimestamps)
        try reader.read("token_logprobs", .flag, into: &engine.tokenLogprobs)
        try reader.read("guard", .flag, into: &engine.guards)
        try speech.readModel(&reader)
        try readVocabulary(&reader)
        try readSpeakers(&reader)
        try readWhisper(&reader)
    }

    private mutating func readVocabulary(_ reader: inout OptionReader) throws {
        if let text = try reader.value("vocabulary", .text) { engine.add(try UserVocabulary(text)) }
        var terms = UserVocabulary()
        for term in try reader.value("terms", .texts) ?? [] { terms.add(try UserVocabulary(list: term)) }
        engine.add(terms)
    }

    private mutating func readSpeakers(_ reader: inout OptionReader) throws {
        let count = OptionType<Int?>(wanted: "true, false or a number from 1 to 100") { value in
            switch value {
            case .bool(let isOn): isOn ? .some(nil) : .some(0)
            case .number: OptionType<Int>.integer(1...100).parse(value).map { .some($0) }
            default: nil
            }
        }
        let number = OptionType.integer(1...100)
        let found = try reader.value("speakers", count)
        let minimum = try reader.value("min_speakers", number)
        let maximum = try reader.value("max_speakers", number)
        if let minimum, let maximum, minimum > maximum {
            throw InterfaceError(.option, "max_speakers must not be below min_speakers")
        }
        try reader.read("speaker_names", .texts, into: &speakerNames)
        guard let found, found != 0 else { return }
        findsSpeakers = true
        limits = found.map { SpeakerLimits(exactly: $0) } ?? SpeakerLimits(minimum: minimum ?? 1, maximum: maximum)
    }

    private mutating func readWhisper(_ reader: inout OptionReader) throws {
        var whisper = engine.whisper
        try readSearch(&reader, &whisper)
        try readPrompts(&reader, &whisper)
        try reader.read("compression_ratio_threshold", .number, into: &whisper.compressionRatioThreshold)
        try reader.read("log_prob_threshold", .number, into: &whisper.logprobThreshold)
        try reader.read("no_speech_threshold", .number, into: &whisper.noSpeechThreshold)
        try reader.read("language_detection_segments", .integer(1...1000), into: &whisper.languageWindows)
        try reader.read("language_detection_threshold", .number, into: &whisper.languageThreshold)
        try reader.read("chunk_length", .number(1...30), into: &whisper.chunkLength)
        try reader.read("audio_ctx", .audioContext, into: &whisper.audioContext)
        try reader.read("prepend_punctuations", .text, into: &whisper.prependPunctuations)
        try reader.read("append_punctuations", .text, into: &whisper.appendPunctuations)
        try reader.read("hallucination_silence_threshold", .seconds, into: &whisper.hallucinationSilenceThreshold)
        engine.whisper = whisper
    }

    private func readSearch(_ reader: inout OptionReader, _ whisper: inout WhisperOptions) throws {
        var decoding = whisper.decoding
        try reader.read("best_of", .integer(1...100), into: &decoding.bestOf)
        try reader.read("patience", .number, into: &decoding.patience)
        try reader.read("length_penalty", .number(0...1), into: &decoding.lengthPenalty)
        try reader.read("length_exponent", .number, into: &decoding.lengthExponent)
        try reader.read("repetition_penalty", .number(0.01...100), into: &decoding.repetitionPenalty)
        try reader.read("no_repeat_ngram_size", .integer(0...448), into: &decoding.noRepeatNgramSize)
        try reader.read("temperature", .numbersOrNumber(0...1), into: &whisper.temperatures)
        try reader.read("suppress_blank", .flag, into: &decoding.suppressBlank)
        try reader.read("suppress_tokens", .integers, into: &decoding.suppressTokens)
        try reader.read("without_timestamps", .flag, into: &decoding.withoutTimestamps)
        try reader.read("max_initial_timestamp", .seconds, into: &decoding.maxInitialTimestamp)
        try reader.read("max_new_tokens", .integer(1...448), into: &decoding.maxNewTokens)
        try reader.read("prefix_in_text", .flag, into: &decoding.prefixInText)
        if let seed = try reader.value("seed", .integer(0...(1 << 53))) { decoding.seed = UInt64(seed) }
        whisper.decoding = decoding
    }

    private func readPrompts(_ reader: inout OptionReader, _ whisper: inout WhisperOptions) throws {
        try reader.read("condition_on_previous_text", .flag, into: &whisper.conditionOnPreviousText)
        try reader.read("prompt_reset_on_temperature", .number, into: &whisper.promptResetTemperature)
        switch try reader.value("initial_prompt", .textOrTokens) {
        case .text(let text)?: whisper.initialPrompt = text
        case .tokens(let ids)?: whisper.decoding.prompt = ids
        case nil: break
        }
        try reader.read("carry_initial_prompt", .flag, into: &whisper.carryInitialPrompt)
        try reader.read("prefix", .text, into: &whisper.prefix)
        try reader.read("hotwords", .text, into: &whisper.hotwords)
    }

    /// Loads the networks for the speakers.
    mutating func loadSpeakers(_ type: ComputeType) throws {
        guard findsSpeakers else { return }
        engine.speakers = SpeakerOptions(
            networks: try Networks.speakers(type), limits: limits, names: speakerNames)
    }
}

extension OptionType where Value == AudioContext {
    fileprivate static var audioContext: OptionType {
        OptionType(wanted: "\"full\", \"auto\" or an integer from 1 to 1500") { value in
            switch value.string {
            case "full": .full
            case "auto": .auto
            default: OptionType<Int>.integer(1...1500).parse(value).map { .positions($0) }
            }
        }
    }
}
