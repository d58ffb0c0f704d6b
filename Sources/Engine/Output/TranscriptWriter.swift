/// Turns a transcript into the text of a file.
///
/// Writers are pure: equal transcripts give equal text, whatever the locale, and no input makes them fail. The text
/// goes to disk through `AtomicFile`, as UTF-8.
public protocol TranscriptWriter: Sendable {
    func text(of transcript: Transcript) -> String
}

/// What writers need to know beside the transcript.
public struct WriterSettings: Hashable, Sendable {
    /// Lines and marks of the subtitles (srt, vtt).
    public var subtitles: SubtitleOptions
    /// Told at the end of the json file; `nil` leaves the file as openai-whisper writes it.
    public var origin: TranscriptOrigin?

    public init(subtitles: SubtitleOptions = SubtitleOptions(), origin: TranscriptOrigin? = nil) {
        self.subtitles = subtitles
        self.origin = origin
    }
}

extension OutputFormat {
    public func writer(_ settings: WriterSettings = WriterSettings()) -> any TranscriptWriter {
        switch self {
        case .txt: TextWriter()
        case .srt: SRTWriter(options: settings.subtitles)
        case .vtt: VTTWriter(options: settings.subtitles)
        case .tsv: TSVWriter()
        case .json: JSONWriter(origin: settings.origin)
        case .csv: CSVWriter()
        case .lrc: LRCWriter()
        }
    }
}
