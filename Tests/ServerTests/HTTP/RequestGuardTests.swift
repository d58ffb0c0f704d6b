import Testing
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

    @Test("web pages of other origins are rejected")
    func origins() {
        #expect(Self.refusal([("Origin", "http://localhost:8178")]) == nil)
        #expect(Self.refusal([("Origin", "https://localhost:8178")]) == 403)
        #expect(Self.refusal([("Origin", "http://evil.example")]) == 403)
        #expect(Self.refusal([("Origin", "null")]) == 403)
        #expect(Self.refusal([("Sec-Fetch-Site", "cross-site")]) == 403)
        #expect(Self.refusal([("Sec-Fetch-Site", "same-origin")]) == nil)
        let page = "https://notes.example"
        #expect(Self.refusal([("Origin", page), ("Sec-Fetch-Site", "cross-site")]) { $0.corsOrigins = [page] } == nil)
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
