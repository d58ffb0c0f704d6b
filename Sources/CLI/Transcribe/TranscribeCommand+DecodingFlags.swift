import WhisperEngine

extension TranscribeCommand {
    static let searchFlags: [Flag<TranscribeOptions>] = [
        .optionalInteger(
            "--beam-size", in: .decoding,
            "beams of the search at temperature 0; 1 or None takes the best token each "
                + "time", range: 1...100, sets: \.beamSize),
        .optionalInteger(
            "--best-of", in: .decoding, "samples to choose among at temperatures above 0", range: 1...100,
            sets: \.bestOf),
        .optionalNumber(
            "--patience", in: .decoding, "the beam search goes on until patience times beams have ended",
            .above(0), sets: \.engine.decoding.patience),
        .optionalNumber(
            "--length-penalty", in: .decoding,
            "exponent of the length penalty; without it scores are divided by the "
                + "length", NumberRange(0...1), sets: \.engine.decoding.lengthPenalty),
        .number("--temperature", in: .decoding, "first sampling temperature", NumberRange(0...1), sets: \.temperature),
        .optionalNumber(
            "--temperature-increment-on-fallback", in: .decoding,
            "added when a window fails the tests below; None or 0 tries once", NumberRange(0...1),
            sets: \.temperatureIncrement),
        .integer(
            "--seed", in: .decoding, "start of the random numbers at temperatures above 0",
            range: 0...Int(Int32.max), sets: \.seed),
        .optionalNumber(
            "--compression-ratio-threshold", in: .decoding, "a window whose text compresses better fails", .any,
            sets: \.engine.compressionRatioThreshold),
        .optionalNumber(
            "--logprob-threshold", in: .decoding, "a window with a smaller mean log probability fails", .any,
            sets: \.engine.logprobThreshold),
        .optionalNumber(
            "--no-speech-threshold", in: .decoding,
            "a window with a greater no-speech probability is passed over, "
                + "unless its log probability is good", NumberRange(0...1), sets: \.engine.noSpeechThreshold),
        .number(
            "--repetition-penalty", in: .decoding, "above 1, what the window holds already becomes less likely",
            .above(0), sets: \.engine.decoding.repetitionPenalty),
        .integer(
            "--no-repeat-ngram-size", in: .decoding, "no run of so many tokens comes twice in a window; 0 is off",
            range: 0...448, sets: \.engine.decoding.noRepeatNgramSize),
        .toggle(
            "--guard", in: .decoding, "measures against invented text that openai-whisper lacks", sets: \.engine.guards,
            to: true),
        .optionalInteger(
            "--max-new-tokens", in: .decoding, "most tokens of a window", range: 1...448,
            sets: \.engine.decoding.maxNewTokens),
    ]

    static let batchFlags: [Flag<TranscribeOptions>] = [
        .optionalInteger(
            "--batch-size", in: .decoding,
            "windows decoded side by side: stretches of speech (--vad-filter, on by itself), or the clips of "
                + "--clip-timestamps; none is prompted with the text before it", range: 1...64, noneAllowed: false,
            defaultValue: "1, or \(TranscriptionOptions.standardBatchSize) with --vad-filter and "
                + "--condition-on-previous-text false", sets: \.engine.batchSize)
    ]

    static let promptFlags: [Flag<TranscribeOptions>] = [
        .text(
            "--initial-prompt", nil, "TEXT", in: .decoding, "text to put before the first window",
            example: "'Names: …'",
            sets: \.engine.initialPrompt),
        .boolean(
            "--carry-initial-prompt", in: .decoding, "put it before every window", sets: \.engine.carryInitialPrompt),
        .text(
            "--prefix", nil, "TEXT", in: .decoding, "text that the first window begins with", example: "'Once'",
            sets: \.engine.prefix),
        .text(
            "--hotwords", nil, "TEXT", in: .decoding, "words to expect, put before every window", example: "'Whisper'",
            sets: \.engine.hotwords),
        .boolean(
            "--condition-on-previous-text", in: .decoding, "put the text so far before each window",
            sets: \.engine.conditionOnPreviousText),
        suppressTokens,
        .toggle(
            "--no-suppress-blank", in: .decoding, "a window may begin with a blank or its end",
            sets: \.engine.decoding.suppressBlank, to: false),
        .optionalNumber(
            "--max-initial-timestamp", in: .decoding, "a window's first time, at most, in seconds",
            NumberRange(0...30), sets: \.engine.decoding.maxInitialTimestamp),
        .boolean(
            "--without-timestamps", in: .decoding, "recognize without times; a window becomes one segment",
            sets: \.engine.decoding.withoutTimestamps),
    ]

    private static let suppressTokens = Flag<TranscribeOptions>(
        FlagEntry(
            name: "--suppress-tokens", group: .decoding, shape: .value, placeholder: "ID,ID,…",
            help: "tokens never produced; -1 stands for what is not speech, an empty list for none", defaultValue: "-1",
            example: "-1")
    ) { (value, options) throws(UsageError) in
        var ids: [Int] = []
        let rule = NumberRange(-1...99_999)
        for field in value.split(separator: UInt8(ascii: ",")) {
            // openai-whisper takes blanks around the ids.
            let digits = field.filter { $0 != UInt8(ascii: " ") }
            ids.append(try rule.integer(digits, option: "--suppress-tokens"))
        }
        options.engine.decoding.suppressTokens = ids
    }
}
