/// A kind of transcript file; the raw value is its name on the command line and its file's ending.
public enum OutputFormat: String, CaseIterable, Codable, Hashable, Sendable {
    /// A line per segment.
    case txt
    /// SubRip subtitles.
    case srt
    /// WebVTT subtitles.
    case vtt
    /// Tab-separated milliseconds and text.
    case tsv
    /// openai-whisper's whole result.
    case json
    /// Comma-separated milliseconds and quoted text, as whisper.cpp writes them.
    case csv
    /// Timed song lyrics, as whisper.cpp writes them.
    case lrc

    /// The formats of a comma list such as `srt,json`, each once, in the order of first mention.
    ///
    /// `all` stands for every format of this program; openai-whisper's `all` is its five (without csv and lrc).
    /// Blanks around a name and upper-case ASCII letters are accepted.
    public static func parse(list: String) throws(OutputError) -> [OutputFormat] {
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
        if lowercased == "all" { return allCases }
        guard let format = OutputFormat(rawValue: lowercased) else { throw .unknownFormat(name) }
        return [format]
    }
}
