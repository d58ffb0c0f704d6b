import WhisperEngine

#if HAS_SOUP
    import WhisperServer
#endif

/// `cache clear`: deletes transcripts that `serve` has cached.
enum CacheClearCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var cache: FilePath?
        /// Days.
        var age: Int?
        var skipsConfirmation = false
    }

    static let manual = CommandManual(
        name: "cache clear", summary: "Delete the transcripts in the cache", usage: ["[options]"],
        notes: ["On a terminal, asks before deleting. A running server can continue to use the cache."],
        examples: ["", "--yes --older-than 30"])

    static let flags: [Flag<Options>] = [
        CacheCommands.flag(sets: \.cache),
        .optionalInteger(
            "--older-than", in: .output, "keep transcripts that were used in the last N days", range: 0...100_000,
            noneAllowed: false, sets: \.age),
        CommonFlags.yes(sets: \.skipsConfirmation),
    ]

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if let operand = operands.first { throw UsageError.unwantedOperand(operand) }
        #if HAS_SOUP
            let target = try CacheCommands.Target(options.cache, context.environment)
            guard let path = target.path, let cache = target.cache else {
                context.streams.writeError("\(target.absence)\n")
                return .success
            }
            let latest = options.age.map { WallTime.now.milliseconds - $0 * 86_400_000 } ?? .max
            let old = try await cache.entries().count { $0.used.milliseconds <= latest }
            guard old > 0 else {
                let age = options.age.map { " unused for \(Counted.text($0, "day"))" } ?? ""
                context.streams.writeError("no transcripts\(age) in \(path)\n")
                return .success
            }
            guard
                try options.skipsConfirmation
                    || context.confirms("delete", "\(Counted.text(old, "transcript")) from \(path)")
            else {
                return .success
            }
            let deleted = try await cache.clear(unusedFor: options.age)
            try context.streams.writeOutput("deleted \(Counted.text(deleted, "transcript"))\n")
            return .success
        #else
            throw CacheCommands.noServer
        #endif
    }
}
