import Foundation
import Synchronization
import Testing
import WhisperServer

@Suite("Temporary tokens")
struct TokenStoreTests {
    /// A clock that a test sets.
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock(\.self) }
        func advance(_ seconds: Int) { time.withLock { $0 += .seconds(seconds) } }
    }

    @Test("a token is 32 random bytes for use in an address, and works once")
    func once() throws {
        let store = SecretStore<Int>()
        let tokens = try (0..<50).map { _ in try #require(store.issue(300, seconds: 60)) }
        #expect(Set(tokens).count == 50)
        for token in tokens {
            #expect(token.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
            let padded = token.replacing("-", with: "+").replacing("_", with: "/") + "="
            #expect(Data(base64Encoded: padded)?.count == 32)
            #expect(store.redeem(token + "x") == nil && store.redeem(String(token.dropLast())) == nil)
            #expect(store.redeem(token) == 300)
            #expect(store.redeem(token) == nil)
        }
        #expect(store.redeem("") == nil)
    }

    @Test("what a secret stands for can be asked for as often as wanted until it expires")
    func reuse() throws {
        let clock = Clock()
        let store = SecretStore<String>(now: { clock.now })
        let secret = try #require(store.issue("session", seconds: 10, prefix: "ek_"))
        #expect(secret.wholeMatch(of: /ek_[A-Za-z0-9_-]{43}/) != nil)
        for _ in 0..<3 { #expect(store.content(of: secret) == "session") }
        #expect(store.content(of: String(secret.dropFirst(3))) == nil)
        clock.advance(10)
        #expect(store.content(of: secret) == nil)
    }

    @Test("a token expires")
    func expiry() throws {
        let clock = Clock()
        let store = SecretStore<Int>(now: { clock.now })
        let short = try #require(store.issue(60, seconds: 10))
        let long = try #require(store.issue(70, seconds: 20))
        clock.advance(10)
        #expect(store.redeem(short) == nil)
        #expect(store.redeem(long) == 70)
    }

    @Test("at most 1000 tokens are alive; used and expired ones make room")
    func capacity() throws {
        let clock = Clock()
        let store = SecretStore<Int>(now: { clock.now })
        var tokens: [String] = []
        for _ in 0..<1000 { tokens.append(try #require(store.issue(60, seconds: 60))) }
        #expect(store.issue(60, seconds: 60) == nil)
        #expect(store.redeem(tokens[500]) == 60)
        #expect(store.issue(60, seconds: 60) != nil)
        #expect(store.issue(60, seconds: 60) == nil)
        clock.advance(60)
        #expect(store.issue(60, seconds: 60) != nil)
    }
}

@Suite("Token routes")
struct TokenRouteTests {
    private static func server() -> AssemblyAIServer {
        var settings = AssemblyAISettings()
        settings.requiresKey = true
        settings.isKey = { $0 == "secret" }
        return AssemblyAIServer(settings, models: FakeModels(answer: .never))
    }

    private static func get(
        _ server: AssemblyAIServer, _ query: [(String, String)], authorization: String? = "secret"
    ) async -> (status: Int, body: [String: Any]) {
        await answer(server, "/v3/token", Request(.webSocket("/v3/token", query, authorization: authorization)))
    }

    private static func answer(
        _ server: AssemblyAIServer, _ path: String, _ request: Request
    ) async -> (status: Int, body: [String: Any]) {
        guard let route = AssemblyAIRoutes.routes(server).first(where: { $0.pattern == path }) else { return (0, [:]) }
        let response: Response
        do throws(HTTPError) {
            response = try await route.respond(request)
        } catch {
            response = route.refusal(error)
        }
        guard case .bytes(let bytes) = response.body else { return (0, [:]) }
        #expect(response.headers["content-type"] == "application/json")
        return (response.status, (try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]) ?? [:])
    }

    @Test("a token is issued for the time that was asked for, and opens a session")
    func issue() async throws {
        let server = Self.server()
        for authorization in ["secret", "Bearer secret"] {
            let (status, body) = await Self.get(
                server, [("expires_in_seconds", "600"), ("max_session_duration_seconds", "60")],
                authorization: authorization)
            #expect(status == 200 && Set(body.keys) == ["token", "expires_in_seconds"])
            #expect(body["expires_in_seconds"] as? Int == 600)
            #expect(server.tokens.redeem(try #require(body["token"] as? String)) == 60)
        }
        let (_, body) = await Self.get(server, [("expires_in_seconds", "1")])
        #expect(server.tokens.redeem(try #require(body["token"] as? String)) == 10_800)
    }

    @Test("bad values are answered with 400, a bad key with 401")
    func refusals() async {
        let server = Self.server()
        for query in [
            [], [("expires_in_seconds", "0")], [("expires_in_seconds", "601")], [("expires_in_seconds", "x")],
            [("expires_in_seconds", "60"), ("max_session_duration_seconds", "59")],
            [("expires_in_seconds", "60"), ("max_session_duration_seconds", "10801")],
        ] {
            let (status, body) = await Self.get(server, query)
            #expect(status == 400 && Array(body.keys) == ["error"], "\(query)")
        }
        for authorization in ["wrong", "Bearer wrong", nil] {
            let (status, body) = await Self.get(
                server, [("expires_in_seconds", "60")], authorization: authorization)
            #expect(status == 401 && Array(body.keys) == ["error"])
        }
    }

    @Test("version 2 asks in a JSON body")
    func realTime() async throws {
        let server = Self.server()
        func post(_ body: String, _ authorization: String = "secret") async -> (status: Int, body: [String: Any]) {
            await Self.answer(
                server, "/v2/realtime/token",
                Request(
                    .webSocket("/v2/realtime/token", authorization: authorization), body: .bytes(Array(body.utf8))))
        }
        let (status, body) = await post(#"{"expires_in":60}"#)
        #expect(status == 200 && Array(body.keys) == ["token"])
        #expect(server.tokens.redeem(try #require(body["token"] as? String)) == 10_800)
        for bad in ["", "{}", #"{"expires_in":59}"#, #"{"expires_in":true}"#, "[60]", #"{"expires_in":60.5}"#] {
            #expect(await post(bad).status == 400, "\(bad)")
        }
        #expect(await post(#"{"expires_in":60}"#, "wrong").status == 401)
    }
}
