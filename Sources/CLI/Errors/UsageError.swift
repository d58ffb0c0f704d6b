package import WhisperEngine

/// A mistake in the command line, in a line of the config file or in an environment variable.
package enum UsageError: Error, Equatable, Sendable {
    case unknownCommand([UInt8], nearest: String?)
    case unknownOption([UInt8], nearest: String?)
    case optionOfOtherCommand(option: String, commands: [String])
    /// An option of openai-whisper, faster-whisper or whisper.cpp that has a different name here.
    case renamedOption(String, here: String)
    /// An option of another program that nothing corresponds to.
    case unsupportedOption(String, instead: String)
    case missingValue(option: String, example: String)
    case unwantedValue(option: String)
    case badNumber(option: String, value: [UInt8], allowed: String)
    case outOfRange(option: String, value: [UInt8], allowed: String)
    case badChoice(option: String, value: [UInt8], choices: [String], nearest: String?)
    case badValue(option: String, value: [UInt8], wanted: String)
    case unknownLanguage(String, nearest: Language?)
    case notUTF8(option: String, byte: Int)
    case contradiction(String, String, why: String)
    /// The first option has no effect without the second.
    case needs(String, String)
    case missingOperand(String, wanted: String)
    case unwantedOperand([UInt8])
    case argumentTooLong(length: Int)
}

extension UsageError: ReportedError {
    /// The problem, without where it is.
    var what: String {
        switch self {
        case .unknownCommand(let name, let nearest):
            "unknown command \(ShellQuoting.inQuotes(name))" + didYouMean(nearest.map { "'\($0)'" })
        case .unknownOption(let name, let nearest):
            "unknown option \(ShellQuoting.excerpt(name))" + didYouMean(nearest)
        case .optionOfOtherCommand(let option, let commands):
            "\(option) is an option of \(list(commands.map { "`\($0)`" }))"
        case .renamedOption(let name, let here):
            "\(ShellQuoting.excerpt(name.utf8)) is called \(here.prefix { $0 != " " }) here"
        case .unsupportedOption(let name, _):
            "\(name) is not supported"
        case .missingValue(let option, _):
            "\(option) needs a value"
        case .unwantedValue(let option):
            "\(option) takes no value"
        case .badNumber(let option, let value, _):
            "\(option): \(ShellQuoting.inQuotes(value)) is not a "
                + (ValueSyntax.decimal(value) == nil ? "number" : "whole number")
        case .outOfRange(let option, let value, _):
            "\(option): \(ShellQuoting.excerpt(value)) is out of range"
        case .badChoice(let option, let value, _, let nearest):
            "\(option): invalid value \(ShellQuoting.inQuotes(value))" + didYouMean(nearest.map { "'\($0)'" })
        case .badValue(let option, let value, _):
            "\(option): invalid value \(ShellQuoting.inQuotes(value))"
        case .unknownLanguage(let text, let nearest):
            "unknown language \(ShellQuoting.inQuotes(text.utf8))"
                + didYouMean(nearest.map { "\($0.code) (\($0.name))" })
        case .notUTF8(let option, let byte):
            "\(option): invalid UTF-8 at byte \(byte)"
        case .contradiction(let first, let second, let why):
            "\(first) cannot be combined with \(second): \(why)"
        case .needs(let first, let second):
            "\(first) requires \(second)"
        case .missingOperand(let what, _):
            what
        case .unwantedOperand(let argument):
            "unexpected argument \(ShellQuoting.inQuotes(argument))"
        case .argumentTooLong(let length):
            "argument of \(length) bytes is too long (limit: \(Parser.longestArgument))"
        }
    }

    /// What to do; `nil` if there is nothing better than the help.
    var advice: String? {
        switch self {
        case .renamedOption(_, let here): here
        case .unsupportedOption(_, let instead): instead
        case .missingValue(_, let example): example
        case .badNumber(let option, let value, let allowed):
            ValueSyntax.hasDecimalComma(value)
                ? "\(option) \(String(decoding: value, as: UTF8.self).replacing(",", with: ".")) (with a decimal point)"
                : numbers(option, allowed)
        case .outOfRange(let option, _, let allowed): numbers(option, allowed)
        case .badChoice(let option, _, let choices, _):
            choices.count == 1 ? "\(option) \(choices[0])" : "one of: \(choices.joined(separator: ", "))"
        case .badValue(_, _, let wanted): wanted
        case .unknownLanguage: "whisper-local transcribe --language help (lists all languages)"
        case .notUTF8: "encode the text as UTF-8"
        case .missingOperand(_, let wanted): wanted
        case .needs(let first, let second): "add \(second), or omit \(first)"
        case .contradiction: "omit one of them"
        default: nil
        }
    }

    package var report: ErrorReport { ErrorReport(.usage, what, advice: advice) }

    /// The report, with the help of `command` as advice if there is nothing better.
    func report(command: String?) -> ErrorReport {
        let help = (["whisper-local"] + (command.map { [$0] } ?? []) + ["--help"]).joined(separator: " ")
        return ErrorReport(.usage, what, advice: advice ?? help)
    }

    private func didYouMean(_ nearest: String?) -> String { nearest.map { "; did you mean \($0)?" } ?? "" }

    private func numbers(_ option: String, _ allowed: String) -> String { "\(option) N, where N is \(allowed)" }

    /// `a`, `a and b`, `a, b and c`.
    private func list(_ items: [String]) -> String {
        guard let last = items.last, items.count > 1 else { return items.joined() }
        return items.dropLast().joined(separator: ", ") + " and \(last)"
    }
}
