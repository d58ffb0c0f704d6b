import WhisperEngine

/// `history search`: utterances that contain given words.
enum HistorySearchCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var isRaw = false
        var isSubstring = false
        var limit = 20

        var syntax: SearchSyntax { isRaw ? .raw : isSubstring ? .substring : .words }
    }

    static let manual = CommandManual(
        name: "history search", summary: "Search the text of all sessions", usage: ["[options] WORD …"],
        notes: [
            "Finds utterances that contain all the words, best match first; case and accents are ignored. Languages "
                + "without spaces need --substring."
        ],
        examples: ["garden door", "--raw 'garden NOT door'", "--substring 京都"])

    static let flags: [Flag<Options>] = [
        .toggle("--raw", in: .output, "treat the words as an SQLite FTS5 query", sets: \.isRaw, to: true),
        .toggle(
            "--substring", in: .output, "match the exact characters, even within words", sets: \.isSubstring,
            to: true),
        .integer("--limit", in: .output, "maximum number of results", range: 1...100_000, sets: \.limit),
    ]

    static func check(_ options: Options) throws(UsageError) {
        if options.isRaw, options.isSubstring {
            throw .contradiction("--raw", "--substring", why: "one is a query, the other plain text")
        }
    }

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let text = try operands.map { try ValueSyntax.utf8($0, option: "WORD") }.joined(separator: " ")
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw UsageError.missingOperand("no words given", wanted: "whisper-local history search WORD …")
        }
        let history = try SessionHistory(context)
        guard let store = history.store else {
            context.streams.writeError("\(history.absence)\n")
            return .success
        }
        let hits = try store.search(text, options.syntax, limit: options.limit)
        guard let hits else {
            throw ErrorReport(
                .usage, "--raw: SQLite cannot parse the query \(ShellQuoting.quoted(text))",
                advice: "omit --raw, or quote the words: '\"garden\" NOT \"door\"'")
        }
        if hits.isEmpty { context.streams.writeError("no matches\n") }
        if options.syntax == .words, hits.isEmpty || Self.hasUnspacedScript(text),
            let more = try store.search(text, .substring, limit: options.limit), more.count > hits.count
        {
            context.streams.writeError("note: --substring would find more\n")
        }
        let lines = hits.map { hit in
            let line = hit.excerpt.split(whereSeparator: \.isNewline).joined(separator: " ").drop { $0 == " " }
            return "\(ShellQuoting.quoted(hit.title))  [\(Timestamp(seconds: hit.start).vtt)]  \(line)\n"
        }
        try context.streams.writeOutput(TerminalText(lines.joined()))
        return .success
    }

    /// Whether a text contains letters of a script that does not separate words: a whole run of them counts as one word.
    private static func hasUnspacedScript(_ text: String) -> Bool {
        // Thai to Myanmar, Khmer, kana, Han.
        let scripts: [ClosedRange<UInt32>] = [
            0xe00...0x109f, 0x1780...0x17ff, 0x3040...0x30ff, 0x3400...0x9fff, 0xf900...0xfaff, 0x20000...0x3ffff,
        ]
        return text.unicodeScalars.contains { scalar in scripts.contains { $0.contains(scalar.value) } }
    }
}
