import Testing
import WhisperEngine
import WhisperServer

@Suite("Request guard")
struct RequestGuardTests {
    /// The status with which a request is refused; `nil` if it passes.
    private static func refusal(
        _ fields: [(String, String)], method: String = "POST", target: String = "/", host: String? = "localhost:8178",
        authority: String? = nil, isLocal: Bool = false, change: (inout ServerSettings) -> Void = { _ in }
    ) -> Int? {
        var settings = ServerSettings()
        change(&settings)
        let headers = Headers((host.map { [("Host", $0)] } ?? []) + fields)
        do throws(HTTPError) {
            try RequestGuard(settings, port: 8178).check(
                method: method, target: target, headers: headers, authority: authority ?? host ?? "", isLocal: isLocal)
            return nil
        } catch {
            return error.status
        }
    }

    @Test(
        "the server's own names are accepted, with and without the port",
        arguments: ["localhost", "LOCALHOST:8178", "127.0.0.1:8178", "[::1]:8178", "[::1]"])
    func names(host: String) {
        #expect(Self.refusal([], host: host) == nil)
    }

    @Test(
        "other names, ports and users are rejected, so that no web page can pass off this server as its own",
        arguments: ["evil.example", "localhost:80", "localhost.evil.example", "user@localhost", "127.0.0.2", "", "::1"])
    func foreignNames(host: String) {
        #expect(Self.refusal([], host: host) == 403)
    }

    @Test("a request without a name, with two, or for another one than it says is rejected")
    func ambiguousNames() {
        #expect(Self.refusal([], host: nil) == 403)
        #expect(Self.refusal([("host", "localhost")]) == 403)
        #expect(Self.refusal([], authority: "evil.example") == 403)
        #expect(Self.refusal([], host: "whatever", isLocal: true) == nil)
        #expect(Self.refusal([], host: "whisper.home") { $0.allowedHosts = ["whisper.home"] } == nil)
    }

    @Test(
        "a page may use the server if it has the same scheme, host and port",
        arguments: [
            ("http://localhost:8178", "localhost:8178", nil), ("HTTP://LOCALHOST:8178", "localhost:8178", nil),
            ("http://[::1]:8178", "[::1]:8178", nil), ("http://127.0.0.1:8178", "localhost:8178", nil),
            ("http://localhost:8178", "127.0.0.1:8178", nil),
            // Behind a proxy, which has its own port.
            ("http://localhost", "localhost", nil), ("http://localhost:80", "localhost", nil),
            ("http://localhost", "localhost:8178", 403), ("http://localhost:80", "localhost:8178", 403),
            ("http://localhost:3000", "localhost:8178", 403), ("http://127.0.0.1", "127.0.0.1:8178", 403),
            ("http://[::1]", "[::1]:8178", 403), ("http://[::1]:1", "[::1]:8178", 403),
            ("https://localhost:8178", "localhost:8178", 403), ("https://localhost", "localhost", 403),
            ("http://127.0.0.2:8178", "localhost:8178", 403), ("http://evil.example", "localhost:8178", 403),
            ("http://localhost:8178.evil.example", "localhost:8178", 403),
            ("http://localhost:8178@evil.example", "localhost:8178", 403),
            ("http://localhost:8178/", "localhost:8178", 403), ("localhost:8178", "localhost:8178", 403),
            ("null", "localhost:8178", 403), ("", "localhost:8178", 403), ("file://", "localhost:8178", 403),
            ("http://", "localhost:8178", 403), ("http://localhost:", "localhost:8178", 403),
            ("http://localhost:+8178", "localhost:8178", 403),
        ] as [(String, String, Int?)])
    func origins(origin: String, host: String, status: Int?) {
        #expect(Self.refusal([("Origin", origin)], host: host) == status)
        #expect(Self.refusal([("Origin", origin), ("Sec-Fetch-Site", "same-site")], host: host) == status)
    }

    @Test("with TLS, only encrypted pages are the server's own, and the port is 443 unless given")
    func encryptedOrigins() {
        let encrypt = { (settings: inout ServerSettings) in settings.certificate = FilePath("c") }
        #expect(Self.refusal([("Origin", "https://localhost:8178")], change: encrypt) == nil)
        #expect(Self.refusal([("Origin", "http://localhost:8178")], change: encrypt) == 403)
        #expect(Self.refusal([("Origin", "https://localhost")], host: "localhost:443", change: encrypt) == 403)
        #expect(Self.refusal([("Origin", "https://localhost")], host: "localhost", change: encrypt) == nil)
    }

    @Test("a name is the server's own only if no other program can have it")
    func sharedNames() {
        let half = { (settings: inout ServerSettings) in settings.hosts = ["127.0.0.1"] }
        #expect(Self.refusal([("Origin", "http://127.0.0.1:8178")], change: half) == nil)
        #expect(Self.refusal([("Origin", "http://[::1]:8178")], change: half) == 403)
        #expect(Self.refusal([("Origin", "http://localhost:8178")], host: "127.0.0.1:8178", change: half) == 403)
        #expect(Self.refusal([("Origin", "http://localhost:8178")], change: half) == nil)
    }

    @Test("a Unix socket has no name, so a page's name must be one of the server's")
    func localOrigins() {
        #expect(Self.refusal([("Origin", "http://evil.example")], host: "evil.example", isLocal: true) == 403)
        #expect(Self.refusal([("Origin", "http://localhost")], host: "localhost", isLocal: true) == nil)
        let named = { (settings: inout ServerSettings) in settings.allowedHosts = ["whisper.home"] }
        #expect(Self.refusal([("Origin", "http://whisper.home")], host: "whisper.home", change: named) == nil)
        #expect(Self.refusal([("Origin", "http://whisper.home:81")], host: "whisper.home", change: named) == 403)
    }

    @Test("pages of other origins are rejected unless they are allowed")
    func allowedOrigins() {
        #expect(Self.refusal([("Sec-Fetch-Site", "cross-site")]) == 403)
        #expect(Self.refusal([("Sec-Fetch-Site", "same-origin")]) == nil)
        let allow = { (settings: inout ServerSettings) in
            settings.allowedOrigins = [WebOrigin("https://Notes.example:443")].compactMap(\.self)
        }
        let page = "https://notes.example"
        #expect(Self.refusal([("Origin", page), ("Sec-Fetch-Site", "cross-site")], change: allow) == nil)
        #expect(Self.refusal([("Origin", "http://notes.example")], change: allow) == 403)
        #expect(Self.refusal([("Origin", page + ":444")], change: allow) == 403)
        #expect(Self.refusal([("Origin", page), ("Origin", page)], change: allow) == 403)
        #expect(Self.refusal([("Origin", page), ("Origin", "http://evil.example")], change: allow) == 403)
    }

    @Test(
        "compressed bodies and unknown expectations are rejected",
        arguments: [
            (("Content-Encoding", "gzip"), 415), (("Expect", "100-continue"), nil), (("Expect", "magic"), 417),
        ] as [((String, String), Int?)])
    func body(field: (String, String), status: Int?) {
        #expect(Self.refusal([field]) == status)
    }

    @Test("requests that are too large for any client are rejected")
    func limits() {
        #expect(Self.refusal([], target: "/" + String(repeating: "a", count: 8192)) == 414)
        #expect(Self.refusal([("X", String(repeating: "a", count: 8192))]) == 431)
        #expect(Self.refusal((0..<100).map { ("X-\($0)", "") }) == 431)
        #expect(Self.refusal((0..<5).map { ("X-\($0)", String(repeating: "a", count: 8000)) }) == 431)
        #expect(Self.refusal([], method: "TRACE") == 405)
    }
}
