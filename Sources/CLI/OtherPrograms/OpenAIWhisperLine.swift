import WhisperEngine

/// The options of openai-whisper's `whisper`, which have the same names here; and those of `transcribe` work, too.
enum OpenAIWhisperLine {
    private static let names = [
        "--model", "--model-dir", "--device", "--output-dir", "--output-format", "--verbose", "--task", "--language",
        "--temperature", "--best-of", "--beam-size", "--patience", "--length-penalty", "--suppress-tokens",
        "--initial-prompt", "--carry-initial-prompt", "--condition-on-previous-text", "--fp16",
        "--temperature-increment-on-fallback", "--compression-ratio-threshold", "--logprob-threshold",
        "--no-speech-threshold", "--word-timestamps", "--prepend-punctuations", "--append-punctuations",
        "--highlight-words", "--max-line-width", "--max-line-count", "--max-words-per-line", "--threads",
        "--clip-timestamps", "--hallucination-silence-threshold",
    ]
    /// These need the times of words.
    private static let wordOptions = [
        "--highlight-words", "--max-line-width", "--max-line-count", "--max-words-per-line",
    ]

    static var help: String {
        let entries = TranscribeCommand.entries
        let lines = names.compactMap { name in entries.first { $0.name == name } }.map { entry in
            let name = entry.name.dropFirst(2).map { $0 == "-" ? "_" : $0 }
            return "  --\(String(name))" + (entry.placeholder.isEmpty ? "" : " \(entry.placeholder)")
        }
        return lines.joined(separator: "\n") + """


            Files are written to the current folder, in the formats txt, vtt, srt, tsv and json.
            `whisper-local transcribe --help` explains the options.

            """
    }

    static func translate(_ arguments: [[UInt8]]) throws(UsageError) -> TranslatedLine {
        var line = TranslatedLine(.openAIWhisper)
        let entries = TranscribeCommand.entries
        let parsed = try Parser.parse(arguments, entries: entries, others: [])
        line.inputs = parsed.operands
        var words: [(String, [UInt8])] = []
        var timesWords = false, hasFolder = false, hasLayout = false
        for setting in parsed.settings {
            let entry = entries[setting.flag]
            let text = String(decoding: setting.value, as: UTF8.self)
            switch entry.name {
            case "--device":
                if text != "cpu" { line.notes.append("there is only the processor: --device \(text) has no effect") }
            case "--threads" where text == "0": break
            case "--verbose": if ValueSyntax.boolean(setting.value) != true { line.add("--quiet") }
            case "--output-format" where text == "all": break
            case let name where wordOptions.contains(name) && text != "None" && text.lowercased() != "false":
                words.append((name, setting.value))
            default:
                if entry.name == "--word-timestamps" { timesWords = ValueSyntax.boolean(setting.value) == true }
                if entry.name == "--output-dir" { hasFolder = true }
                if entry.name == "--subtitles" { hasLayout = true }
                if entry.shape == .toggle { line.add(entry.name) } else { line.add(entry.name, setting.value) }
            }
        }
        if timesWords {
            for (name, value) in words { line.add(name, value) }
        } else {
            for (name, _) in words { line.notes.append("\(name) requires --word_timestamps True, and has no effect") }
        }
        if !hasFolder { line.add("--output-dir", ".") }
        if !hasLayout { line.add("--subtitles", "whisper") }
        return line
    }
}
