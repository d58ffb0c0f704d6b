import Synchronization
import WhisperEngine

/// The connection's side of a streaming session: passes on incoming messages, in order, without blocking.
package final class AssemblyAISession: WebSocketHandler {
    private let inputs: AsyncStream<StreamInput>.Continuation
    private let budget = InputBudget()
    private let isFlooded = Atomic(false)

    /// Sends the first message and starts the session.
    init(
        _ server: AssemblyAIServer, _ connection: any WebSocketConnection, _ dialect: any StreamDialect,
        _ parameters: StreamingParameters, _ slot: SessionSlot, maxSeconds: Int
    ) {
        let (stream, inputs) = AsyncStream.makeStream(of: StreamInput.self)
        self.inputs = inputs
        let requested = parameters.model.flatMap { server.models.names.contains($0) ? $0 : nil }
        let id = SessionID()
        let expires = WallTime(milliseconds: WallTime.now.milliseconds + 1000 * maxSeconds)
        connection.send(
            dialect.beginning(id: id, expires: expires, model: requested ?? server.models.defaultModel))
        let run = StreamRun(
            server, connection, dialect, parameters, id: id, slot: slot, maxSeconds: maxSeconds, budget: budget,
            inputs: inputs)
        slot.onEviction { inputs.yield(.evicted) }
        Task {
            await run.run(stream, model: requested)
            server.slots.leave(slot)
        }
    }

    package func received(text: String) { receive(.text(text), text.utf8.count) }

    package func received(binary: [UInt8]) { receive(.binary(binary), binary.count) }

    private func receive(_ input: StreamInput, _ count: Int) {
        if budget.admit(count) {
            inputs.yield(input)
        } else if isFlooded.exchange(true, ordering: .relaxed) == false {
            inputs.yield(.flooded)
        }
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
    /// Another client needs a session.
    case evicted
    case tick
    /// The speaker networks, for clients that ask for speakers; before `loaded`.
    case speakers(Result<SpeakerNetworks, HTTPError>)
    case loaded(Result<ServedModel, HTTPError>)
    case update(TranscriptUpdate)
    /// There are no more updates.
    case finished(hasFailed: Bool)
}
