import WhisperEngine

/// The connection's side of a streaming session: passes on incoming messages, in order, without blocking.
final class StreamHandler: WebSocketHandler {
    let budget: InputBudget
    private let connection: any WebSocketConnection
    private let stream: AsyncStream<StreamInput>
    let inputs: AsyncStream<StreamInput>.Continuation

    init(_ connection: any WebSocketConnection, budget: InputBudget) {
        self.connection = connection
        self.budget = budget
        (stream, inputs) = AsyncStream.makeStream(of: StreamInput.self)
    }

    /// Runs the session, which has the slot until it ends.
    func start(
        _ slot: SessionSlot, of slots: SessionSlots,
        run: @escaping @Sendable (AsyncStream<StreamInput>) async -> Void
    ) {
        let inputs = inputs
        slot.onEviction { inputs.yield(.evicted) }
        Task { [stream] in
            await run(stream)
            slots.leave(slot)
        }
    }

    func received(text: String) { receive(.text(text), text.utf8.count) }

    func received(binary: [UInt8]) { receive(.binary(binary), binary.count) }

    private func receive(_ input: StreamInput, _ count: Int) {
        switch budget.admit(count) {
        case .admitted: inputs.yield(input)
        case .last:
            inputs.yield(input)
            connection.setReading(false)
            budget.paused()
        case .flooded: inputs.yield(.flooded)
        case .dropped: break
        }
    }

    func closed() { inputs.yield(.closed) }

    func shutDown() { inputs.yield(.shutDown) }
}

/// A connection that was rejected and is about to close.
struct RefusedSession: WebSocketHandler {
    func received(text: String) {}
    func received(binary: [UInt8]) {}
    func closed() {}
    func shutDown() {}
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
