/// What speakers are called.
package struct SpeakerNaming: Sendable {
    /// In the order in which they first talk.
    private let names: [String]
    /// Voices by which speakers are named, before `names`.
    private let knownVoices: [KnownVoice]
    /// How many speaker numbers earlier runs of the session used. They are not reused, because voices are not stored.
    private let givenNumbers: Int

    package init(names: [String] = [], knownVoices: [KnownVoice] = [], givenNumbers: Int = 0) {
        self.names = names
        self.knownVoices = knownVoices
        self.givenNumbers = givenNumbers
    }

    /// The names of the speakers with these voices, in their order.
    package func names(of voices: [SpeakerVoice]) -> [String] {
        let known = KnownVoice.names(of: voices, among: knownVoices)
        return voices.indices.map {
            known[$0] ?? ($0 < names.count ? names[$0] : Self.numbered(givenNumbers + $0 + 1))
        }
    }

    private static let prefix = "speaker "

    package static func numbered(_ number: Int) -> String { prefix + "\(number)" }

    /// The number in a default name such as `speaker 2`; `nil` for any other name.
    package static func number(in name: String) -> Int? {
        name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
    }
}
