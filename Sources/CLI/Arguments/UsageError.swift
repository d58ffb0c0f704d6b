import WhisperEngine

/// What is wrong with a command line, a config file's line or an environment variable.
enum UsageError: Error, Equatable, Sendable {
    case unknownCommand([UInt8], nearest: String?)
    case unknownOption([UInt8], nearest: String?)
    case optionOfOtherCommand(option: String, commands: [String])
    /// An option of openai-whisper, faster-whisper or whisper.cpp that is called otherwise here.
    case renamedOption(String, here: String)
    case missingValue(option: String, example: String)
    case unwantedValue(option: String)
    case badNumber(option: String, value: [UInt8], allowed: String)
    case outOfRange(option: String, value: [UInt8], allowed: String)
    case badChoice(option: String, value: [UInt8], choices: [String], nearest: String?)
    case badValue(option: String, value: [UInt8], wanted: String)
    case unknownLanguage(String, nearest: Language?)
    case notUTF8(option: String, byte: Int)
    case contradiction(String, String, why: String)
    /// The first option does nothing without the second.
    case needs(String, String)
    case missingOperand(wanted: String)
    case unwantedOperand([UInt8])
    case wordTooLong(length: Int)
}

extension UsageError: ReportedError {
    /// What is wrong, without the place.
    var what: String {
        switch self {
        case .unknownCommand(let name, let nearest):
            "unknown command \(ShellQuoting.quoted(name))" + didYouMean(nearest)
        case .unknownOption(let name, let nearest):
            "unknown option \(ShellQuoting.quoted(name))" + didYouMean(nearest)
        case .optionOfOtherCommand(let option, let commands):
            "\(option) belongs to \(commands.map { "`\($0)`" }.joined(separator: " and "))"
        case .renamedOption(let name, _):
            "\(ShellQuoting.quoted(name)) has another name here"
        case .missingValue(let option, _):
            "\(option) needs a value"
        case .unwantedValue(let option):
            "\(option) takes no value"
        case .badNumber(let option, let value, _):
            "\(option): \(ShellQuoting.quoted(value)) is not a number"
        case .outOfRange(let option, let value, _):
            "\(option): \(ShellQuoting.quoted(value)) is out of range"
        case .badChoice(let option, let value, _, let nearest):
            "\(option): unknown value \(ShellQuoting.quoted(value))" + didYouMean(nearest)
        case .badValue(let option, let value, _):
            "\(option): cannot read \(ShellQuoting.quoted(value))"
        case .unknownLanguage(let text, let nearest):
            "unknown language \(ShellQuoting.quoted(text))" + didYouMean(nearest.map { "\($0.code) (\($0.name))" })
        case .notUTF8(let option, let byte):
            "\(option): invalid UTF-8 at byte \(byte)"
        case .contradiction(let first, let second, let why):
            "\(first) contradicts \(second): \(why)"
        case .needs(let first, let second):
            "\(first) needs \(second)"
        case .missingOperand:
            "nothing to work on"
        case .unwantedOperand(let word):
            "\(ShellQuoting.quoted(word)) is one word too many"
        case .wordTooLong(let length):
            "an argument of \(length) bytes, \(Parser.longestWord) at most"
        }
    }

    /// What to do; `nil` where only the help knows.
    var cure: String? {
        switch self {
        case .renamedOption(_, let here): here
        case .missingValue(_, let example): example
        case .badNumber(let option, let value, let allowed):
            NumberSyntax.hasDecimalComma(value)
                ? "\(option) \(commaReplaced(value)) (use a point for the comma)" : "\(option) takes \(allowed)"
        case .outOfRange(let option, _, let allowed): "\(option) takes \(allowed)"
        case .badChoice(let option, _, let choices, _): "\(option) takes \(choices.joined(separator: ", "))"
        case .badValue(let option, _, let wanted): "\(option) takes \(wanted)"
        case .unknownLanguage: "whisper-local transcribe --language help (lists them)"
        case .notUTF8: "give the text in UTF-8"
        case .missingOperand(let wanted): wanted
        case .needs(let first, let second): "add \(second), or leave \(first) out"
        case .contradiction: "leave one of them out"
        default: nil
        }
    }

    var report: ErrorReport { ErrorReport(.usage, what, cure: cure) }

    /// The report with the help of `command` as its cure where there is no better one.
    func report(command: String?) -> ErrorReport {
        let help = (["whisper-local"] + (command.map { [$0] } ?? []) + ["--help"]).joined(separator: " ")
        return ErrorReport(.usage, what, cure: cure ?? help)
    }

    private func didYouMean(_ nearest: String?) -> String { nearest.map { "; did you mean \($0)?" } ?? "" }

    private func commaReplaced(_ value: [UInt8]) -> String {
        String(decoding: value.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }, as: UTF8.self)
    }
}
