/// The limits that subtitles keep.
package struct SubtitleGuideline: Hashable, Sendable {
    /// Columns per line; East Asian wide characters take two.
    package var width = 42
    package var lines = 2
    /// Seconds that a cue is shown at least, if the next one leaves room, and at most.
    package var shortest = 5.0 / 6
    package var longest = 7.0
    /// Seconds between two cues: two frames at 24 Hz.
    package var gap = 0.084
    /// Whether cues touch where the speech goes on, so that none of it is without its text.
    package var touches = true
    /// Longer gaps up to this one are closed to `gap`, so that the screen does not flicker.
    package var closedGap = 0.084
    /// Characters a second that people can read.
    package var charactersPerSecond = 20.0
    /// Seconds that a cue may stay after the speech if it could not be read otherwise.
    package var lingering = 1.0
    /// At most this many words per cue.
    package var words = Int.max

    package init() {}

    /// The limits of a style for a language, changed by the other options.
    ///
    /// Netflix: the general requirements and the timing guide of its Timed Text Style Guide, and the limits of its
    /// language guides. BBC: Subtitle Guidelines, where 68 % of a 16:9 picture are about 37 characters, and 160 to 180
    /// words a minute about 17 characters a second.
    ///
    /// - Parameter isWide: whether the text is written in East Asian wide characters. A translation may not be.
    package init(_ options: SubtitleOptions, language: String, isWide: Bool) {
        let script = isWide ? language : ["ja", "zh", "yue", "ko"].contains(language) ? "en" : language
        switch script {
        case "ja": (width, charactersPerSecond) = (26, 8)
        case "zh", "yue": (width, charactersPerSecond) = (32, 11)
        case "ko": (width, charactersPerSecond) = (32, 14)
        case "th", "lo", "my", "km": width = 35
        default: if isWide { (width, charactersPerSecond) = (32, 11) }
        }
        switch options.chosenStyle {
        case .readable, .whisper: break
        case .netflix:
            touches = false
            closedGap = 0.5
            lingering = 0.5
            switch script {
            case "ja": charactersPerSecond = 4
            case "zh", "yue": charactersPerSecond = 9
            case "ko": charactersPerSecond = 12
            case "en": charactersPerSecond = 20
            case "ru":
                width = 39
                charactersPerSecond = 17
            default: charactersPerSecond = 17
            }
        case .bbc:
            if !isWide { width = 37 }
            gap = 0
            closedGap = 1
            lingering = 1.5
            charactersPerSecond = min(charactersPerSecond, 17)
        }
        func set(_ limit: inout Int, to option: Int?) {
            if let option, option > 0 { limit = option }
        }
        set(&width, to: options.maxLineWidth)
        set(&lines, to: options.maxLineCount)
        set(&words, to: options.maxWordsPerLine)
    }
}
