import WhisperEngine

/// The options of a command that writes transcript files.
protocol OutputOptions: OptionValues {
    /// Empty if none were given.
    var formats: [OutputFormat] { get set }
    var folder: FilePath? { get set }
}

/// Options that choose the formats and the folder of transcript files.
enum OutputFlags {
    static func formats<Options: OutputOptions>(_ help: String) -> Flag<Options> {
        let names = OutputFormat.allCases.map(\.rawValue)
        return Flag<Options>(
            FlagEntry(
                name: "--output-format", short: "-f", group: .output, shape: .value, placeholder: "FORMAT,…|all",
                help: help, example: "srt", completion: .words(["all"] + names), isList: true)
        ) { (value, options) throws(UsageError) in
            let text = try ValueSyntax.utf8(value, option: "--output-format")
            do {
                for format in try OutputFormat.parse(list: text) where !options.formats.contains(format) {
                    options.formats.append(format)
                }
            } catch {
                let choices = names + ["all"]
                throw .badChoice(
                    option: "--output-format", value: value, choices: choices,
                    nearest: Suggestion.nearest(to: text, among: choices))
            }
        }
    }

    static func paragraphs<Options: OptionValues>(sets path: Path<Options, Bool>) -> Flag<Options> {
        .boolean(
            "--paragraphs", in: .output, "write txt in paragraphs, as md has them", sets: path)
    }

    static func folder<Options: OutputOptions>(_ help: String, defaultValue: String? = nil) -> Flag<Options> {
        let path: Flag<Options> = .path(
            "--output-dir", "-o", "DIR", in: .output, help, example: "out", defaultValue: defaultValue,
            offers: .folders, sets: \.folder)
        return Flag(path.entry) { (value, options) throws(UsageError) in
            // Elsewhere "-" is standard output; here it would be a folder of that name.
            guard value != Array("-".utf8) else {
                throw .badValue(
                    option: "--output-dir", value: value,
                    wanted: "a folder; without this option and --output-format, text goes to standard output")
            }
            try path.set(value, &options)
        }
    }
}

/// The options of a command that lays out subtitles.
protocol SubtitleLayout: OptionValues {
    var subtitles: SubtitleOptions { get set }
}

/// Options for the layout of subtitles.
enum SubtitleFlags {
    static func layout<Options: SubtitleLayout>() -> [Flag<Options>] {
        [
            style(),
            .boolean(
                "--highlight-words", in: .words, "underline each word as it is spoken (srt, vtt, ass)",
                sets: \.subtitles.highlightWords),
            .optionalInteger(
                "--max-line-width", in: .words, "maximum characters per subtitle line", range: 1...1000,
                sets: \.subtitles.maxLineWidth),
            .optionalInteger(
                "--max-line-count", in: .words,
                "maximum lines per subtitle; in the style whisper with --max-line-width", range: 1...1000,
                sets: \.subtitles.maxLineCount),
            .optionalInteger(
                "--max-words-per-line", in: .words,
                "maximum words per subtitle; in the style whisper without --max-line-width",
                range: 1...1000, sets: \.subtitles.maxWordsPerLine),
        ]
    }

    private static func style<Options: SubtitleLayout>() -> Flag<Options> {
        let choices = SubtitleStyle.allCases.map(\.rawValue)
        let entry = FlagEntry(
            name: "--subtitles", group: .words, shape: .value, placeholder: choices.joined(separator: "|"),
            help:
                "how srt, vtt, ass and lrc are divided into cues and lines: sentences and clauses in two balanced lines "
                + "that can be read in their time, by the limits of a guideline, or as openai-whisper does",
            defaultValue: "readable; whisper with one of the next four options or --preset openai-whisper",
            example: "netflix", completion: .words(choices))
        return Flag(entry) { (value, options) throws(UsageError) in
            let word = String(decoding: value, as: UTF8.self)
            guard let style = SubtitleStyle(rawValue: word) else {
                throw .badChoice(
                    option: entry.name, value: value, choices: choices,
                    nearest: Suggestion.nearest(to: word, among: choices))
            }
            options.subtitles.style = style
        }
    }
}
