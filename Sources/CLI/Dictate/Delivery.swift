import WhisperEngine

/// Brings a text to programs, one after the other, on a thread of its own.
actor Delivery {
    private let executor = ComputeExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    private let commands: [[String]]

    /// A program that takes longer is ended.
    private static let limit = Duration.seconds(2)

    init(_ options: DictateOptions, environment: ProcessEnvironment) throws(ErrorReport) {
        var commands: [[String]] = []
        if options.copies { commands.append(try Self.clipboard(environment)) }
        if !options.command.isEmpty { commands.append(options.command) }
        self.commands = commands
    }

    /// - Returns: what went wrong and what to do, on one line.
    func deliver(_ text: String) -> String? {
        var failures: [String] = []
        for command in commands {
            let name = ShellQuoting.quoted(command[0])
            switch ChildProcess.feed(command, text, limit: Self.limit) {
            case .done: break
            case .missing: failures.append("\(name) is not installed; install it, or deliver otherwise")
            case .late: failures.append("\(name) took longer than 2 s and was ended")
            case .failed(let status): failures.append("\(name) failed with status \(status)")
            }
        }
        return failures.isEmpty ? nil : failures.joined(separator: "; ")
    }

    /// The first of the usual programs that can work here.
    private static func clipboard(_ environment: ProcessEnvironment) throws(ErrorReport) -> [String] {
        var candidates: [[String]] = []
        if environment.bytes("WAYLAND_DISPLAY") != nil { candidates.append(["wl-copy"]) }
        if environment.bytes("DISPLAY") != nil {
            candidates += [["xclip", "-selection", "clipboard"], ["xsel", "-ib"]]
        }
        let folders = (environment.text("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        for candidate in candidates {
            for folder in folders where FileSystem.isRunnable(FilePath("\(folder)/\(candidate[0])")) {
                return candidate
            }
        }
        // Shown when there is something to copy; the text is on standard output all the same.
        return candidates.first ?? ["wl-copy"]
    }
}
