import Foundation

/// Golden data of `Tests/Fixtures/tokenizer`, whose keys are in snake case.
enum TokenizerGolden {
    static func load<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(contentsOf: Fixtures.url("tokenizer/\(name).json")))
    }
}
