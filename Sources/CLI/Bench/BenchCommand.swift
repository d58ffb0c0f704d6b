import WhisperEngine

/// `bench`: measures how fast a model is on this machine.
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
        var showsLimits = false
        var isLive = false
        var hours = 0.0
        var policy = StreamingOptions().policy
        var step = StreamingOptions().step
        var stopwatch = Stopwatch.elapsed
        var certainty = StreamingOptions().minimumProbability
        var patience = StreamingOptions().patience
        var shownCertainty = StreamingOptions().volatileProbability
        var passContext = StreamingOptions().passContext
        var closingContext = StreamingOptions().closingContext
        var repeatedAudio = StreamingOptions().repeatedAudio
        var carriedAudio = StreamingOptions().carriedAudio
        var voiceWithoutText = StreamingOptions().voiceWithoutText
        var contextCharacters = StreamingOptions().contextCharacters
        var usesDrafts = StreamingOptions().usesDrafts
        var commitGuard = StreamingOptions().guardTime
        var detector = LiveDetectorChoice.auto
        var texts: FilePath?
    }

    static let manual = CommandManual(
        name: "bench", summary: "Measure the speed of a model on this machine",
        usage: ["[options]", "--live [options] RECORDING …"],
        notes: [
            "Measures loading, spectrogram, encoder and decoder with one window of 30 seconds of noise; what the audio "
                + "contains does not affect the work. Times are medians over the rounds, after one warm-up round.",
            "With --limits, each part of the model has three figures for a window: its time in the fastest round, the "
                + "least time for its arithmetic or for reading its weights, whichever is longer, and the quotient.",
            "With --live, recordings are played into a live session in simulated time: a pass over the newest audio "
                + "starts when the audio has arrived and the previous pass has finished.",
        ],
        examples: ["--model small --threads 4", "--beam-size 5 --json", "--live --hours 1 talk.wav"],
        mostUsed: [
            "--model", "--threads", "--tokens", "--beam-size", "--rounds", "--json", "--step", "--live", "--hours",
            "--texts",
        ])

    static let flags: [Flag<Options>] =
        ModelFlags.weights() + ModelFlags.compute() + [
            .integer(
                "--tokens", in: .benchmark, "decode exactly this many text tokens", range: 1...220,
                sets: \.tokens),
            .integer("--beam-size", in: .benchmark, "beam size", range: 1...100, sets: \.beamSize),
            .integer("--rounds", in: .benchmark, "number of rounds", range: 1...1000, sets: \.rounds),
            .toggle("--json", in: .benchmark, "print a JSON object instead of a table", sets: \.printsJSON, to: true),
            .toggle(
                "--limits", in: .benchmark,
                "compare each part of the model with what this machine allows: the peak of its instructions, and the "
                    + "speed of its memory",
                sets: \.showsLimits, to: true),
            .toggle(
                "--processor-time", in: .benchmark,
                "with --limits or --live, measure the processor time of all threads instead of elapsed time",
                sets: \.stopwatch, to: .processor),
            .toggle(
                "--compare", in: .benchmark,
                "compare whisper.cpp, faster-whisper and openai-whisper with this program, using Benchmarks/compare.py "
                    + "(takes 15 minutes); writes tables to Benchmarks/results",
                sets: \.compares, to: true),
        ] + liveFlags

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if options.isLive { return try await runLive(options, operands: operands, context: context) }
        if let option = liveFlags.map(\.entry.name).first(where: options.given.contains) {
            throw UsageError.needs(option, "--live")
        }
        if let word = operands.first { throw UsageError.unwantedOperand(word) }
        if options.stopwatch == .processor, !options.showsLimits {
            throw UsageError.needs("--processor-time", "--limits or --live")
        }
        if options.compares { throw PeerComparison.start() }
        if options.showsLimits, options.compute.backend == .reference {
            throw UsageError.contradiction(
                "--limits", "--backend reference", why: "it has no kernels to measure")
        }
        let choice = try ModelChoice(
            options, for: .both, suits: { unused(options, by: $0) == nil }, context: context)
        for note in choice.notes { context.streams.writeError("\(note)\n") }
        var benchmarkOptions = Benchmark.Options()
        benchmarkOptions.tokens = options.tokens
        benchmarkOptions.beamSize = options.beamSize
        benchmarkOptions.rounds = options.rounds
        benchmarkOptions.compute = options.compute
        benchmarkOptions.compute.measures = options.showsLimits ? options.stopwatch : nil
        let showsProgress = context.streams.errorIsTerminal && !Terminal.isDumb(context.environment)
        let benchmark = try Benchmark(model: choice.path, options: benchmarkOptions)
        let traits = benchmark.traits
        if let option = unused(options, by: traits) {
            throw UnusedOptionsError(names: [option], family: traits.family)
        }
        func onRound(_ round: Int) {
            if showsProgress { context.streams.writeError("\rround \(round) of \(options.rounds)\u{1b}[K") }
        }
        let text: String
        if options.showsLimits {
            let report = LimitsReport(limits: try benchmark.limits(onRound: onRound), model: choice.name)
            text = options.printsJSON ? report.json : report.table
        } else {
            let report = BenchReport(result: try benchmark.run(onRound: onRound), model: choice.name)
            text = options.printsJSON ? report.json : report.table
        }
        if showsProgress { context.streams.writeError("\r\u{1b}[K") }
        try context.streams.writeOutput(TerminalText(text))
        return .success
    }

    /// An option on the command line that a model would ignore.
    private static func unused(_ options: Options, by traits: ModelTraits) -> String? {
        let unused = [
            ("--tokens", !traits.usesWhisperOptions), ("--beam-size", traits.beams == nil && options.beamSize > 1),
        ]
        return unused.first { $1 && options.given.contains($0) }?.0
    }
}

/// `bench --compare`: the comparison with other recognizers, a script in the repository.
enum PeerComparison {
    /// Replaces this process with the script, which measures this program.
    ///
    /// - Returns: the reason if that failed.
    static func start() -> ErrorReport {
        guard let program = ProcessEnvironment.executable, let root = ModelSearch.repository(of: program) else {
            return missing("this program is not in its repository")
        }
        let script = root.appending("Benchmarks/compare.py")
        guard FileSystem.isReadable(script) else { return missing("cannot read \(script)") }
        ChildProcess.replaceProcess(with: [
            "python3", String(decoding: script.bytes, as: UTF8.self), "--program",
            String(decoding: program.bytes, as: UTF8.self),
        ])
        return ErrorReport(
            .unavailable, "cannot start python3", advice: "install Python 3.9 or newer (apt install python3-venv)")
    }

    private static func missing(_ reason: String) -> ErrorReport {
        ErrorReport(
            .unavailable, "cannot run the comparison: \(reason)",
            advice: "build whisper-local in a clone of its repository and run .build/release/whisper-local there")
    }
}
