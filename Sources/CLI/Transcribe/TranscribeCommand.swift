import WhisperEngine

/// Recordings to text and subtitle files.
enum TranscribeCommand: Command {
    static let manual = CommandManual(
        name: "transcribe", summary: "Turn recordings into text and subtitles",
        usage: ["[options] FILE|FOLDER|- …"],
        notes: [
            "Segments go to standard output as soon as they are final. Files are written only with --output-format or "
                + "--output-dir, one set per input. Folders are walked for sound and video files; - is standard input.",
            "Times are seconds or [hh:]mm:ss[.mmm]. Options are also taken with underscores for dashes, --name=value, "
                + "and True, False and None for values, so that openai-whisper's command lines work.",
        ],
        examples: [
            "talk.mp3", "--model small --language de --output-format srt,txt talks/",
            "--raw s16le:16000:1 - < samples.pcm",
        ], operands: .files)

    static let flags: [Flag<TranscribeOptions>] =
        modelFlags + audioFlags + voiceFlags + searchFlags + batchFlags + promptFlags + wordFlags + outputFlags
        + compatibilityFlags
        + CommonFlags.general()

    static func check(_ options: TranscribeOptions) throws(UsageError) {
        try TranscribeChecks(options: options).check()
    }

    static func run(
        _ options: TranscribeOptions, operands: [[UInt8]], context: CommandContext
    ) async throws -> ExitStatus {
        if options.listsLanguages { return try Languages.list(context.streams) }
        guard !operands.isEmpty else {
            throw UsageError.missingOperand("no input files", wanted: "whisper-local transcribe FILE").report
        }
        var run = TranscribeRun(options, context: context)
        return try await run.run(operands)
    }
}
