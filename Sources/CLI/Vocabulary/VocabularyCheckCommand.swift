import WhisperEngine

/// `vocabulary check`: what a vocabulary contains, what is wrong with it, and how a model spells its terms.
enum VocabularyCheckCommand: Command {
    struct Options: ModelOptions {
        var given: Set<String> = []
        var model: FilePath?
        var modelFolder: FilePath?
        var compute = ComputeOptions()
    }

    static let manual = CommandManual(
        name: "vocabulary check", summary: "Check a vocabulary and show the tokens of its terms",
        usage: ["[options] [FILE]"],
        notes: [
            "Without FILE, checks $XDG_CONFIG_HOME/whisper-local/vocabulary. Entries that are wrong are reported with their line "
                + "and column. Terms that cause false alarms are marked: they are only used by rules."
        ],
        examples: ["", "-m base names.txt"], operands: .files)

    static let flags: [Flag<Options>] = ModelFlags.weights()

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if operands.count > 1 { throw UsageError.unwantedOperand(operands[1]) }
        guard
            let file = operands.first.map({ FilePath(bytes: $0) })
                ?? VocabularyChoice.ownFile(context.environment)
        else {
            throw UsageError.missingOperand("no file given", wanted: "whisper-local \(manual.name) FILE")
        }
        let reading = try UserVocabulary.read(file)
        for problem in reading.problems { context.streams.writeError(TerminalText("\(problem.report.text)")) }
        let model = try ModelChoice(options, for: .both, context: context)
        let console = Console(
            streams: context.streams, environment: context.environment, verbosity: .normal, progress: false,
            color: .never)
        let recognizer = try await model.load(options.compute, console: console)
        try context.streams.writeOutput(TerminalText(text(reading, recognizer.model, name: model.name)))
        return reading.problems.isEmpty ? .success : .badData
    }

    private static func text(_ reading: UserVocabulary.Reading, _ model: any SpeechModel, name: String) -> String {
        let terms = reading.vocabulary.terms, spelling = model.spelling
        var table = TextTable(header: ["LINE", "TERM", "TOKENS", "SPELLED", "NOTE"])
        table.rightAligned = [0, 2]
        table.maximumWidths = [1: 40, 3: 40]
        table.rows = terms.map { term in
            let tokens = spelling.encode(" " + term.text)
            let pieces = tokens.map { WhiteSpace.strip(spelling.text(of: [$0])) }
            return [
                reading.lines[term.text].map { "\($0)" } ?? "", term.text, "\(tokens.count)",
                pieces.joined(separator: "·"), TermProblem(term, for: spelling)?.description ?? "",
            ]
        }
        let ignored = terms.count { TermProblem($0, for: spelling) != nil }
        var lines = [
            "\(Counted.text(terms.count, "term")), \(Counted.text(reading.vocabulary.rules.count, "rule")) of at most "
                + "\(UserVocabulary.maxEntries) entries; \(name) uses \(terms.count - ignored) of the terms"
        ]
        if let limit = model.traits.maxPromptTokens, !terms.isEmpty {
            lines.append("in a prompt (--hotwords), the first \(fitting(terms, in: limit, spelling)) would fit")
        }
        return (terms.isEmpty ? "" : table.text) + lines.map { $0 + "\n" }.joined()
    }

    /// How many terms fit into a prompt.
    private static func fitting(_ terms: [Term], in limit: Int, _ spelling: any TokenSpelling) -> Int {
        var count = 0, tokens = 0
        for (index, term) in terms.enumerated() {
            tokens += spelling.encode((index == 0 ? " " : ", ") + term.text).count
            guard tokens <= limit else { break }
            count += 1
        }
        return count
    }
}
