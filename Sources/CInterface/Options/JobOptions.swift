import EngineAudio
import EngineCompute
import EngineModels
import EngineVoices

/// The options of a job.
struct JobOptions {
    /// What a job works on.
    enum Input {
        case samples, file
    }

    var transcription = TranscriptionOptions()
    /// Whether events have the text that may still change.
    var showsVolatile = false
    /// Whether nothing is computed before it is asked for.
    var isLazy = false
    /// Whether the samples stay where the caller has them.
    var borrows = false
    var audio = InputOptions()

    /// - Throws: `InterfaceError`, `ModelError` of the networks for speech and speakers, `VocabularyError`,
    ///   `Language.LookupError`.
    init(_ text: [UInt8]?, of input: Input, for model: LoadedModel) throws {
        var reader = try OptionReader(text)
        var spoken = SpokenOptions()
        try spoken.read(&reader)
        try reader.read("volatile", .flag, into: &showsVolatile)
        try reader.read("lazy", .flag, into: &isLazy)
        switch input {
        case .samples: try reader.read("borrow", .flag, into: &borrows)
        case .file: try audio.read(&reader)
        }
        try reader.read("offset", .seconds, into: &spoken.engine.offset)
        try reader.read("duration", .seconds, into: &spoken.engine.duration)
        try reader.read("clip_timestamps", .numbers, into: &spoken.engine.clipTimestamps)
        try reader.read("batch_size", .integer(1...64), into: &spoken.engine.batchSize)
        let isBatched = spoken.engine.batchSize ?? 1 > 1
        var findsSpeech = isBatched && spoken.engine.clipTimestamps.isEmpty
        try reader.read("vad_filter", .flag, into: &findsSpeech)
        try reader.object("vad_parameters") { (reader) throws(InterfaceError) in
            try spoken.speech.readParameters(&reader)
        }
        try reader.finish()
        let traits = model.speech.traits
        if isBatched, traits.usesWhisperOptions { spoken.engine.whisper.conditionOnPreviousText = false }
        if findsSpeech {
            spoken.engine.voiceActivity = try spoken.speech.voiceActivity()
        } else if spoken.engine.guards != false {
            // faster-whisper's parameters have no effect without its filter.
            spoken.engine.guardDetector = try spoken.speech.detector(threshold: VoiceActivityOptions.defaultThreshold)
        }
        try spoken.loadSpeakers(model.speech.backend.computeType)
        transcription = spoken.engine
        try traits.check(transcription)
        try traits.check(languages: transcription.languages)
    }

    /// The options of the detection of the language alone.
    init(detectingLanguage text: [UInt8]?) throws {
        var reader = try OptionReader(text)
        var speech = SpeechOptions()
        var findsSpeech = false
        var whisper = WhisperOptions()
        try reader.read("language_detection_segments", .integer(1...1000), into: &whisper.languageWindows)
        try reader.read("language_detection_threshold", .number, into: &whisper.languageThreshold)
        try reader.read("languages", .texts, into: &transcription.languages)
        transcription.languages = try transcription.languages.map { try Language($0).code }
        try speech.readModel(&reader)
        try reader.read("vad_filter", .flag, into: &findsSpeech)
        try reader.object("vad_parameters") { (reader) throws(InterfaceError) in try speech.readParameters(&reader) }
        try reader.read("borrow", .flag, into: &borrows)
        try reader.finish()
        transcription.whisper = whisper
        if findsSpeech {
            transcription.voiceActivity = try speech.voiceActivity()
        } else {
            transcription.guards = false
        }
    }
}

/// How a recording is read.
struct InputOptions {
    private var track: Int?
    private var channel: Int?
    private var raw: RawFormat?

    mutating func read(_ reader: inout OptionReader) throws {
        try reader.read("track", .integer(1...999), into: &track)
        try reader.read("channel", .integer(1...64), into: &channel)
        if let format = try reader.value("raw", .text) { raw = try RawFormat(format) }
    }

    /// Opens a recording.
    ///
    /// - Throws: `AudioFormatError`, `InterfaceError` if there is no such channel.
    func source(
        _ open: (AudioOptions) throws -> any AudioSource, channels: (AudioOptions) throws -> [any AudioSource]
    ) throws -> any AudioSource {
        let options = AudioOptions(track: track, raw: raw)
        guard let channel else { return try open(options) }
        let sources = try channels(options)
        guard channel <= sources.count else {
            throw InterfaceError(
                .option, "there is no channel \(channel): the recording has \(sources.count)")
        }
        return sources[channel - 1]
    }
}
