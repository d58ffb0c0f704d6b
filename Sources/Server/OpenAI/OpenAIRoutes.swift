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
