import Testing
import WhisperEngine
import WhisperServer

@Suite("Transcription form")
struct TranscriptionFormTests {
    private typealias Fields = [(String, String)]

    private static func form(
        _ fields: Fields, task: TranscriptionTask = .transcribe, dialect: OpenAIDialect = .openAI,
        isStrict: Bool = false
    ) throws -> TranscriptionForm {
        var settings = OpenAISettings()
        settings.isStrict = isStrict
        let hasModel = fields.contains { $0.0 == "model" }
        return try TranscriptionForm(
            TranscriptSample.form((hasModel ? [] : [("model", "whisper-1")]) + fields), task: task, dialect: dialect,
            settings: settings)
    }

    private static func options(
        _ fields: Fields, task: TranscriptionTask = .transcribe, isMultilingual: Bool = false
    ) async throws -> TranscriptionOptions {
        try form(fields, task: task).options(for: try await StubModels(isMultilingual: isMultilingual).served)
    }

    /// The error for some fields.
    private static func error(
        _ fields: Fields, task: TranscriptionTask = .transcribe, dialect: OpenAIDialect = .openAI,
        isStrict: Bool = false
    ) -> HTTPError? {
        #expect(throws: HTTPError.self) { try form(fields, task: task, dialect: dialect, isStrict: isStrict) }
    }

    @Test("the defaults are json, temperature 0 with fallback, a detected language and no word times")
    func defaults() async throws {
        let form = try Self.form([])
        #expect(form.format == .json && !form.isStreamed && !form.hasLogprobs && form.language == nil)
        #expect(form.prompt == nil && form.chunking == nil)
        #expect(try await Self.options([]) == TranscriptionOptions())
    }

