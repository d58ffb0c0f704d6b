import WhisperEngine

/// How fast a model is on this machine.
enum BenchCommand: Command {
    struct Options: ModelOptions {
        var given: Set<String> = []
        var model: FilePath?
        var modelFolder: FilePath?
        var compute = ComputeOptions()
        var tokens = 100
        var beamSize = 1
        var rounds = 5
        var printsJSON = false
        var compares = false
        var isLive = false
        var hours = 0.0
        var policy = StreamingOptions().policy
        var step = StreamingOptions().step
        var usesProcessorTime = false
        var certainty = StreamingOptions().minimumProbability
        var patience = StreamingOptions().patience
        var shownCertainty = StreamingOptions().volatileProbability
        var margin = StreamingOptions.passMargin
        var usesDrafts = StreamingOptions().usesDrafts
        var commitGuard = StreamingOptions().guardTime
        var detector = DetectorChoice.energy
        var texts: FilePath?

        init() {}
    }

    static let manual = CommandManual(
        name: "bench", summary: "Measure loading, spectrogram, encoder and decoder on this machine",
        usage: ["[options]", "--live [options] RECORDING..."],
        notes: [
            "Times one window of 30 seconds of noise: what is heard does not change the work. Times are medians of "
                + "the rounds, after one that warms up.",
            "With --live recordings are heard as a microphone would be, in simulated time: a pass over the newest sound "
                + "starts when its sound is there and the pass before is done.",
        ],
        examples: ["--model small --threads 4", "--beam-size 5 --json", "--live --hours 1 talk.wav"])

    static let flags: [Flag<Options>] =
        ModelFlags.weights() + ModelFlags.compute() + [
            .integer(
                "--tokens", in: .measuring, "text tokens to produce, no more and no fewer", range: 1...220,
                sets: \.tokens),
            .integer("--beam-size", in: .measuring, "beams of the search", range: 1...100, sets: \.beamSize),
            .integer("--rounds", in: .measuring, "rounds to take the median of", range: 1...1000, sets: \.rounds),
            .toggle("--json", in: .measuring, "one JSON object instead of a table", sets: \.printsJSON, to: true),
            .toggle(
                "--compare", in: .measuring,
                "whisper.cpp, faster-whisper and openai-whisper in turn with this program, by Benchmarks/compare.py "
                    + "(a quarter of an hour); its results are tables in Benchmarks/results",
                sets: \.compares, to: true),
        ] + liveFlags + CommonFlags.general()

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if options.isLive { return try await runLive(options, operands: operands, context: context) }
        if let option = liveFlags.map(\.entry.name).first(where: options.given.contains) {
            throw UsageError.needs(option, "--live").report(command: manual.name)
        }
        if let word = operands.first { throw UsageError.unwantedOperand(word).report(command: manual.name) }
        if options.compares { throw PeerComparison.start() }
        let choice = try ModelChoice(options, context: context)
        var what = Benchmark.Options()
        what.tokens = options.tokens
        what.beamSize = options.beamSize
        what.rounds = options.rounds
        what.compute = options.compute
        do {
            let benchmark = try Benchmark(model: choice.path, options: what)
            let result = try benchmark.run { round in
                if context.streams.errorIsTerminal, !ColorChoice.isDumb(context.environment) {
                    context.streams.writeError("\rround \(round) of \(options.rounds)\u{1b}[K")
                }
            }
            if context.streams.errorIsTerminal, !ColorChoice.isDumb(context.environment) {
                context.streams.writeError("\r\u{1b}[K")
            }
            let report = BenchReport(result: result, model: choice.name)
            try context.streams.writeOutput(options.printsJSON ? report.json : report.table)
        } catch {
            throw EngineErrors.report(error) ?? error
        }
        return .success
    }
}
