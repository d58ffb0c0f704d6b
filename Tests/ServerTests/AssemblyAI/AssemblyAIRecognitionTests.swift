import Foundation
import Testing
import WhisperEngine
import WhisperServer

/// Sessions that recognize speech, fed much faster than real time.
@Suite("AssemblyAI recognition", .serialized)
struct AssemblyAIRecognitionTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func samples(_ clip: String) async throws -> [Float] {
        let path = root.appending(path: "Tests/Fixtures/clips/\(clip).wav").path(percentEncoded: false)
        var samples: [Float] = []
        for try await chunk in try AudioFile.open(FilePath(path)).chunks() { samples += chunk.samples }
        return samples
    }

    private static func frames(_ samples: [Float]) -> [[UInt8]] {
        stride(from: 0, to: samples.count, by: 800).map { start in
            samples[start..<min(start + 800, samples.count)].flatMap { sample -> [UInt8] in
                let value = Int16(max(-32_768, min(32_767, sample * 32_768)))
                return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
            }
        }
    }

    private static func model() async throws -> ServedModel {
        let path = root.appending(path: "Models/nano.en.ggml.bin").path(percentEncoded: false)
        let recognizer = try await Recognizer(
            model: FilePath(path), options: ComputeOptions(computeType: .float32, threads: 1))
        return ServedModel(name: "nano.en", recognizer: recognizer, defaults: TranscriptionOptions())
    }

    private static func settings() -> AssemblyAISettings {
        var settings = AssemblyAISettings()
        // Every pass runs, however late, so that all runs give the same words.
        settings.streaming.isDeterministic = true
        settings.endTime = 100
        return settings
    }

    /// The final words of a session without a server.
    private static func finals(
        _ samples: [Float], _ parameters: StreamingParameters, _ model: ServedModel
    ) async throws -> [String] {
        let session = try StreamingSession(
            model.recognizer, options: settings().streaming, detector: model.detector.makeDetector(), journal: nil)
        session.change(parameters.sessionChange)
        try session.feed(samples)
        try await session.stop()
        var words: [String] = []
        for try await update in session.updates {
            if case .final(let segment) = update { words += (segment.words ?? []).map(\.word) }
        }
        return words.joined().split(separator: " ").map { TurnText.spoken(String($0)) }.filter { !$0.isEmpty }
    }

    @Test("joined, the ended turns of sessions that run at once are the finals of the session")
    func turns() async throws {
        let model = try await Self.model()
        // Two clips with a pause between them, which ends a turn.
        let samples =
            try await Self.samples("say-00") + [Float](repeating: 0, count: 32_000) + Self.samples("say-01")
        let server = AssemblyAIServer(Self.settings(), models: FakeModels(answer: .model(model)))
        let queries = [[("format_turns", "true")], [("format_turns", "false")], []]
        let connections = queries.map { query in
            let connection = FakeConnection()
            let handler = server.open(.webSocket("/v3/ws", query + [("sample_rate", "16000")]), connection)
            for frame in Self.frames(samples) { handler.received(binary: frame) }
            handler.received(text: #"{"type":"Terminate"}"#)
            return connection
        }
        let spoken = try await Self.finals(samples, StreamingParameters(), model)
        #expect(spoken.contains { $0.lowercased().hasPrefix("chair") } && spoken.count > 12)
        for (index, connection) in connections.enumerated() {
            await connection.wait(seconds: 120) { $0.closing != nil }
            #expect(connection.closing?.code == 1000)
            let expected = index == 0 ? spoken : spoken.map { TurnText.plain($0) }.filter { !$0.isEmpty }
            let turns = connection.messages("Turn")
            let ends = turns.filter { $0["end_of_turn"] as? Bool == true }
            let text = ends.compactMap { $0["transcript"] as? String }.joined(separator: " ")
            #expect(text == expected.joined(separator: " "))
            #expect(ends.compactMap { $0["turn_order"] as? Int } == Array(0..<ends.count) && ends.count >= 2)
            #expect(turns.count > ends.count)
            let starts = ends.flatMap { ($0["words"] as? [[String: Any]] ?? []).compactMap { $0["start"] as? Int } }
            #expect(starts == starts.sorted() && starts.count == expected.count)
            let last = connection.messages.last
            #expect(last?["audio_duration_seconds"] as? Int == Int((Double(samples.count) / 16_000).rounded()))
            print("AssemblyAI turns: \(text)")
        }
        await connections[0].wait { _ in server.slots.count == 0 }
    }

    @Test("a client is warned of languages and prompts that the model cannot use")
    func unusable() async throws {
        let server = AssemblyAIServer(
            Self.settings(), models: FakeModels(answer: .model(try await StubModels.plain)))
        let connection = FakeConnection()
        let query = [("sample_rate", "16000"), ("prompt", "Names"), ("language_codes", #"["en","ja"]"#)]
        let handler = server.open(.webSocket("/v3/ws", query), connection)
        await connection.wait(seconds: 60) { $0.messages("Warning").count == 2 }
        handler.received(text: #"{"type":"UpdateConfiguration","prompt":"Anna","keyterms_prompt":["Anna"]}"#)
        await connection.wait(seconds: 60) { $0.messages("Warning").count == 3 }
        handler.received(text: #"{"type":"UpdateConfiguration","vad_threshold":0.4}"#)
        handler.received(text: #"{"type":"Terminate"}"#)
        await connection.wait(seconds: 60) { $0.closing != nil }
        let prompt = "The model plain takes no prompt. It is ignored."
        #expect(
            connection.messages("Warning").map { $0["warning"] as? String }
                == ["The model plain does not know ja, which is ignored.", prompt, prompt])
        #expect(connection.closing?.code == 1000)
    }

    @Test("ForceEndpoint ends the turn at once, and the session continues")
    func forceEndpoint() async throws {
        let model = try await Self.model()
        let samples = try await Self.samples("say-00")
        let server = AssemblyAIServer(Self.settings(), models: FakeModels(answer: .model(model)))
        let connection = FakeConnection()
        let handler = server.open(.webSocket("/v3/ws", [("language_detection", "true")]), connection)
        handler.received(text: #"{"type":"ForceEndpoint"}"#)
        let frames = Self.frames(samples)
        // In the middle of the first sentence.
        for frame in frames.prefix(36) { handler.received(binary: frame) }
        handler.received(text: #"{"type":"ForceEndpoint"}"#)
        await connection.wait(seconds: 60) {
            !$0.messages("Turn").filter { $0["end_of_turn"] as? Bool == true }.isEmpty
        }
        let end = try #require(connection.messages("Turn").last)
        #expect(end["end_of_turn_confidence"] as? Double == 1 && end["turn_order"] as? Int == 0)
        #expect(end["language_code"] as? String == "en" && end["language_confidence"] as? Double == 1)
        let words = try #require(end["words"] as? [[String: Any]])
        #expect(words.allSatisfy { ($0["end"] as? Int ?? .max) <= 1800 } && !words.isEmpty)
        for frame in frames.dropFirst(36) { handler.received(binary: frame) }
        handler.received(text: #"{"type":"Terminate"}"#)
        await connection.wait(seconds: 60) { $0.closing != nil }
        let ends = connection.messages("Turn").filter { $0["end_of_turn"] as? Bool == true }
        #expect(ends.count >= 2)
        let last = try #require(ends.last?["transcript"] as? String)
        #expect(last.contains("chair"))
    }

    @Test("if the last words take too long, the text so far is sent in time")
    func bounded() async throws {
        let model = try await Self.model()
        var settings = Self.settings()
        settings.endTime = 0.5
        let server = AssemblyAIServer(settings, models: FakeModels(answer: .model(model)))
        let connection = FakeConnection()
        let handler = server.open(.webSocket("/v3/ws", [("format_turns", "true")]), connection)
        let frames = Self.frames(try await Self.samples("say-00"))
        // Too much for half a second.
        for _ in 0..<4 { for frame in frames { handler.received(binary: frame) } }
        await connection.wait(seconds: 60) { !$0.messages("Turn").isEmpty }
        let start = ContinuousClock.now
        handler.received(text: #"{"type":"Terminate"}"#)
        await connection.wait(seconds: 60) { $0.closing != nil }
        #expect((ContinuousClock.now - start) / .seconds(1) < 3)
        #expect(connection.messages.last?["type"] as? String == "Termination")
        let turns = connection.messages("Turn")
        #expect(turns.last?["end_of_turn"] as? Bool == true)
    }

    @Test("a client that reads nothing gets no states of open turns, and is disconnected when a turn ends")
    func slowReader() async throws {
        let model = try await Self.model()
        let samples = try await Self.samples("say-00")
        let server = AssemblyAIServer(Self.settings(), models: FakeModels(answer: .model(model)))
        for (queued, code) in [(1 << 19, 1000), (1 << 21, 3005)] {
            let connection = FakeConnection()
            connection.setQueuedBytes(queued)
            let handler = server.open(.webSocket("/v3/ws"), connection)
            for frame in Self.frames(samples) { handler.received(binary: frame) }
            handler.received(text: #"{"type":"Terminate"}"#)
            await connection.wait(seconds: 60) { $0.closing != nil }
            #expect(connection.closing?.code == code)
            let turns = connection.messages("Turn")
            #expect(turns.allSatisfy { $0["end_of_turn"] as? Bool == true || $0["utterance"] as? String != "" })
            #expect(turns.isEmpty == (code == 3005))
        }
    }

    @Test("version 2 sends each utterance as a final transcript")
    func version2() async throws {
        let model = try await Self.model()
        let samples = try await Self.samples("say-01")
        let server = AssemblyAIServer(Self.settings(), models: FakeModels(answer: .model(model)))
        let connection = FakeConnection()
        let query = [("sample_rate", "16000")]
        let handler = server.openRealTime(.webSocket("/v2/realtime/ws", query), connection)
        for (index, frame) in Self.frames(samples).enumerated() {
            if index % 2 == 0 {
                handler.received(binary: frame)
            } else {
                handler.received(text: #"{"audio_data":"\#(Data(frame).base64EncodedString())"}"#)
            }
        }
        handler.received(text: #"{"terminate_session":true}"#)
        await connection.wait(seconds: 60) { $0.closing != nil }
        let parameters = try StreamingParameters(realTimeQuery: [(name: "sample_rate", value: "16000")])
        let spoken = try await Self.finals(samples, parameters, model)
        let finals = connection.messages("FinalTranscript", key: "message_type")
        #expect(finals.compactMap { $0["text"] as? String }.joined(separator: " ") == spoken.joined(separator: " "))
        #expect(!spoken.isEmpty)
        let partials = connection.messages("PartialTranscript", key: "message_type")
        #expect(partials.allSatisfy { ($0["text"] as? String).map { $0 == $0.lowercased() } == true })
    }
}
