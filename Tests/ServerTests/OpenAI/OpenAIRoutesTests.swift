import Testing
import WhisperEngine
import WhisperServer

@Suite("OpenAI routes")
struct OpenAIRoutesTests {
    private static let model = [("model", "whisper-1")]

    private static func routes(
        _ transcriber: any Transcriber, isMultilingual: Bool = false, _ settings: OpenAISettings = OpenAISettings()
    ) async throws -> [Route] {
        OpenAIRoutes.routes(
            transcriber, models: try await StubModels(isMultilingual: isMultilingual), settings: settings)
    }

    @Test("every address is served and needs the key; Groq's add an id")
    func addresses() async throws {
        let routes = try await Self.routes(StubTranscriber(), isMultilingual: true)
        for prefix in ["/v1", "/openai/v1", ""] {
            for name in ["transcriptions", "translations"] {
                let response = await routes.respond(
                    to: try TranscriptSample.request("\(prefix)/audio/\(name)", Self.model))
                #expect(response.status == 200 && response.headers["Content-Type"] == "application/json")
                #expect(response.headers["x-whisper-local-model"] == "nano.en")
                #expect(await response.text().hasSuffix(#","x_groq":{"id":"req_test"}}"#) == (prefix == "/openai/v1"))
            }
        }
        #expect(routes.allSatisfy { $0.access == .key })
    }

    @Test("the file limit of the routes is the setting, or the cloud's if that is stricter")
    func limits() async throws {
        var settings = OpenAISettings()
        settings.isStrict = true
        for (settings, limit) in [(OpenAISettings(), 100 << 20), (settings, 25 << 20)] {
            let route = try await Self.routes(StubTranscriber(), settings).first
            guard case .form(let found, _) = route?.body else {
                Issue.record("no form")
                return
            }
            #expect(found == limit)
        }
    }

    @Test("the recognition gets the default model, the options and the client")
    func call() async throws {
        let transcriber = StubTranscriber()
        let routes = try await Self.routes(transcriber)
        let fields = [("model", "whisper-1"), ("temperature", "0.5"), ("prompt", "Zig"), ("language", "english")]
        for key in ["Bearer secret", "Bearer other"] {
            _ = await routes.respond(
                to: try TranscriptSample.request(
                    "/v1/audio/transcriptions", fields, headers: [(name: "authorization", value: key)]))
            let call = try #require(transcriber.lastCall)
            #expect(call.model == "nano.en")
            #expect(call.options.whisper.temperatures == [0.5] && call.options.whisper.initialPrompt == "Zig")
            #expect(call.options.language == "en")
            #expect(call.client == TranscriptSample.client)
        }
    }

    @Test("unknown models are served by the default one unless models are strict")
    func strictModels() async throws {
        let request = try TranscriptSample.request("/v1/audio/transcriptions", [("model", "my-model")])
        #expect(await (try Self.routes(StubTranscriber())).respond(to: request).status == 200)
        var settings = OpenAISettings()
        settings.hasStrictModels = true
        let response = await (try Self.routes(StubTranscriber(), settings)).respond(to: request)
        #expect(response.status == 404)
        #expect(await response.text().contains(#""param":"model","code":"model_not_found""#))
    }

    @Test("errors have the clouds' format, and internal ones name the request")
    func errors() async throws {
        let transcriber = StubTranscriber { (_) async throws(HTTPError) in throw HTTPError.internalFailure() }
        let request = try TranscriptSample.request("/v1/audio/transcriptions", Self.model)
        let response = await (try Self.routes(transcriber)).respond(to: request)
        #expect(response.status == 500)
        #expect(
            await response.text() == """
                {"error":{"message":"Recognition failed. The server log has the reason (request req_test).",\
                "type":"server_error","param":null,"code":"internal_error"}}
                """)
        let translation = try TranscriptSample.request("/v1/audio/translations", Self.model)
        let refusal = await (try Self.routes(transcriber)).respond(to: translation)
        #expect(refusal.status == 400)
        #expect(await refusal.text().contains(#""param":"model""#))
    }

    @Test("a recording in a form is answered with the engine's own text")
    func nano() async throws {
        let contentType = "multipart/form-data; boundary=XyZ"
        let format = MultipartSample.part("name=\"response_format\"", "verbose_json")
        let words = MultipartSample.part("name=\"timestamp_granularities[]\"", "word")
        let head = MultipartSample.part("name=\"file\"; filename=\"say.wav\"", "").utf8.dropLast(2)
        let body =
            Array((MultipartSample.part("name=\"model\"", "whisper-1") + format + words).utf8) + head
            + TranscriptSample.wave + Array("\r\n--XyZ--\r\n".utf8)
        var parser = try MultipartParser(contentType: contentType, fileLimit: 1 << 20)
        try parser.append(body)
        let request = Request(
            RequestHead(method: "POST", path: "/v1/audio/transcriptions"), body: .form(try parser.finish()))
        let response = await (try Self.routes(NanoTranscriber())).respond(to: request)
        let text = await response.text()
        #expect(response.status == 200)
        #expect(text.hasPrefix(#"{"task":"transcribe","language":"english","duration":5.76"#), "\(text)")
        #expect(text.contains(#""words":[{"word":""#))
        // The same text as the engine's own.
        let transcript = try await NanoModel.shared.recognizer().transcribe(
            AudioFile.open(Recordings.path("clips/say-00.wav")))
        #expect(text.contains(#""text":\#(JSONText.string(WhiteSpace.strip(transcript.text)))"#))
        #expect(transcript.text.count > 10)

        let stream = try TranscriptSample.request("/v1/audio/transcriptions", Self.model + [("stream", "1")])
        let events = await (try Self.routes(NanoTranscriber())).respond(to: stream)
        #expect(
            await events.text().hasSuffix(#""text":\#(JSONText.string(WhiteSpace.strip(transcript.text)))}"# + "\n\n"))
    }
}
