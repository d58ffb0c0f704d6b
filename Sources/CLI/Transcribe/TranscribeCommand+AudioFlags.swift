import WhisperEngine

extension TranscribeCommand {
    static let audioFlags: [Flag<TranscribeOptions>] = [
        .raw("read headerless samples of this format, such as s16le:16000:1 (encoding, rate, channels)", sets: \.raw),
        .optionalInteger(
            "--track", in: .audio, "audio track to transcribe", range: 1...999, noneAllowed: false,
            defaultValue: "the first",
            sets: \.track),
        .choice(
            "--channels", in: .audio, "mix all channels, or transcribe each as one speaker", sets: \.channels),
        .choice(
            "--clock", in: .audio,
            "count times from the start of the file, as players do, or from its first sound, as openai-whisper does: the "
                + "audio of a video may begin later", sets: \.clock),
        .time("--offset", in: .audio, "skip to this time", example: "1:30", sets: \.offset),
        .time("--duration", in: .audio, "transcribe only this much", example: "90", sets: \.engine.duration),
        Flag(
            FlagEntry(
                name: "--clip-timestamps", group: .audio, shape: .value, placeholder: "TIME,TIME,…",
                help: "transcribe only from the first time to the second, from the third to the fourth, and so "
                    + "on; an unpaired last one extends to the end", defaultValue: "0", example: "0,30")
        ) { (value, options) throws(UsageError) in
            let clips = try clips(value)
            options.engine.clipTimestamps = clips
            options.subtitles.clipStarts = stride(from: 0, to: clips.count, by: 2).map { clips[$0] }
        },
        ModelFlags.audioContext { $0.engine.whisper.audioContext = $1 },
    ]

    static let voiceFlags: [Flag<TranscribeOptions>] = [
        .boolean(
            "--vad-filter", in: .audio,
            "transcribe only speech and skip silence; times remain those of the recording", sets: \.vad.isOn),
        Flag(
            FlagEntry(
                name: "--vad-model", group: .audio, shape: .value, placeholder: "energy|silero|PATH",
                help: "speech detector: energy, or Silero's neural network, with its installed weights "
                    + "(\(HelperNetwork.silero.fileName)) or those at a path",
                defaultValue: "silero if installed, else energy", example: "energy",
                completion: .words(["energy", "silero"]))
        ) { (value, options) throws(UsageError) in
            if let detector = DetectorChoice(rawValue: String(decoding: value, as: UTF8.self)) {
                (options.vad.detector, options.vad.weights) = (detector, nil)
                return
            }
            guard !value.isEmpty, !value.contains(0) else {
                throw .badValue(option: "--vad-model", value: value, wanted: "energy, silero or a path")
            }
            (options.vad.detector, options.vad.weights) = (.silero, FilePath(bytes: value))
        },
        .number(
            "--vad-threshold", in: .audio, "minimum probability for audio to count as speech", NumberRange(0...1),
            sets: \.vad.threshold),
        .integer(
            "--vad-min-speech-ms", in: .audio, "ignore shorter speech", range: 0...3_600_000,
            sets: \.vad.minSpeechMilliseconds),
        .optionalInteger(
            "--vad-min-silence-ms", in: .audio, "keep shorter silences", range: 0...3_600_000, noneAllowed: false,
            defaultValue: "\(VoiceActivityOptions.defaultMinSilenceMilliseconds)", sets: \.vad.minSilenceMilliseconds),
        .integer(
            "--vad-speech-pad-ms", in: .audio, "padding kept before and after speech", range: 0...3_600_000,
            sets: \.vad.speechPadMilliseconds),
    ]

    /// Alternating starts and ends; as in the reference, a clip may start before the previous one.
    private static func clips(_ value: [UInt8]) throws(UsageError) -> [Double] {
        var times: [Double] = []
        for field in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let seconds = TimeSyntax.seconds(Array(field)) else {
                throw .badValue(option: "--clip-timestamps", value: Array(field), wanted: TimeSyntax.rule)
            }
            if times.count % 2 == 1, let start = times.last, seconds < start {
                throw .badValue(
                    option: "--clip-timestamps", value: Array(field), wanted: "clips that do not end before they start")
            }
            times.append(seconds)
        }
        // The reference's default, which is the whole recording.
        return times == [0] ? [] : times
    }
}
