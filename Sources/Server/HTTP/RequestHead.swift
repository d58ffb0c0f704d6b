/// The request line and the headers of a request, checked by `RequestGuard`.
package struct RequestHead: Sendable {
    /// In upper case, such as `GET`.
    package var method: String
    /// Percent-decoded once, without a trailing slash: `/v1/models`.
    package var path: String
    /// Names and values of the query in order, decoded (`+` is a blank).
    package var query: [(name: String, value: String)]
    package var headers: Headers
    /// Identifies the client: its address, and its key if the server has one. Several people may share either.
    package var client: String
    /// The ID of this request in logs and in `x-request-id`: `req_` and 26 characters.
    package var id: String

    package init(
        method: String, path: String, query: [(name: String, value: String)] = [], headers: Headers = Headers(),
        client: String = "", id: String = ""
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.client = client
        self.id = id
    }

    /// The first value of a name in the query.
    package func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }
}

/// The headers of a message in order. Names are compared without regard to case.
package struct Headers: Sendable {
    package private(set) var fields: [(name: String, value: String)] = []

    package init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields
    }

    /// All values of a name.
    package subscript(all name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// The first value of a name.
    package subscript(name: String) -> String? { self[all: name].first }

    package mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }
}

/// A request whose body has been read.
package struct Request: Sendable {
    package var head: RequestHead
    package var body: RequestBody

    package init(_ head: RequestHead, body: RequestBody = .none) {
        self.head = head
        self.body = body
    }
}

/// The body in the form that the route expects.
package enum RequestBody: Sendable {
    case none
    case bytes([UInt8])
    case stored(Upload)
    case form(MultipartForm)
}
