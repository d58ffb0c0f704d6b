import WhisperEngine

/// Finals by their words.
enum HistorySearchCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var isRaw = false
        var isSubstring = false
        var limit = 20

        init() {}

        var syntax: SearchSyntax { isRaw ? .raw : isSubstring ? .substring : .words }
    }

    static let manual = CommandManual(
        name: "history search", summary: "Search all sessions", usage: ["[options] WORD …"],
        notes: [
            "Finds finals that have all the words, in any case and with or without accents, the best first. Languages "
                + "without spaces need --substring."
        ],
        examples: ["garden door", "--raw 'garden NOT door'", "--substring 京都"])

    static let flags: [Flag<Options>] =
        [
            .toggle("--raw", in: .output, "the words are a query in SQLite's FTS5 language", sets: \.isRaw, to: true),
            .toggle(
                "--substring", in: .output, "find the letters as they stand, also within words", sets: \.isSubstring,
                to: true),
            .integer("--limit", in: .output, "results at most", range: 1...100_000, sets: \.limit),
        ] + CommonFlags.general()

    static func check(_ options: Options) throws(UsageError) {
        if options.isRaw, options.isSubstring {
            throw .contradiction("--raw", "--substring", why: "one is a language, the other plain letters")
        }
    }

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let text = try operands.map { word in
            do throws(UsageError) {
                return try TextSyntax.utf8(word, option: "WORD")
            } catch {
                throw error.report(command: manual.name)
            }
        }.joined(separator: " ")
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw UsageError.missingOperand(wanted: "whisper-local history search WORD …").report
        }
        let history = try History(context)
        guard let store = history.store else {
            context.streams.writeError("\(history.absence)\n")
            return .success
        }
        let hits = try History.told { try store.search(text, options.syntax, limit: options.limit) }
        guard let hits else {
            throw ErrorReport(
                .usage, "--raw: SQLite does not understand the query \(ShellQuoting.quoted(text))",
                cure: "leave --raw out, or quote words: '\"garden\" NOT \"door\"'")
        }
        if hits.isEmpty { context.streams.writeError("nothing found\n") }
        let lines = hits.map { hit in
            let excerpt =
                context.streams.outputIsTerminal ? hit.excerpt.replacingControlCharacters(except: ["\t"]) : hit.excerpt
            let line = excerpt.split(whereSeparator: \.isNewline).joined(separator: " ").drop { $0 == " " }
            return "\(ShellQuoting.quoted(hit.title))  [\(Timestamp(seconds: hit.start).vtt)]  \(line)\n"
        }
        try context.streams.writeOutput(lines.joined())
        return .success
    }
}
