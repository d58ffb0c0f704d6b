/// A path that the server handles.
package struct Route: Sendable {
    /// Who may use it, if the server has a key.
    package enum Access: Sendable {
        case everyone
        /// Clients that send the key.
        case key
        /// Clients that send the key, or whose address is allowed: for programs that cannot send one.
        case keyOrAddress
    }

    /// How the body of a request is read.
    package enum BodyKind: Sendable {
        /// No body is expected; up to 64 KiB are read and discarded.
        case none
        /// At most this many bytes, collected in memory: for small bodies only.
        case bytes(limit: Int)
        /// At most this many bytes, in an unnamed temporary file.
        case stored(limit: Int)
        /// A multipart form: text fields in memory, the files of these fields in unnamed temporary files.
        case form(fileLimit: Int, fileFields: Set<String> = MultipartForm.fileFields)
    }

    package let method: String
    /// Such as `/v1/models/{id}`; a last component in braces matches the rest of the path, slashes included.
    package let pattern: String
    package let access: Access
    package let body: BodyKind
    /// Renders an error in the format that the clients of this route expect.
    package let refusal: @Sendable (HTTPError) -> Response
    /// Runs outside the event loop. Cancelled when the client disconnects.
    package let respond: @Sendable (Request) async throws(HTTPError) -> Response

    package init(
        _ method: String, _ pattern: String, access: Access = .key, body: BodyKind = .none,
        refusal: @escaping @Sendable (HTTPError) -> Response,
        respond: @escaping @Sendable (Request) async throws(HTTPError) -> Response
    ) {
        self.method = method
        self.pattern = pattern
        self.access = access
        self.body = body
        self.refusal = refusal
        self.respond = respond
    }
}
