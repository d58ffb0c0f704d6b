import Testing
import WhisperEngine
import WhisperServer

@Suite("Page transcription")
struct PageTranscriptionTests {
    private let done =
        "data: {\"type\":\"done\",\"language\":\"en\",\"duration\":2.5,\"model\":\"nano.en\",\"seconds\":0.25}\n\n"

    /// Three bytes, which say nothing of their length.
    private let arrived = "data: {\"type\":\"progress\",\"position\":0.0,\"duration\":null}\n\n"

    private func event(_ id: Int, _ text: String) -> String {
        "data: {\"type\":\"segment\",\"id\":\(id),\"start\":\(id).0,\"end\":\(id).5,\"text\":\"\(text)\",\"words\":[]}\n\n"
    }

    @Test("updates arrive in order, with the words of finals")
    func updates() async throws {
        let word = TranscriptWord(word: " \"Hi\"", start: 0, end: 0.25, probability: 0.5)
        let final = PageFixture.segment(0, " \"Hi\"", words: [word])
        var volatile = PageFixture.segment(0, " H")
        volatile.isFinal = false
        let transcriber = ScriptedTranscriber(
            [
                .progress(position: 0, duration: nil), .language(code: "en", probability: 0.9), .volatile(volatile),
                .final(final), .volatile(nil), .progress(position: 2.5, duration: 2.5),
            ], result: .success(PageFixture.transcription([final])))
        #expect(
            try await PageFixture.events(PageFixture.form(), from: transcriber) == [
                arrived, "data: {\"type\":\"progress\",\"position\":0.0,\"duration\":null}\n\n",
                "data: {\"type\":\"language\",\"code\":\"en\"}\n\n",
                "data: {\"type\":\"volatile\",\"text\":\" H\"}\n\n",
                "data: {\"type\":\"segment\",\"id\":0,\"start\":0.0,\"end\":0.5,\"text\":\" \\\"Hi\\\"\",\"words\":"
                    + "[{\"word\":\" \\\"Hi\\\"\",\"start\":0.0,\"end\":0.25,\"probability\":0.5}]}\n\n",
                "data: {\"type\":\"volatile\",\"text\":\"\"}\n\n",
                "data: {\"type\":\"progress\",\"position\":2.5,\"duration\":2.5}\n\n", done,
            ])
    }

    @Test("segments that no update has reported come at the end, those without text never")
    func cached() async throws {
        let segments = [PageFixture.segment(0, " a"), PageFixture.segment(1, " "), PageFixture.segment(2, " b")]
        let transcriber = ScriptedTranscriber(
            [.final(segments[0])], result: .success(PageFixture.transcription(segments)))
        #expect(
            try await PageFixture.events(PageFixture.form(), from: transcriber) == [
                arrived, event(0, " a"), event(2, " b"), done,
            ])
    }

    @Test("a failure ends the events with a sentence")
    func failure() async throws {
        let transcriber = ScriptedTranscriber(
            [.final(PageFixture.segment(0, " a"))], result: .failure(HTTPError(503, "Try again in a moment.")))
        #expect(
            try await PageFixture.events(PageFixture.form(), from: transcriber) == [
                arrived, event(0, " a"),
                "data: {\"type\":\"error\",\"status\":503,\"message\":\"Try again in a moment.\"}\n\n",
            ])
    }

    @Test(
        "words have times; model and language are as chosen", arguments: [("en", "en"), ("", nil), ("English", "en")])
    func options(language: String, code: String?) async throws {
        let transcriber = ScriptedTranscriber(result: .success(PageFixture.transcription([])))
        let form = try PageFixture.form([("model", "base"), ("language", language)])
        #expect(try await PageFixture.events(form, from: transcriber) == [arrived, done])
        let call = try #require(transcriber.calls.first)
        #expect(call.model == "base")
        #expect(call.client == "someone")
        #expect(call.options.wordTimestamps)
        #expect(call.options.language == code)
    }

    @Test("a language that the model does not know is an error")
    func unknownLanguage() async throws {
        let transcriber = ScriptedTranscriber(result: .success(PageFixture.transcription([])))
        let events = try await PageFixture.events(PageFixture.form([("language", "de")]), from: transcriber)
        #expect(
            events == [
                arrived,
                "data: {\"type\":\"error\",\"status\":400,\"message\":"
                    + "\"The model nano.en does not know german. Choose another model.\",\"param\":\"language\"}\n\n",
            ])
        #expect(transcriber.calls.isEmpty)
    }

    @Test("a recording's length is known before its turn comes")
    func duration() async throws {
        let transcriber = ScriptedTranscriber(result: .success(PageFixture.transcription([])))
        let form = RequestBody.form(
            MultipartForm(files: [.init(name: "file", file: try Upload(TranscriptSample.wave))]))
        let first = try #require(try await PageFixture.events(form, from: transcriber).first)
        let seconds = first.firstMatch(of: #/"position":0.0,"duration":([0-9.]+)}/#).flatMap { Double($0.1) }
        #expect(seconds ?? 0 > 1)
    }

    @Test("speakers, and where speech was heard, are part of the events")
    func speakers() async throws {
        var segment = PageFixture.segment(0, " Hi")
        segment.speaker = "speaker 1"
        var transcript = PageFixture.transcription([segment]).transcript
        transcript.speech = [TranscriptSpan(start: 0.25, end: 1.5)]
        let transcriber = ScriptedTranscriber(
            result: .success(Transcription(transcript: transcript, model: "nano.en", seconds: 0.25)))
        let events = try await PageFixture.events(PageFixture.form(), from: transcriber)
        #expect(events[1].hasSuffix("\"words\":[],\"speaker\":\"speaker 1\"}\n\n"))
        #expect(events[2].hasSuffix("\"seconds\":0.25,\"speech\":[[0.25,1.5]]}\n\n"))
    }

    @Test("the user's words are terms and rules")
    func vocabulary() async throws {
        let transcriber = ScriptedTranscriber(result: .success(PageFixture.transcription([])))
        let form = try PageFixture.form([("terms", "Siobhan\ncooper netties => Kubernetes\n")])
        _ = try await PageFixture.events(form, from: transcriber)
        let options = try #require(transcriber.calls.first?.options)
        #expect(options.terms.map(\.text) == ["Siobhan"])
        #expect(options.replacements.map(\.written) == ["Kubernetes"])
    }

    @Test("what a model or the server cannot do is an error that names the field")
    func impossible() async throws {
        for (field, value, name) in [
            ("task", "translate", "model"), ("speakers", "true", "response_format"),
        ] {
            let transcriber = ScriptedTranscriber(result: .success(PageFixture.transcription([])))
            let events = try await PageFixture.events(PageFixture.form([(field, value)]), from: transcriber)
            #expect(events.last?.contains("\"param\":\"\(name)\"") == true)
            #expect(transcriber.calls.isEmpty)
        }
    }

    @Test("an empty model is the default one")
    func defaultModel() async throws {
        let transcriber = ScriptedTranscriber(result: .success(PageFixture.transcription([])))
        _ = try await PageFixture.events(PageFixture.form([("model", "")]), from: transcriber)
        #expect(transcriber.calls.map(\.model) == ["nano.en"])
    }

    @Test("a form without a recording or with a bad value is rejected")
    func refusals() async throws {
        let empty = RequestBody.form(MultipartForm())
        let bad = [("language", "klingon"), ("task", "sing"), ("speakers", "perhaps"), ("terms", "Emma\n=> nothing")]
        for (body, param) in try [(empty, "file")] + bad.map({ (try PageFixture.form([$0]), $0.0) }) {
            let error = await #expect(throws: HTTPError.self) {
                try await PageFixture.answer("POST", "/page/transcribe", body: body)
            }
            #expect(error?.status == 400)
            #expect(error?.param == param)
        }
    }

    @Test("the recognition is cancelled when the browser disconnects", .timeLimit(.minutes(1)))
    func cancelled() async throws {
        let transcriber = ScriptedTranscriber(
            [.progress(position: 0, duration: 1)], result: .failure(HTTPError(499, "")), waitsForCancellation: true)
        let response = try await PageFixture.answer(
            "POST", "/page/transcribe", body: PageFixture.form(), from: transcriber)
        guard case .stream(let stream, _)? = response?.body else { throw HTTPError(500, "no stream") }
        let reader = Task { for try await _ in stream {} }
        while transcriber.calls.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        reader.cancel()
        _ = await reader.result
        for _ in 0..<1000 where !transcriber.isCancelled { try await Task.sleep(for: .milliseconds(1)) }
        #expect(transcriber.isCancelled)
    }
}
