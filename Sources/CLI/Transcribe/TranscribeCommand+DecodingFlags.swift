import WhisperEngine

extension TranscribeCommand {
    static let searchFlags: [Flag<TranscribeOptions>] = [
        .optionalInteger(
            "--beam-size", in: .decoding,
            "number of beams at temperature 0; 1 or None is greedy search", range: 1...100,
            defaultValue: ModelFlags.defaultBeams, sets: \.beamSize),
        .optionalInteger(
            "--best-of", in: .decoding, "number of samples to choose from at temperatures above 0", range: 1...100,
            sets: \.engine.whisper.decoding.bestOf),
        .optionalNumber(
            "--patience", in: .decoding, "stop after beam size × patience finished beams",
            .above(0), sets: \.engine.whisper.decoding.patience),
        .optionalNumber(
            "--length-penalty", in: .decoding,
            "exponent of the length penalty; without it, scores are divided by the length", NumberRange(0...1),
            sets: \.engine.whisper.decoding.lengthPenalty),
        .optionalNumber(
            "--length-exponent", in: .decoding,
            "divide scores by the length to this power, which faster-whisper calls the length penalty", .any,
            sets: \.engine.whisper.decoding.lengthExponent),
        .number(
            "--temperature", in: .decoding, "initial sampling temperature", NumberRange(0...1), sets: \.temperature),
        .optionalNumber(
            "--temperature-increment-on-fallback", in: .decoding,
            "increase when a window fails the tests below; None or 0 turns retries off", .zeroOr(0.01...1),
            sets: \.temperatureIncrement),
        .integer(
            "--seed", in: .decoding, "random seed for temperatures above 0",
            range: 0...Int(Int32.max), sets: \.seed),
        .optionalNumber(
            "--compression-ratio-threshold", in: .decoding, "a window with a higher compression ratio fails", .any,
            sets: \.engine.whisper.compressionRatioThreshold),
        .optionalNumber(
            "--logprob-threshold", in: .decoding, "a window with a lower mean log probability fails", .any,
            sets: \.engine.whisper.logprobThreshold),
        .optionalNumber(
            "--no-speech-threshold", in: .decoding,
            "skip a window with a higher no-speech probability, unless its log probability passes", NumberRange(0...1),
            sets: \.engine.whisper.noSpeechThreshold),
        .number(
            "--repetition-penalty", in: .decoding,
            "values above 1 make tokens that the window already contains less likely",
            NumberRange(DecodingOptions.repetitionPenalties), sets: \.engine.whisper.decoding.repetitionPenalty),
        .integer(
            "--no-repeat-ngram-size", in: .decoding, "never repeat a run of this many tokens within a window; 0 is off",
            range: 0...448, sets: \.engine.whisper.decoding.noRepeatNgramSize),
        .optionalInteger(
            "--max-new-tokens", in: .decoding, "maximum tokens per window", range: 1...448,
            sets: \.engine.whisper.decoding.maxNewTokens),
    ]

    static let batchFlags: [Flag<TranscribeOptions>] = [
        .optionalNumber(
            "--chunk-length", in: .decoding, "maximum seconds of audio in a window of 30", NumberRange(1...30),
            sets: \.engine.whisper.chunkLength),
        .optionalInteger(
            "--batch-size", in: .decoding,
            "decode N windows at a time; turns --vad-filter on unless clips are given", range: 1...64,
            noneAllowed: false,
            defaultValue: "1, or \(TranscriptionOptions.standardBatchSize) with --vad-filter and "
                + "--condition-on-previous-text false", sets: \.engine.batchSize),
    ]

    static let promptFlags: [Flag<TranscribeOptions>] = [
        .text(
            "--initial-prompt", nil, "TEXT", in: .decoding, "text to prompt the first window with",
            example: "'Names: …'",
            sets: \.engine.whisper.initialPrompt),
        .boolean(
            "--carry-initial-prompt", in: .decoding, "prompt every window with --initial-prompt",
            sets: \.engine.whisper.carryInitialPrompt),
        .text(
            "--prefix", nil, "TEXT", in: .decoding, "text that the first window must begin with", example: "'Once'",
            sets: \.engine.whisper.prefix),
        .boolean(
            "--prefix-in-text", in: .decoding,
            "the text begins with --prefix, as in faster-whisper, instead of going on after it",
            sets: \.engine.whisper.decoding.prefixInText),
        .text(
            "--hotwords", nil, "TEXT", in: .decoding, "words to expect, added to every window's prompt",
            example: "'Whisper'",
            sets: \.engine.whisper.hotwords),
        .boolean(
            "--condition-on-previous-text", in: .decoding,
            "prompt each window with the text before it, except in batches",
            sets: \.engine.whisper.conditionOnPreviousText),
        .number(
            "--prompt-reset-on-temperature", in: .decoding,
            "text decoded at a higher temperature does not prompt the next window", NumberRange(0...1),
            sets: \.engine.whisper.promptResetTemperature),
        suppressTokens,
        .toggle(
            "--no-suppress-blank", in: .decoding, "allow a window to begin with a blank or to be empty",
            sets: \.engine.whisper.decoding.suppressBlank, to: false),
        .optionalNumber(
            "--max-initial-timestamp", in: .decoding, "latest first timestamp of a window, in seconds",
            NumberRange(0...30), sets: \.engine.whisper.decoding.maxInitialTimestamp),
        .boolean(
            "--without-timestamps", in: .decoding, "decode without timestamps; each window becomes one segment",
            sets: \.engine.whisper.decoding.withoutTimestamps),
    ]

    private static let suppressTokens = Flag<TranscribeOptions>(
        FlagEntry(
            name: "--suppress-tokens", group: .decoding, shape: .value, placeholder: "ID,ID,…",
            help: "token ids never to generate; -1 stands for non-speech tokens, an empty list for none",
            defaultValue: "-1",
            example: "-1")
    ) { (value, options) throws(UsageError) in
        var ids: [Int] = []
        let rule = NumberRange(-1...99_999)
        for field in value.split(separator: UInt8(ascii: ",")) {
            // openai-whisper accepts spaces around the ids.
            let digits = field.filter { $0 != UInt8(ascii: " ") }
            ids.append(try rule.integer(digits, option: "--suppress-tokens"))
        }
        options.engine.whisper.decoding.suppressTokens = ids
    }
}
