import WhisperEngine

/// The options of whisper.cpp's `whisper-cli`, version 1.9.
enum WhisperCppLine {
    private enum Meaning: Sendable {
        /// The value goes to this option of `transcribe`.
        case value(String)
        /// It stands for these words.
        case words([String])
        /// Handled by `apply`.
        case special
        /// The machine, or details, in which this program differs; whether it takes a value.
        case ignored(hasValue: Bool)
        /// What to use instead.
        case refused(String)
    }

    private struct Option: Sendable {
        let names: [String]
        let placeholder: String?
        let help: String
        let meaning: Meaning

        init(_ names: [String], _ placeholder: String? = nil, _ help: String = "", _ meaning: Meaning) {
            (self.names, self.placeholder, self.help, self.meaning) = (names, placeholder, help, meaning)
        }

        var takesValue: Bool {
            if case .ignored(let hasValue) = meaning { hasValue } else { placeholder != nil }
        }
    }

    private static let options = understood + refused + ignored

    private static let understood: [Option] = [
        Option(["-m", "--model"], "FILE", "model, by path or name", .value("--model")),
        Option(["-f", "--file"], "FILE", "recording; may be repeated", .special),
        Option(["-l", "--language"], "LANG", "spoken language; auto detects it (default en)", .special),
        Option(["-tr", "--translate"], nil, "translate to English", .words(["--translate"])),
        Option(["-t", "--threads"], "N", "number of threads", .value("--threads")),
        Option(["-ot", "--offset-t"], "N", "skip to this time, in milliseconds", .special),
        Option(["-d", "--duration"], "N", "transcribe this much, in milliseconds", .special),
        Option(["-mc", "--max-context"], "N", "0: no text of earlier windows as context", .special),
        Option(["-ml", "--max-len"], "N", "maximum characters of a segment", .special),
        Option(["-sow", "--split-on-word"], nil, "always on", .words([])),
        Option(["-bo", "--best-of"], "N", "number of samples", .value("--best-of")),
        Option(["-bs", "--beam-size"], "N", "number of beams", .value("--beam-size")),
        Option(["-ac", "--audio-ctx"], "N", "audio positions per window; 0 is all", .special),
        Option(["-lpt", "--logprob-thold"], "N", "mean log probability", .value("--logprob-threshold")),
        Option(["-nth", "--no-speech-thold"], "N", "no-speech probability", .value("--no-speech-threshold")),
        Option(["-tp", "--temperature"], "N", "sampling temperature", .value("--temperature")),
        Option(
            ["-tpi", "--temperature-inc"], "N", "its increase after a failure",
            .value("--temperature-increment-on-fallback")),
        Option(["-nf", "--no-fallback"], nil, "no retries", .words(["--temperature-increment-on-fallback", "None"])),
        Option(["-sns", "--suppress-nst"], nil, "no non-speech tokens; always on", .words([])),
        Option(["--prompt"], "TEXT", "text before the first window", .value("--initial-prompt")),
        Option(["--carry-initial-prompt"], nil, "before every window", .words(["--carry-initial-prompt"])),
        Option(["-nt", "--no-timestamps"], nil, "print only text", .words(["--no-timestamps"])),
        Option(["-np", "--no-prints"], nil, "print only the transcript", .special),
        Option(["-pp", "--print-progress"], nil, "print the progress, line by line", .special),
        Option(["-pc", "--print-colors"], nil, "color words by probability", .words(["--print-colors"])),
        Option(["-otxt", "--output-txt"], nil, "write FILE.txt", .words(["--output-format", "txt"])),
        Option(["-ovtt", "--output-vtt"], nil, "write FILE.vtt", .words(["--output-format", "vtt"])),
        Option(["-osrt", "--output-srt"], nil, "write FILE.srt", .words(["--output-format", "srt"])),
        Option(["-olrc", "--output-lrc"], nil, "write FILE.lrc", .words(["--output-format", "lrc"])),
        Option(["-ocsv", "--output-csv"], nil, "write FILE.csv", .words(["--output-format", "csv"])),
        Option(["-oj", "--output-json"], nil, "write FILE.json", .words(["--output-format", "json"])),
        Option(["-of", "--output-file"], "PREFIX", "PREFIX in place of FILE; once per recording", .special),
        Option(["--vad"], nil, "transcribe only speech", .words(["--vad-filter"])),
        Option(["-vt", "--vad-threshold"], "N", "minimum probability of speech", .special),
        Option(["-vspd", "--vad-min-speech-duration-ms"], "N", "ignore shorter speech", .special),
        Option(["-vsd", "--vad-min-silence-duration-ms"], "N", "keep shorter silences", .special),
        Option(["-vp", "--vad-speech-pad-ms"], "N", "padding", .special),
    ]

