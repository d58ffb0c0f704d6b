import WhisperEngine

/// Options of a command that lays out subtitles.
protocol SubtitleLayout: OptionValues {
    var subtitles: SubtitleOptions { get set }
}

/// The options that all such commands share.
enum SubtitleFlags {
    static func layout<Options: SubtitleLayout>() -> [Flag<Options>] {
        [
            .boolean(
                "--highlight-words", in: .words, "underline each word while it is spoken (srt, vtt)",
                sets: \.subtitles.highlightWords),
            .optionalInteger(
                "--max-line-width", in: .words, "characters of a subtitle line", range: 1...1000,
                sets: \.subtitles.maxLineWidth),
            .optionalInteger(
                "--max-line-count", in: .words, "lines of a subtitle, with --max-line-width", range: 1...1000,
                sets: \.subtitles.maxLineCount),
            .optionalInteger(
                "--max-words-per-line", in: .words, "words of a subtitle, without --max-line-width",
                range: 1...1000, sets: \.subtitles.maxWordsPerLine),
        ]
    }
}
