import WhisperEngine

/// State shared by all sessions of OpenAI's Realtime API, which only transcribe.
package final class RealtimeServer: Sendable {
    /// What precedes a key among the subprotocols: browsers can send it nowhere else.
    private static let keyProtocol = "openai-insecure-api-key."
    /// What a client that speaks the beta's dialect sends.
    private static let beta = (header: "realtime=v1", subprotocol: "openai-beta.realtime-v1")

    package let settings: RealtimeSettings
    let models: any ModelProvider
    let slots: SessionSlots
    /// Keys for browsers, each with the session that it opens.
    package let secrets: SecretStore<RealtimeSession>

    package init(
        _ settings: RealtimeSettings, models: any ModelProvider, slots: SessionSlots,
        secrets: SecretStore<RealtimeSession> = SecretStore()
    ) {
        self.settings = settings
        self.models = models
        self.slots = slots
        self.secrets = secrets
    }

    /// Checks the key before the socket is opened.
    ///
    /// - Throws: 401.
    package func admit(_ head: RequestHead) throws(HTTPError) {
        guard let expected = settings.key else { return }
        guard let key = Self.key(head) else { throw .noKey }
        guard expected.matches(key) || secrets.content(of: key) != nil else { throw .badKey }
    }

    /// Opens a session. Called on the event loop, after `admit`.
    package func open(_ head: RequestHead, _ connection: any WebSocketConnection) -> any WebSocketHandler {
        let isBeta =
            head.headers["OpenAI-Beta"]?.contains(Self.beta.header) == true
            || Self.protocols(head).contains(Self.beta.subprotocol)
        let messages = RealtimeMessages(connection, isBeta: isBeta)
        guard let slot = slots.enter() else {
            messages.error(.tooManySessions)
            // libsoup has no code for overload.
            connection.close(1011, "too many sessions")
            return RefusedSession()
        }
        let handler = StreamHandler(
            connection, budget: InputBudget(pausingAt: RealtimeRoutes.maxPending, maxMessage: RealtimeRoutes.maxMessage)
        )
        let run = RealtimeRun(
            self, messages, session(head), id: SessionID(), slot: slot, budget: handler.budget, inputs: handler.inputs)
        // At once, even while the model is being loaded: clients wait for it.
        run.greet()
        handler.start(slot, of: slots) { await run.run($0) }
        return handler
    }

    /// What a session begins with.
    private func session(_ head: RequestHead) -> RealtimeSession {
        if let session = Self.key(head).flatMap(secrets.content) { return session }
        var session = RealtimeSession()
        // A model for conversations has no transcript of its own.
        if let model = head.queryValue("model"), ModelNames(models).model(for: model) != nil {
            session.transcription?.model = model
        }
        return session
    }

    /// The installed model that a session uses.
    ///
    /// - Throws: 404 if it does not exist and names must be known.
    func model(of session: RealtimeSession) throws(HTTPError) -> String {
        guard let name = session.transcription?.model else { return models.defaultModel }
        if let model = ModelNames(models).model(for: name) { return model }
        if settings.hasStrictModels { throw .noModel(name) }
        return models.defaultModel
    }

    /// Checks what a client wants of its model.
    ///
    /// - Throws: 400 if the model does not know the languages.
    func check(_ session: RealtimeSession) async throws(HTTPError) {
        let name = try model(of: session)
        let wanted = session.languages
        guard let language = wanted.first, let traits = await models.traits(of: name),
            !wanted.contains(where: traits.knows)
        else { return }
        let shown = String(name.replacingControlCharacters().prefix(40))
        throw .invalid(
            "session.audio.input.transcription.language",
            "The model \(shown) does not know the language \(language). Choose another model.",
            code: "unsupported_value")
    }

    private static func protocols(_ head: RequestHead) -> [String] {
        head.headers[all: "Sec-WebSocket-Protocol"].flatMap { $0.split(separator: ",") }.map { WhiteSpace.strip($0) }
    }

    private static func key(_ head: RequestHead) -> String? {
        if let key = AccessKey.bearer(head.headers) { return key }
        let key = protocols(head).first { $0.hasPrefix(keyProtocol) }?.dropFirst(keyProtocol.count)
        return key.map { String($0) }
    }
}

extension HTTPError {
    fileprivate static let tooManySessions = HTTPError(
        503, "There are too many sessions. Try again in a moment.", type: "server_error", code: "overloaded")
}
