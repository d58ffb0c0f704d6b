/// Checks the framing of all that a client sends on a connection before libsoup reads it.
///
/// libsoup accepts lines that end with LF alone, lengths that are not numbers, and the like, which other programs
/// interpret differently, so that one request can be smuggled inside another. It also buffers the parts of a WebSocket
/// message without a limit.
package struct FramingValidator: Sendable {
    /// Why the connection cannot continue.
    package enum Violation: Error, Equatable, Sendable {
        case request(HTTPError)
        /// A WebSocket message is longer than it may be.
        case messageTooLong
        /// WebSocket frames come faster than any client would send them.
        case tooManyFrames
    }

    private enum Phase {
        case head
        /// The number of bytes that are left of the body.
        case body(Int)
        case chunks
        case messages
    }

    private var phase = Phase.head
    private var head = HeadValidator()
    private var chunks = ChunkValidator()
    private var messages = MessageValidator(maxLength: 0)

    package init() {}

    /// Checks the next bytes.
    ///
    /// - Returns: how many of them were checked: at most up to the end of a head or a request, because the response
    ///   determines how the bytes after that are framed.
    package mutating func check(_ bytes: Span<UInt8>) throws(Violation) -> Int {
        do throws(HTTPError) {
            switch phase {
            case .head: return try checkHead(bytes)
            case .body(let left):
                let count = min(left, bytes.count)
                phase = count == left ? .head : .body(left - count)
                return count
            case .chunks:
                let count = try chunks.check(bytes)
                if chunks.isComplete { phase = .head }
                return count
            case .messages: break
            }
        } catch {
            throw .request(error)
        }
        switch messages.check(bytes) {
        case .passed: return bytes.count
        case .tooLong: throw .messageTooLong
        case .tooMany: throw .tooManyFrames
        }
    }

    /// Whether no part of a request has arrived since the last one.
    package var isIdle: Bool {
        if case .head = phase { head.isEmpty } else { false }
    }

    /// Whether a body has begun and is not complete.
    package var isInsideBody: Bool {
        switch phase {
        case .body, .chunks: true
        case .head, .messages: false
        }
    }

    /// WebSocket frames follow.
    ///
    /// - Parameter maxLength: bytes of a message.
    package mutating func startMessages(maxLength: Int) {
        messages = MessageValidator(maxLength: maxLength)
        phase = .messages
    }

    private mutating func checkHead(_ bytes: Span<UInt8>) throws(HTTPError) -> Int {
        for index in bytes.indices {
            guard try head.append(bytes[index]) else { continue }
            switch try head.bodyLength() {
            case .none: phase = .head
            case .bytes(let count): phase = .body(count)
            case .chunks:
                phase = .chunks
                chunks = ChunkValidator()
            }
            head = HeadValidator()
            return index + 1
        }
        return bytes.count
    }
}
