import WhisperEngine

extension BenchCommand {
    static let liveFlags: [Flag<Options>] = [
        .toggle(
            "--live", in: .measuring, "play recordings to a live session in simulated time", sets: \.isLive, to: true),
        .number(
            "--hours", in: .measuring, "with --live: repeat the recordings, with pauses, for so long",
            NumberRule(0...24), sets: \.hours),
        .choice("--commit", in: .measuring, "with --live: when words become final", sets: \.policy),
        .number("--step", in: .measuring, "with --live: seconds between passes", NumberRule(0.25...2), sets: \.step),
        .toggle(
            "--processor-time", in: .measuring, "with --live: count the processor's time, not the clock's",
            sets: \.usesProcessorTime, to: true),
    ]

    /// Plays the recordings given to a live session.
    static func runLive(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        guard !operands.isEmpty else {
            throw UsageError.missingOperand(wanted: "whisper-local bench --live RECORDING").report(command: manual.name)
        }
        let choice = try ModelChoice(options, context: context)
        var what = LiveBenchmark.Options()
        what.duration = options.hours * 3_600
        what.usesProcessorTime = options.usesProcessorTime
        what.streaming.policy = options.policy
        what.streaming.step = options.step
        do {
            var recordings: [[Float]] = []
            for operand in operands {
                var samples: [Float] = []
                for try await chunk in try AudioFile.open(FilePath(bytes: operand)).chunks() {
                    samples += chunk.samples
                }
                recordings.append(samples)
            }
            let recognizer = try await Recognizer(model: choice.path, options: options.compute)
            let result = try LiveBenchmark(recognizer, options: what).run(recordings)
            let report = LiveBenchReport(result: result, model: choice.name)
            try context.streams.writeOutput(options.printsJSON ? report.json : report.table)
        } catch {
            throw EngineErrors.report(error) ?? error
        }
        return .success
    }
}
