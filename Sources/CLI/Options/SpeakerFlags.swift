import WhisperEngine

/// The options that identify speakers by their voices.
enum SpeakerFlags {
    /// - Parameters:
    ///   - count: what a given number means.
    ///   - names: what the names are for.
    static func all<Options: OptionValues>(
        count: String, names: String, sets path: Path<Options, SpeakerChoice.Options>
    ) -> [Flag<Options>] {
        [
            Flag(
                FlagEntry(
                    name: "--speakers", group: .speakers, shape: .count, placeholder: "N",
                    help: "identify by voice who speaks when, and label the speakers in the transcript; \(count)",
                    allowed: counts.allowed, example: "3")
            ) { (value, options) throws(UsageError) in
                options[keyPath: path].isOn = true
                options[keyPath: path].count =
                    value.isEmpty ? nil : try counts.integer(value, option: "--speakers")
            },
            Flag(
                FlagEntry(
                    name: "--speaker-names", group: .speakers, shape: .value, placeholder: "NAME,NAME,…",
                    help: "names of the speakers: \(names)", defaultValue: "speaker 1, speaker 2, …",
                    example: "Anna,Ben")
            ) { (value, options) throws(UsageError) in
                options[keyPath: path].names = try Self.names(value)
            },
            Flag(
                FlagEntry(
                    name: "--known-speakers", group: .speakers, shape: .toggle,
                    help: "name the speakers whose voices have been enrolled with `speakers enroll`; voice prints are "
                        + "personal data")
            ) { (_, options) in
                options[keyPath: path].namesKnownSpeakers = true
            },
        ]
    }

    private static let counts = NumberRange(1...100)

    private static func names(_ value: [UInt8]) throws(UsageError) -> [String] {
        let names = try ValueSyntax.utf8(value, option: "--speaker-names")
            .split(separator: ",", omittingEmptySubsequences: false).map { WhiteSpace.strip($0) }
        guard names.allSatisfy({ !$0.isEmpty && $0 == $0.replacingControlCharacters() }) else {
            throw .badValue(
                option: "--speaker-names", value: value, wanted: "names separated by commas, such as Anna,Ben")
        }
        return names
    }
}
