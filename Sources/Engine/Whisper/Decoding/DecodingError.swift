/// An error in the options of a decoding pass, or a tokenizer and a network that do not fit together.
public enum DecodingError: Error, Equatable, Sendable {
    case beamsAndSamples
    case samplesAtTemperatureZero
    case patienceWithoutBeams
    case outOfRange(option: String, value: String, allowed: String)
    case unknownToken(option: String, id: Int, vocabularySize: Int)
    case tooManyTokens(initial: Int, new: Int, context: Int)
    case wrongVocabulary(network: Int, tokenizer: Int)
    case vocabularyTooSmall(Int)
    /// The network's scores are not numbers.
    case notFinite
    /// An English-only model was asked to detect the language.
    case noLanguages
}

extension DecodingError: CustomStringConvertible {
    /// `what is wrong; what to do`.
    public var description: String {
        switch self {
        case .beamsAndSamples:
            "both beam size and best-of are set; set the beam size for temperature 0, best-of for temperatures above 0"
        case .samplesAtTemperatureZero:
            "best-of is set at temperature 0, where all samples are the same; raise the temperature or unset best-of"
        case .patienceWithoutBeams:
            "patience is set without a beam size; set both or neither"
        case .outOfRange(let option, let value, let allowed):
            "\(option) is \(value); use \(allowed)"
        case .unknownToken(let option, let id, let vocabularySize):
            "token id \(id) in \(option) is not in the vocabulary; use ids from 0 to \(vocabularySize - 1)"
        case .tooManyTokens(let initial, let new, let context):
            "\(initial) tokens of prompt, prefix and start sequence plus \(new) new tokens exceed the model's context of"
                + " \(context); shorten the prompt or prefix, or request fewer tokens"
        case .wrongVocabulary(let network, let tokenizer):
            "the network has a vocabulary of \(network) tokens, the tokenizer one of \(tokenizer); load both from the"
                + " same model"
        case .vocabularyTooSmall(let size):
            "a vocabulary of \(size) tokens is too small for Whisper, which has at least 51864; use another model"
        case .notFinite:
            "the model computes scores that are not numbers, so its weights are damaged; download it again"
        case .noLanguages:
            "an English-only model cannot detect the language; set it to en"
        }
    }
}
