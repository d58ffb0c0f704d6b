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
        .number(
            "--guard", in: .measuring, "with --live: seconds before the newest sound in which nothing becomes final",
            NumberRule(0...10), sets: \.commitGuard),
        .number(
            "--certainty", in: .measuring,
            "with --live: a word of which the network is less sure waits for more sound", NumberRule(0...1),
            sets: \.certainty),
        .number(
            "--patience", in: .measuring, "with --live: but not longer than so many seconds before the newest sound",
            NumberRule(0...20), sets: \.patience),
        .number(
            "--shown-certainty", in: .measuring,
            "with --live: in the newest second nothing is shown from a less sure word on", NumberRule(0...1),
            sets: \.shownCertainty),
        .integer(
            "--margin", in: .measuring,
            "with --live: positions of 20 ms that the encoder computes behind the sound of an open utterance",
            range: 0...1500, sets: \.margin),
        .toggle(
            "--no-draft", in: .measuring, "with --live: write each pass without what the one before foretells",
            sets: \.usesDrafts, to: false),
        .choice("--vad-model", in: .measuring, "with --live: what tells speech from silence", sets: \.detector),
        .path(
            "--texts", nil, "FILE", in: .measuring,
            "with --live: what is said in the recordings, a line for each, to count wrong words against",
            example: "texts.txt", offers: .files, sets: \.texts),
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
        what.streaming.guardTime = options.commitGuard
        what.streaming.minimumProbability = options.certainty
        what.streaming.patience = options.patience
        what.streaming.volatileProbability = options.shownCertainty
        what.streaming.passContext = .margin(options.margin)
        what.streaming.usesDrafts = options.usesDrafts
        what.detector = try options.detector.load(choice.search)
        if let texts = options.texts { what.texts = try lines(of: texts, count: operands.count) }
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

    private static func lines(of path: FilePath, count: Int) throws -> [String] {
        let text: String
        do {
            let file = try ReadOnlyFile(path)
            text = String(decoding: try file.bytes(0..<file.count), as: UTF8.self)
        } catch {
            throw ErrorReport(.noInput, "\(path) cannot be read", cure: "--texts takes a text file")
        }
        let lines = text.split(separator: "\n").map(String.init)
        guard lines.count == count else {
            throw ErrorReport(
                .badData, "\(path) has \(lines.count) lines for \(count) recordings",
                cure: "give a line for each recording, in their order")
        }
        return lines
    }
}
