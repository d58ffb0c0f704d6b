import WhisperEngine

extension TranscribeCommand {
    static let wordFlags: [Flag<TranscribeOptions>] =
        [
            .boolean(
                "--word-timestamps", in: .words, "find the times of words, and better ones of segments",
                sets: \.engine.wordTimestamps),
            .punctuation(
                "--prepend-punctuations", "these signs join the next word", sets: \.engine.prependPunctuations),
            .punctuation(
                "--append-punctuations", "these signs join the word before", sets: \.engine.appendPunctuations),
            .optionalNumber(
                "--hallucination-silence-threshold", in: .words,
                "drop what was probably invented within longer silences, in seconds", .from(0),
                sets: \.engine.hallucinationSilenceThreshold),
        ] + SubtitleFlags.layout()

    static let outputFlags: [Flag<TranscribeOptions>] = [
        OutputFlags.formats(
            "write files: \(OutputFormat.allCases.map(\.rawValue).joined(separator: ", ")); several lists add up"),
        OutputFlags.folder(
            "write files here; without --output-format txt, vtt, srt, tsv and json", defaultValue: "."),
        .toggle(
            "--no-timestamps", in: .output, "text alone on standard output", sets: \.showsTimestamps, to: false),
        .toggle(
            "--skip-existing", in: .output, "pass over inputs whose files are all there", sets: \.skipsExisting,
            to: true),
        .boolean(
            "--print-colors", in: .output,
            "colour words on standard output by their probability; with it words are "
                + "timed", sets: \.printsColors),
        .choice("--color", in: .output, "colours and dim text", sets: \.color),
        .toggle(
            "--quiet", "-q", in: .output,
            "only errors on standard error; where files are written, no text on "
                + "standard output", sets: \.verbosity, to: .quiet),
        Flag(
            FlagEntry(
                name: "--verbose", short: "-v", group: .output, shape: .boolean,
                help: "tell more on standard error; false is --quiet", example: "true",
                completion: .words(["true", "false"]))
        ) { (value, options) throws(UsageError) in
            guard let isOn = ValueSyntax.boolean(value) else {
                throw .badChoice(option: "--verbose", value: value, choices: ["true", "false"], nearest: nil)
            }
            options.verbosity = isOn ? .verbose : .quiet
        },
        .toggle(
            "--no-progress", in: .output, "no progress line on a terminal", sets: \.showsProgress, to: false),
    ]

    /// What openai-whisper's command lines may hold and this program does in one way only.
    static let compatibilityFlags: [Flag<TranscribeOptions>] = [
        Flag(
            FlagEntry(
                name: "--device", group: .compatibility, shape: .value, placeholder: "cpu",
                help: "the processor computes; no other device is used", example: "cpu", completion: .words(["cpu"]))
        ) { (value, options) throws(UsageError) in
            guard value == Array("cpu".utf8) else {
                throw .badChoice(option: "--device", value: value, choices: ["cpu"], nearest: nil)
            }
        },
        .boolean(
            "--fp16", in: .compatibility, "as openai-whisper on a processor: a warning, and float32",
            sets: \.halfPrecision),
    ]
}

extension Flag where Options == TranscribeOptions {
    /// A set of signs; an empty one is allowed.
    fileprivate static func punctuation(
        _ name: String, _ help: String, sets path: Path<TranscribeOptions, String>
    ) -> Flag {
        let entry = FlagEntry(
            name: name, group: .words, shape: .value, placeholder: "SIGNS", help: help,
            defaultValue: TranscribeOptions()[keyPath: path], example: "'.,'")
        return Flag(entry) { (value, options) throws(UsageError) in
            options[keyPath: path] = try ValueSyntax.utf8(value, option: name)
        }
    }
}
