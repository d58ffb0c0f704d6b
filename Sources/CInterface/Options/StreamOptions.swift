import EngineAudio
import EngineCompute
import EngineModels
import EngineVoices

/// The options of a live stream.
struct StreamOptions {
    private(set) var streaming = StreamingOptions()
    private(set) var change = SessionChange()
    private(set) var showsVolatile = true
    let detector: VoiceActivityOptions.Detector

    init(_ text: [UInt8]?, for model: LoadedModel) throws {
        var reader = try OptionReader(text)
        var spoken = SpokenOptions()
        try spoken.read(&reader)
        try reader.read("policy", .choice, into: &streaming.policy)
        try reader.read("step", .number(0.25...2), into: &streaming.step)
        try reader.read("minimum_audio", .number(0...2), into: &streaming.minimumAudio)
        try reader.read("end_silence", .number(0.1...10), into: &change.endSilence)
        try reader.read("max_window", .number(1...28), into: &streaming.maxWindow)
        try reader.read("minimum_probability", .number(0...1), into: &streaming.minimumProbability)
        try reader.read("word_patience", .number(0...20), into: &streaming.patience)
        try reader.read("volatile_probability", .number(0...1), into: &streaming.volatileProbability)
        try reader.read("spoken_punctuation", .flag, into: &streaming.spokenPunctuation)
        try reader.read("deterministic", .flag, into: &streaming.isDeterministic)
        try reader.read("volatile", .flag, into: &showsVolatile)
        if let threshold = try reader.value("vad_threshold", .number(0...1)) {
            spoken.speech.threshold = threshold
            change.speechThreshold = Float(threshold)
        }
        try reader.finish()
        detector = try spoken.speech.detector()
        try spoken.loadSpeakers(model.speech.backend.computeType)
        streaming.transcription = spoken.engine
    }
}
