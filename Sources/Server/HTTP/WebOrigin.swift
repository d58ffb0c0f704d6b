/// The origin of a web page: scheme, host and port (RFC 6454).
package struct WebOrigin: Hashable, Sendable {
    /// In lower case, like `host`.
    private let scheme: String
    /// IPv6 addresses are in brackets.
    let host: String
    private let port: Int

    /// Parses `http://localhost:8178`; a port that is missing is the scheme's.
    ///
    /// - Returns: `nil` for anything else, such as `null`, the origin of pages that have none.
    package init?(_ text: String) {
        let text = text.lowercased()
        guard let scheme = ["http", "https"].first(where: { text.hasPrefix("\($0)://") }) else { return nil }
        let authority = text.dropFirst(scheme.utf8.count + 3)
        let host = authority.first == "[" ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        let rest = authority.dropFirst(host.count)
        guard !host.isEmpty, authority.hasPrefix(host),
            host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f && !"/\\?#@,*".utf8.contains($0) })
        else { return nil }
        if rest.isEmpty {
            port = scheme == "https" ? 443 : 80
        } else {
            guard rest.first == ":", rest.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(rest.dropFirst()), (1...65535).contains(number)
            else { return nil }
            port = number
        }
        self.scheme = scheme
        self.host = String(host)
    }
}
