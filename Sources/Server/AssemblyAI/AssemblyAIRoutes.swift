import WhisperEngine

/// The paths of the streaming protocols, version 3 and version 2.
package enum AssemblyAIRoutes {
    /// Seconds.
    private static let tokenTimes = 1...600
    private static let sessionTimes = 60...10_800
    private static let realTimeTokenTimes = 60...360_000
    private static let maxBody = 65_536

    package static func webSockets(_ server: AssemblyAIServer) -> [WebSocketRoute] {
        [
            WebSocketRoute("/v3/ws") { server.open($0, $1) },
            WebSocketRoute("/v2/realtime/ws") { server.openRealTime($0, $1) },
        ]
    }

    /// Where temporary tokens are issued. The key is checked here, because these clients send it without `Bearer`.
    package static func routes(_ server: AssemblyAIServer) -> [Route] {
        [
            Route("GET", "/v3/token", access: .everyone, refusal: refusal) { request throws(HTTPError) in
                try authorize(request, server.settings)
                let seconds = try integer(request.head, "expires_in_seconds", tokenTimes)
                let session =
                    request.head.queryValue("max_session_duration_seconds") == nil
                    ? sessionTimes.upperBound : try integer(request.head, "max_session_duration_seconds", sessionTimes)
                let token = try issue(server.tokens, seconds, session)
                return .json(
                    JSONText.object([("token", JSONText.string(token)), ("expires_in_seconds", "\(seconds)")]))
            },
            Route(
                "POST", "/v2/realtime/token", access: .everyone, body: .bytes(limit: maxBody), refusal: refusal
            ) { request throws(HTTPError) in
                try authorize(request, server.settings)
                guard case .bytes(let bytes) = request.body,
                    let body = try? JSONValue(bytes, depth: 16, members: 1000), let value = body["expires_in"],
                    let seconds = try? StreamParameter(name: "expires_in", value: value).integer(realTimeTokenTimes)
                else { throw HTTPError(400, "expires_in must be a whole number from 60 to 360000") }
                let token = try issue(server.tokens, seconds, sessionTimes.upperBound)
                return .json(JSONText.object([("token", JSONText.string(token))]))
            },
        ]
    }

    /// `{"error":"…"}`
    package static func refusal(_ error: HTTPError) -> Response {
        var response = Response.json(
            JSONText.object([("error", JSONText.string(error.message))]), status: error.status)
        if let seconds = error.retryAfter { response.headers.add("Retry-After", "\(seconds)") }
        return response
    }

    private static func authorize(_ request: Request, _ settings: AssemblyAISettings) throws(HTTPError) {
        guard settings.requiresKey else { return }
        let key = AssemblyAIServer.credential(request.head.headers["Authorization"])
        if !settings.isKey(key) {
            throw HTTPError(401, "The key was not accepted. Check the key that the server was started with.")
        }
    }

    private static func integer(
        _ head: RequestHead, _ name: String, _ range: ClosedRange<Int>
    ) throws(HTTPError) -> Int {
        let parameter = StreamParameter(name: name, value: .string(head.queryValue(name) ?? ""))
        guard let value = try? parameter.integer(range) else {
            throw HTTPError(
                400, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)", param: name)
        }
        return value
    }

    private static func issue(_ tokens: SecretStore<Int>, _ seconds: Int, _ session: Int) throws(HTTPError) -> String {
        guard let token = tokens.issue(session, seconds: seconds) else {
            throw HTTPError(429, "Too many tokens are waiting to be used. Try again later.", retryAfter: 60)
        }
        return token
    }
}
