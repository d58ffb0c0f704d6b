import WhisperEngine

/// A session's text, utterance by utterance.
enum HistoryShowCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var showsTimestamps = true
        var showsWallClock = false

        init() {}
    }

    static let manual = CommandManual(
        name: "history show", summary: "Show what a session holds", usage: ["[options] SESSION"],
        examples: ["meeting", "--wall-clock meeting"])

    static let flags: [Flag<Options>] =
        [
            .toggle("--no-timestamps", in: .output, "text alone", sets: \.showsTimestamps, to: false),
            .toggle(
                "--wall-clock", in: .output, "when it was spoken (UTC) instead of the place in the session",
                sets: \.showsWallClock, to: true),
        ] + CommonFlags.general()

    static func check(_ options: Options) throws(UsageError) {
        if options.showsWallClock, !options.showsTimestamps {
            throw .contradiction("--wall-clock", "--no-timestamps", why: "one shows times, the other none")
        }
    }

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let (session, store) = try History(context).session(operands, command: manual)
        let (finals, events) = try History.told {
            (try store.finals(of: session), options.showsWallClock ? try store.clockEvents(of: session) : [])
        }
        var text = options.showsTimestamps ? heading(of: session) + "\n" : ""
        let isTerminal = context.streams.outputIsTerminal
        let line = SegmentLine(
            showsTimestamps: options.showsTimestamps && !options.showsWallClock, colorsWords: false,
            forTerminal: isTerminal)
        for segment in SessionTranscript.joined(finals) {
            if options.showsWallClock { text += moment(of: segment, events) + "  " }
            text += line.text(of: segment)
        }
        try context.streams.writeOutput(text)
        return .success
    }

    /// What is known of the session, a line each.
    private static func heading(of session: StoredSession) -> String {
        var rows = [
            ("name", ShellQuoting.quoted(session.title)), ("id", ShellQuoting.quoted(session.id.description)),
            ("started", "\(SessionTable.started(session)) UTC"), ("length", SessionTable.length(session)),
            ("finals", "\(session.finals)"), ("state", SessionTable.state(session)),
            ("source", ShellQuoting.quoted(session.source)), ("model", ShellQuoting.quoted(session.model)),
        ]
        if let language = session.language { rows.append(("language", ShellQuoting.quoted(language))) }
        return rows.map { "\(Help.padded($0.0, to: 10))\($0.1)\n" }.joined()
    }

    /// `[2026-03-01 12:00:05]`
    private static func moment(of segment: TranscriptSegment, _ events: [StoredClockEvent]) -> String {
        let sample = Int((segment.start * Double(AudioChunk.sampleRate)).rounded())
        guard let time = StoredClockEvent.wallTime(of: sample, in: events)?.description else {
            return "[time not known]   "
        }
        return "[\(time.prefix(10)) \(time.dropFirst(11).prefix(8))]"
    }
}
