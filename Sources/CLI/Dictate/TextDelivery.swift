import WhisperEngine

/// Passes each text to the clipboard and to the command of `--deliver`, one after the other, on its own thread.
actor TextDelivery {
    private let executor = ComputeExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    private let commands: [[String]]

    /// A command that takes longer is killed.
    private static let timeLimit = Duration.seconds(2)

    init(_ options: DictateOptions, environment: ProcessEnvironment) {
        var commands: [[String]] = []
        if options.copies { commands.append(Self.clipboard(environment)) }
        if !options.deliveryCommand.isEmpty { commands.append(options.deliveryCommand) }
        self.commands = commands
    }

    /// Checks before anything is said that the program of `--deliver` exists.
    static func check(_ options: DictateOptions, environment: ProcessEnvironment) throws(ErrorReport) {
        guard let program = options.deliveryCommand.first, !environment.hasProgram(program) else { return }
        throw ErrorReport(
            .unavailable, "--deliver: \(ShellQuoting.inQuotes(program.utf8)) is not installed",
            advice: "install it, or use --deliver with another program")
    }

    /// - Returns: what went wrong and what to do, on one line; `nil` on success.
    func deliver(_ text: String) -> String? {
        var failures: [String] = []
        for command in commands {
            let name = ShellQuoting.quoted(command[0])
            switch ChildProcess.run(command, input: text, timeout: Self.timeLimit) {
            case .succeeded: break
            case .notFound:
                failures.append("\(name) is not installed; install it, or use --deliver with another program")
            case .timedOut: failures.append("\(name) took longer than 2 s and was killed")
            case .failed(let status): failures.append("\(name) failed with exit status \(status)")
            }
        }
        return failures.isEmpty ? nil : failures.joined(separator: "; ")
    }

    /// The first of the usual clipboard programs that is installed and fits the display server.
    private static func clipboard(_ environment: ProcessEnvironment) -> [String] {
        var candidates: [[String]] = []
        if environment.bytes("WAYLAND_DISPLAY") != nil { candidates.append(["wl-copy"]) }
        if environment.bytes("DISPLAY") != nil {
            candidates += [["xclip", "-selection", "clipboard"], ["xsel", "-ib"]]
        }
        for candidate in candidates where environment.hasProgram(candidate[0]) { return candidate }
        // Reported as missing when there is something to copy; standard output gets the text all the same.
        return candidates.first ?? ["wl-copy"]
    }
}

/// Splits a command line into words without a shell.
package enum ShellWords {
    /// Words are separated by blanks. Both kinds of quotes group, and a backslash escapes the next character; in single
    /// quotes it stands for itself. Nothing is expanded.
    ///
    /// - Returns: `nil` for an unclosed quote, a trailing backslash or a zero byte.
    package static func split(_ text: String) -> [String]? {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var quote: Unicode.Scalar?
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if scalar == "\0" { return nil }
            if isEscaped {
                word = (word ?? .init()) + [scalar]
                isEscaped = false
            } else if let open = quote {
                if scalar == open {
                    quote = nil
                } else if scalar == "\\", open == "\"" {
                    isEscaped = true
                } else {
                    word = (word ?? .init()) + [scalar]
                }
            } else if scalar == "'" || scalar == "\"" {
                quote = scalar
                word = word ?? .init()
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == " " || scalar == "\t" || scalar == "\n" {
                if let word { words.append(String(word)) }
                word = nil
            } else {
                word = (word ?? .init()) + [scalar]
            }
        }
        if quote != nil || isEscaped { return nil }
        if let word { words.append(String(word)) }
        return words
    }
}
