import WhisperEngine

/// `whisper-local transcribe`: recordings to text and subtitle files.
enum TranscribeCommand: Command {
    static let manual = CommandManual(
        name: "transcribe", summary: "Transcribe recordings to text and subtitles",
        usage: ["[options] FILE|FOLDER|- …", "[options] --files-from LIST|-"],
        notes: [
            "Segments are printed on standard output as soon as they are final. Files are written only with "
                + "--output-format or --output-dir, one set per input. Folders are searched for audio and video files; - is "
                + "standard input. Unless the text is printed on a terminal, several recordings are transcribed at a "
                + "time, one per thread. A recording whose transcription was interrupted goes on where it stopped, but not "
                + "with --channels split.",
            "Exit status: 0 if all succeeded, otherwise the status of the first failure (table below). With --files-from, "
                + "65 if any failed; another status means that the run could not continue.",
            "Times are seconds or [hh:]mm:ss[.mmm]. So that openai-whisper's command lines work, options may also be "
                + "written with underscores for dashes or as --name=value, and True, False and None are accepted as values.",
        ],
        examples: [
            "talk.mp3", "--model small --language de --output-format srt,txt talks/",
            "--raw s16le:16000:1 - < samples.pcm",
        ], operands: .files, listsStatuses: true,
        mostUsed: [
            "--model", "--language", "--translate", "--speakers", "--vad-filter", "--terms",
            "--word-timestamps", "--output-format", "--output-dir", "--no-timestamps",
        ])

    static let flags: [Flag<TranscribeOptions>] =
        modelFlags + audioFlags + speakerFlags + voiceFlags + ModelFlags.preset() + searchFlags + batchFlags
        + promptFlags + VocabularyFlags.all(sets: \.vocabulary) + wordFlags
        + outputFlags + archiveFlags + compatibilityFlags

    private static let modelFlags: [Flag<TranscribeOptions>] =
        ModelFlags.weights() + ModelFlags.spoken() + ModelFlags.compute()

    static func check(_ options: TranscribeOptions) throws(UsageError) {
        try TranscribeChecks(options: options.withPreset).check()
    }

    static func run(
        _ options: TranscribeOptions, operands: [[UInt8]], context: CommandContext
    ) async throws -> ExitStatus {
        if options.spoken.isHelp { return try SpokenLanguages.list(context.streams) }
        if let operand = operands.first, options.filesFrom != nil {
            throw UsageError.contradiction(
                "--files-from", ShellQuoting.quoted(operand), why: "the list names the inputs"
            ).report
        }
        guard !operands.isEmpty || options.filesFrom != nil else {
            throw UsageError.missingOperand("no input files", wanted: "whisper-local transcribe FILE").report
        }
        var run = TranscribeRun(options.withPreset, context: context)
        return try await run.run(operands)
    }
}
