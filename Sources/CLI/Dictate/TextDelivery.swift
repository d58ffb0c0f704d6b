import WhisperEngine

/// Passes each text to the clipboard, to the focused window and to the command of `--deliver`, one after the other, on its
/// own thread.
actor TextDelivery {
    private let executor = ComputeExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// Where `--copy` copies to.
    private let clipboard: Clipboard?
    private var typer: TextTyper?
    private let command: [String]
    /// Puts the clipboard's earlier contents back.
    private var restoration: Task<Void, Never>?

    private let notifies: Bool

    /// Why texts of `--type` will only go to the clipboard.
    nonisolated let problem: String?

    /// A command that takes longer is killed.
    private static let timeLimit = Duration.seconds(2)

    /// Checks before anything is said that the programs exist, and chooses how to type.
    init(_ options: DictateOptions, environment: ProcessEnvironment) throws(ErrorReport) {
        if let program = options.deliveryCommand.first, !environment.hasProgram(program) {
            throw ErrorReport(
                .unavailable, "--deliver: \(ShellQuoting.inQuotes(program.utf8)) is not installed",
                advice: "install it, or use --deliver with another program")
        }
        command = options.deliveryCommand
        notifies = Desktop.hasDisplay(environment) && environment.hasProgram("notify-send")
        let available = Clipboard(environment)
        if options.copies, available == nil {
            let missing = Clipboard.missing(environment)
            throw ErrorReport(.unavailable, "--copy: \(missing.what)", advice: missing.advice)
        }
        clipboard = options.copies ? available : nil
        guard let choice = options.typing else {
            (typer, problem) = (nil, nil)
            return
        }
        let plan: TypingPlan
        do throws(TypingPlan.Obstacle) { plan = try TypingPlan(choice, environment: environment) } catch {
            throw ErrorReport(.unavailable, "--type: \(error.what)", advice: error.advice)
        }
        problem = plan.problem
        typer = TextTyper(plan, pasteKey: options.pasteKey, clipboard: available, keepsClipboard: options.copies)
    }

    /// - Returns: what went wrong and what to do, on one line; `nil` on success.
    func deliver(_ text: String) async -> String? {
        await finish()
        var failures: [String] = []
        if let clipboard {
            failures += Self.failure(clipboard.set(text), of: clipboard.program).map { [$0] } ?? []
        }
        if let result = typer?.type(text) {
            failures += result.failure.map { [$0] } ?? []
            restoration = result.kept.map { kept in
                Task {
                    try? await Task.sleep(for: KeptSelections.delay)
                    kept.restore()
                }
            }
        }
        if !command.isEmpty {
            let outcome = ChildProcess.run(command, input: text, timeout: Self.timeLimit)
            failures += Self.failure(outcome, of: ShellQuoting.quoted(command[0])).map { [$0] } ?? []
        }
        return failures.isEmpty ? nil : failures.joined(separator: "; ")
    }

    /// Shows a problem as a notification, if the desktop has a program for that.
    func notify(_ problem: String) {
        guard notifies else { return }
        _ = ChildProcess.run(
            ["notify-send", "--app-name=whisper-local", "Dictation", problem], input: "", timeout: Self.timeLimit)
    }

    /// Waits until the clipboard is as it was.
    func finish() async {
        await restoration?.value
        restoration = nil
    }

    private static func failure(_ outcome: ChildProcess.Outcome, of name: String) -> String? {
        switch outcome {
        case .succeeded: nil
        case .notFound: "\(name) is not installed; install it, or use --deliver with another program"
        case .timedOut: "\(name) took longer than 2 s and was killed"
        case .failed(let status): "\(name) failed with exit status \(status)"
        }
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
