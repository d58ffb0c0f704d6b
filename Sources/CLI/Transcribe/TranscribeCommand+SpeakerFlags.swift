import WhisperEngine

extension TranscribeCommand {
    static let speakerFlags: [Flag<TranscribeOptions>] = [
        Flag(
            FlagEntry(
                name: "--speakers", group: .speakers, shape: .count, placeholder: "N",
                help: "identify by voice who speaks when, and label the speakers in the transcript; N if their "
                    + "number is known; turns --word-timestamps on", allowed: speakerCounts.allowed, example: "3")
        ) { (value, options) throws(UsageError) in
            options.speakers.isOn = true
            options.speakers.count = value.isEmpty ? nil : try speakerCounts.integer(value, option: "--speakers")
        },
        .optionalInteger(
            "--min-speakers", in: .speakers, "minimum number of speakers, with --speakers", range: 1...100,
            noneAllowed: false, sets: \.speakers.minimum),
        .optionalInteger(
            "--max-speakers", in: .speakers, "maximum number of speakers, with --speakers", range: 1...100,
            noneAllowed: false, sets: \.speakers.maximum),
        Flag(
            FlagEntry(
                name: "--speaker-names", group: .speakers, shape: .value, placeholder: "NAME,NAME,…",
                help: "names of the speakers: in the order in which they first speak, or with --channels split one for "
                    + "each channel", defaultValue: "speaker 1, speaker 2, …", example: "Anna,Ben")
        ) { (value, options) throws(UsageError) in
            options.speakerNames = try names(value)
        },
        .toggle(
            "--known-speakers", in: .speakers,
            "name the speakers whose voices have been enrolled with `speakers enroll`; voice prints are personal data",
            sets: \.speakers.namesKnown, to: true),
    ]

    private static let speakerCounts = NumberRange(1...100)

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
