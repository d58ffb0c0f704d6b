import WhisperEngine

/// `history export`: a session as transcript files.
enum HistoryExportCommand: Command {
    struct Options: OutputOptions, SubtitleLayout {
        var given: Set<String> = []
        var formats: [OutputFormat] = []
        var folder: FilePath?
        var subtitles = SubtitleOptions()
        var hasParagraphs = false

        /// With only a folder, openai-whisper's five formats, as in `transcribe`.
        var writtenFormats: [OutputFormat] {
            formats.isEmpty ? folder == nil ? [.txt] : [.txt, .vtt, .srt, .tsv, .json] : formats
        }
    }

    static let manual = CommandManual(
        name: "history export", summary: "Export a session as text, subtitles or data",
        usage: ["[options] SESSION"],
        notes: [
            "A single format goes to standard output; with --output-dir, files named after the session are written. Each "
                + "utterance becomes a segment."
        ],
        examples: ["meeting > meeting.txt", "-f srt meeting", "-f all -o minutes meeting"])

    static let flags: [Flag<Options>] =
        SubtitleFlags.layout() + [
            OutputFlags.formats(
                "\(OutputFormat.allCases.map(\.rawValue).joined(separator: ", ")); can be repeated; default "
                    + "txt, or txt, vtt, srt, tsv and json with --output-dir"),
            OutputFlags.folder("write files to this folder"),
            OutputFlags.paragraphs(sets: \.hasParagraphs),
        ]

    static func check(_ options: Options) throws(UsageError) {
        if options.folder == nil, options.writtenFormats.count > 1 {
            throw .needs("more than one --output-format", "--output-dir")
        }
    }

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let (session, store) = try SessionHistory(context).session(operands, command: manual)
        let transcript = session.transcript(of: try store.finals(of: session))
        let settings = WriterSettings(
            subtitles: options.subtitles, origin: TranscriptOrigin(version: Version.text, model: session.model),
            paragraphs: options.hasParagraphs)
        guard let folder = options.folder else {
            try context.streams.writeOutput(
                TerminalText(options.writtenFormats[0].writer(settings).text(of: transcript)))
            return .success
        }
        let plan = try OutputPlan(
            inputs: [fileName(of: session).adding(".session")], formats: options.writtenFormats, folder: folder)
        try plan.prepare()
        context.signals.beforeAbort { AtomicFile.removeLeftovers() }
        for entry in plan.entries {
            let lock = try entry.lock()
            defer { lock.release() }
            try entry.write(transcript, settings: settings)
        }
        return .success
    }

    /// The session's name as a file name: without slashes, control characters and a leading dot, at most 200 bytes.
    static func fileName(of session: StoredSession) -> FilePath {
        var name = ""
        for scalar in session.title.unicodeScalars {
            let isUnsafe =
                scalar == "/" || scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value)
                || (scalar == "." && name.isEmpty)
            name.unicodeScalars.append(isUnsafe ? "_" : scalar)
            if name.utf8.count > 200 {
                name.unicodeScalars.removeLast()
                break
            }
        }
        return FilePath(name.isEmpty ? "_" : name)
    }
}
