import WhisperEngine

/// State shared by all streaming sessions.
package final class AssemblyAIServer: Sendable {
    package let settings: AssemblyAISettings
    package let models: any ModelProvider
    /// Each stands for the seconds that its session may last, and opens one.
    package let tokens: SecretStore<Int>
    package let slots: SessionSlots

    package init(
        _ settings: AssemblyAISettings, models: any ModelProvider, tokens: SecretStore<Int> = SecretStore(),
        slots: SessionSlots? = nil
    ) {
        self.settings = settings
        self.models = models
        self.tokens = tokens
        self.slots = slots ?? SessionSlots(limit: settings.maxSessions, idleTime: settings.idleTime)
    }

    /// Opens a session of version 3. Called on the event loop.
    package func open(_ head: RequestHead, _ connection: any WebSocketConnection) -> any WebSocketHandler {
        let dialect = StreamingV3(isHybrid: settings.isHybrid(head))
        return open(head, connection, dialect) { () throws(StreamEnd) in
            (dialect, try StreamingParameters(query: head.query))
        }
    }

    /// Opens a session of version 2. Called on the event loop.
    package func openRealTime(_ head: RequestHead, _ connection: any WebSocketConnection) -> any WebSocketHandler {
        open(head, connection, RealTimeV2()) { () throws(StreamEnd) in
            (try RealTimeV2(query: head.query), try StreamingParameters(realTimeQuery: head.query))
        }
    }

    /// Answers at once, even while the model is being loaded: clients wait for a second.
    private func open<Dialect: StreamDialect>(
        _ head: RequestHead, _ connection: any WebSocketConnection, _ dialect: Dialect,
        read: () throws(StreamEnd) -> (Dialect, StreamingParameters)
    ) -> any WebSocketHandler {
        do throws(StreamEnd) {
            let seconds = try authorize(head)
            let (dialect, parameters) = try read()
            guard let slot = slots.enter() else { throw .tooManySessions }
            return start(connection, dialect, parameters, slot, seconds: seconds)
        } catch {
            let code = dialect.closingCode(error)
            if let message = error.message { connection.send(dialect.error(message, code: code)) }
            connection.close(code, error.reason)
            return RefusedSession()
        }
    }

    /// Sends the first message and starts the session.
    private func start(
        _ connection: any WebSocketConnection, _ dialect: any StreamDialect, _ parameters: StreamingParameters,
        _ slot: SessionSlot, seconds: Int
    ) -> StreamHandler {
        let handler = StreamHandler(connection, budget: InputBudget())
        let requested = parameters.model.flatMap { models.names.contains($0) ? $0 : nil }
        let id = SessionID()
        let expires = WallTime(milliseconds: WallTime.now.milliseconds + 1000 * seconds)
        connection.send(dialect.beginning(id: id, expires: expires, model: requested ?? models.defaultModel))
        let run = StreamRun(
            self, connection, dialect, parameters, id: id, slot: slot, maxSeconds: seconds, budget: handler.budget,
            inputs: handler.inputs)
        handler.start(slot, of: slots) { await run.run($0, model: requested) }
        return handler
    }

    /// Returns how many seconds the session may last.
    private func authorize(_ head: RequestHead) throws(StreamEnd) -> Int {
        let credential = Self.credential(head.headers["Authorization"])
        let token = head.queryValue("token") ?? ""
        if !credential.isEmpty {
            if settings.requiresKey, settings.isKey(credential) { return settings.maxSession }
            if let seconds = tokens.redeem(credential) { return min(seconds, settings.maxSession) }
        }
        if !token.isEmpty, let seconds = tokens.redeem(token) { return min(seconds, settings.maxSession) }
        guard settings.requiresKey else { return settings.maxSession }
        throw .unauthorized(
            reason: credential.isEmpty && token.isEmpty
                ? "Missing Authorization header" : "The key or token is wrong, used or expired")
    }

    /// The key or token in a header: the whole value, or the part after `Bearer`.
    static func credential(_ header: String?) -> String {
        let value = WhiteSpace.strip(header ?? "")
        return value.lowercased().hasPrefix("bearer ") ? WhiteSpace.strip(String(value.dropFirst(7))) : value
    }
}
