import Synchronization
import WhisperEngine

/// The routes of whisper.cpp's server.
package enum WhisperCppRoutes {
    /// - Parameter maxUpload: maximum bytes of a recording.
    package static func routes(
        _ transcriber: any Transcriber, models: any ModelProvider, maxUpload: Int = OpenAISettings().maxUpload
    ) -> [Route] {
        [
            Route("POST", "/inference", body: .form(fileLimit: maxUpload), refusal: refusal) {
                (request) async throws(HTTPError) in
                do throws(HTTPError) {
                    return try await respond(to: request, transcriber, models)
                } catch {
                    throw error.naming(request: request.head.id)
                }
            },
            // In the original, loads the file whose path a client sends; here no client may do that.
            Route("POST", "/load", refusal: refusal) { (_) async throws(HTTPError) in
                throw HTTPError(403, "Models are chosen when the server is started.", code: "forbidden")
            },
        ]
    }

    /// `{"error": "…"}`
    package static func refusal(_ error: HTTPError) -> Response {
        .json(JSONText.object([("error", JSONText.string(error.message))]), status: error.status)
    }

    private static func respond(
        to request: Request, _ transcriber: any Transcriber, _ models: any ModelProvider
    ) async throws(HTTPError) -> Response {
        guard case .form(let fields) = request.body else {
            throw HTTPError(415, "Send the recording as multipart/form-data.", code: "unsupported_media_type")
        }
        let form = try WhisperCppForm(fields)
        let model = try await models.model(nil)
        let options = try form.options(for: model)
        let detected = Mutex<(code: String, probability: Double)?>(nil)
        let transcription = try await transcriber.transcribe(
            form.recording, with: model, options: options, client: request.head.client
        ) { update in
            if case .language(let code, let probability, _) = update { detected.withLock { $0 = (code, probability) } }
        }
        let responses = WhisperCppResponses(form, task: options.task, detected: detected.withLock { $0 })
        var response = responses.response(transcription.transcript)
        response.headers.add("x-whisper-local-model", HeaderText.plain(transcription.model))
        return response
    }
}
