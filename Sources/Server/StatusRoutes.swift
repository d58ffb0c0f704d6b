import WhisperEngine

/// What the server reports about itself.
enum StatusRoutes {
    /// Whether the server accepts recordings.
    enum Health: String, Sendable {
        case ready = "ok"
        case loading = "loading model"
        /// The queue is full.
        case busy

        var response: Response {
            let body = #"{"status":"\#(rawValue)"}"#
            guard self != .ready else { return .json(body) }
            var response = Response.json(body, status: 503)
            response.headers.add("Retry-After", "1")
            return response
        }
    }

    /// - Parameters:
    ///   - health: called for each request; while the server is shutting down, requests are rejected earlier.
    ///   - metrics: in Prometheus' text format.
    ///   - loaded: the names of the models in memory.
    static func routes(
        health: @escaping @Sendable () async -> Health, metrics: @escaping @Sendable () async -> String,
        loaded: @escaping @Sendable () async -> [String],
        refusal: @escaping @Sendable (HTTPError) -> Response
    ) -> [Route] {
        [
            Route("GET", "/health", access: .everyone, refusal: refusal) { _ in
                await health().response
            },
            Route("GET", "/metrics", refusal: refusal) { _ in
                .text(await metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
            },
            Route("GET", "/api/ps", refusal: refusal) { _ in
                .json(JSONText.object([("models", JSONText.array(await loaded().map { JSONText.string($0) }))]))
            },
            Route("GET", "/openapi.json", access: .everyone, refusal: refusal) { _ throws(HTTPError) in
                guard let file = ServerFile.named("openapi.json") else { throw HTTPError(404, "There is none.") }
                return .json(String(decoding: file.bytes, as: UTF8.self))
            },
        ]
    }
}
