import WhisperEngine

/// The web page at `/`: its files, its choices of models and languages, its own transcription route, whose events have
/// word times and text that may still change, which OpenAI's stream lacks, and subtitles of what has been edited. The page
/// at `/docs` shows `/openapi.json` to people.
package enum PageRoutes {
    /// - Parameters:
    ///   - fileLimit: maximum size of a recording in bytes.
    ///   - refusal: in OpenAI's shape.
    package static func routes(
        _ transcriber: any Transcriber, models: any ModelProvider, fileLimit: Int,
        refusal: @escaping @Sendable (HTTPError) -> Response
    ) -> [Route] {
        let files = ServerFile.all.filter { $0.path.hasPrefix("page/") }.map { file in
            Route("GET", addresses[file.path] ?? "/" + file.path, access: .everyone, refusal: refusal) { request in
                answer(with: file, to: request.head)
            }
        }
        return files + [
            Route("GET", "/page/choices", refusal: refusal) { _ in
                await PageChoices.response(models, fileLimit: fileLimit)
            },
            Route("POST", "/page/subtitles", body: .bytes(limit: PageSubtitles.limit), refusal: refusal) {
                request throws(HTTPError) in
                try PageSubtitles.response(to: request)
            },
            Route("POST", "/page/transcribe", body: .form(fileLimit: fileLimit), refusal: refusal) {
                request throws(HTTPError) in
                PageTranscription.response(
                    to: try PageForm(request.body), client: request.head.client, transcriber, models)
            },
        ]
    }

    /// The files that have an address for people.
    private static let addresses = ["page/index.html": "/", "page/docs.html": "/docs"]

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
}
