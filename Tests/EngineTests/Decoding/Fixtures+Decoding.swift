import Foundation

extension Fixtures {
    /// A file of `decoding/`, its keys in camel case.
    static func decoding<T: Decodable>(_ name: String, as type: T.Type) throws -> T {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(contentsOf: url("decoding/\(name).json")))
    }
}
