/// Checks that apply to every request, whatever its route: limits of its headers, the host that it is addressed to, and
/// its origin. (`FramingValidator` has already checked the syntax.)
package struct RequestGuard: Sendable {
    // Bytes.
    private static let maxTarget = 8 << 10
    private static let maxHeader = 8 << 10
    private static let maxHeaders = 32 << 10
    private static let maxHeaderCount = 100

    private let hosts: Set<String>
    private let scheme: String
    /// The origins of the pages that this server itself serves.
    private let ownOrigins: Set<WebOrigin>
    /// The origins of other pages that may use it.
    private let allowedOrigins: Set<WebOrigin>

    /// - Parameters:
    ///   - port: the port that the server listens on.
    ///   - listening: the addresses that it listens on; `nil` are those of the settings.
    package init(_ settings: ServerSettings, port: Int, listening: [String]? = nil) {
        func literal(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }
        let names = ["localhost", "127.0.0.1", "[::1]"] + settings.hosts.map(literal) + settings.allowedHosts
        hosts = Set(names.map { $0.lowercased() }.flatMap { [$0, "\($0):\(port)"] })
        let scheme = settings.certificate == nil ? "http" : "https"
        let listening = listening ?? settings.hosts
        // If one of localhost's addresses belongs to another program, so may the page.
        let localhost = Set(["127.0.0.1", "::1"]).isSubset(of: listening) ? ["localhost"] : []
        ownOrigins = Set((listening.map(literal) + localhost).compactMap { WebOrigin("\(scheme)://\($0):\(port)") })
        allowedOrigins = Set(settings.allowedOrigins)
        self.scheme = scheme
    }

    /// - Parameters:
    ///   - target: path and query as they were sent.
    ///   - authority: host and port from a request line with an absolute URL, otherwise from `Host`.
    ///   - isLocal: whether it came through the Unix socket, where names mean nothing.
    package func check(
        method: String, target: String, headers: Headers, authority: String, isLocal: Bool
    ) throws(HTTPError) {
        guard target.utf8.count <= Self.maxTarget else { throw .addressTooLong }
        let sizes = headers.fields.map { $0.name.utf8.count + $0.value.utf8.count }
        guard headers.fields.count <= Self.maxHeaderCount, sizes.allSatisfy({ $0 <= Self.maxHeader }),
            sizes.reduce(0, +) <= Self.maxHeaders
        else { throw .headersTooLarge }
        if method == "TRACE" || method == "CONNECT" {
            throw HTTPError(405, "The method \(method) is not supported.", code: "method_not_allowed")
        }
        if !isLocal { try checkHost(headers, authority: authority) }
        let origins = headers[all: "Origin"]
        guard origins.allSatisfy({ isOwn($0, headers) || isAllowed(origin: $0) }), origins.count < 2 else {
            throw HTTPError(
                403, "Requests from other web sites are refused. Start the server with --allow-origin ORIGIN.",
                code: "forbidden")
        }
        if headers["Sec-Fetch-Site"]?.lowercased() == "cross-site", headers["Origin"] == nil {
            throw HTTPError(403, "Requests from other web sites are refused.", code: "forbidden")
        }
        try checkBody(headers)
    }

    /// Whether pages of another origin may use this server and read its responses.
    package func isAllowed(origin: String) -> Bool { WebOrigin(origin).map(allowedOrigins.contains) ?? false }

    /// Whether a page comes from this server: from the address that the request was sent to, or from another one that
    /// it listens on. The name alone says nothing, because the programs of a machine share it.
    private func isOwn(_ text: String, _ headers: Headers) -> Bool {
        guard let origin = WebOrigin(text) else { return false }
        if ownOrigins.contains(origin) { return true }
        // Behind a proxy, `Host` has the proxy's port. On a Unix socket it has not been checked.
        return origin == headers["Host"].flatMap { WebOrigin("\(scheme)://\($0)") } && hosts.contains(origin.host)
    }

    private func checkHost(_ headers: Headers, authority: String) throws(HTTPError) {
        let values = headers[all: "Host"]
        guard values.count == 1, hosts.contains(values[0].lowercased()), hosts.contains(authority.lowercased()) else {
            throw HTTPError(
                403, "This host name is not allowed. Start the server with --allow-host NAME.", code: "forbidden")
        }
    }

    private func checkBody(_ headers: Headers) throws(HTTPError) {
        if headers["Content-Encoding"] != nil {
            throw HTTPError(415, "Compressed requests are not supported.", code: "unsupported_media_type")
        }
        if let expected = headers["Expect"], expected.lowercased() != "100-continue" {
            throw HTTPError(417, "The expectation cannot be met.")
        }
    }
}
