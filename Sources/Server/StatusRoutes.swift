/// What the server says of itself.
enum StatusRoutes {
    /// - Parameters:
    ///   - isReady: whether the default model is loaded.
    ///   - metrics: in Prometheus' text format.
    static func routes(
        isReady: @escaping @Sendable () async -> Bool, metrics: @escaping @Sendable () async -> String,
        refusal: @escaping @Sendable (HTTPError) -> Response
    ) -> [Route] {
        [
            Route("GET", "/health", needsKey: false, refusal: refusal) { _ in
                await isReady()
                    ? .json(#"{"status":"ok"}"#) : .json(#"{"status":"loading model"}"#, status: 503)
            },
            Route("GET", "/metrics", refusal: refusal) { _ in
                .text(await metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
            },
            Route("GET", "/openapi.json", needsKey: false, refusal: refusal) { _ throws(HTTPError) in
                guard let file = ServerFile.named("openapi.json") else { throw HTTPError(404, "There is none.") }
                return .json(String(decoding: file.bytes, as: UTF8.self))
            },
        ]
    }
}
