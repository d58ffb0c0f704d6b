import Foundation

/// The special ids and the non-speech tokens of a vocabulary.
struct DecodingVocabulary {
    static let sizes = ["english": 51_864, "multilingual-99": 51_865, "multilingual-100": 51_866]

    let specials: SpecialTokens
    let nonSpeechTokens: [Int]
    let suppressMinusOne: [Int]
    let sotSequence: [Int]

    init(_ name: String) throws {
        struct File: Decodable {
            let nVocab: Int
            let nonSpeechTokens: [Int]
            let suppressMinusOne: [Int]
            let sotSequenceDefault: [Int]
        }
        let file = try Fixtures.decoding("special-\(name)", as: File.self)
        specials = SpecialTokens(vocabularySize: file.nVocab)
        nonSpeechTokens = file.nonSpeechTokens
        suppressMinusOne = file.suppressMinusOne
        sotSequence = file.sotSequenceDefault
    }

    func filters(_ options: DecodingOptions) -> [any LogitFilter] {
        [any LogitFilter](for: options, specials: specials, blank: [220], nonSpeechTokens: nonSpeechTokens)
    }

    /// logits[i] = f32(8 · unit(seed, i)), then the boosts overwrite.
    func logits(seed: Int, boost: [[Double]]) -> [Float] {
        var logits = PlantedNumbers.units(seed, [], count: specials.vocabularySize).map { Float(8 * $0) }
        for pair in boost { logits[Int(pair[0])] = Float(pair[1]) }
        return logits
    }
}

extension Fixtures {
    /// Decodes a file of `decoding/`, converting its keys to camel case.
    static func decoding<T: Decodable>(_ name: String, as type: T.Type) throws -> T {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(contentsOf: url("decoding/\(name).json")))
    }
}
