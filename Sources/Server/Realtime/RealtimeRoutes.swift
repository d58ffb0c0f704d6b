import WhisperEngine

/// The routes of OpenAI's Realtime API: sessions that transcribe, and keys for them.
package enum RealtimeRoutes {
    /// Bytes of a message: base64 of the audio that an event may have, and the rest of it.
    static let maxMessage = 21 << 20
    /// Bytes of messages waiting to be processed above which nothing more is read.
    static let maxPending = 2 << 20
    private static let maxBody = 65_536
    /// Seconds for which a secret is valid.
    private static let times = 10...7200
    private static let defaultTime = 600

    package static func webSockets(_ server: RealtimeServer) -> [WebSocketRoute] {
        [
            WebSocketRoute(
                "/v1/realtime", protocols: ["realtime"], maxMessage: maxMessage,
                admit: { (head) throws(HTTPError) in try server.admit(head) }, open: { server.open($0, $1) })
        ]
    }

    package static func routes(_ server: RealtimeServer) -> [Route] {
        [
            route("/v1/realtime/client_secrets") { (request) async throws(HTTPError) in
                let body = try json(request)
                let seconds = try time(body?["expires_after"], "expires_after")
                let (session, secret) = try await issue(server, body?["session"], seconds)
                return JSONText.object([
                    ("value", JSONText.string(secret.value)), ("expires_at", "\(secret.expires)"),
                    (
                        "session",
                        session.json(id: secret.id, model: server.models.defaultModel, expires: secret.expires)
                    ),
                ])
            },
            route("/v1/realtime/transcription_sessions") { (request) async throws(HTTPError) in
                let body = try json(request)
                let seconds = try time(body?["client_secret"]?["expires_at"], "client_secret.expires_at")
                let (session, secret) = try await issue(server, body, seconds)
                return session.flatJSON(
                    id: secret.id, model: server.models.defaultModel, expires: secret.expires,
                    secret: (secret.value, secret.expires))
            },
        ]
    }

    private static func route(
        _ path: String, respond: @escaping @Sendable (Request) async throws(HTTPError) -> String
    ) -> Route {
        Route("POST", path, body: .bytes(limit: maxBody), refusal: OpenAIErrors.response) {
            (request) async throws(HTTPError) in .json(try await respond(request))
        }
    }

    /// The body; `nil` if it is empty.
    private static func json(_ request: Request) throws(HTTPError) -> JSONValue? {
        guard case .bytes(let bytes) = request.body, !bytes.isEmpty else { return nil }
        guard let body = try? JSONValue(bytes, depth: 16, members: 1000), case .object = body else {
            throw HTTPError(400, "The body is not a JSON object.", code: "invalid_json")
        }
        return body
    }

    private static func time(_ value: JSONValue?, _ path: String) throws(HTTPError) -> Int {
        guard let value, value != .null else { return defaultTime }
        guard case .object = value, value["anchor"] == nil || value["anchor"] == .string("created_at") else {
            throw .invalid(path, "Invalid value for '\(path).anchor': it must be created_at.")
        }
        guard let seconds = value["seconds"], seconds != .null else { return defaultTime }
        guard let count = seconds.count, times.contains(count) else {
            throw .invalid(
                "\(path).seconds", "Invalid value for '\(path).seconds': it must be a whole number from 10 to 7200.")
        }
        return count
    }

    private static func issue(
        _ server: RealtimeServer, _ update: JSONValue?, _ seconds: Int
    ) async throws(HTTPError) -> (RealtimeSession, (id: String, value: String, expires: Int)) {
        var session = RealtimeSession()
        if let update, update != .null { try session.update(update, isStrict: server.settings.isStrict) }
        try await server.check(session)
        guard let value = server.secrets.issue(session, seconds: seconds, prefix: "ek_") else {
            throw HTTPError(
                429, "Too many keys have been made. Try again later.", code: "rate_limit_exceeded", retryAfter: 60)
        }
        return (session, (RequestID.random("sess"), value, WallTime.now.milliseconds / 1000 + seconds))
    }
}
