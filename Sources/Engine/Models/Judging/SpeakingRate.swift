/// How fast people speak.
package enum SpeakingRate {
    /// Letters and digits per second: the fastest, and the usual.
    package static let (fastest, usual) = (40.0, 15.0)
    /// Words per second that nobody keeps up for `manyWords` words, and the number of those words.
    package static let (fastestWords, manyWords) = (8.0, 16)
    /// Words that are repeated by a speaker, not by a network, take longer than this number of seconds each.
    package static let quickestWord = 0.15

    /// Whether a text of letters and digits can be spoken in this time.
    package static func allows(_ plain: String, frames: Int) -> Bool {
        Double(plain.count) <= fastest * Double(frames) / 100
    }

    /// Letters and digits only, in lower case: models change case and punctuation of what they repeat.
    package static func plain(_ text: String) -> String {
        String(text.lowercased().filter { $0.isLetter || $0.isNumber })
    }
}
