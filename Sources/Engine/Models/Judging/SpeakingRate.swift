/// How fast people speak.
package enum SpeakingRate {
    /// Letters and digits per second: the fastest, and the usual.
    package static let (fastest, usual) = (40.0, 15.0)

    /// Whether a text of letters and digits can be spoken in this time.
    package static func allows(_ plain: String, frames: Int) -> Bool {
        Double(plain.count) <= fastest * Double(frames) / 100
    }

    /// Letters and digits only, in lower case: models change case and punctuation of what they repeat.
    package static func plain(_ text: String) -> String {
        String(text.lowercased().filter { $0.isLetter || $0.isNumber })
    }
}
