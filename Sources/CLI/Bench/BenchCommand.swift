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
        var isLive = false
        var hours = 0.0
        var policy = StreamingOptions().policy
        var step = StreamingOptions().step
        var usesProcessorTime = false
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
        if options.compares { throw PeerComparison.start() }
        let choice = try ModelChoice(
            options, for: .both, suits: { unused(options, by: $0) == nil }, context: context)
        for note in choice.notes { context.streams.writeError("\(note)\n") }
        var benchmarkOptions = Benchmark.Options()
        benchmarkOptions.tokens = options.tokens
        benchmarkOptions.beamSize = options.beamSize
        benchmarkOptions.rounds = options.rounds
        benchmarkOptions.compute = options.compute
        let showsProgress = context.streams.errorIsTerminal && !Terminal.isDumb(context.environment)
        let benchmark = try Benchmark(model: choice.path, options: benchmarkOptions)
        let traits = benchmark.traits
        if let option = unused(options, by: traits) {
            throw UnusedOptionsError(names: [option], family: traits.family)
        }
        let result = try benchmark.run { round in
            if showsProgress { context.streams.writeError("\rround \(round) of \(options.rounds)\u{1b}[K") }
        }
        if showsProgress { context.streams.writeError("\r\u{1b}[K") }
        let report = BenchReport(result: result, model: choice.name)
        try context.streams.writeOutput(TerminalText(options.printsJSON ? report.json : report.table))
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
