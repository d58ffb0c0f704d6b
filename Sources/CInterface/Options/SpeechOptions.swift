import EngineBasics
import EngineInstalled
import EngineModels
import EngineVoices

/// The options of speech detection.
struct SpeechOptions {
    var threshold = Double(VoiceActivityOptions.defaultThreshold)
    private var model: String?
    private var engine = VoiceActivityOptions()

    /// Reads `vad_model`.
    mutating func readModel(_ reader: inout OptionReader) throws(InterfaceError) {
        try reader.read("vad_model", .text, into: &model)
    }

    /// Reads what faster-whisper calls `vad_parameters`.
    mutating func readParameters(_ reader: inout OptionReader) throws(InterfaceError) {
        let milliseconds = OptionType.integer(0...3_600_000)
        try reader.read("threshold", .number(0...1), into: &threshold)
        let endThreshold = try reader.value("neg_threshold", .number(0...1))
        engine.endThreshold = endThreshold.map { Float($0) }
        try reader.read("min_speech_duration_ms", milliseconds, into: &engine.minSpeechMilliseconds)
        try reader.read("max_speech_duration_s", .number(0.1...1e9), into: &engine.maxSpeechSeconds)
        try reader.read("min_silence_duration_ms", milliseconds, into: &engine.minSilenceMilliseconds)
        try reader.read("speech_pad_ms", milliseconds, into: &engine.speechPadMilliseconds)
    }

    /// The detector: Silero's network if it is installed, unless another is chosen.
    ///
    /// - Parameter threshold: another than that of the options.
    func detector(threshold other: Float? = nil) throws -> VoiceActivityOptions.Detector {
        if model == "energy" { return .energy }
        guard let network = try silero() else { return .energy }
        return .silero(network, threshold: other ?? Float(threshold))
    }

    /// Silero's network; `nil` if it is neither asked for nor installed.
    func silero() throws -> SileroNetwork? {
        switch model {
        case nil, "energy": return try Networks.silero(Library.search().path(of: .silero))
        case "silero":
            guard let network = try Networks.silero(Library.search().path(of: .silero)) else {
                throw InterfaceError(
                    .notFound, "silero_vad_16k.safetensors is not installed: whisper-local models pull silero-vad")
            }
            return network
        case let path?: return try Networks.silero(FilePath(path))
        }
    }

    func voiceActivity() throws -> VoiceActivityOptions {
        var options = engine
        options.detector = try detector()
        return options
    }
}
