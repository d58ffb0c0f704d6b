import WhisperEngine

/// The connection's side of a streaming session: passes on incoming messages, in order, without blocking.
package final class AssemblyAISession: WebSocketHandler {
    private let inputs: AsyncStream<StreamInput>.Continuation
    private let budget = InputBudget()

    /// Sends the first message and starts the session.
    init(
        _ server: AssemblyAIServer, _ connection: any WebSocketConnection, _ dialect: any StreamDialect,
        _ parameters: StreamingParameters, maxSeconds: Int
    ) {
        let (stream, inputs) = AsyncStream.makeStream(of: StreamInput.self)
        self.inputs = inputs
        let requested = parameters.model.flatMap { server.models.names.contains($0) ? $0 : nil }
        let id = SessionID()
        let expires = WallTime(milliseconds: WallTime.now.milliseconds + 1000 * maxSeconds)
        connection.send(
            dialect.beginning(id: id, expires: expires, model: requested ?? server.models.defaultModel))
        let run = StreamRun(
            server, connection, dialect, parameters, id: id, maxSeconds: maxSeconds, budget: budget, inputs: inputs)
        Task {
            await run.run(stream, model: requested)
            server.leave()
        }
    }

    package func received(text: String) {
        inputs.yield(budget.admit(text.utf8.count) ? .text(text) : .flooded)
    }

    package func received(binary: [UInt8]) {
        inputs.yield(budget.admit(binary.count) ? .binary(binary) : .flooded)
    }

    package func closed() { inputs.yield(.closed) }

    package func shutDown() { inputs.yield(.shutDown) }
}

/// The inputs that a session reacts to.
enum StreamInput: Sendable {
    case text(String)
    case binary([UInt8])
    /// A message was dropped because too many are waiting.
    case flooded
    case closed
    case shutDown
    case tick
    /// The speaker networks, for clients that ask for speakers; before `loaded`.
    case speakers(Result<SpeakerNetworks, HTTPError>)
    case loaded(Result<ServedModel, HTTPError>)
    case update(TranscriptUpdate)
    /// There are no more updates.
    case finished(hasFailed: Bool)
}