    @Test("fields that a model cannot use are rejected by name, a language only if it is unknown")
    func plainModel() async throws {
        let model = try await StubModels.plain
        for (field, value, param) in [
            ("prompt", "Names", "prompt"), ("hotwords", "Names", "prompt"), ("temperature", "0.4", "temperature"),
            ("language", "ja", "language"), ("languages[]", "ja", "language"),
        ] {
            let error = #expect(throws: HTTPError.self) { try Self.form([(field, value)]).options(for: model) }
            #expect(error?.status == 400 && error?.param == param && error?.message.contains("plain") == true)
        }
        let error = #expect(throws: HTTPError.self) { try Self.form([], task: .translate).options(for: model) }
        #expect(error?.status == 400 && error?.message.contains("cannot translate") == true)
        let unknown = #expect(throws: HTTPError.self) {
            try Self.form([("languages[]", "ja"), ("languages[]", "ko")]).options(for: model)
        }
        #expect(unknown?.param == "language")
        // The model finds it itself; one that is given, or of those that are given, is that of the transcript.
        #expect(try Self.form([("temperature", "0")]).options(for: model) == TranscriptionOptions())
        var several = TranscriptionOptions()
        several.languages = ["de", "ja"]
        #expect(try Self.form([("languages[]", "de"), ("languages[]", "ja")]).options(for: model) == several)
        #expect(try Self.form([("language", "de")]).options(for: model).language == "de")
    }

    @Test("lists may be named with an index, which gives their order", arguments: ["", "[]", "[0]", "[7]"])
    func listNames(suffix: String) throws {
        let form = try Self.form([
            ("response_format", "verbose_json"), ("timestamp_granularities\(suffix)", "word"),
            ("languages\(suffix)", "de"),
        ])
        #expect(form.hasWords && !form.hasSegments && form.languages.map(\.code) == ["de"])
        #expect(try Self.form([("include\(suffix)", "logprobs")]).hasLogprobs)
        #expect(Self.error([("timestamp_granularities\(suffix)", "letter")])?.param == "timestamp_granularities[]")
        let speakers = try Self.form([
            ("response_format", "diarized_json"), ("known_speaker_names[1]", "Ben"), ("known_speaker_names[0]", "Anna"),
        ]).speakers
        #expect(speakers.all.prefix(2) == ["Anna", "Ben"])
        for other in ["timestamp_granularities[a]", "timestamp_granularities[0", "timestamp_granularities[0][1]"] {
            #expect(try !Self.form([("response_format", "verbose_json"), (other, "word")]).hasWords)
        }
    }

    @Test("a missing or empty model names its field", arguments: [[], [("model", "")]])
    func noModel(fields: [(String, String)]) throws {
        let error = #expect(throws: HTTPError.self) {
            try TranscriptionForm(TranscriptSample.form(fields), task: .transcribe)
        }
        #expect(error?.status == 400 && error?.param == "model" && error?.code == "missing_required_parameter")
    }

    @Test("invalid model names are rejected", arguments: [String(repeating: "m", count: 201), "a\nb", "a\u{7f}"])
    func badModel(name: String) { #expect(Self.error([("model", name)])?.param == "model") }

    @Test("the error for a missing file names its field")
    func noFile() throws {
        let error = #expect(throws: HTTPError.self) {
            try TranscriptionForm(TranscriptSample.form([("model", "m")], file: nil), task: .transcribe)
        }
        #expect(error?.status == 400 && error?.param == "file" && error?.code == "missing_required_parameter")
    }

    @Test(
        "a language may be a current or old code in any case, a locale, a name or an alias",
        arguments: [
            ("en", "en"), ("EN", "en"), ("en-US", "en"), ("pt_BR", "pt"), ("zh-Hans-CN", "zh"), ("english", "en"),
            ("Haitian Creole", "ht"), ("castilian", "es"), ("jv", "jw"), ("jw", "jw"), ("nb", "no"), ("nb-NO", "no"),
            ("iw", "he"), ("in", "id"), ("yue", "yue"), ("haw", "haw"),
        ])
    func languages(text: String, code: String) throws {
        #expect(try Self.form([("language", text)]).language?.code == code)
    }

    @Test("an empty language and auto detect it", arguments: ["", "auto"])
    func detected(text: String) throws { #expect(try Self.form([("language", text)]).language == nil) }

    @Test("unknown languages are rejected", arguments: ["xx", "klingon", "e", "en us", "\u{0}"])
    func badLanguage(text: String) {
        let error = Self.error([("language", text)])
        #expect(error?.status == 400 && error?.param == "language")
    }

    @Test("strictly, only codes are languages")
    func strictLanguage() throws {
        #expect(try Self.form([("language", "jv")], isStrict: true).language?.code == "jw")
        #expect(try Self.form([("language", "de")], isStrict: true).language?.code == "de")
        for text in ["en-US", "english", "EN", "auto"] {
            #expect(Self.error([("language", text)], isStrict: true)?.param == "language")
        }
    }

    @Test("an English-only model refuses other languages and translation")
    func englishOnly() async throws {
        #expect(try await Self.options([("language", "en-GB")]).language == "en")
        let error = await #expect(throws: HTTPError.self) { try await Self.options([("language", "de")]) }
        #expect(error?.param == "language")
        let other = await #expect(throws: HTTPError.self) { try await Self.options([], task: .translate) }
        #expect(other?.status == 400 && other?.param == "model")
        #expect(try await Self.options([], task: .translate, isMultilingual: true).task == .translate)
    }

    @Test("an English model's name means English unless the language is given")
    func impliedLanguage() async throws {
        for name in ["tiny.en", "distil-whisper-large-v3-en", "Systran/faster-whisper-small.en"] {
            #expect(try await Self.options([("model", name)]).language == "en")
        }
        #expect(try await Self.options([("model", "whisper-1")]).language == nil)
    }

    @Test(
        "temperature 0 enables the fallback, any other is used alone",
        arguments: [
            ("0", [0, 0.2, 0.4, 0.6, 0.8, 1]), ("0.0", [0, 0.2, 0.4, 0.6, 0.8, 1]), ("0.2", [0.2]), ("1", [1]),
            ("1e-05", [1e-5]),
        ])
    func temperatures(text: String, ladder: [Double]) async throws {
        #expect(try await Self.options([("temperature", text)]).whisper.temperatures == ladder)
    }

    @Test(
        "bad temperatures are rejected",
        arguments: ["", "x", "nan", "inf", "-0.1", "1.01", "2", "0x1p-1", " 0", "1e999", "0,5"])
    func badTemperature(text: String) {
        let error = Self.error([("temperature", text)])
        #expect(error?.status == 400 && error?.param == "temperature")
    }

    @Test("every response format is accepted where the service and the model have it")
    func formats() throws {
        for (name, format) in [
            ("json", ResponseFormat.json), ("text", .text), ("srt", .srt), ("vtt", .vtt),
            ("md", .md),
            ("verbose_json", .verboseJSON), ("diarized_json", .diarizedJSON),
        ] {
            #expect(try Self.form([("response_format", name)], dialect: .groq).format == format)
        }
        #expect(try Self.form([("response_format", "md")], task: .translate).format == .md)
        #expect(Self.error([("response_format", "md")], isStrict: true)?.code == "unsupported_value")
        let diarized = [("response_format", "diarized_json")]
        #expect(Self.error(diarized, task: .translate)?.code == "unsupported_value")
        #expect(Self.error(diarized, isStrict: true)?.code == "unsupported_value")
        #expect(Self.error(diarized, dialect: .groq, isStrict: true)?.code == "unsupported_value")
        let cloud = [("model", "gpt-4o-transcribe-diarize")]
        #expect(try Self.form(cloud + diarized, isStrict: true).format == .diarizedJSON)
        #expect(Self.error(cloud + [("prompt", "x")], isStrict: true)?.param == "prompt")
        #expect(Self.error([("response_format", "xml")])?.param == "response_format")
        for name in ["srt", "vtt"] {
            #expect(Self.error([("response_format", name)], dialect: .groq, isStrict: true)?.status == 400)
            #expect(try Self.form([("response_format", name)], isStrict: true).format.rawValue == name)
        }
        for name in ["srt", "vtt", "verbose_json"] {
            #expect(Self.error([("model", "gpt-4o-transcribe-diarize"), ("response_format", name)])?.status == 400)
        }
    }

    @Test(
        "granularities choose what verbose_json contains",
        arguments: [
            ([], false, true), (["word"], true, false), (["segment"], false, true), (["word", "segment"], true, true),
        ])
    func granularities(values: [String], hasWords: Bool, hasSegments: Bool) async throws {
        for name in ["timestamp_granularities[]", "timestamp_granularities"] {
            let fields = [("response_format", "verbose_json")] + values.map { (name, $0) }
            let form = try Self.form(fields)
            #expect(form.hasWords == hasWords && form.hasSegments == hasSegments)
            #expect(try await Self.options(fields).wordTimestamps == hasWords)
        }
    }

    @Test("granularities need verbose_json strictly, and are ignored otherwise")
    func otherGranularities() throws {
        let fields = [("timestamp_granularities[]", "word")]
        #expect(try !Self.form(fields).hasWords)
        #expect(Self.error(fields, isStrict: true)?.param == "timestamp_granularities[]")
        #expect(Self.error([("timestamp_granularities[]", "syllable")])?.param == "timestamp_granularities[]")
    }

    @Test("Booleans are read in all spellings")
    func flags() throws {
        for text in ["true", "True", "1", "YES"] { #expect(try Self.form([("stream", text)]).isStreamed) }
        for text in ["false", "FALSE", "0", "no"] { #expect(try !Self.form([("stream", text)]).isStreamed) }
        #expect(Self.error([("stream", "maybe")])?.param == "stream")
    }

    @Test("strictly, streaming is ignored for whisper-1 and needs json otherwise")
    func strictStreaming() throws {
        #expect(try !Self.form([("stream", "true")], isStrict: true).isStreamed)
        let fields = [("model", "gpt-4o-transcribe"), ("stream", "true")]
        #expect(try Self.form(fields, isStrict: true).isStreamed)
        #expect(Self.error(fields + [("response_format", "text")], isStrict: true)?.param == "stream")
        #expect(try Self.form([("stream", "true"), ("response_format", "srt")]).isStreamed)
    }

    @Test("log probabilities are part of json only")
    func logprobs() async throws {
        let fields = [("include[]", "logprobs")]
        #expect(try Self.form(fields).hasLogprobs)
        #expect(try await Self.options(fields).tokenLogprobs)
        for name in ["text", "verbose_json", "diarized_json"] {
            #expect(try !Self.form(fields + [("response_format", name)]).hasLogprobs)
        }
        #expect(Self.error([("include[]", "tokens")])?.param == "include[]")
    }

    @Test("strictly, log probabilities need json and a model that the cloud computes them with")
    func strictLogprobs() throws {
        func fields(_ model: String, _ format: String) -> Fields {
            [("include[]", "logprobs"), ("model", model), ("response_format", format)]
        }
        #expect(try Self.form(fields("gpt-4o-transcribe", "json"), isStrict: true).hasLogprobs)
        #expect(try Self.form(fields("gpt-4o-mini-transcribe", "json"), isStrict: true).hasLogprobs)
        for (model, format) in [
            ("whisper-1", "json"), ("gpt-4o-transcribe-diarize", "json"), ("gpt-4o-transcribe", "text"),
            ("gpt-transcribe", "json"), ("whisper-1", "verbose_json"),
        ] {
            #expect(Self.error(fields(model, format), isStrict: true)?.param == "include[]", "\(model) \(format)")
        }
    }

    @Test("speakers have the names that the client knows, then letters")
    func speakers() throws {
        let format = ("response_format", "diarized_json"), field = "known_speaker_names[]"
        #expect(try Self.form([format]).speakers.all.prefix(3) == ["A", "B", "C"])
        #expect(try Self.form([format, (field, "Ann"), (field, "A")]).speakers.all.prefix(3) == ["Ann", "A", "B"])
        #expect(Self.error([format, (field, "Ann")], isStrict: true)?.status == 400)
        let tooLong = String(repeating: "n", count: 65)
        for names in [["Ann", "Ann"], [" "], ["a\u{7}"], ["1", "2", "3", "4", "5"], [tooLong]] {
            #expect(Self.error([format] + names.map { (field, $0) })?.param == field)
        }
        let reference = [("known_speaker_references[]", "")]
        #expect(Self.error([format] + reference)?.code == "unsupported_value")
        #expect(try Self.form(reference + [(field, "")]).format == .json)
    }

    @Test("keywords are terms of the request, and hotwords come before the prompt")
    func prompts() async throws {
        #expect(try await Self.options([("prompt", "Hello.")]).whisper.initialPrompt == "Hello.")
        let fields = [("keywords[]", "Zig"), ("prompt", "Hello."), ("keywords[]", "Nim"), ("hotwords", "Odin")]
        #expect(try await Self.options(fields).whisper.initialPrompt == "Odin Hello.")
        #expect(try await Self.options(fields).terms == [Term("Zig"), Term("Nim")])
        #expect(try await Self.form([("keywords[]", "Zig")]).options(for: StubModels.plain).terms == [Term("Zig")])
        #expect(Self.error([("keywords[]", String(repeating: "n", count: 101))])?.param == "keywords[]")
        #expect(try Self.form([("prompt", ""), ("keywords[]", "")]).prompt == nil)
        #expect(try Self.form(fields, task: .translate).prompt == "Odin Hello.")
    }

    @Test("several languages are to be detected, one is used, unknown ones are rejected")
    func languageList() async throws {
        let form = try Self.form([("languages[]", "en"), ("languages[]", "german")])
        #expect(form.languages.map(\.code) == ["en", "de"])
        let options = try await Self.options([("languages[]", "en"), ("languages[]", "german")])
        #expect(options.languages == ["en", "de"] && options.language == nil)
        #expect(try await Self.options([("languages[]", "en")]).language == "en")
        #expect(Self.error([("languages[]", "xx")])?.param == "languages[]")
    }

    @Test("the server's languages are detected unless a request names others")
    func defaultLanguages() async throws {
        let stub = try await StubModels(isMultilingual: true).served
        func options(_ fields: [(String, String)], language: String? = nil) throws -> TranscriptionOptions {
            var defaults = TranscriptionOptions()
            (defaults.language, defaults.languages) = (language, language == nil ? ["de", "fr"] : [])
            let model = ServedModel(
                name: "base", recognizer: stub.recognizer, defaults: defaults, traits: stub.traits)
            return try Self.form(fields).options(for: model)
        }
        #expect(try options([]).languages == ["de", "fr"] && options([]).language == nil)
        #expect(try options([("language", "en")]).language == "en")
        let named = try options([("languages[]", "en"), ("languages[]", "es")], language: "fr")
        #expect(named.language == nil && named.languages == ["en", "es"])
        #expect(try options([], language: "fr").language == "fr")
        // A model that does not know them.
        var defaults = TranscriptionOptions()
        (defaults.language, defaults.languages) = ("fr", ["de", "en"])
        let english = ServedModel(name: "tiny.en", recognizer: stub.recognizer, defaults: defaults)
        #expect(english.defaults.language == nil && english.defaults.languages == ["en"])
    }

    @Test("a field that is given twice is rejected, others are ignored")
    func duplicates() throws {
        for name in ["model", "language", "prompt", "temperature", "response_format", "stream", "chunking_strategy"] {
            #expect(Self.error([("model", "m"), (name, "auto"), (name, "auto")])?.status == 400)
        }
        _ = try Self.form([("user", "x"), ("user", "y"), ("known_speaker_names[]", "A"), ("seed", "z")])
    }

    @Test("translations ignore the fields of transcriptions")
    func translation() throws {
        let form = try Self.form(
            [("language", "xx"), ("stream", "true"), ("timestamp_granularities[]", "x"), ("include[]", "x")],
            task: .translate)
        #expect(form.language == nil && !form.isStreamed)
    }
}
