import TestSupport
import Testing

/// A case of `Fixtures/seek/cases.json`: scripted results, all calls, and the reference's transcript.
struct SeekCase: Decodable, CustomTestStringConvertible {
    struct File: Decodable {
        let cases: [SeekCase]
    }

    struct Call: Decodable {
        struct Returned: Decodable {
            let avgLogprob: Double
            let noSpeechProb: Double
            let compressionRatio: Double

            enum CodingKeys: String, CodingKey {
                case avgLogprob = "avg_logprob"
                case noSpeechProb = "no_speech_prob"
                case compressionRatio = "compression_ratio"
            }
        }

        let seek: Int
        let frames: Int
        let temperature: Double
        let prompt: [Int]
        let beamSize: Int?
        let bestOf: Int?
        let patience: Double?
        let language: String?
        let tokens: [Int]
        let returned: Returned

        enum CodingKeys: String, CodingKey {
            case seek, frames, temperature, prompt, patience, language, tokens, returned
            case beamSize = "beam_size"
            case bestOf = "best_of"
        }
    }

    struct Alignment: Decodable {
        struct Word: Decodable {
            let word: String
            let tokens: [Int]
            let start: Double
            let end: Double
            let probability: Double
        }

        let numFrames: Int
        let textTokens: [Int]
        let words: [Word]

        enum CodingKeys: String, CodingKey {
            case words
            case numFrames = "num_frames"
            case textTokens = "text_tokens"
        }
    }

    struct Result: Decodable {
        let text: String
        let segments: [TranscriptSegment]
        let language: String
    }

    let name: String
    let contentFrames: Int
    let vocabulary: String
    let options: SeekCaseOptions
    let calls: [Call]
    let alignments: [Alignment]
    let result: Result
    let languageProbabilities: [String: Double]?

    enum CodingKeys: String, CodingKey {
        case name, vocabulary, options, calls, alignments, result
        case contentFrames = "content_frames"
        case languageProbabilities = "language_probabilities"
    }

    var testDescription: String { name }

    /// The given language, or else the most likely one of the detection, or else English.
    var language: String {
        options.language ?? languageProbabilities?.max { $0.value < $1.value }?.key ?? "en"
    }
}

/// The options of a case as passed to `transcribe()`, where a missing option differs from `null`.
struct SeekCaseOptions: Decodable {
    let transcription: TranscriptionOptions
    let language: String?

    enum CodingKeys: String, CodingKey {
        case temperature, patience, language, task
        case beamSize = "beam_size"
        case bestOf = "best_of"
        case compressionRatioThreshold = "compression_ratio_threshold"
        case logprobThreshold = "logprob_threshold"
        case noSpeechThreshold = "no_speech_threshold"
        case conditionOnPreviousText = "condition_on_previous_text"
        case initialPrompt = "initial_prompt"
        case carryInitialPrompt = "carry_initial_prompt"
        case wordTimestamps = "word_timestamps"
        case prependPunctuations = "prepend_punctuations"
        case appendPunctuations = "append_punctuations"
        case clipTimestamps = "clip_timestamps"
        case hallucinationSilenceThreshold = "hallucination_silence_threshold"
        case withoutTimestamps = "without_timestamps"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        var options = TranscriptionOptions.reference
        func set<T: Decodable>(_ path: WritableKeyPath<TranscriptionOptions, T>, _ key: CodingKeys) throws {
            if values.contains(key) { options[keyPath: path] = try values.decode(T.self, forKey: key) }
        }
        options.whisper.temperatures =
            try (try? values.decode([Double].self, forKey: .temperature))
            ?? [values.decode(Double.self, forKey: .temperature)]
        try set(\.whisper.decoding.patience, .patience)
        try set(\.task, .task)
        options.beamSize = try values.decodeIfPresent(Int.self, forKey: .beamSize) ?? 1
        try set(\.whisper.decoding.bestOf, .bestOf)
        try set(\.whisper.decoding.withoutTimestamps, .withoutTimestamps)
        try set(\.whisper.compressionRatioThreshold, .compressionRatioThreshold)
        try set(\.whisper.logprobThreshold, .logprobThreshold)
        try set(\.whisper.noSpeechThreshold, .noSpeechThreshold)
        try set(\.whisper.conditionOnPreviousText, .conditionOnPreviousText)
        try set(\.whisper.initialPrompt, .initialPrompt)
        try set(\.whisper.carryInitialPrompt, .carryInitialPrompt)
        try set(\.wordTimestamps, .wordTimestamps)
        try set(\.whisper.prependPunctuations, .prependPunctuations)
        try set(\.whisper.appendPunctuations, .appendPunctuations)
        try set(\.whisper.hallucinationSilenceThreshold, .hallucinationSilenceThreshold)
        if let text = try? values.decode(String.self, forKey: .clipTimestamps) {
            options.clipTimestamps = text.split(separator: ",").compactMap { Double($0) }
        } else {
            try set(\.clipTimestamps, .clipTimestamps)
        }
        transcription = options
        language = try values.decodeIfPresent(String.self, forKey: .language)
    }
}
