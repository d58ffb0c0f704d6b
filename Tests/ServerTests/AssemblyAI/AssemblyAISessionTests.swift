import Foundation
import Testing
import WhisperEngine
import WhisperServer

/// Sessions on a connection that is not there, without recognition.
@Suite("AssemblyAI sessions")
struct AssemblyAISessionTests {
    private static func server(
        _ answer: FakeModels.Answer = .never, _ change: (inout AssemblyAISettings) -> Void = { _ in }
    ) -> AssemblyAIServer {
        var settings = AssemblyAISettings()
        settings.endTime = 0.3
        change(&settings)
        return AssemblyAIServer(settings, models: FakeModels(answer: answer))
    }

    private static func withKey(_ settings: inout AssemblyAISettings) {
        settings.requiresKey = true
        settings.isKey = { $0 == "secret" }
    }

    private static func open(
        _ server: AssemblyAIServer, _ query: [(String, String)] = [], authorization: String? = nil
    ) -> (connection: FakeConnection, handler: any WebSocketHandler) {
        let connection = FakeConnection()
        return (connection, server.open(.webSocket("/v3/ws", query, authorization: authorization), connection))
    }

    private static func openV2(
        _ server: AssemblyAIServer, _ query: [(String, String)] = [("sample_rate", "16000")],
        authorization: String? = nil
    ) -> (connection: FakeConnection, handler: any WebSocketHandler) {
        let connection = FakeConnection()
        let head = RequestHead.webSocket("/v2/realtime/ws", query, authorization: authorization)
        return (connection, server.openRealTime(head, connection))
    }

    @Test("Begin is sent before the model is loaded, with the real model and the end of the session")
    func begin() throws {
        let before = Int(Date.now.timeIntervalSince1970)
        let (connection, handler) = Self.open(Self.server(), [("speech_model", "universal-streaming-english")])
        let begin = try #require(connection.messages.first)
        #expect(connection.sent.count == 1 && begin["type"] as? String == "Begin")
        #expect(UUID(uuidString: try #require(begin["id"] as? String)) != nil)
        let expires = try #require(begin["expires_at"] as? Int)
        #expect((before + 10_800...before + 10_805).contains(expires))
        let configuration = try #require(begin["configuration"] as? [String: Any])
        #expect(configuration["model"] as? String == "fake.en" && configuration["mode"] is NSNull)
        #expect(configuration["api_version"] as? String == "1.0.0")
        #expect(begin["message_type"] == nil)
        handler.closed()
        let other = Self.open(Self.server(), [("speech_model", "other")])
        #expect((other.connection.messages[0]["configuration"] as? [String: Any])?["model"] as? String == "other")
        other.handler.closed()
    }

