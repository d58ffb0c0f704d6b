/// The answer to a request.
package struct Response: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Sent in chunks as they come. When the client disconnects, the iteration ends early, which cancels the work. An
        /// error cuts the connection, so that the client does not take what it has for the whole.
        ///
        /// - Parameter filler: bytes that mean nothing to the client, sent to find out whether it is still there; empty if
        ///   there are none.
        case stream(AsyncThrowingStream<[UInt8], any Error>, filler: [UInt8] = [])
    }

    package var status = 200
    package var headers = Headers()
    package var body: Body

    package static func text(_ text: String, type: String, status: Int = 200) -> Response {
        Response(status: status, headers: Headers([("Content-Type", type)]), body: .bytes(Array(text.utf8)))
    }

    /// - Parameter text: JSON.
    package static func json(_ text: String, status: Int = 200) -> Response {
        .text(text, type: "application/json", status: status)
    }
}
