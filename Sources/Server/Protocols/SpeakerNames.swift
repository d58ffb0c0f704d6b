import WhisperEngine

/// The names of the speakers in the order in which they first speak: those that the client gave, then A, B, C …
package struct SpeakerNames: Hashable, Sendable {
    package static let field = "known_speaker_names[]"
    /// The cloud's limit.
    package static let maxKnown = 4
    /// Maximum characters of a name.
    package static let maxLength = 64

    package static let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { String(UnicodeScalar($0)) }

    package let all: [String]

    /// - Throws: 400 for more than four names, a name that is empty or too long, or one that is given twice.
    init(known: [String]) throws(HTTPError) {
        guard known.count <= Self.maxKnown else {
            throw .invalid(Self.field, "The field \(Self.field) has more than \(Self.maxKnown) names.")
        }
        let isValid = known.allSatisfy { name in
            !WhiteSpace.strip(name).isEmpty && name.unicodeScalars.count <= Self.maxLength
                && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        }
        guard isValid else {
            throw .invalid(Self.field, "A name in \(Self.field) is empty, or longer than \(Self.maxLength) characters.")
        }
        guard Set(known).count == known.count else {
            throw .invalid(Self.field, "The field \(Self.field) has the same name twice.")
        }
        all = known + Self.letters.filter { !known.contains($0) }
    }
}
