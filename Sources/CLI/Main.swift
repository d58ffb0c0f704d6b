import Glibc
import WhisperEngine

@main
enum Main {
    static func main() {
        MemoryPolicy.apply()
        let streams = StandardStreams.open()
        do {
            try checkResources()
        } catch {
            streams.writeError(error.text)
            exit(error.status.rawValue)
        }
        CrashReport.install()
        let signals = Signals.install()
        let environment = ProcessEnvironment.process
        let context = CommandContext(
            environment: environment, streams: streams, signals: signals, config: ConfigFile(environment: environment))
        Task.detached { exit(await status(ProcessArguments.words, context).rawValue) }
        signals.waitForever()
    }

    /// Stacks and arenas of the runtime's first threads, without which it would wait for ever.
    private static let startingSpace = 48 << 20

    /// What Swift's runtime needs and could not say that it lacks.
    private static func checkResources() throws(ErrorReport) {
        guard StandardStreams.hasFreeDescriptors else {
            throw ErrorReport(
                .tryAgain, "no free file descriptors", cure: "close other programs, or raise the limit (ulimit -n)")
        }
        if let room = SystemMemory.addressSpaceLeft, room < startingSpace {
            throw ErrorReport(
                .tryAgain, "not enough memory to start: \(room >> 20) MiB are left of the address space",
                cure: "raise the limit (ulimit -v)")
        }
        // The runtime's watch over its threads reads it, sooner or later, and traps where it is not there.
        if case .failure = FileSystem.contents(of: FilePath("/proc/self/stat"), atMost: 1 << 16) {
            throw ErrorReport(
                .tryAgain, "/proc is not there, without which Swift's runtime cannot go on",
                cure: "mount it (mount -t proc proc /proc)")
        }
    }

    /// The one place where errors become messages and exit statuses.
    private static func status(_ words: [[UInt8]], _ context: CommandContext) async -> ExitStatus {
        do {
            let status = try await Dispatcher.run(words, context: context)
            try context.streams.finish()
            return status
        } catch let error as any ReportedError {
            context.streams.writeError(error.report.text)
            return error.report.status
        } catch {
            let report = ErrorReport.internalError("\(error)")
            context.streams.writeError(report.text)
            return report.status
        }
    }
}
