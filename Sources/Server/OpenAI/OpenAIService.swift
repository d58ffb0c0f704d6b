import WhisperEngine

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
        let model = try await models.model(found)
        let networks = try await form.format == .diarizedJSON ? models.speakerNetworks() : nil
        let options = try form.options(for: model, speakers: networks)
        let tokens = TokenLogprobs(model.recognizer.model.spelling)
        let client = request.head.client
        guard form.isStreamed else {
            let transcription = try await transcriber.transcribe(
                form.recording, with: model, options: options, client: client, updates: { _ in })
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
                    form.recording, with: model, options: options, client: client, updates: updates)
            } catch {
                throw error.naming(request: request.head.id)
            }
        }
    }
}
