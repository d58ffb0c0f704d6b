import WhisperEngine

#if HAS_SOUP
    import WhisperServer
#endif

/// `cache list`: the transcripts that `serve` has cached, without their text.
enum CacheListCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var cache: FilePath?
        var printsJSON = false
    }

    static let manual = CommandManual(
        name: "cache list", summary: "List the transcripts in the cache, most recently used first",
        usage: ["[options]"],
        notes: [
            "COUNT is the number of times a transcript was requested, SAVED the recognition time that this saved. The text is "
                + "not shown."
        ])

    static let flags: [Flag<Options>] = [
        CacheCommands.flag(sets: \.cache),
        .toggle("--json", in: .output, "print a JSON object instead of a table", sets: \.printsJSON, to: true),
    ]

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if let operand = operands.first { throw UsageError.unwantedOperand(operand) }
        #if HAS_SOUP
            let target = try CacheCommands.Target(options.cache, context.environment)
            let entries = try await target.cache?.entries() ?? []
            let statistics = try await target.cache?.statistics() ?? TranscriptCache.Statistics()
            if options.printsJSON {
                try context.streams.writeOutput(TerminalText(json(entries, statistics, target.path)))
            } else if !entries.isEmpty {
                try context.streams.writeOutput(TerminalText(table(entries)))
            }
            context.streams.writeError(
                entries.isEmpty ? "\(target.absence)\n" : TerminalText(summary(statistics, target.path)))
            return .success
        #else
            throw CacheCommands.noServer
        #endif
    }
}

#if HAS_SOUP
    extension CacheListCommand {
        private static func table(_ entries: [TranscriptCache.Entry]) -> String {
            var table = TextTable(
                header: ["MODEL", "LANGUAGE", "LENGTH", "SIZE", "MADE", "USED", "COUNT", "SAVED", "VIDEO"])
            table.rightAligned = [2, 3, 4, 5, 6, 7]
            table.maximumWidths = [0: 40]
            let now = WallTime.now
            table.rows = entries.map { entry in
                [
                    ShellQuoting.quoted(entry.model), ShellQuoting.quoted(entry.language),
                    Timestamp.clock(entry.duration), ByteCount.text(entry.bytes), age(of: entry.created, at: now),
                    age(of: entry.used, at: now), "\(entry.accesses)", Timestamp.clock(entry.savedSeconds),
                    entry.videos.isEmpty ? "-" : entry.videos.map { ShellQuoting.quoted($0) }.joined(separator: " "),
                ]
            }
            return table.text
        }

        private static func summary(_ statistics: TranscriptCache.Statistics, _ path: FilePath?) -> String {
            let place = path.map { " in \($0)" } ?? ""
            let (entries, hits) = (statistics.entries, statistics.hits)
            return
                "\(Counted.text(entries, "transcript"))\(place), \(ByteCount.text(statistics.bytes)) on disk; "
                + "found \(Counted.text(hits, "time")), which saved \(Timestamp.clock(statistics.savedSeconds))\n"
        }

        /// `12 min`, `3 h` or `2 days`, rounded down.
        private static func age(of time: WallTime, at now: WallTime) -> String {
            let minutes = max(0, now.milliseconds - time.milliseconds) / 60_000
            switch minutes {
            case ..<60: return "\(minutes) min"
            case ..<2880: return "\(minutes / 60) h"
            default: return "\(minutes / 1440) days"
            }
        }

        private static func json(
            _ entries: [TranscriptCache.Entry], _ statistics: TranscriptCache.Statistics, _ path: FilePath?
        ) -> String {
            let transcripts = entries.map { entry in
                JSONText.object([
                    ("model", JSONText.string(entry.model)), ("language", JSONText.string(entry.language)),
                    ("length", JSONText.number(entry.duration)), ("bytes", "\(entry.bytes)"),
                    ("made", JSONText.string(entry.created.description)),
                    ("used", JSONText.string(entry.used.description)), ("count", "\(entry.accesses)"),
                    ("recognition", JSONText.number(entry.seconds)), ("saved", JSONText.number(entry.savedSeconds)),
                    ("videos", JSONText.array(entry.videos.map { JSONText.string($0) })),
                ])
            }
            return JSONText.object([
                ("path", JSONText.string(path.map { String(decoding: $0.bytes, as: UTF8.self) })),
                ("bytes", "\(statistics.bytes)"), ("found", "\(statistics.hits)"),
                ("saved", JSONText.number(statistics.savedSeconds)), ("transcripts", JSONText.array(transcripts)),
            ]) + "\n"
        }
    }
#endif
