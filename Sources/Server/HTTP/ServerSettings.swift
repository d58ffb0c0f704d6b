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
    /// Addresses of clients that need no key where programs cannot send one.
    package var allowedPeers: [AddressRange] = []
    /// Values of `Host` besides the addresses of this machine, without a port.
    package var allowedHosts: [String] = []
    /// Origins of other web pages that may use this server.
    package var allowedOrigins: [WebOrigin] = []

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
