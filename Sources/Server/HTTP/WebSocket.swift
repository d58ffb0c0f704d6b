/// A path that accepts WebSocket connections.
package struct WebSocketRoute: Sendable {
    package let path: String
    /// Subprotocols that are selected if the client offers them; if it offers only others, it is rejected.
    package let protocols: [String]
    /// Bytes of a message; `nil` for `ServerSettings.maxMessage`.
    package let maxMessage: Int?
    /// Checks the key, for clients that expect a status; others expect the refusal inside the socket, because browsers
    /// cannot see a status. Host and Origin have been checked.
    package let admit: @Sendable (RequestHead) throws(HTTPError) -> Void
    /// Called on the event loop when a connection is open; must not block.
    package let open: @Sendable (RequestHead, any WebSocketConnection) -> any WebSocketHandler

    package init(
        _ path: String, protocols: [String] = [], maxMessage: Int? = nil,
        admit: @escaping @Sendable (RequestHead) throws(HTTPError) -> Void = { _ in },
        open: @escaping @Sendable (RequestHead, any WebSocketConnection) -> any WebSocketHandler
    ) {
        self.path = path
        self.protocols = protocols
        self.maxMessage = maxMessage
        self.admit = admit
        self.open = open
    }
}

/// The server's side of a connection. Its methods may be called on any thread and return at once.
package protocol WebSocketConnection: Sendable {
    /// Sends a text message, in the order of the calls.
    func send(_ text: String)
    /// Closes the connection after everything sent before; `reason` is truncated to 123 bytes. Later calls do nothing.
    func close(_ code: Int, _ reason: String)
    /// Whether what the client sends is read. While it is not, the client has to wait.
    func setReading(_ isReading: Bool)
    /// Bytes that were sent but not yet written to the socket.
    var queuedBytes: Int { get }
}

/// Receives what the client of a connection sends. Called on the event loop; must not block.
package protocol WebSocketHandler: Sendable {
    func received(text: String)
    func received(binary: [UInt8])
    /// The connection has ended, with or without a closing handshake. Called once, last.
    func closed()
    /// The server is shutting down: finish what is open and close with 1001.
    func shutDown()
}
