import WhisperEngine

extension TranscribeCommand {
    static let audioFlags: [Flag<TranscribeOptions>] = [
        .raw(
            "the input is samples without a header, such as s16le:16000:1 (encoding, rate, channels)", sets: \.raw),
        .optionalInteger(
            "--track", in: .audio, "sound track to take", range: 1...999, noneAllowed: false, standard: "the first",
            sets: \.track),
        .time("--offset", in: .audio, "start here", example: "1:30", sets: \.offset),
        .time("--duration", in: .audio, "recognize so much", example: "90", sets: \.duration),
        Flag(
            FlagEntry(
                name: "--clip-timestamps", group: .audio, shape: .value, placeholder: "TIME,TIME,…",
                help: "recognize only from the first time to the second, from the third to the fourth, and so on; "
                    + "a last one alone runs to the end", standard: "0", example: "0,30")
        ) { (value, options) throws(UsageError) in
            options.engine.clipTimestamps = try clips(value)
        },
        Flag(
            FlagEntry(
                name: "--audio-ctx", group: .audio, shape: .value, placeholder: "auto|full|N",
                help: "positions of 20 ms that the encoder computes of each window: all 1500, those with sound and a "
                    + "margin (faster for short recordings), or N, 1 to 1500, in windows of that length",
                standard: "full", example: "auto", completion: .words(["auto", "full"]))
        ) { (value, options) throws(UsageError) in
            options.engine.audioContext = try audioContext(value)
        },
    ]

    private static func audioContext(_ value: [UInt8]) throws(UsageError) -> AudioContext {
        switch String(decoding: value, as: UTF8.self) {
        case "auto": return .auto
        case "full": return .full
        default:
            guard let count = NumberSyntax.integer(value), (1...1500).contains(count) else {
                throw .badValue(option: "--audio-ctx", value: value, wanted: "auto, full or 1 to 1500")
            }
            return .positions(count)
        }
    }

    /// Starts and ends; a clip may begin before the one before it, as the reference has it.
    private static func clips(_ value: [UInt8]) throws(UsageError) -> [Double] {
        var times: [Double] = []
        for field in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let seconds = TimeSyntax.seconds(Array(field)) else {
                throw .badValue(option: "--clip-timestamps", value: Array(field), wanted: TimeSyntax.rule)
            }
            if times.count % 2 == 1, let start = times.last, seconds < start {
                throw .badValue(
                    option: "--clip-timestamps", value: Array(field), wanted: "ends that are not before their starts")
            }
            times.append(seconds)
        }
        // The reference's default: everything.
        return times == [0] ? [] : times
    }
}
