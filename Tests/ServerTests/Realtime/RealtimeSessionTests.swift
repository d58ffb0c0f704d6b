import Foundation
import Testing
import WhisperEngine
import WhisperServer

/// Sessions of OpenAI's Realtime API on a connection that is not there.
@Suite("Realtime sessions")
struct RealtimeSessionTests {
    private static func open(
        _ answer: FakeModels.Answer = .never, secret: RealtimeSession? = nil,
        _ change: (inout RealtimeSettings) -> Void = { _ in }
    ) throws -> (connection: FakeConnection, handler: any WebSocketHandler) {
        var settings = RealtimeSettings()
        settings.endTime = 0.3
        change(&settings)
        let server = RealtimeServer(
            settings, models: FakeModels(answer: answer), slots: SessionSlots(limit: 4, idleTime: 60))
        let connection = FakeConnection()
        var authorization: String?
        if let secret { authorization = "Bearer " + (try #require(server.secrets.issue(secret, seconds: 60))) }
        let head = RequestHead.webSocket("/v1/realtime", authorization: authorization)
        return (connection, server.open(head, connection))
    }

    private static func append(_ seconds: Double) -> String {
        let samples = Data(count: 2 * Int(24_000 * seconds))
        return #"{"type":"input_audio_buffer.append","audio":"\#(samples.base64EncodedString())"}"#
    }

    private static func code(_ message: [String: Any]?) -> String? {
        (message?["error"] as? [String: Any])?["code"] as? String
    }

    @Test("the first event is sent before the model is loaded")
    func created() throws {
        let (connection, handler) = try Self.open()
        let session = try #require(connection.messages("session.created").first?["session"] as? [String: Any])
        #expect(connection.sent.count == 1 && session["type"] as? String == "transcription")
        let input = try #require((session["audio"] as? [String: Any])?["input"] as? [String: Any])
        #expect((input["transcription"] as? [String: Any])?["model"] as? String == "fake.en")
        handler.closed()
    }

    @Test("a secret gives the session its settings")
    func secret() throws {
        var session = RealtimeSession()
        session.turns = nil
        let (connection, handler) = try Self.open(secret: session)
        let shown = connection.messages[0]["session"] as? [String: Any]
        let input = (shown?["audio"] as? [String: Any])?["input"] as? [String: Any]
        #expect(input?["turn_detection"] is NSNull)
        handler.closed()
    }

    @Test("a session ends after its maximum length, and after a long pause, with an error that says so")
    func expiry() async throws {
        for isPause in [false, true] {
            let (connection, handler) = try Self.open {
                if isPause { $0.maxPause = 0.2 } else { $0.maxSession = 0.2 }
            }
            await connection.waitForClosing()
            #expect(connection.closing?.code == 1001)
            #expect(Self.code(connection.messages.last) == "session_expired")
            handler.closed()
        }
    }

    @Test("a model that cannot be loaded ends the session, and the committed item fails")
    func failure() async throws {
        var session = RealtimeSession()
        session.turns = nil
        let (connection, handler) = try Self.open(.failure, secret: session)
        handler.received(text: Self.append(1))
        handler.received(text: #"{"type":"input_audio_buffer.commit"}"#)
        await connection.waitForClosing()
        #expect(connection.closing?.code == 1011 && Self.code(connection.messages.last) == "server_error")
        let failed = connection.messages("conversation.item.input_audio_transcription.failed")
        #expect(failed.count <= 1 && connection.messages("input_audio_buffer.committed").count == failed.count)
        handler.closed()
    }

    @Test("audio ahead of the recognition is not read until there is room, and nothing is dropped")
    func waiting() async throws {
        let (connection, handler) = try Self.open { $0.maxQueue = 5 }
        for _ in 0..<4 { handler.received(text: Self.append(1)) }
        handler.received(text: #"{"type":"nonsense"}"#)
        await connection.wait { Self.code($0.messages.last) == "invalid_value" }
        #expect(connection.isReading)
        for _ in 0..<4 { handler.received(text: Self.append(1)) }
        await connection.wait { !$0.isReading }
        #expect(connection.closing == nil)
        handler.closed()
        let (fast, other) = try Self.open(.nano) { $0.maxQueue = 5 }
        for _ in 0..<10 { other.received(text: Self.append(1)) }
        await fast.wait { !$0.isReading }
        await fast.wait { $0.isReading }
        other.closed()
    }

    @Test("a client that does not read is disconnected")
    func slowReader() async throws {
        let (connection, handler) = try Self.open()
        connection.setQueuedBytes(2 << 20)
        await connection.waitForClosing()
        #expect(connection.closing?.code == 1011)
        handler.closed()
    }

    @Test("events that cost the client nothing are limited")
    func flood() async throws {
        let (connection, handler) = try Self.open()
        for _ in 0..<3000 { handler.received(text: #"{"type":"input_audio_buffer.clear"}"#) }
        await connection.waitForClosing()
        #expect(connection.closing?.code == 1008 && Self.code(connection.messages.last) == "rate_limit_exceeded")
        handler.closed()
    }

    @Test("the client's events wait for what is being said, in order, and all are answered")
    func order() async throws {
        let (connection, handler) = try Self.open(.nano)
        handler.received(text: Self.append(1))
        handler.received(text: #"{"type":"input_audio_buffer.commit","event_id":"a"}"#)
        handler.received(text: #"{"type":"input_audio_buffer.clear"}"#)
        handler.received(text: Self.append(1))
        handler.received(text: #"{"type":"input_audio_buffer.clear"}"#)
        handler.received(
            text: #"{"type":"session.update","session":{"audio":{"input":{"turn_detection":null}}}}"#)
        handler.received(text: #"{"type":"input_audio_buffer.commit","event_id":"b"}"#)
        await connection.wait { $0.messages("error").count == 2 }
        let kinds = connection.messages.compactMap { $0["type"] as? String }
        #expect(
            kinds == [
                "session.created", "error", "input_audio_buffer.cleared", "input_audio_buffer.cleared",
                "session.updated", "error",
            ])
        let names = connection.messages("error").compactMap { ($0["error"] as? [String: Any])?["event_id"] as? String }
        #expect(names == ["a", "b"])
        handler.closed()
    }
}

@Suite("Settings of realtime sessions")
struct RealtimeUpdateTests {
    private static func updated(
        _ text: String, from session: RealtimeSession = RealtimeSession(), isStrict: Bool = false
    ) throws -> RealtimeSession {
        var session = session
        try session.update(JSONValue(Array(text.utf8), depth: 16, members: 100), isStrict: isStrict)
        return session
    }

    @Test("only the members that are present change, and null clears")
    func members() throws {
        var session = try Self.updated(
            #"{"audio":{"input":{"transcription":{"model":"m","language":"de","prompt":"p","keywords":["k"]}}}}"#)
        #expect(session.transcription?.language == "de" && session.turns != nil)
        session = try Self.updated(#"{"audio":{"input":{"transcription":{"languages":["en","fr"]}}}}"#, from: session)
        #expect(session.transcription?.language == nil && session.transcription?.languages == ["en", "fr"])
        #expect(session.transcription?.model == "m" && session.transcription?.prompt == "p")
        session = try Self.updated(
            #"{"audio":{"input":{"transcription":{"prompt":null},"turn_detection":null}}}"#, from: session)
        #expect(session.transcription?.prompt == "" && session.turns == nil)
        session = try Self.updated(
            #"{"audio":{"input":{"transcription":null,"format":{"type":"audio/pcma"}}}}"#, from: session)
        #expect(session.transcription == nil && session.format == .aLaw)
    }

    @Test("another kind of turn detection has its own defaults; the same one keeps what was set")
    func turns() throws {
        var session = try Self.updated(#"{"audio":{"input":{"turn_detection":{"threshold":0.7}}}}"#)
        session = try Self.updated(
            #"{"audio":{"input":{"turn_detection":{"silence_duration_ms":300}}}}"#, from: session)
        #expect(session.turns?.threshold == 0.7 && session.turns?.silence == 300)
        session = try Self.updated(#"{"audio":{"input":{"turn_detection":{"type":"semantic_vad"}}}}"#, from: session)
        #expect(session.turns == RealtimeSession.TurnDetection(.semantic))
    }

    @Test("the beta's form means the same")
    func beta() throws {
        let flat = try Self.updated(
            """
            {"input_audio_format":"g711_ulaw","input_audio_transcription":{"model":"whisper-1"},"turn_detection":null,
            "input_audio_noise_reduction":{"type":"far_field"},"include":["item.input_audio_transcription.logprobs"]}
            """)
        let present = try Self.updated(
            """
            {"type":"transcription","include":["item.input_audio_transcription.logprobs"],"audio":{"input":{
            "format":{"type":"audio/pcmu"},"transcription":{"model":"whisper-1"},"turn_detection":null,
            "noise_reduction":{"type":"far_field"}}}}
            """)
        #expect(flat == present)
    }

    @Test("a strict server rejects what the cloud rejects")
    func strict() throws {
        for text in [
            "{}", #"{"type":"realtime"}"#,
            #"{"type":"transcription","audio":{"input":{"format":{"type":"audio/pcm","rate":16000}}}}"#,
        ] {
            #expect(throws: Never.self) { try Self.updated(text) }
            #expect(throws: HTTPError.self) { try Self.updated(text, isStrict: true) }
        }
    }
}