    private static let refused: [Option] = [
        Option(
            ["-ojf", "--output-json-full"], nil, "", .refused("-oj, or whisper-local transcribe --word-timestamps")),
        Option(["-owts", "--output-words"], nil, "", .refused("whisper-local transcribe --highlight-words")),
        Option(["-dtw", "--dtw"], "MODEL", "", .refused("whisper-local transcribe --word-timestamps")),
        Option(["-di", "--diarize"], nil, "", .refused("whisper-local transcribe --channels split")),
        Option(["-tdrz", "--tinydiarize"], nil, "", .refused("whisper-local transcribe --speakers")),
        Option(["-dl", "--detect-language"], nil, "", .refused("-l auto, which transcribes, too")),
        Option(["-on", "--offset-n"], "N", "", .refused("-ot")),
        Option(["--suppress-regex"], "REGEX", "", .refused("whisper-local transcribe --suppress-tokens")),
        Option(["--grammar"], "GRAMMAR", "", .refused("whisper-local transcribe --terms")),
        Option(["--grammar-rule"], "RULE", "", .refused("whisper-local transcribe --terms")),
    ]

    private static let ignored: [Option] = [
        Option(["-p", "--processors"], "N", "", .ignored(hasValue: true)),
        Option(["-wt", "--word-thold"], "N", "", .ignored(hasValue: true)),
        Option(["-et", "--entropy-thold"], "N", "", .ignored(hasValue: true)),
        Option(["--grammar-penalty"], "N", "", .ignored(hasValue: true)),
        Option(["-fp", "--font-path"], "FILE", "", .ignored(hasValue: true)),
        Option(["-vm", "--vad-model"], "FILE", "", .ignored(hasValue: true)),
        Option(["-vmsd", "--vad-max-speech-duration-s"], "N", "", .ignored(hasValue: true)),
        Option(["-vo", "--vad-samples-overlap"], "N", "", .ignored(hasValue: true)),
        Option(["-oved", "--ov-e-device"], "NAME", "", .ignored(hasValue: true)),
        Option(["-dev", "--device"], "N", "", .ignored(hasValue: true)),
        Option(["-ng", "--no-gpu"], nil, "", .ignored(hasValue: false)),
        Option(["-fa", "--flash-attn"], nil, "", .ignored(hasValue: false)),
        Option(["-nfa", "--no-flash-attn"], nil, "", .ignored(hasValue: false)),
        Option(["-debug", "--debug-mode"], nil, "", .ignored(hasValue: false)),
        Option(["-ls", "--log-score"], nil, "", .ignored(hasValue: false)),
        Option(["-ps", "--print-special"], nil, "", .ignored(hasValue: false)),
        Option(["--print-confidence"], nil, "", .ignored(hasValue: false)),
    ]

    static var help: String {
        func names(_ option: Option) -> String {
            option.names.joined(separator: ", ") + (option.placeholder.map { " \($0)" } ?? "")
        }
        let lines = options.filter { !$0.help.isEmpty }.map { option in
            let names = names(option)
            return "  " + names + String(repeating: " ", count: max(2, 44 - names.count)) + option.help
        }
        let unused = ignored.compactMap(\.names.first).joined(separator: " ")
        return lines.joined(separator: "\n") + "\n\nAccepted without effect: \(unused)\n"
    }

