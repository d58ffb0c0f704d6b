/// Why a window cannot be decoded as asked.
public enum DecodingError: Error, Equatable, Sendable {
    case beamsAndSamples
    case samplesAtTemperatureZero
    case patienceWithoutBeams
    case outOfRange(option: String, value: String, allowed: String)
    case unknownToken(option: String, id: Int, vocabularySize: Int)
    case tooManyTokens(initial: Int, new: Int, context: Int)
    case wrongVocabulary(network: Int, tokenizer: Int)
    case vocabularyTooSmall(Int)
    case noLanguages
}

extension DecodingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .beamsAndSamples:
            "both a beam size and best-of are set; set the beam size for temperature 0, best-of for temperatures above"
        case .samplesAtTemperatureZero:
            "best-of is set at temperature 0, where all samples are the same; raise the temperature or leave it out"
        case .patienceWithoutBeams:
            "patience is set without a beam size; set both or neither"
        case .outOfRange(let option, let value, let allowed):
            "\(option) is \(value); give \(allowed)"
        case .unknownToken(let option, let id, let vocabularySize):
            "id \(id) in \(option) is outside of the vocabulary; give ids from 0 to \(vocabularySize - 1)"
        case .tooManyTokens(let initial, let new, let context):
            "\(initial) tokens of prompt, prefix and start with \(new) to produce exceed the \(context) that the model"
                + " holds; shorten the prompt or prefix, or ask for fewer"
        case .wrongVocabulary(let network, let tokenizer):
            "the network scores \(network) tokens, the tokenizer knows \(tokenizer); take both from the same model"
        case .vocabularyTooSmall(let size):
            "a vocabulary of \(size) tokens is none of Whisper's, which start at 51864; take another model"
        case .noLanguages:
            "an English model cannot detect the language; set it to en"
        }
    }
}

extension DecodingError {
    static func checkVocabulary(of scorer: any TokenScorer, specials: SpecialTokens) throws(DecodingError) {
        guard scorer.vocabularySize == specials.vocabularySize else {
            throw .wrongVocabulary(network: scorer.vocabularySize, tokenizer: specials.vocabularySize)
        }
    }
}
