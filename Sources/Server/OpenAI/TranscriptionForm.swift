package import WhisperEngine

/// A request for a transcription or a translation, with all its fields checked.
package struct TranscriptionForm: Sendable {
    package let recording: Upload
    /// The requested model.
    package let model: String
    package let task: TranscriptionTask
    package let format: ResponseFormat
    /// The elements whose times a `verbose_json` response contains.
    package let hasWords: Bool
    package let hasSegments: Bool
    /// Whether the response is an event stream.
    package let isStreamed: Bool
    /// Whether the probabilities of tokens are part of the response.
    package let hasLogprobs: Bool
    /// `nil` detects it.
    package let language: Language?
    /// If not empty, the language must be one of these.
    package let languages: [Language]
    package let prompt: String?
    /// Names and terms to expect.
    package let keywords: [String]
    /// 0…1; 0 enables the fallback to higher temperatures.
    package let temperature: Double
    package let chunking: SpeechChunking?
    /// For `diarized_json`.
    package let speakers: SpeakerNames

    /// - Throws: 400 naming the field, 413 if the recording of a `data:` URL is too large.
    package init(
        _ form: MultipartForm, task: TranscriptionTask, dialect: OpenAIDialect = .openAI,
        settings: OpenAISettings = OpenAISettings()
    ) throws(HTTPError) {
        let fields = FormFields(form)
        let isStrict = settings.isStrict
        self.task = task
        let isTranscription = task == .transcribe
        model = try Self.model(fields)
        let formats = ResponseFormat.formats(of: model, task, dialect, isStrict: isStrict)
        let format = try fields.text("response_format").map { (name) throws(HTTPError) in
            try ResponseFormat(requested: name, among: formats)
        }
        self.format = format ?? .json
        temperature = try fields.number("temperature", in: 0...1) ?? 0

        let granularities = try isTranscription ? Self.granularities(fields) : []
        if isStrict, !granularities.isEmpty, self.format != .verboseJSON {
            throw .invalid(
                "timestamp_granularities[]", "Timestamps need the response format verbose_json.")
        }
        let isVerbose = self.format == .verboseJSON
        hasWords = isVerbose && granularities.contains("word")
        hasSegments = isVerbose && (granularities.isEmpty || granularities.contains("segment"))

        isStreamed =
            try isTranscription
            ? Self.isStreamed(fields, model: model, format: self.format, isStrict) : false
        let includes = isTranscription ? fields.list("include") : []
        guard includes.allSatisfy({ $0 == "logprobs" }) else {
            throw .invalid("include[]", "The field include[] must be logprobs.")
        }
        if isStrict, !includes.isEmpty { try Self.checkLogprobs(model: model, format: self.format) }
        hasLogprobs = !includes.isEmpty && self.format != .diarizedJSON && (isStreamed || self.format == .json)
        speakers = try self.format == .diarizedJSON ? Self.speakers(fields, isStrict) : SpeakerNames(known: [])

        var languages: [Language] = []
        for text in isTranscription ? fields.list("languages") : [] {
            guard let language = try LanguageField.language(text, param: "languages[]", isStrict: isStrict) else {
                continue
            }
            languages.append(language)
        }
        self.languages = languages
        language =
            try isTranscription
            ? LanguageField.language(fields.text("language") ?? "", isStrict: isStrict) : nil
        keywords = isTranscription ? fields.list("keywords").filter { !$0.isEmpty } : []
        let prompts = [try fields.text("hotwords") ?? "", try fields.text("prompt") ?? ""]
        prompt = prompts.contains { !$0.isEmpty } ? prompts.filter { !$0.isEmpty }.joined(separator: " ") : nil
        guard keywords.allSatisfy({ $0.count <= UserVocabulary.maxCharacters }) else {
            throw .invalid(
                "keywords[]", "A keyword has at most \(UserVocabulary.maxCharacters) characters.")
        }
        if isStrict, prompt != nil || !keywords.isEmpty, model == ModelNames.diarizing {
            throw .invalid("prompt", "This model takes no prompt.", code: "unsupported_value")
        }
        let hasFilter = try fields.flag("vad_filter") ?? false
        chunking =
            try (isTranscription ? SpeechChunking.field(of: fields) : nil) ?? (hasFilter ? SpeechChunking() : nil)
        recording = try Self.recording(form, limit: settings.fileLimit)
    }

    private static func model(_ fields: FormFields) throws(HTTPError) -> String {
        guard let model = try fields.text("model"), !model.isEmpty else {
            throw .invalid(
                "model", "The field model is missing. Send a name such as whisper-1.",
                code: "missing_required_parameter")
        }
        guard ModelNames.isValid(model) else { throw .invalid("model", "The name of the model is not valid.") }
        return model
    }

    private static func granularities(_ fields: FormFields) throws(HTTPError) -> [String] {
        let values = fields.list("timestamp_granularities")
        guard values.allSatisfy({ $0 == "word" || $0 == "segment" }) else {
            throw .invalid(
                "timestamp_granularities[]", "The field timestamp_granularities[] must be word or segment.")
        }
        return values
    }

    private static func isStreamed(
        _ fields: FormFields, model: String, format: ResponseFormat, _ isStrict: Bool
    ) throws(HTTPError) -> Bool {
        guard try fields.flag("stream") ?? false else { return false }
        guard isStrict else { return true }
        if model == "whisper-1" { return false }
        guard format == .json else { throw .invalid("stream", "Streaming needs the response format json.") }
        return true
    }

    /// The cloud computes probabilities with some models only.
    private static func checkLogprobs(model: String, format: ResponseFormat) throws(HTTPError) {
        guard format == .json else { throw .invalid("include[]", "Log probabilities need the response format json.") }
        guard ModelNames.hasLogprobs(model) else {
            throw .invalid(
                "include[]", "This model has no log probabilities. Use gpt-4o-transcribe.", code: "unsupported_value")
        }
    }

    /// - Throws: 400 for recordings of the speakers' voices; strictly, names need them.
    private static func speakers(_ fields: FormFields, _ isStrict: Bool) throws(HTTPError) -> SpeakerNames {
        let names = fields.list("known_speaker_names")
        guard fields.list("known_speaker_references").isEmpty, names.isEmpty || !isStrict else {
            throw .invalid(
                "known_speaker_references[]",
                "Recordings of voices are not supported. Names are assigned in the order in which people first speak.",
                code: "unsupported_value")
        }
        return try SpeakerNames(known: names)
    }

    private static func recording(_ form: MultipartForm, limit: Int) throws(HTTPError) -> Upload {
        switch (form.file("file"), form.file("url")) {
        case (let file?, nil): return file.file
        case (nil, let url?): return try DataURL.recording(url.file, limit: limit)
        case (_?, _?): throw .invalid("url", "Send either a file or a URL, not both.")
        case (nil, nil):
            throw .invalid(
                "file", "The recording is missing. Send it in the field file.", code: "missing_required_parameter")
        }
    }
}
