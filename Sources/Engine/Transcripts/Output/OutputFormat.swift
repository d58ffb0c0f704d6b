import EngineBasics

/// A transcript file format. The raw value is its name and its file extension.
///
/// To add a format, write a `TranscriptWriter` (`LineWriters.swift` has short examples), add a case here, return the
/// writer in `writer(_:)`, and say whether `all` includes it; the command line follows. The format then needs a golden file
/// in `Tests/Fixtures/writers`, listed in `GoldenWriterTests` and, if it is written by hand, in `MADE_OTHERWISE` of
/// `Tests/Oracles/check.py`, and a place in the lists of `StorageErrorReportTests`, `OutputFormatTests`,
/// `Tests/Fixtures/README.md`, the README and, if it shows speakers, `docs/speakers.md`.
public enum OutputFormat: String, CaseIterable, Codable, Hashable, Sendable {
    /// Plain text, one line per segment or paragraph.
    case txt
    /// Markdown: paragraphs with their times and speakers.
    case md
    /// SubRip subtitles.
    case srt
    /// WebVTT subtitles.
    case vtt
    /// Advanced SubStation Alpha subtitles.
    case ass
    /// Tab-separated start, end (milliseconds), speaker if known and text.
    case tsv
    /// The complete result of openai-whisper; the program adds the key `whisper_local`.
    case json
    /// Comma-separated start, end (milliseconds), speaker if known and quoted text, in whisper.cpp's layout.
    case csv
    /// Timed song lyrics, in whisper.cpp's layout.
    case lrc
    /// Who speaks when, without the text: Rich Transcription Time Marked, as speaker diarization is scored.
    case rttm

    /// Returns the complete text of a transcript's file, to be written as UTF-8.
    ///
    ///     let subtitles = OutputFormat.srt.text(of: transcript)
    ///
    /// Equal transcripts give equal text in every locale.
    ///
    /// - Parameter subtitles: how srt, vtt, ass and lrc files are divided into cues and lines; other formats ignore it.
    public func text(of transcript: Transcript, subtitles: SubtitleOptions = SubtitleOptions()) -> String {
        writer(WriterSettings(subtitles: subtitles)).text(of: content(of: transcript))
    }

    /// What this format has of a transcript: one with times leaves out what is not said.
    func content(of transcript: Transcript) -> Transcript {
        guard self != .txt, self != .json, !transcript.segments.allSatisfy(\.isSpoken) else { return transcript }
        var transcript = transcript
        transcript.segments.removeAll { !$0.isSpoken }
        return transcript
    }

    /// Returns the writer for this format.
    package func writer(_ settings: WriterSettings = WriterSettings()) -> any TranscriptWriter {
        switch self {
        case .txt: TextWriter(hasParagraphs: settings.paragraphs)
        case .md: MarkdownWriter()
        case .srt: SRTWriter(options: settings.subtitles)
        case .vtt: VTTWriter(options: settings.subtitles)
        case .ass: ASSWriter(options: settings.subtitles)
        case .tsv: TSVWriter()
        case .json:
            switch settings.layout {
            case .openAIWhisper: JSONWriter(origin: settings.origin)
            case .whisperCpp(let isTranslated):
                WhisperCppJSONWriter(origin: settings.origin, isTranslated: isTranslated)
            }
        case .csv: CSVWriter()
        case .lrc: LRCWriter(options: settings.subtitles)
        case .rttm: RTTMWriter(recording: settings.recording)
        }
    }

    /// Parses a comma-separated list such as `srt,json`. Each format appears once, in order of first mention.
    ///
    /// `all` stands for every format with text; openai-whisper's `all` has only its own five (no md, ass, csv and lrc). Spaces around names
    /// and upper-case ASCII letters are accepted.
    ///
    /// - Throws: `OutputError.unknownFormat`, `.emptyFormat`.
    package static func parse(list: String) throws(OutputError) -> [OutputFormat] {
        var formats: [OutputFormat] = []
        for item in list.split(separator: ",", omittingEmptySubsequences: false) {
            let name = WhiteSpace.strip(item)
            for format in try named(name) where !formats.contains(format) { formats.append(format) }
        }
        return formats
    }

    private static func named(_ name: String) throws(OutputError) -> [OutputFormat] {
        if name.isEmpty { throw .emptyFormat }
        let lowercased = String(decoding: name.utf8.map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 }, as: UTF8.self)
        if lowercased == "all" { return allCases.filter { $0 != .rttm } }
        guard let format = OutputFormat(rawValue: lowercased) else { throw .unknownFormat(name) }
        return [format]
    }
}

/// Converts a transcript to the text of a file.
///
/// Writers are pure functions: equal transcripts give equal text in every locale, and no transcript makes them fail.
package protocol TranscriptWriter: Sendable {
    /// Returns the complete text of the file.
    func text(of transcript: Transcript) -> String
}

/// Settings for transcript writers. Each writer uses what applies to its format.
package struct WriterSettings: Hashable, Sendable {
    /// Whose layout json has.
    package enum Layout: Hashable, Sendable {
        case openAIWhisper
        case whisperCpp(isTranslated: Bool)
    }

    package var layout = Layout.openAIWhisper
    /// How srt, vtt, ass and lrc files are divided into cues and lines.
    package var subtitles: SubtitleOptions
    /// Information added at the end of a json file; `nil` writes exactly what openai-whisper writes.
    package var origin: TranscriptOrigin?
    /// The name of the recording in an rttm file.
    package var recording: String
    /// Whether a txt file has paragraphs instead of a line for each segment.
    package var paragraphs: Bool

    package init(
        subtitles: SubtitleOptions = SubtitleOptions(), origin: TranscriptOrigin? = nil,
        recording: String = "recording", paragraphs: Bool = false
    ) {
        self.subtitles = subtitles
        self.origin = origin
        self.recording = recording
        self.paragraphs = paragraphs
    }
}
