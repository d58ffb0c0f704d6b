import WhisperEngine

extension BenchCommand {
    static let liveFlags: [Flag<Options>] = [
        .toggle(
            "--live", in: .benchmark, "play recordings into a live session in simulated time", sets: \.isLive, to: true),
        .number(
            "--hours", in: .liveBenchmark, "repeat the recordings, with pauses, for this many hours",
            NumberRange(0...24), sets: \.hours),
        .choice("--commit", in: .liveBenchmark, "when words become final", sets: \.policy),
        .number("--step", in: .liveBenchmark, "seconds between passes", NumberRange(0.25...2), sets: \.step),
        .number(
            "--guard", in: .liveBenchmark, "newest seconds of audio in which no word becomes final",
            NumberRange(0...10), sets: \.commitGuard),
        .number(
            "--certainty", in: .liveBenchmark,
            "words with a lower probability wait for more audio", NumberRange(0...1),
            sets: \.certainty),
        .number(
            "--patience", in: .liveBenchmark, "maximum age in seconds of a word that waits for more audio",
            NumberRange(0...20), sets: \.patience),
        .number(
            "--shown-certainty", in: .liveBenchmark,
            "in the newest second, show words only up to the first one with a lower probability",
            NumberRange(0...1),
            sets: \.shownCertainty),
        .number(
            "--carry", in: .liveBenchmark,
            "maximum seconds of the previous utterance that are decoded again as context", NumberRange(0...20),
            sets: \.carriedAudio),
        .number(
            "--voice-without-text", in: .liveBenchmark,
            "seconds of voice without text, after the last final word, that are decoded again separately",
            NumberRange(0.5...10), sets: \.voiceWithoutText),
        .integer(
            "--context", in: .liveBenchmark, "maximum characters of previous text used as a prompt",
            range: 0...10_000, sets: \.contextCharacters),
        margin(
            "--margin",
            "positions of 20 ms that the encoder computes past the audio of an open utterance, without the stored silence "
                + "that follows with auto",
            sets: \.passContext),
        margin("--closing-margin", "the same for the pass that ends an utterance", sets: \.closingContext),
        .number(
            "--repeat", in: .liveBenchmark,
            "seconds of audio before the new audio that the encoder computes again in an open utterance, if the margin "
                + "is auto",
            NumberRange(0...30), sets: \.repeatedAudio),
        .toggle(
            "--no-draft", in: .liveBenchmark, "decode each pass without the previous one's text as a draft",
            sets: \.usesDrafts, to: false),
        .choice(
            "--vad-model", in: .liveBenchmark, "speech detector; auto uses energy, and silero in loud noise",
            sets: \.detector),
        .path(
            "--texts", nil, "FILE", in: .liveBenchmark,
            "reference transcripts for the word error rate, one line per recording",
            example: "texts.txt", offers: .files, sets: \.texts),
    ]

    private static func margin(
        _ name: String, _ help: String, sets path: Path<Options, AudioContext>
    ) -> Flag<Options> {
        let entry = FlagEntry(
            name: name, group: .liveBenchmark, shape: .value, placeholder: "auto|N", help: help, defaultValue: "auto",
            example: "96", completion: .words(["auto"]))
        return Flag(entry) { (value, options) throws(UsageError) in
            if value == Array("auto".utf8) {
                options[keyPath: path] = .auto
                return
            }
            guard let count = ValueSyntax.integer(value), (0...1500).contains(count) else {
                throw .badValue(option: name, value: value, wanted: "auto or 0 to 1500")
            }
            options[keyPath: path] = .margin(count)
        }
    }

    /// Plays the given recordings into a live session.
    static func runLive(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        guard !operands.isEmpty else {
            throw UsageError.missingOperand("no recording given", wanted: "whisper-local bench --live RECORDING")
        }
        let choice = try ModelChoice(options, for: .liveAudio, context: context)
        for note in choice.notes { context.streams.writeError("\(note)\n") }
        var benchmarkOptions = LiveBenchmark.Options()
        benchmarkOptions.duration = options.hours * 3_600
        benchmarkOptions.stopwatch = options.stopwatch
        benchmarkOptions.streaming.policy = options.policy
        benchmarkOptions.streaming.step = options.step
        benchmarkOptions.streaming.guardTime = options.commitGuard
        benchmarkOptions.streaming.minimumProbability = options.certainty
        benchmarkOptions.streaming.patience = options.patience
        benchmarkOptions.streaming.volatileProbability = options.shownCertainty
        benchmarkOptions.streaming.passContext = options.passContext
        benchmarkOptions.streaming.closingContext = options.closingContext
        benchmarkOptions.streaming.repeatedAudio = options.repeatedAudio
        benchmarkOptions.streaming.carriedAudio = options.carriedAudio
        benchmarkOptions.streaming.voiceWithoutText = options.voiceWithoutText
        benchmarkOptions.streaming.contextCharacters = options.contextCharacters
        benchmarkOptions.streaming.usesDrafts = options.usesDrafts
        benchmarkOptions.detector = try options.detector.makeDetector(choice.search)
        if let texts = options.texts { benchmarkOptions.texts = try lines(of: texts, count: operands.count) }
        var recordings: [[Float]] = []
        for operand in operands {
            var samples: [Float] = []
            for try await chunk in try AudioFile.open(FilePath(bytes: operand)).chunks() {
                samples += chunk.samples
            }
            recordings.append(samples)
        }
        let recognizer = try await Recognizer(model: choice.path, options: options.compute)
        let result = try LiveBenchmark(recognizer, options: benchmarkOptions).run(recordings)
        let report = LiveBenchReport(result: result, model: choice.name)
        try context.streams.writeOutput(TerminalText(options.printsJSON ? report.json : report.table))
        return .success
    }

    private static func lines(of path: FilePath, count: Int) throws -> [String] {
        let text: String
        do {
            let file = try ReadOnlyFile(path)
            text = String(decoding: try file.bytes(0..<file.count), as: UTF8.self)
        } catch {
            throw ErrorReport(.noInput, "cannot read \(path)", advice: "pass a text file to --texts")
        }
        let lines = text.split(separator: "\n").map(String.init)
        guard lines.count == count else {
            throw ErrorReport(
                .badData, "\(path) has \(lines.count) lines, but there are \(count) recordings",
                advice: "write one line per recording, in their order")
        }
        return lines
    }
}
