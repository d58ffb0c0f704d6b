import WhisperEngine

/// The routes of OpenAI's and Groq's transcription services.
package enum OpenAIRoutes {
    package static func routes(
        _ transcriber: any Transcriber, models: any ModelProvider, settings: OpenAISettings = OpenAISettings()
    ) -> [Route] {
        // The empty prefix is for clients whose base address has no version.
        let places: [(prefix: String, dialect: OpenAIDialect)] = [
            ("/v1", .openAI), ("/openai/v1", .groq), ("", .openAI),
        ]
        var routes: [Route] = []
        for (prefix, dialect) in places {
            for (name, task) in [("transcriptions", TranscriptionTask.transcribe), ("translations", .translate)] {
                let service = OpenAIService(
                    transcriber: transcriber, models: models, settings: settings, task: task, dialect: dialect)
                routes.append(
                    Route(
                        "POST", "\(prefix)/audio/\(name)", body: .form(fileLimit: settings.fileLimit),
                        refusal: OpenAIErrors.response
                    ) { (request) async throws(HTTPError) in try await service.respond(to: request) })
            }
            if prefix.isEmpty { continue }
            let list = OpenAIModels(models, dialect: dialect, created: settings.created)
            let path = "\(prefix)/models"
            routes.append(Route("GET", path, refusal: OpenAIErrors.response) { _ in list.list })
            routes.append(
                Route("GET", path + "/{id}", refusal: OpenAIErrors.response) { (request) async throws(HTTPError) in
                    try list.model(String(request.head.path.dropFirst(path.count + 1)))
                })
        }
        return routes
    }
}

/// Handles requests for transcriptions or translations at one path.
struct OpenAIService: Sendable {
    let transcriber: any Transcriber
    let models: any ModelProvider
    let settings: OpenAISettings
    let task: TranscriptionTask
    let dialect: OpenAIDialect

    func respond(to request: Request) async throws(HTTPError) -> Response {
        do throws(HTTPError) {
            return try await answer(request)
        } catch {
            throw error.naming(request: request.head.id)
        }
    }

    private func answer(_ request: Request) async throws(HTTPError) -> Response {
        guard case .form(let fields) = request.body else {
            throw HTTPError(415, "Send the recording as multipart/form-data.", code: "unsupported_media_type")
        }
        let form = try TranscriptionForm(fields, task: task, dialect: dialect, settings: settings)
        let found = ModelNames(models).model(for: form.model)
        if found == nil, settings.hasStrictModels { throw .noModel(form.model) }
        let name = found == models.defaultModel ? nil : found
        let model = try await models.model(name)
        let networks = try await form.format == .diarizedJSON ? models.speakerNetworks() : nil
        let options = try form.options(for: model, speakers: networks)
        let tokens = TokenLogprobs(model.recognizer.tokenizer)
        let client = request.head.client
        guard form.isStreamed else {
            let transcription = try await transcriber.transcribe(
                form.recording, model: name, options: options, client: client, updates: { _ in })
            var response = OpenAIResponses(
                form, tokens: tokens, groqID: dialect == .groq ? request.head.id : nil
            ).response(transcription.transcript)
            response.headers.add("x-whisper-local-model", HeaderText.plain(transcription.model))
            return response
        }
        try form.recording.check()
        let headers = Headers([("x-whisper-local-model", HeaderText.plain(model.name))])
        let transcriber = transcriber
        return try await OpenAIStream.response(
            form, headers: headers, keepAlive: settings.keepAlive, tokens: tokens
        ) { (updates) async throws(HTTPError) in
            do throws(HTTPError) {
                return try await transcriber.transcribe(
                    form.recording, model: name, options: options, client: client, updates: updates)
            } catch {
                throw error.naming(request: request.head.id)
            }
        }
    }
}

/// Text for a header of a response.
enum HeaderText {
    /// Replaces everything but printable ASCII.
    static func plain(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

extension Upload {
    /// - Throws: 400 unless the upload is a recording.
    func check() throws(HTTPError) {
        do throws(AudioFormatError) {
            _ = try open()
        } catch {
            throw HTTPError(recognition: error)
        }
    }
}

extension HTTPError {
    /// The same error, with the request ID in the message if recognition failed: the log has the reason under that ID.
    func naming(request id: String) -> HTTPError {
        status == 500 && code == "internal_error" && !id.isEmpty ? .internalFailure(request: id) : self
    }
}