    static func translate(_ arguments: [[UInt8]]) throws(UsageError) -> TranslatedLine {
        var line = TranslatedLine(.whisperCpp)
        var state = State()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.count > 1, argument.first == UInt8(ascii: "-") else {
                line.inputs.append(argument)
                continue
            }
            let name = String(decoding: argument, as: UTF8.self)
            guard let option = options.first(where: { $0.names.contains(name) }) else {
                let long = options.flatMap(\.names).filter { $0.hasPrefix("--") }
                throw .unknownOption(argument, nearest: Suggestion.nearest(to: name, among: long))
            }
            var value: [UInt8] = []
            if option.takesValue {
                guard let next = rest.popFirst() else {
                    throw .missingValue(option: name, example: "\(name) \(option.placeholder ?? "")")
                }
                value = next
            }
            switch option.meaning {
            case .value(let target): line.add(target, value)
            case .words(let words):
                if name == "--vad" { state.findsSpeech = true }
                for word in words { line.add(word) }
            case .special: try apply(option.names[0], value, &line, &state)
            case .ignored: state.ignored.append(name)
            case .refused(let instead):
                throw .unsupportedOption(name, instead: instead)
            }
        }
        finish(&line, state)
        return line
    }

    private struct State {
        var language = Array("en".utf8)
        var prefixes: [FilePath] = []
        var ignored: [String] = []
        var findsSpeech = false
        var speechOptions: [(String, [UInt8])] = []
    }

    private static func apply(
        _ name: String, _ value: [UInt8], _ line: inout TranslatedLine, _ state: inout State
    ) throws(UsageError) {
        switch name {
        case "-f": line.inputs.append(value)
        case "-l": state.language = value
        case "-ot", "-d":
            let milliseconds = try number(name, value)
            if milliseconds > 0 { line.add(name == "-d" ? "--duration" : "--offset", "\(Double(milliseconds) / 1000)") }
        case "-mc": if try number(name, value) == 0 { line.add("--condition-on-previous-text", "false") }
        case "-ml":
            let count = try number(name, value)
            if count > 0 { line.add("--max-line-width", "\(count)", "--max-line-count", "1", "--word-timestamps") }
        case "-ac":
            let count = try number(name, value)
            line.add("--audio-ctx", count > 0 ? "\(count)" : "full")
        case "-np": line.manner.isQuiet = true
        case "-pp": line.manner.printsProgress = true
        case "-of":
            guard value != Array("-".utf8) else {
                throw .unsupportedOption("-of -", instead: "omit it: the text is on standard output")
            }
            state.prefixes.append(FilePath(bytes: value))
        case "-vt": state.speechOptions.append(("--vad-threshold", value))
        case "-vspd": state.speechOptions.append(("--vad-min-speech-ms", value))
        case "-vsd": state.speechOptions.append(("--vad-min-silence-ms", value))
        case "-vp": state.speechOptions.append(("--vad-speech-pad-ms", value))
        default: break
        }
    }

    private static func finish(_ line: inout TranslatedLine, _ state: State) {
        line.add("--language", state.language)
        line.add("--subtitles", "whisper")
        if line.manner.isQuiet { line.add("--quiet") }
        if state.findsSpeech { for (option, value) in state.speechOptions { line.add(option, value) } }
        for (input, prefix) in zip(line.inputs, state.prefixes) { line.manner.bases[FilePath(bytes: input)] = prefix }
        if !state.ignored.isEmpty { line.notes.append("without effect: \(state.ignored.joined(separator: " "))") }
    }

    private static func number(_ name: String, _ value: [UInt8]) throws(UsageError) -> Int {
        guard let number = Int(String(decoding: value, as: UTF8.self)) else {
            throw .badNumber(option: name, value: value, allowed: "a whole number")
        }
        return number
    }
}
