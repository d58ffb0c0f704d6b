import Testing
import WhisperEngine

/// A case of `Fixtures/seek/cases.json`: scripted answers, every call, and the reference's result.
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

    /// Given, else what detection found most probable, else that of English models.
    var language: String {
        options.language ?? languageProbabilities?.max { $0.value < $1.value }?.key ?? "en"
    }
}
