import WhisperEngine

extension TranscribeCommand {
    static let speakerFlags: [Flag<TranscribeOptions>] =
        SpeakerFlags.all(
            count: "N if their number is known; also times the words",
            names: "in the order in which they first speak, or with --channels split one for each channel",
            sets: \.speakers) + [
            .optionalInteger(
                "--min-speakers", in: .speakers, "minimum number of speakers, with --speakers", range: 1...100,
                noneAllowed: false, sets: \.speakers.minimum),
            .optionalInteger(
                "--max-speakers", in: .speakers, "maximum number of speakers, with --speakers", range: 1...100,
                noneAllowed: false, sets: \.speakers.maximum),
        ]
}
