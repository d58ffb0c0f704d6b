package import WhisperEngine

/// Where the HTTP server listens, which clients it accepts and how long it waits.
package struct ServerSettings: Sendable {
    /// IP addresses to listen on.
    package var hosts = ["127.0.0.1", "::1"]
    /// 0 chooses a free port.
    package var port = 8178
    /// A Unix socket to listen on in addition.
    package var socket: FilePath?
    /// PEM files; both or none.
    package var certificate: FilePath?
    package var certificateKey: FilePath?
    /// `nil` accepts every client that can connect.
    package var key: AccessKey?
    /// Values of `Host` besides the addresses of this machine, without a port.
    package var allowedHosts: [String] = []
    /// Origins of web pages that may call this server.
    package var corsOrigins: [String] = []

    package var maxConnections = 256
    package var maxConnectionsPerPeer = 64
    /// Bytes of a WebSocket message.
    package var maxMessage = 1 << 20

    // Seconds.
    /// For the headers of the first request of a connection.
    package var headerTime = 10.0
    /// For the next request of a connection.
    package var idleTime = 30.0
    /// Without a byte of the body.
    package var stallTime = 15.0
    /// After this time, a body must arrive at `minBodyRate`.
    package var slowTime = 30.0
    /// Bytes per second.
    package var minBodyRate = 1024.0

    package init() {}
}

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
