/// How fast people speak.
package enum SpeakingRate {
    /// Letters and digits per second: the fastest, and the usual.
    package static let (fastest, usual) = (40.0, 15.0)
    /// The fastest speech of at least `manyWords` words, in words per second.
    package static let fastestWords = 8.0
    /// Fewer words may be spoken faster than `fastestWords`.
    package static let manyWords = 16
    /// A shorter word, in seconds, is not spoken if it belongs to a loop.
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
