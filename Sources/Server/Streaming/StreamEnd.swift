/// Why a streaming session ends. Each version of the protocol has its own codes for it.
package enum StreamEnd: Error, Equatable, Sendable {
    /// The client asked for it.
    case terminated
    /// The server is shutting down.
    case shutDown
    case unauthorized(reason: String)
    case tooManySessions
    case invalidJSON
    /// A message that is JSON but makes no sense; `reason` is a whole sentence without a period.
    case invalidMessage(reason: String)
    /// A parameter whose value is not allowed.
    case invalidParameter(name: String, rule: String)
    /// A frame whose audio has a length that is not accepted.
    case wrongDuration(milliseconds: Int)
    /// Audio arrives much faster than it could be recorded.
    case tooFast(received: Double, elapsed: Double)
    /// Messages without audio arrive faster than any client would send them.
    case tooManyMessages
    /// The session has reached its maximum length.
    case expired
    /// Nothing was received for too long.
    case inactive
    /// There was no audio for too long while others waited for a session.
    case idle
    /// Recognition failed.
    case failed
    /// The client does not read what it is sent.
    case slowReader
    /// The connection was lost.
    case disconnected

    /// Whether the text so far becomes final and is sent before the end.
    package var finishesTurn: Bool {
        switch self {
        case .terminated, .shutDown, .expired, .inactive, .idle: true
        default: false
        }
    }

    /// One sentence for the client; `nil` for an end that is no error.
    package var message: String? {
        switch self {
        case .terminated, .shutDown, .disconnected: nil
        case .unauthorized(let reason): "Unauthorized Connection: \(reason)"
        case .tooManySessions: "Unauthorized Connection: Too many concurrent sessions"
        case .invalidJSON: "Invalid JSON: the message is not a JSON text"
        case .invalidMessage(let reason): reason
        case .invalidParameter(let name, let rule): "Invalid Parameter: \(name) must be \(rule)"
        case .wrongDuration(let milliseconds):
            "Input duration violation: \(milliseconds) ms. Expected between 50 and 1000 ms"
        case .tooFast(let received, let elapsed):
            "Audio Transmission Rate Exceeded: Received \(Int(received)) sec. audio in \(Int(elapsed)) sec"
        case .tooManyMessages: "Session Cancelled: Messages are sent too fast"
        case .expired: "Session Expired: Maximum session duration exceeded"
        case .inactive: "Session Cancelled: inactivity timeout"
        case .idle: "Session Cancelled: no audio, while other clients are waiting"
        case .failed: "Session Cancelled: An error occurred"
        case .slowReader: "Session Cancelled: messages are not read fast enough"
        }
    }

    /// The reason in the closing frame, at most 123 bytes.
    package var reason: String {
        switch self {
        case .shutDown: "going away"
        default: message.map { $0.utf8.count > 123 ? "See Error message for details" : $0 } ?? ""
        }
    }
}
