import Glibc
import WhisperEngine

/// The program from its first instruction to its exit status.
package enum CommandLineProgram {
    package static func main() {
        Startup.configureHeap()
        let streams = StandardStreams.open()
        do {
            try Startup.checkResources()
        } catch {
            exit(reported(error, streams).rawValue)
        }
        CrashReport.install()
        let signals = Signals.install()
        // A hot key may be pressed while the model is loading.
        if ProcessArguments.all.first == Array(DictateCommand.manual.name.utf8) { signals.hold([SIGUSR1, SIGUSR2]) }
        let environment = ProcessEnvironment.process
        let context = CommandContext(
            environment: environment, streams: streams, signals: signals, config: ConfigFile(environment: environment))
        Task.detached { exit(await status(ProcessArguments.all, context)) }
        signals.waitForever()
    }

    private static func status(_ arguments: [[UInt8]], _ context: CommandContext) async -> Int32 {
        let other = OtherProgram(startedAs: ProcessArguments.name)
        do {
            let status =
                if let other {
                    try await other.run(arguments, context: context)
                } else {
                    try await Dispatcher.run(arguments, context: context)
                }
            try context.streams.finish()
            return other?.code(status, isThrown: false) ?? status.rawValue
        } catch {
            let status = reported(error, context.streams)
            return other?.code(status, isThrown: true) ?? status.rawValue
        }
    }

    /// The errors of all commands end up here; only here are they turned into a message and an exit status.
    private static func reported(_ error: any Error, _ streams: StandardStreams) -> ExitStatus {
        let report = ErrorReport(error)
        streams.writeError(TerminalText(report.text))
        return report.status
    }
}
