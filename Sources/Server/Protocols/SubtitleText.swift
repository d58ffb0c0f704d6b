import WhisperEngine

/// Subtitles in a response, in the same shape as the program's files.
enum SubtitleText {
    static func srt(_ transcript: Transcript, task: TranscriptionTask) -> String {
        SRTWriter(options: options(task)).text(of: transcript)
    }

    /// Like `VTTWriter`, but with hours in every time, as the clouds write them.
    static func vtt(_ transcript: Transcript, task: TranscriptionTask) -> String {
        SubtitleShaper(options: options(task), markup: .webVTT).cues(of: transcript).reduce(into: "WEBVTT\n\n") {
            $0 += "\(time($1.start)) --> \(time($1.end))\n\($1.text)\n\n"
        }
    }

    private static func options(_ task: TranscriptionTask) -> SubtitleOptions {
        var options = SubtitleOptions()
        if task == .translate { options.language = "en" }
        return options
    }

    /// `01:02:03.456`; hours have at least two digits.
    private static func time(_ time: Timestamp) -> String { String(time.srt.map { $0 == "," ? "." : $0 }) }
}
