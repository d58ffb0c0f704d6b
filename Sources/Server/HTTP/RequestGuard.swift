/// Checks that apply to every request, whatever its route: limits of its headers, the host that it is addressed to, and
/// its origin. (`FramingValidator` has already checked the syntax.)
package struct RequestGuard: Sendable {
    // Bytes.
    private static let maxTarget = 8 << 10
    private static let maxHeader = 8 << 10
    private static let maxHeaders = 32 << 10
    private static let maxHeaderCount = 100

    private let hosts: Set<String>
    private let origins: Set<String>

    /// - Parameter port: the port that the server listens on.
    package init(_ settings: ServerSettings, port: Int) {
        let names =
            ["localhost", "127.0.0.1", "[::1]"]
            + settings.hosts.map { $0.contains(":") ? "[\($0)]" : $0 } + settings.allowedHosts
        hosts = Set(names.map { $0.lowercased() }.flatMap { [$0, "\($0):\(port)"] })
        let scheme = settings.certificate == nil ? "http" : "https"
        origins = Set(
            names.flatMap { ["\(scheme)://\($0.lowercased())", "\(scheme)://\($0.lowercased()):\(port)"] }
                + settings.corsOrigins)
    }

    /// - Parameters:
    ///   - target: path and query as they were sent.
    ///   - authority: host and port from a request line with an absolute URL, otherwise from `Host`.
    ///   - isLocal: whether it came through the Unix socket, where names mean nothing.
    package func check(
        method: String, target: String, headers: Headers, authority: String, isLocal: Bool
    ) throws(HTTPError) {
        guard target.utf8.count <= Self.maxTarget else { throw HTTPError(414, "The address is too long.") }
        let sizes = headers.fields.map { $0.name.utf8.count + $0.value.utf8.count }
        guard headers.fields.count <= Self.maxHeaderCount, sizes.allSatisfy({ $0 <= Self.maxHeader }),
            sizes.reduce(0, +) <= Self.maxHeaders
        else { throw HTTPError(431, "The headers are too large.") }
        if method == "TRACE" || method == "CONNECT" {
            throw HTTPError(405, "The method \(method) is not supported.", code: "method_not_allowed")
        }
        if !isLocal { try checkHost(headers, authority: authority) }
        if let origin = headers["Origin"], !origins.contains(origin.lowercased()) {
            throw HTTPError(403, "Requests from other web sites are refused.", code: "forbidden")
        }
        if headers["Sec-Fetch-Site"]?.lowercased() == "cross-site", headers["Origin"] == nil {
            throw HTTPError(403, "Requests from other web sites are refused.", code: "forbidden")
        }
        try checkBody(headers)
    }

    /// The origins of web pages that may read responses.
    package func isAllowed(origin: String) -> Bool { origins.contains(origin.lowercased()) }

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
