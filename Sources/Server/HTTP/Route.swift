/// A path that the server handles.
package struct Route: Sendable {
    /// How the body of a request is read.
    package enum BodyKind: Sendable {
        /// No body is expected; up to 64 KiB are read and discarded.
        case none
        /// At most this many bytes, collected in memory: for small bodies only.
        case bytes(limit: Int)
        /// At most this many bytes, in an unnamed temporary file.
        case stored(limit: Int)
        /// A multipart form: text fields in memory, files in an unnamed temporary file.
        case form(fileLimit: Int)
    }

    package let method: String
    /// Such as `/v1/models/{id}`; a last component in braces matches the rest of the path, slashes included.
    package let pattern: String
    /// Whether the server's key is required, if it has one.
    package let needsKey: Bool
    package let body: BodyKind
    /// Renders an error in the format that the clients of this route expect.
    package let refusal: @Sendable (HTTPError) -> Response
    /// Runs outside the event loop. Cancelled when the client disconnects.
    package let respond: @Sendable (Request) async throws(HTTPError) -> Response

    package init(
        _ method: String, _ pattern: String, needsKey: Bool = true, body: BodyKind = .none,
        refusal: @escaping @Sendable (HTTPError) -> Response,
        respond: @escaping @Sendable (Request) async throws(HTTPError) -> Response
    ) {
        self.method = method
        self.pattern = pattern
        self.needsKey = needsKey
        self.body = body
        self.refusal = refusal
        self.respond = respond
    }
}