    @Test("Terminate is answered with Termination and 1000, and frames after it are ignored")
    func terminate() async throws {
        let (connection, handler) = Self.open(Self.server())
        handler.received(text: #"{"type":"Terminate"}"#)
        handler.received(text: "garbage")
        handler.received(binary: [1, 2, 3])
        await connection.waitForClosing()
        #expect(connection.closing == .init(code: 1000, reason: ""))
        let last = try #require(connection.messages.last)
        #expect(last["type"] as? String == "Termination" && connection.sent.count == 2)
        #expect(last["audio_duration_seconds"] as? Int == 0 && last["session_duration_seconds"] is Int)
    }

    @Test("Terminate is answered in time even if the model never loads")
    func boundedTerminate() async throws {
        let (connection, handler) = Self.open(Self.server())
        for _ in 0..<20 { handler.received(binary: [UInt8](repeating: 0, count: 3200)) }
        handler.received(text: #"{"type":"Terminate"}"#)
        await connection.waitForClosing()
        #expect(connection.closing?.code == 1000)
        #expect(connection.messages.last?["audio_duration_seconds"] as? Int == 2)
    }

    @Test(
        "an error arrives as a message, and the connection closes with the same code",
        arguments: [
            (#"{"type":"Hello"}"#, 3006, "Invalid Message Type: Hello"),
            ("[]", 3006, "Invalid Message: it is not a JSON object"),
            ("nonsense", 3006, "Invalid JSON: the message is not a JSON text"),
            (
                #"{"type":"UpdateConfiguration","vad_threshold":2}"#, 3006,
                "Invalid Parameter: vad_threshold must be a number from 0 to 1"
            ),
        ])
    func messageErrors(text: String, code: Int, message: String) async throws {
        let (connection, handler) = Self.open(Self.server())
        handler.received(text: text)
        await connection.waitForClosing()
        #expect(connection.closing == .init(code: code, reason: message))
        let last = try #require(connection.messages.last)
        #expect(last["type"] as? String == "Error" && last["error_code"] as? Int == code)
        #expect(last["error"] as? String == message)
        #expect(connection.messages.dropLast().allSatisfy { $0["error"] == nil })
    }

    @Test("a bad parameter is rejected with 3006 instead of Begin; a long text is not repeated in the closing frame")
    func badParameters() {
        let refused = Self.open(Self.server(), [("sample_rate", "4000")]).connection
        #expect(refused.closing?.code == 3006 && refused.sent.count == 1)
        #expect(refused.messages[0]["error"] as? String == refused.closing?.reason)
        let end = StreamEnd.invalidMessage(reason: String(repeating: "é", count: 62))
        #expect(end.reason == "See Error message for details")
        #expect(StreamEnd.invalidMessage(reason: String(repeating: "a", count: 123)).reason.utf8.count == 123)
    }

    @Test("the key is accepted with and without Bearer, a wrong or missing one closes with 1008")
    func keys() {
        let server = Self.server(.never, Self.withKey)
        for authorization in ["secret", "Bearer secret", "bearer  secret "] {
            let (connection, handler) = Self.open(server, authorization: authorization)
            #expect(connection.closing == nil && connection.messages("Begin").count == 1, "\(authorization)")
            handler.closed()
        }
        let missing = Self.open(server).connection
        #expect(missing.closing == .init(code: 1008, reason: "Unauthorized Connection: Missing Authorization header"))
        for (query, authorization) in [
            ([], "wrong"), ([], "Bearer wrong"), ([("token", "secret")], nil), ([("token", "x")], "y"),
        ] as [([(String, String)], String?)] {
            let connection = Self.open(server, query, authorization: authorization).connection
            #expect(connection.closing?.code == 1008 && connection.messages("Begin").isEmpty)
            #expect(connection.messages("Error").first?["error_code"] as? Int == 1008)
        }
        let old = Self.openV2(server).connection
        #expect(old.closing?.code == 4001)
        #expect(old.messages.count == 1 && old.messages[0]["error"] != nil && old.messages[0]["type"] == nil)
    }

    @Test("a token opens one session, in the header or the query, and may shorten it")
    func tokens() throws {
        let server = Self.server(.never, Self.withKey)
        let now = Int(Date.now.timeIntervalSince1970)
        for place in 0..<3 {
            let token = try #require(server.tokens.issue(120, seconds: 60))
            let query = place == 0 ? [("token", token)] : []
            let authorization = place == 0 ? nil : place == 1 ? token : "Bearer \(token)"
            let (connection, handler) = Self.open(server, query, authorization: authorization)
            let expires = try #require(connection.messages.first?["expires_at"] as? Int)
            #expect((now + 120...now + 130).contains(expires))
            handler.closed()
            #expect(Self.open(server, query, authorization: authorization).connection.closing?.code == 1008)
        }
    }

    @Test("sessions beyond the limit are rejected with 3009, and slots become free again")
    func maxSessions() async {
        let server = Self.server(.never) { $0.maxSessions = 2 }
        let sessions = [Self.open(server), Self.open(server)]
        let third = Self.open(server).connection
        #expect(
            third.closing == .init(code: 3009, reason: "Unauthorized Connection: Too many concurrent sessions"))
        #expect(Self.openV2(server).connection.closing?.code == 4102)
        sessions[0].handler.closed()
        await sessions[0].connection.wait { _ in server.slots.count == 1 }
        let next = Self.open(server)
        #expect(next.connection.closing == nil)
        for handler in [sessions[1].handler, next.handler] { handler.closed() }
        await next.connection.wait { _ in server.slots.count == 0 }
    }

    @Test("a session without audio gives its place to a client that comes later, but only if one comes")
    func idleSessions() async {
        let server = Self.server(.never) {
            $0.maxSessions = 1
            $0.idleTime = 0.2
        }
        let quiet = Self.open(server)
        // Neither a message nor a single sample counts as audio.
        quiet.handler.received(binary: [0, 0])
        try? await Task.sleep(for: .milliseconds(400))
        quiet.handler.received(text: #"{"type":"KeepAlive"}"#)
        #expect(quiet.connection.closing == nil)
        let next = Self.open(server)
        #expect(next.connection.closing == nil && server.slots.count == 1)
        await quiet.connection.waitForClosing()
        #expect(quiet.connection.closing?.code == 3005)
        next.handler.closed()
        await next.connection.wait { _ in server.slots.count == 0 }
    }

    @Test("a session with audio keeps its place")
    func busySessions() async {
        let server = Self.server(.never) {
            $0.maxSessions = 1
            $0.idleTime = 1
        }
        let busy = Self.open(server)
        for _ in 0..<15 {
            busy.handler.received(binary: [UInt8](repeating: 0, count: 32_000))
            try? await Task.sleep(for: .milliseconds(100))
        }
        #expect(Self.open(server).connection.closing?.code == 3009 && busy.connection.closing == nil)
        busy.handler.closed()
        await busy.connection.wait { _ in server.slots.count == 0 }
    }

    @Test(
        "messages without audio that come faster than any client sends them end the session with 1008",
        arguments: [
            #"{"type":"KeepAlive"}"#, #"{"type":"ForceEndpoint"}"#,
            #"{"type":"UpdateConfiguration","max_turn_silence":700}"#,
        ])
    func messageFlood(message: String) async {
        let (connection, handler) = Self.open(Self.server())
        for _ in 0..<1500 { handler.received(text: message) }
        for _ in 0..<20 { handler.received(binary: [UInt8](repeating: 0, count: 3200)) }
        try? await Task.sleep(for: .milliseconds(50))
        #expect(connection.closing == nil)
        for _ in 0..<3000 { handler.received(text: message) }
        await connection.waitForClosing()
        #expect(connection.closing == .init(code: 1008, reason: "Session Cancelled: Messages are sent too fast"))
        let real = Self.openV2(Self.server())
        for _ in 0..<4000 { real.handler.received(text: #"{"force_end_utterance":true}"#) }
        await real.connection.waitForClosing()
        #expect(real.connection.closing?.code == 1008)
    }

    @Test("a session ends with 3008 at its maximum length")
    func expiry() async {
        let (connection, _) = Self.open(Self.server(.never) { $0.maxSession = 0 })
        await connection.waitForClosing()
        #expect(
            connection.closing
                == .init(code: 3008, reason: "Session Expired: Maximum session duration exceeded"))
        #expect(connection.messages("Error").count == 1 && connection.messages("Termination").isEmpty)
    }

    @Test("a session without messages ends after its inactivity timeout, which KeepAlive extends")
    func inactivity() async throws {
        let start = ContinuousClock.now
        let quiet = Self.open(Self.server(), [("inactivity_timeout", "10")])
        let kept = Self.open(Self.server(), [("inactivity_timeout", "10")])
        try await Task.sleep(for: .seconds(3))
        kept.handler.received(text: #"{"type":"KeepAlive"}"#)
        await quiet.connection.waitForClosing()
        #expect(ContinuousClock.now - start >= .seconds(10))
        await kept.connection.waitForClosing()
        #expect(ContinuousClock.now - start >= .seconds(13))
        for session in [quiet, kept] {
            #expect(session.connection.closing == .init(code: 3005, reason: "Session Cancelled: inactivity timeout"))
        }
    }

    @Test("a client that asks for heartbeats gets the duration received so far")
    func heartbeats() async throws {
        let session = Self.open(Self.server(), [("session_heartbeat", "true"), ("sample_rate", "16000")])
        session.handler.received(binary: [UInt8](repeating: 0, count: 3200))
        await session.connection.wait { !$0.messages("Heartbeat").isEmpty }
        let beat = try #require(session.connection.messages("Heartbeat").first)
        #expect(beat["total_audio_received_ms"] as? Int == 100)
        #expect(beat["total_duration_ms"] as? Int ?? 0 >= 5000)
        #expect((0...1).contains(beat["realtime_factor"] as? Double ?? -1))
        session.handler.closed()
    }

    @Test("without the speaker networks, a client that asks for speakers is warned, in the words of version 3")
    func speakers() async throws {
        let session = Self.open(Self.server(), [("speaker_labels", "true"), ("sample_rate", "16000")])
        await session.connection.wait { !$0.messages("Warning").isEmpty }
        let warning = try #require(session.connection.messages("Warning").first)
        #expect((warning["warning"] as? String)?.contains("Speakers are not identified") == true)
        #expect(warning["warning_code"] as? Int == 3006)
        session.handler.closed()
        let plain = Self.open(Self.server(), [("speaker_labels", "false"), ("sample_rate", "16000")])
        #expect(plain.connection.messages("Begin").count == 1 && plain.connection.messages("Warning").isEmpty)
        plain.handler.closed()
    }

    @Test("a model that cannot be loaded ends the session with 3005 and no detail")
    func failure() async {
        let (connection, _) = Self.open(Self.server(.failure))
        await connection.waitForClosing()
        #expect(connection.closing == .init(code: 3005, reason: "Session Cancelled: An error occurred"))
        let (old, _) = Self.openV2(Self.server(.failure))
        await old.waitForClosing()
        #expect(old.closing?.code == 1011)
    }

    @Test("when the server shuts down, sessions close with 1001")
    func shutDown() async {
        let (connection, handler) = Self.open(Self.server())
        handler.shutDown()
        await connection.waitForClosing()
        #expect(connection.closing == .init(code: 1001, reason: "going away"))
        #expect(connection.messages("Error").isEmpty)
    }

    @Test("frames of any length up to 5 s are accepted, in strict mode those of 50 to 1000 ms")
    func frameLengths() async {
        for (isStrict, milliseconds, isAccepted) in [
            (false, 1, true), (false, 5000, true), (false, 5001, false), (true, 49, false), (true, 50, true),
            (true, 1000, true), (true, 1001, false),
        ] {
            let (connection, handler) = Self.open(Self.server(.never) { $0.isStrict = isStrict })
            handler.received(binary: [UInt8](repeating: 0, count: 32 * milliseconds))
            handler.received(text: #"{"type":"Terminate"}"#)
            await connection.waitForClosing()
            if isAccepted {
                #expect(connection.closing?.code == 1000, "\(milliseconds) ms")
            } else {
                let reason =
                    "Input duration violation: \(milliseconds) ms. Expected between 50 and 1000 ms"
                #expect(connection.closing == .init(code: 3007, reason: reason))
            }
        }
    }

    @Test("audio much faster than real time is rejected in strict mode")
    func rate() async {
        let (connection, handler) = Self.open(Self.server(.never) { $0.isStrict = true })
        for _ in 0..<40 { handler.received(binary: [UInt8](repeating: 0, count: 32_000)) }
        await connection.waitForClosing()
        #expect(connection.closing?.code == 3007)
        #expect(connection.closing?.reason.hasPrefix("Audio Transmission Rate Exceeded: Received 3") == true)
    }

    @Test("audio may wait for the model, but not without limit")
    func queue() async {
        let (connection, handler) = Self.open(Self.server(.never) { $0.maxQueue = 30 })
        for _ in 0..<30 { handler.received(binary: [UInt8](repeating: 0, count: 32_000)) }
        try? await Task.sleep(for: .milliseconds(300))
        #expect(connection.closing == nil)
        handler.received(binary: [0, 0])
        await connection.waitForClosing()
        #expect(connection.closing?.code == 3007)
        #expect(connection.closing?.reason.hasPrefix("Audio Transmission Rate Exceeded: Received 30 sec.") == true)
    }

    @Test("only clients that mix both versions get the names of version 2")
    func hybrid() {
        func isHybrid(_ query: [(String, String)], _ authorization: String?, _ fields: AssemblyAISettings.Fields)
            -> Bool
        {
            let (connection, handler) = Self.open(
                Self.server(.never) { $0.fields = fields }, query, authorization: authorization)
            defer { handler.closed() }
            let begin = connection.messages[0]
            let hybrid = begin["message_type"] as? String == "SessionBegins"
            #expect(hybrid == (begin["session_id"] as? String == begin["id"] as? String))
            #expect(hybrid == (begin["text"] as? String == ""))
            return hybrid
        }
        #expect(isHybrid([], "Bearer token", .auto))
        #expect(!isHybrid([("sample_rate", "16000")], "Bearer token", .auto))
        #expect(!isHybrid([], "token", .auto))
        #expect(!isHybrid([], nil, .auto))
        #expect(isHybrid([("sample_rate", "16000")], nil, .hybrid))
        #expect(!isHybrid([], "Bearer token", .v3))
    }

    @Test("version 2 begins and ends with its own messages")
    func version2() async throws {
        let (connection, handler) = Self.openV2(
            Self.server(), [("sample_rate", "16000"), ("enable_extra_session_information", "true")])
        let begin = try #require(connection.messages.first)
        let uuid = try #require(begin["session_id"] as? String)
        // The Python client wants a UUID of version 4.
        #expect(uuid.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        let expires = try #require(begin["expires_at"] as? String)
        #expect(expires.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}/) != nil)
        handler.received(text: #"{"audio_data":"\#(Data(count: 8000).base64EncodedString())"}"#)
        handler.received(text: #"{"terminate_session":true}"#)
        await connection.waitForClosing()
        #expect(connection.closing?.code == 1000)
        #expect(
            connection.messages.map { $0["message_type"] as? String } == [
                "SessionBegins", "SessionInformation", "SessionTerminated",
            ])
        #expect(connection.messages.dropFirst().first?["audio_duration_seconds"] as? Double == 0.25)
        let (plain, other) = Self.openV2(Self.server())
        other.received(text: #"{"terminate_session":true}"#)
        await plain.waitForClosing()
        #expect(plain.messages("SessionInformation", key: "message_type").isEmpty)
    }

    @Test("version 2 has its own codes", arguments: [("nonsense", 4100), ("{}", 4101)])
    func version2Errors(text: String, code: Int) async {
        let (connection, handler) = Self.openV2(Self.server())
        handler.received(text: text)
        await connection.waitForClosing()
        #expect(connection.closing?.code == code && connection.messages.last?["error"] is String)
        #expect(Self.openV2(Self.server(), []).connection.closing?.code == 4000)
    }
}
