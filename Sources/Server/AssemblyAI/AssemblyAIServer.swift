import WhisperEngine

/// State shared by all streaming sessions.
package final class AssemblyAIServer: Sendable {
    package let settings: AssemblyAISettings
    package let models: any ModelProvider
    package let tokens: TokenStore
    package let slots: SessionSlots

    package init(
        _ settings: AssemblyAISettings, models: any ModelProvider, tokens: TokenStore = TokenStore(),
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
            return AssemblyAISession(self, connection, dialect, parameters, slot, maxSeconds: seconds)
        } catch {
            let code = dialect.closingCode(error)
            if let message = error.message { connection.send(dialect.error(message, code: code)) }
            connection.close(code, error.reason)
            return RefusedSession()
        }
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

/// A connection that was rejected and is about to close.
private struct RefusedSession: WebSocketHandler {
    func received(text: String) {}
    func received(binary: [UInt8]) {}
    func closed() {}
    func shutDown() {}
}
