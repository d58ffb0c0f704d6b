import WhisperEngine

/// The web page at `/`: its files, its choices of models and languages, and its own transcription route, whose events
/// have word times and text that may still change, which OpenAI's stream lacks.
package enum PageRoutes {
    /// - Parameters:
    ///   - fileLimit: maximum size of a recording in bytes.
    ///   - refusal: in OpenAI's shape.
    package static func routes(
        _ transcriber: any Transcriber, models: any ModelProvider, fileLimit: Int,
        refusal: @escaping @Sendable (HTTPError) -> Response
    ) -> [Route] {
        let files = ServerFile.all.filter { $0.path.hasPrefix("page/") }.map { file in
            Route(
                "GET", file.path == "page/index.html" ? "/" : "/" + file.path, access: .everyone, refusal: refusal
            ) { request in answer(with: file, to: request.head) }
        }
        return files + [
            Route("GET", "/page/choices", refusal: refusal) { _ in await choices(models) },
            Route("POST", "/page/transcribe", body: .form(fileLimit: fileLimit), refusal: refusal) {
                request throws(HTTPError) in
                PageTranscription.response(
                    to: try PageForm(request.body), client: request.head.client, transcriber, models)
            },
        ]
    }

    /// Browsers may cache a file but must revalidate it each time, since a new version of the program has new files.
    static func answer(with file: ServerFile, to head: RequestHead) -> Response {
        let headers = Headers([
            ("Content-Type", file.contentType), ("Content-Security-Policy", contentSecurityPolicy),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-cache"),
            ("ETag", file.tag),
        ])
        let known = head.headers[all: "If-None-Match"].flatMap { $0.split(separator: ",") }
        if known.contains(where: { WhiteSpace.strip(String($0)) == file.tag }) {
            return Response(status: 304, headers: headers, body: .bytes([]))
        }
        return Response(headers: headers, body: .bytes(file.bytes))
    }

    /// The page loads only its own files, plays only its own recordings, and connects only to this server.
    private static let contentSecurityPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; media-src 'self' blob:; \
        img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    /// The models to choose from with the codes of their languages, and the names of all languages. Unlike
    /// `/v1/models`, omits the aliases for cloud clients.
    private static func choices(_ models: any ModelProvider) async -> Response {
        var known: [String] = []
        for name in models.names {
            // Of a model that cannot be opened, the error comes when it is used.
            let languages = await models.languages(of: name) ?? Language.all
            known.append(
                JSONText.object([
                    ("name", JSONText.string(name)),
                    ("languages", JSONText.array(languages.map { JSONText.string($0.code) })),
                ]))
        }
        let languages = Language.all.map { language in
            JSONText.object([("code", JSONText.string(language.code)), ("name", JSONText.string(language.name))])
        }
        return .json(
            JSONText.object([
                ("models", JSONText.array(known)),
                ("default", JSONText.string(models.defaultModel)), ("languages", JSONText.array(languages)),
            ]))
    }
}
