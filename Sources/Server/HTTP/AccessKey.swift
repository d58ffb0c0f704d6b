import WhisperEngine

/// A server's key. Only its digest is kept, so that comparing takes the same time for every input.
package struct AccessKey: Sendable {
    private let digest: [UInt8]

    /// - Parameter key: not empty.
    package init(_ key: String) {
        digest = Self.digest(key)
    }

    package func matches(_ candidate: String) -> Bool {
        zip(digest, Self.digest(candidate)).reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
    }

    /// Whether the headers hold `Authorization: Bearer KEY`.
    package func admits(_ headers: Headers) -> Bool { matches(Self.bearer(headers) ?? "") }

    /// The key in `Authorization: Bearer KEY`.
    package static func bearer(_ headers: Headers) -> String? {
        guard let value = headers["Authorization"] else { return nil }
        let words = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        let key = WhiteSpace.strip(words[1])
        return key.isEmpty ? nil : key
    }

    private static func digest(_ key: String) -> [UInt8] {
        Array(SHA256.hexadecimal(of: Array(key.utf8)).utf8)
    }
}
