import Glibc
import WhisperEngine

/// `dictate start` and its like, which talk to the `dictate` that is running.
enum DictateRemote {
    /// What the running one is asked to do.
    package enum Verb: String, CaseIterable, Sendable {
        case start, stop, toggle, cancel, status, quit
    }

    /// A program that has been started listens within this time.
    private static let startTime = Duration.seconds(10)

    /// In seconds.
    private static let answerTime = 10

    /// The socket in the user's runtime folder.
    static func socket(_ environment: ProcessEnvironment) -> FilePath? {
        environment.absolutePath("XDG_RUNTIME_DIR")?.appending("whisper-local").appending("dictate.sock")
    }

    static func run(_ verb: Verb, _ options: DictateOptions, context: CommandContext) throws -> ExitStatus {
        guard let path = socket(context.environment) else {
            throw ErrorReport(
                .unavailable, "dictate \(verb.rawValue): XDG_RUNTIME_DIR is not set",
                advice: "log in to a session of your own, or set it to a folder that only you may use")
        }
        switch verb {
        case .status: return try status(path, options, context.streams)
        case .start, .toggle:
            let status = try ask(verb, path) ?? startInBackground(path, then: verb)
            guard status.state != .error else { throw ErrorReport(.unavailable, "dictate: \(status.reason)") }
            return .success
        case .stop, .cancel, .quit:
            guard try ask(verb, path) != nil else {
                throw ErrorReport(.unavailable, "no `dictate` is running", advice: "whisper-local dictate start")
            }
            return .success
        }
    }

    /// - Returns: `nil` if none is running.
    private static func ask(_ verb: Verb, _ path: FilePath) throws -> DictateStatus? {
        guard let client = LocalClient(path) else { return nil }
        var status: DictateStatus?
        client.wait(atMost: answerTime)
        client.ask(verb.rawValue) { line in
            status = DictateStatus(line: line)
            return false
        }
        guard let status else {
            throw ErrorReport(.tryAgain, "the running `dictate` does not answer", advice: "end it, and start it again")
        }
        return status
    }

    // MARK: Status

    private static func status(
        _ path: FilePath, _ options: DictateOptions, _ streams: StandardStreams
    ) throws -> ExitStatus {
        func show(_ status: DictateStatus) throws {
            try streams.writeOutput(TerminalText(line: options.printsJSON ? status.json : status.line) + "\n")
        }
        guard options.followsStatus else {
            let status = try ask(.status, path)
            try show(status ?? DictateStatus(.stopped))
            return status == nil ? .unavailable : .success
        }
        var isStopped = false
        while true {
            try LocalClient(path)?.ask(LocalServer.follow) { line in
                isStopped = false
                if let status = DictateStatus(line: line) { try show(status) }
                return true
            }
            if !isStopped { try show(DictateStatus(.stopped)) }
            isStopped = true
            usleep(500_000)
        }
    }

    // MARK: Start on demand

    /// Starts this program with the same options, without the verb.
    private static func startInBackground(_ path: FilePath, then verb: Verb) throws -> DictateStatus {
        let arguments = ProcessArguments.all
        guard arguments.count > 1, arguments[1] == Array(verb.rawValue.utf8) else {
            throw ErrorReport(
                .usage, "dictate: \(verb.rawValue) must come before the options",
                advice: "whisper-local dictate \(verb.rawValue) [options]")
        }
        let log = path.folder.appending("dictate.log")
        do { try PrivateFile.createFolder(path.folder) } catch {
            throw ErrorReport(error.fault.outputError(at: error.path).conversionReport)
        }
        let process = try ChildProcess.startInBackground(
            [arguments[0]] + arguments.dropFirst(2), errors: log)
        let deadline = ContinuousClock.now + startTime
        while ContinuousClock.now < deadline {
            if let status = try ask(verb, path) { return status }
            if ChildProcess.hasEnded(process) {
                // Another one may have been faster.
                if let status = try ask(verb, path) { return status }
                break
            }
            usleep(10_000)
        }
        let reason =
            (try? DiskAccess.contents(of: log, atMost: 10_000)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let lines = reason.split(separator: "\n").map(String.init)
        let what = lines.last { $0.hasPrefix("error: ") }.map { String($0.dropFirst("error: ".count)) }
        let advice = lines.last { $0.hasPrefix("try: ") }.map { String($0.dropFirst("try: ".count)) }
        throw ErrorReport(.unavailable, what ?? "`dictate` does not start", advice: advice ?? "see \(log)")
    }
}
