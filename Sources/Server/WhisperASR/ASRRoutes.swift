import Synchronization
import WhisperEngine

/// The routes of whisper-asr-webservice, and Subgen's `/status`. Their clients, such as Bazarr, cannot send a key.
package enum ASRRoutes {
    /// - Parameters:
    ///   - maxUpload: maximum bytes of a recording in an audio format.
    ///   - maxDuration: seconds of audio in a recording; also limits one that is sent as samples.
    ///   - version: of this program.
    package static func routes(
        _ transcriber: any Transcriber, models: any ModelProvider, maxUpload: Int, maxDuration: Double,
        version: String
    ) -> [Route] {
        let samples = Int(min(maxDuration, 1e9)) * AudioChunk.sampleRate * SampleEncoding.s16le.bytesPerSample
        let body = Route.BodyKind.form(
            fileLimit: max(maxUpload, samples), fileFields: [ASRRequest.recordingField])
        func route(
            _ path: String, _ answer: @escaping @Sendable (ASRRequest, String) async throws(HTTPError) -> Response
        ) -> Route {
            Route("POST", path, access: .keyOrAddress, body: body, refusal: refusal) { request throws(HTTPError) in
                do throws(HTTPError) {
                    return try await answer(try ASRRequest(request, maxUpload: maxUpload), request.head.client)
                } catch {
                    throw error.naming(request: request.head.id)
                }
            }
        }
        return [
            route("/asr") { request, client throws(HTTPError) in
                let model = try await models.model(nil)
                let speakers = try request.hasSpeakers ? try? await models.speakerNetworks() : nil
                let options = try request.options(for: model, speakers: speakers)
                return try await ASRAnswer.response(
                    try request.output, language: options.task == .translate ? "en" : options.language,
                    model: model.name
                ) {
                    updates throws(HTTPError) in
                    try await transcriber.transcribe(
                        request.recording, with: model, options: options, client: client, updates: updates)
                }
            },
            route("/detect-language") { request, client throws(HTTPError) in
                try await detectLanguage(request, client: client, transcriber, try await models.model(nil))
            },
            Route("GET", "/status", access: .everyone, refusal: refusal) { _ in
                .json(JSONText.object([("version", JSONText.string("whisper-local \(version)"))]))
            },
        ]
    }

    /// FastAPI's `{"detail": …}`, with a list if a parameter is wrong.
    package static func refusal(_ error: HTTPError) -> Response {
        var detail = JSONText.string(error.message)
        if error.status == 422, let param = error.param {
            let isRecording = [ASRRequest.recordingField, "file"].contains(param)
            let place = isRecording ? ["body", ASRRequest.recordingField] : ["query", param]
            detail = JSONText.array([
                JSONText.object([
                    ("type", JSONText.string(error.code ?? "value_error")),
                    ("loc", JSONText.array(place.map { JSONText.string($0) })),
                    ("msg", detail), ("input", "null"),
                ])
            ])
        }
        return .json(JSONText.object([("detail", detail)]), status: error.status)
    }

    /// Stops the recognition once it has found the language.
    private static func detectLanguage(
        _ request: ASRRequest, client: String, _ transcriber: any Transcriber, _ model: ServedModel
    ) async throws(HTTPError) -> Response {
        if model.traits.languages.count == 1, let only = model.traits.languages.first {
            try request.recording.check()
            return language(only.code, probability: 1)
        }
        let options = try request.detectionOptions(for: model)
        let found = Mutex<(code: String, probability: Double)?>(nil)
        let (ends, end) = AsyncStream<Void>.makeStream()
        let recognition = Task { () -> HTTPError? in
            defer { end.finish() }
            do throws(HTTPError) {
                _ = try await transcriber.transcribe(
                    request.recording, with: model, options: options, client: client
                ) { update in
                    guard case .language(let code, let probability, _) = update else { return }
                    found.withLock { $0 = (code, probability) }
                    end.finish()
                }
                return nil
            } catch {
                return error
            }
        }
        for await _ in ends {}
        recognition.cancel()
        if let known = found.withLock({ $0 }) { return language(known.code, probability: known.probability) }
        if let failure = await recognition.value { throw failure }
        return language(nil, probability: 0)
    }

    /// - Parameter code: `nil` if nobody speaks.
    private static func language(_ code: String?, probability: Double) -> Response {
        .json(
            JSONText.object([
                ("detected_language", JSONText.string(code.map { Language.name(ofCode: $0) } ?? "Unknown")),
                ("language_code", JSONText.string(code ?? "und")),
                ("confidence", JSONText.statistic(probability)),
            ]))
    }
}
