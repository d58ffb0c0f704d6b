import Testing
import WhisperEngine
import WhisperServer

@Suite("whisper.cpp routes")
struct WhisperCppTests {
    private static func respond(
        _ fields: [(String, String)], _ transcriber: any Transcriber = StubTranscriber(),
        file: [UInt8]? = TranscriptSample.wave
    ) async throws -> Response {
        let routes = WhisperCppRoutes.routes(transcriber, models: try await StubModels())
        return await routes.respond(to: try TranscriptSample.request("/inference", fields, file: file))
    }

    private static func options(_ fields: [(String, String)]) async throws -> TranscriptionOptions {
        try WhisperCppForm(TranscriptSample.form(fields)).options(
            for: try await StubModels(isMultilingual: true).served)
    }

    @Test("each format has whisper.cpp's content and type")
    func formats() async throws {
        let text = "The beach was full;\n\"volleyball\" --> 50%.\n"
        let json = try await Self.respond([])
        #expect(json.headers["Content-Type"] == "application/json")
        #expect(await json.text() == "{\"text\":\(JSONText.string(text))}")
        let plain = try await Self.respond([("response_format", "text")])
        #expect(plain.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(await plain.text() == text)
        let srt = try await Self.respond([("response_format", "srt")])
        #expect(srt.headers["Content-Type"] == "application/x-subrip")
        #expect(
            await srt.text() == "1\n00:00:00,000 --> 00:00:03,320\nThe beach was full;\n\n"
                + "2\n01:01:01,500 --> 01:01:03,000\n\"volleyball\" -> 50%.\n\n")
        let vtt = try await Self.respond([("response_format", "vtt")])
        #expect(vtt.headers["Content-Type"] == "text/vtt")
        #expect(
            await vtt.text() == "WEBVTT\n\n00:00:00.000 --> 00:00:03.320\nThe beach was full;\n\n"
                + "01:01:01.500 --> 01:01:03.000\n\"volleyball\" -&gt; 50%.\n\n")
        #expect(await (try Self.respond([("response_format", "x"), ("response-format", "srt")])).text().hasPrefix("{"))
    }

    @Test("verbose_json has the detected language with its probability")
    func verbose() async throws {
        let transcriber = StubTranscriber { (updates) async throws(HTTPError) in
            updates(.language(code: "en", probability: 0.75))
            var transcript = TranscriptSample.beach
            transcript.segments[0].words = [TranscriptWord(word: " The", start: 0, end: 0.4, probability: 0.5)]
            transcript.segments.removeLast()
            return transcript
        }
        let text = await (try Self.respond([("response_format", "verbose_json")], transcriber)).text()
        #expect(
            text == """
                {"task":"transcribe","language":"english","duration":8.47,"text":"The beach was full;\\n","segments":[\
                {"id":0,"text":" The beach was full;","start":0.0,"end":3.32,"tokens":[50364,440,7534,50530],\
                "words":[{"word":" The","start":0.0,"end":0.4,"t_dtw":-1,"probability":0.5}],"temperature":0.0,\
                "avg_logprob":-0.286079,"no_speech_prob":0.009852}],"detected_language":"english",\
                "detected_language_probability":0.75,"language_probabilities":{"en":0.75}}
                """)
    }

    @Test("each field sets its option, and the defaults are whisper.cpp's")
    func fields() async throws {
        let plain = try await Self.options([])
        #expect(plain.language == "en" && plain.whisper.temperatures == [0, 0.2, 0.4, 0.6, 0.8, 1])
        #expect(plain.voiceActivity == nil && !plain.wordTimestamps && plain.whisper.conditionOnPreviousText)
        #expect(try await Self.options([("language", "auto")]).language == nil)
        #expect(try await Self.options([("detect_language", "yes")]).language == nil)
        #expect(try await Self.options([("language", "de"), ("translate", "y")]).task == .translate)
        #expect(
            try await Self.options([("temperature", "0.4"), ("temperature_inc", "0.3")]).whisper.temperatures == [
                0.4, 0.7, 1,
            ])
        #expect(try await Self.options([("temperature_inc", "0")]).whisper.temperatures == [0])
        #expect(try await Self.options([("offset_t", "1500")]).offset == 1.5)
        #expect(try await Self.options([("duration", "2500")]).duration == 2.5)
        #expect(try await Self.options([("duration", "0")]).duration == nil)
        #expect(try await Self.options([("beam_size", "5"), ("best_of", "3")]).beamSize == 5)
        #expect(try await Self.options([("audio_ctx", "512")]).whisper.audioContext == .positions(512))
        #expect(try await Self.options([("max_context", "0")]).whisper.conditionOnPreviousText == false)
        #expect(try await Self.options([("no_timestamps", "1")]).whisper.decoding.withoutTimestamps)
        #expect(try await Self.options([("response_format", "verbose_json")]).wordTimestamps)
        #expect(try await Self.options([("prompt", "Zig"), ("carry_initial_prompt", "1")]).whisper.carryInitialPrompt)
        let voice = try await Self.options([("vad", "1"), ("vad_speech_pad_ms", "40")]).voiceActivity
        #expect(voice?.speechPadMilliseconds == 40 && voice?.minSpeechMilliseconds == 250)
    }

    @Test("errors have whisper.cpp's shape")
    func errors() async throws {
        let missing = try await Self.respond([], file: nil)
        #expect(missing.status == 400)
        #expect(await missing.text() == #"{"error":"no 'file' field in the request"}"#)
        for field in [("temperature", "x"), ("beam_size", "999"), ("offset_t", "-1"), ("language", "xx")] {
            #expect(try await Self.respond([field]).status == 400)
        }
        let transcriber = StubTranscriber { (_) async throws(HTTPError) in throw HTTPError.recognizerBusy }
        let busy = try await Self.respond([], transcriber)
        #expect(busy.status == 503)
    }

    @Test("fields that a model cannot use are rejected, those of another search ignored")
    func plainModel() async throws {
        let model = try await StubModels.plain
        for field in [("prompt", "Names"), ("temperature", "0.4"), ("translate", "true"), ("language", "ja")] {
            let form = try WhisperCppForm(TranscriptSample.form([field]))
            #expect(throws: HTTPError.self) { try form.options(for: model) }
        }
        let ignored = [("beam_size", "5"), ("best_of", "3"), ("temperature_inc", "0.4"), ("language", "de")]
        var expected = TranscriptionOptions()
        expected.language = "de"
        #expect(try WhisperCppForm(TranscriptSample.form(ignored)).options(for: model) == expected)
    }

    @Test("no client chooses which file is loaded")
    func load() async throws {
        let routes = WhisperCppRoutes.routes(StubTranscriber(), models: try await StubModels())
        let response = await routes.respond(to: Request(RequestHead(method: "POST", path: "/load")))
        #expect(response.status == 403)
    }

    @Test("a recording is answered with the engine's own text, without leading blanks")
    func nano() async throws {
        let response = try await Self.respond([("response_format", "text")], NanoTranscriber())
        let transcript = try await NanoModel.shared.recognizer().transcribe(
            AudioFile.open(Recordings.path("clips/say-00.wav")))
        #expect(await response.text() == transcript.segments.map { $0.text.dropFirst() + "\n" }.joined())
    }
}
