import Synchronization
import Testing
import WhisperEngine
import WhisperServer

@Suite("OpenAI event stream")
struct OpenAIStreamTests {
    private static func respond(
        _ transcriber: StubTranscriber, _ fields: [(String, String)] = [], keepAlive: Duration = .seconds(15),
        file: [UInt8] = TranscriptSample.wave
    ) async throws -> Response {
        var settings = OpenAISettings()
        settings.keepAlive = keepAlive
        let routes = OpenAIRoutes.routes(transcriber, models: try await StubModels(), settings: settings)
        return await routes.respond(
            to: try TranscriptSample.request(
                "/v1/audio/transcriptions", [("model", "whisper-1"), ("stream", "true")] + fields, file: file))
    }

    @Test("each final segment is sent as a delta, followed by the whole text")
    func events() async throws {
        let response = try await Self.respond(StubTranscriber())
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "text/event-stream; charset=utf-8")
        #expect(response.headers["Cache-Control"] == "no-cache")
        #expect(
            await response.text() == """
                data: {"type":"transcript.text.delta","delta":"The beach was full;"}

                data: {"type":"transcript.text.delta","delta":"  \\"volleyball\\" --> 50%."}

                data: {"type":"transcript.text.done","text":"The beach was full;  \\"volleyball\\" --> 50%."}


                """)
    }

    @Test("a transcript without updates is one delta", arguments: ["json", "verbose_json", "srt"])
    func cached(format: String) async throws {
        let transcriber = StubTranscriber { (_) async throws(HTTPError) in TranscriptSample.beach }
        let response = try await Self.respond(transcriber, [("response_format", format)])
        #expect(
            await response.text() == """
                data: {"type":"transcript.text.delta","delta":"The beach was full; \\"volleyball\\" --> 50%."}

                data: {"type":"transcript.text.done","text":"The beach was full; \\"volleyball\\" --> 50%."}


                """)
    }

    @Test("silence is only an empty text")
    func silence() async throws {
        let response = try await Self.respond(StubTranscriber(TranscriptSample.silence))
        #expect(await response.text() == "data: {\"type\":\"transcript.text.done\",\"text\":\"\"}\n\n")
    }

    @Test("probabilities come with the deltas and with the whole text")
    func logprobs() async throws {
        let transcriber = StubTranscriber(TranscriptSample.logprobs)
        let text = try await Self.respond(transcriber, [("include[]", "logprobs")]).text()
        let events = text.split(separator: "\n\n")
        #expect(
            events[0].hasPrefix(#"data: {"type":"transcript.text.delta","delta":"The beach was full;","logprobs":["#))
        #expect(events[0].contains(#"{"token":" beach","#) && !events[0].contains("[128]"))
        #expect(events[1].contains("[128]") && !events[1].contains("beach"))
        #expect(events[2].contains(#""logprobs":[{"token":" The","#) && events[2].contains("[128]"))
    }

    @Test("with speakers, each segment comes with its delta", arguments: [true, false])
    func diarized(hasUpdates: Bool) async throws {
        let form = try TranscriptionForm(
            TranscriptSample.form([("model", "whisper-1"), ("stream", "true"), ("response_format", "diarized_json")]),
            task: .transcribe)
        let response = try await OpenAIStream.response(
            form, headers: Headers([]), keepAlive: .seconds(15), tokens: TokenLogprobs(TranscriptSample.tokenizer)
        ) { updates in
            let transcript = TranscriptSample.conversation
            for segment in transcript.segments where hasUpdates && !segment.text.isEmpty { updates(.final(segment)) }
            return Transcription(transcript: transcript, model: "nano.en", seconds: 1)
        }
        #expect(
            await response.text().split(separator: "\n\n") == [
                #"data: {"type":"transcript.text.delta","delta":"Hello.","segment_id":"seg_001"}"#,
                """
                data: {"type":"transcript.text.segment","id":"seg_001","start":0.0,"end":0.5,"text":"Hello.",\
                "speaker":"Ann"}
                """,
                #"data: {"type":"transcript.text.delta","delta":" Yes?","segment_id":"seg_002"}"#,
                """
                data: {"type":"transcript.text.segment","id":"seg_002","start":1.0,"end":1.5,"text":"Yes?","speaker":"A"}
                """,
                #"data: {"type":"transcript.text.delta","delta":" It rains.","segment_id":"seg_003"}"#,
                """
                data: {"type":"transcript.text.segment","id":"seg_003","start":3.0,"end":3.5,"text":"It rains.",\
                "speaker":"A"}
                """,
                #"data: {"type":"transcript.text.done","text":"Hello. Yes? It rains."}"#,
            ])
    }

    @Test("an error before the stream begins has its own status")
    func earlyError() async throws {
        let transcriber = StubTranscriber { (_) async throws(HTTPError) in throw HTTPError.recognizerBusy }
        let response = try await Self.respond(transcriber)
        #expect(response.status == 503)
        #expect(response.headers["Content-Type"] == "application/json")
    }

    @Test("a file that is not a recording has its own status")
    func badAudio() async throws {
        let response = try await Self.respond(StubTranscriber(), file: Array("<html>".utf8))
        #expect(response.status == 400)
        #expect(await response.text().contains(#""param":"file","code":"invalid_audio""#))
    }

    @Test("a later error is the last event")
    func lateError() async throws {
        let transcriber = StubTranscriber { (updates) async throws(HTTPError) in
            updates(.final(TranscriptSample.beach.segments[0]))
            try? await Task.sleep(for: .milliseconds(400))
            throw HTTPError.internalFailure()
        }
        let text = try await Self.respond(transcriber).text()
        #expect(
            text == """
                data: {"type":"transcript.text.delta","delta":"The beach was full;"}

                data: {"error":{"message":"Recognition failed. The server log has the reason (request req_test).",\
                "type":"server_error","param":null,"code":"internal_error"}}


                """)
    }

    @Test("comments keep a slow stream alive")
    func keepAlive() async throws {
        let transcriber = StubTranscriber { (_) async throws(HTTPError) in
            try? await Task.sleep(for: .milliseconds(600))
            return TranscriptSample.silence
        }
        let text = try await Self.respond(transcriber, keepAlive: .milliseconds(50)).text()
        #expect(text.hasPrefix(": keep-alive\n\n: keep-alive\n\n"))
        #expect(text.hasSuffix("\"text\":\"\"}\n\n"))
    }

    @Test("recognition is cancelled when the client disconnects", .timeLimit(.minutes(1)), arguments: [true, false])
    func cancellation(isBeingRead: Bool) async throws {
        let (cancelled, note) = AsyncStream<Void>.makeStream()
        let transcriber = StubTranscriber { (_) async throws(HTTPError) in
            try? await Task.sleep(for: .seconds(30))
            if Task.isCancelled { note.finish() }
            return TranscriptSample.silence
        }
        if isBeingRead {
            let reader = Task { try await Self.respond(transcriber).text() }
            try await Task.sleep(for: .milliseconds(500))
            reader.cancel()
        } else {
            // The response is dropped unread.
            let type = try await Self.respond(transcriber).headers["Content-Type"]
            #expect(type == "text/event-stream; charset=utf-8")
        }
        let start = ContinuousClock.now
        for await _ in cancelled {}
        #expect(ContinuousClock.now - start < .seconds(10))
    }
}
