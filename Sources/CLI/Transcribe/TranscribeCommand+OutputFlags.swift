import WhisperEngine

extension TranscribeCommand {
    static let wordFlags: [Flag<TranscribeOptions>] =
        [
            .boolean(
                "--word-timestamps", in: .words,
                "find the times of words, which also makes those of segments more precise",
                sets: \.engine.wordTimestamps),
            .punctuation(
                "--prepend-punctuations", "characters attached to the next word",
                sets: \.engine.whisper.prependPunctuations),
            .punctuation(
                "--append-punctuations", "characters attached to the previous word",
                sets: \.engine.whisper.appendPunctuations),
            .optionalNumber(
                "--hallucination-silence-threshold", in: .words,
                "drop likely hallucinations between silences longer than this, in seconds", .from(0),
                sets: \.engine.whisper.hallucinationSilenceThreshold),
        ] + SubtitleFlags.layout()

    static let outputFlags: [Flag<TranscribeOptions>] = [
        OutputFlags.formats(
            "write files: \(OutputFormat.allCases.map(\.rawValue).joined(separator: ", ")); may be repeated"),
        OutputFlags.folder(
            "write files to this folder; without --output-format, txt, vtt, srt, tsv and json", defaultValue: "."),
        .toggle(
            "--beside", in: .output, "write files to the folder of each input, in the same formats",
            sets: \.isBeside, to: true),
        OutputFlags.paragraphs(sets: \.hasParagraphs),
        .toggle(
            "--no-timestamps", in: .output, "print only text on standard output", sets: \.showsTimestamps, to: false),
        .toggle(
            "--skip-existing", in: .output,
            "skip inputs already transcribed with this model and these options", sets: \.skipsExisting, to: true),
        .boolean(
            "--print-colors", in: .output,
            "color words on standard output by their probability; also times the words", sets: \.printsColors),
        .choice("--color", in: .output, "colors and dim text", sets: \.color),
        .toggle(
            "--quiet", "-q", in: .output,
            "print only errors on standard error, and no text on standard output if files are written",
            sets: \.verbosity, to: .quiet),
        Flag(
            FlagEntry(
                name: "--verbose", short: "-v", group: .output, shape: .boolean,
                help: "print more on standard error; false is --quiet", example: "true",
                completion: .words(["true", "false"]))
        ) { (value, options) throws(UsageError) in
            guard let isOn = ValueSyntax.boolean(value) else {
                throw .badChoice(option: "--verbose", value: value, choices: ["true", "false"], nearest: nil)
            }
            options.verbosity = isOn ? .verbose : .quiet
        },
        .toggle(
            "--no-progress", in: .output, "show no progress line on a terminal", sets: \.showsProgress, to: false),
    ]

    static let archiveFlags: [Flag<TranscribeOptions>] = [
        .path(
            "--files-from", nil, "LIST|-", in: .archive,
            "transcribe the recordings in a list: PATH, or SECONDS, a tab and PATH on each line; their outputs keep the "
                + "folders of PATH below --output-dir",
            example: "recordings.txt", offers: .files, sets: \.filesFrom),
        .toggle(
            "--null", "-0", in: .archive, "entries of the list end with a NUL byte, as from find -print0",
            sets: \.listHasZeros, to: true),
        Flag(
            FlagEntry(
                name: "--shard", group: .archive, shape: .value, placeholder: "I/N",
                help: "transcribe only part I of N; parts have equal length if the list has durations",
                example: "1/8")
        ) { (value, options) throws(UsageError) in
            guard let shard = Shard(value) else {
                throw .badValue(
                    option: "--shard", value: value,
                    wanted: "--shard I/N, where I is 1 to N, and N is at most \(Shard.maxCount)")
            }
            options.shard = shard
        },
        .path(
            "--report", nil, "FILE", in: .archive,
            "add a line of JSON to this file for each input: path, sha256, duration, seconds, model, options, vocabulary, words, "
                + "outcome and error",
            example: "report.jsonl", offers: .files, sets: \.report),
    ]

    /// Options of openai-whisper for which this program has only one behavior.
    static let compatibilityFlags: [Flag<TranscribeOptions>] = [
        Flag(
            FlagEntry(
                name: "--device", group: .compatibility, shape: .value, placeholder: "cpu",
                help: "CPU only", example: "cpu", completion: .words(["cpu"]))
        ) { (value, options) throws(UsageError) in
            guard value == Array("cpu".utf8) else {
                throw .badChoice(option: "--device", value: value, choices: ["cpu"], nearest: nil)
            }
        },
        .boolean(
            "--fp16", in: .compatibility, "as openai-whisper on CPU: a warning, and float32",
            sets: \.halfPrecision),
    ]
}

extension Flag where Options == TranscribeOptions {
    /// A set of characters, which may be empty.
    fileprivate static func punctuation(
        _ name: String, _ help: String, sets path: Path<TranscribeOptions, String>
    ) -> Flag {
        let entry = FlagEntry(
            name: name, group: .words, shape: .value, placeholder: "CHARS", help: help,
            defaultValue: TranscribeOptions()[keyPath: path], example: "'.,'")
        return Flag(entry) { (value, options) throws(UsageError) in
            options[keyPath: path] = try ValueSyntax.utf8(value, option: name)
        }
    }
}
