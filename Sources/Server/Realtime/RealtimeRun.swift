import WhisperEngine

/// A session of OpenAI's Realtime API: processes its inputs one after another. Recognition runs elsewhere.
///
/// What a client asks for while the server finds the turns depends on what is being said, which is known only when the
/// recognition has come that far. The client's next events wait until then.
actor RealtimeRun {
    /// The end of the audio so far, which was passed on to the recognition.
    struct Mark {
        enum Reason: Equatable {
            /// The oldest item without turn detection ends.
            case item
            /// The client has ended the turn; the name of its event.
            case commit(String?)
            /// What has been said is dropped.
            case clear
            /// Nothing more follows before the turn detection changes, or the session ends.
            case settle
        }

        let reason: Reason
        /// Whether the recognition has come so far.
        var isReached = false
    }

    private struct Update {
        let session: RealtimeSession
        let isBeta: Bool
    }

    /// Milliseconds of audio that can be committed.
    private static let minimum = 100.0
    /// Ends of items that may wait for the recognition of the audio before them.
    private static let maxEvents = 200
    /// Bytes queued for the client above which the session is closed.
    private static let maxQueued = 1 << 20

    let server: RealtimeServer
    var messages: RealtimeMessages
    private let id: SessionID
    private let budget: InputBudget
    private let slot: SessionSlot
    private let inputs: AsyncStream<StreamInput>.Continuation
    private let start = ContinuousClock.now
    private var controlEvents = RateLimit.control

    var session: RealtimeSession
    private var modelName: String?
    var recognition: LiveRecognition
    var audio: StreamAudio
    /// Samples passed on to the recognition, at 16 kHz.
    private var fed = 0
    /// Of them, those before the last mark.
    private var marked = 0
    /// Seconds of audio in the buffer, received since the last commit; without turn detection.
    private var buffered = 0.0
    private var held: [RealtimeEvent] = []
    /// A change of the turn detection that waits until all that was said before is final.
    private var pendingUpdate: Update?
    var marks: [Mark] = []
    /// The item that is being spoken, with turn detection.
    var turn: RealtimeItem?
    /// The items that the client commits, without turn detection; only the last one may still grow.
    var items: [RealtimeItem] = []
    /// Milliseconds at which the last turn ended.
    var lastEnd = 0
    private var lastInput = 0.0
    /// Why the session is ending, and when it ends at the latest.
    var end: (reason: StreamEnd, deadline: Double)?
    var isOver = false

    init(
        _ server: RealtimeServer, _ messages: RealtimeMessages, _ session: RealtimeSession, id: SessionID,
        slot: SessionSlot, budget: InputBudget, inputs: AsyncStream<StreamInput>.Continuation
    ) {
        self.server = server
        self.messages = messages
        self.session = session
        self.id = id
        self.slot = slot
        self.budget = budget
        self.inputs = inputs
        recognition = LiveRecognition(inputs)
        audio = session.audio
        greeting = Self.json(session, id: id, server, isBeta: messages.isBeta)
        (greeter, isBeta) = (messages, messages.isBeta)
    }

    private nonisolated let greeting: String
    private nonisolated let greeter: RealtimeMessages
    private nonisolated let isBeta: Bool

    /// Sends the first event.
    nonisolated func greet() { greeter.session("created", isBeta: isBeta, greeting) }

    private static func json(
        _ session: RealtimeSession, id: SessionID, _ server: RealtimeServer, isBeta: Bool
    ) -> String {
        let name = "sess_" + id.description.filter { $0 != "-" }
        let expires = WallTime.now.milliseconds / 1000 + Int(server.settings.maxSession)
        let model = server.models.defaultModel
        return isBeta
            ? session.flatJSON(id: name, model: model, expires: expires)
            : session.json(id: name, model: model, expires: expires)
    }

    /// Seconds since the session began.
    var now: Double { start.duration(to: .now) / .seconds(1) }

    /// Runs the session to its end.
    func run(_ stream: AsyncStream<StreamInput>) async {
        let ticker = LiveRecognition.ticker(inputs)
        for await input in stream {
            await react(to: input)
            if isOver { break }
            budget.regulate(messages.connection, isBehind: recognition.queuedSeconds > server.settings.maxQueue)
        }
        ticker.cancel()
        inputs.finish()
        await recognition.cancel()
    }

    private func react(to input: StreamInput) async {
        do throws(StreamEnd) {
            guard messages.connection.queuedBytes <= Self.maxQueued else { throw .slowReader }
            switch input {
            case .text(let text):
                defer { budget.release(text.utf8.count) }
                lastInput = now
                try await receive(RealtimeEvent(text))
            case .binary(let bytes):
                defer { budget.release(bytes.count) }
                lastInput = now
                guard controlEvents.count() else { throw .tooManyMessages }
                messages.error(.binaryMessage)
            case .flooded: throw .tooManyMessages
            case .closed: throw .disconnected
            case .shutDown: throw .shutDown
            case .evicted: throw .idle
            case .tick: try checkTime()
            case .speakers(.success(let networks)): recognition.use(networks)
            case .speakers(.failure(let error)): messages.error(error)
            case .loaded(.success(let model)): try begin(model)
            case .loaded(.failure): throw .failed
            case .update(let update):
                show(update)
                try await release()
            case .finished(let hasFailed):
                if recognition.hasStoppedForRest() { return }
                guard let end, !hasFailed else { throw .failed }
                close(end.reason)
            }
        } catch {
            stop(error)
        }
    }

    private func checkTime() throws(StreamEnd) {
        let now = now
        if let end {
            if now >= end.deadline { close(end.reason) }
            return
        }
        if now >= server.settings.maxSession { throw .expired }
        if now - lastInput >= server.settings.maxPause { throw .inactive }
        if turn == nil, marks.isEmpty { recognition.restIfSilent() }
    }

    // MARK: - Events

    private func receive(_ event: RealtimeEvent) async throws(StreamEnd) {
        guard end == nil else { return }
        if case .success(.append(let bytes)) = event.kind, !bytes.isEmpty {
            // Costs the client as much as it costs us.
        } else if !controlEvents.count() || recognition.queuedEvents > Self.maxEvents {
            throw .tooManyMessages
        }
        if isHolding { held.append(event) } else { try await perform(event) }
    }

    /// Whether the client's events wait for the recognition.
    private var isHolding: Bool {
        pendingUpdate != nil || marks.contains { $0.reason != .item && !$0.isReached }
    }

    /// Performs the events that no longer wait.
    private func release() async throws(StreamEnd) {
        if let update = pendingUpdate, marks.isEmpty {
            pendingUpdate = nil
            try apply(update)
        }
        while !isHolding, !held.isEmpty { try await perform(held.removeFirst()) }
    }

    private func perform(_ event: RealtimeEvent) async throws(StreamEnd) {
        do {
            switch try event.kind.get() {
            case .append(let bytes): try append(bytes)
            case .commit: try commit(event.id)
            case .clear: try clear()
            case .update(let session, let isBeta): try await update(session, isBeta: isBeta)
            }
        } catch let error as HTTPError {
            messages.error(error, eventID: event.id)
        } catch let error as StreamEnd {
            throw error
        } catch {
            throw .failed
        }
    }

    private func append(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        if !recognition.isLoading {
            modelName = try server.model(of: session)
            recognition.load(modelName, of: server.models, wantsSpeakers: session.wantsSpeakers)
        }
        let before = audio.seconds
        // In pieces, because samples take more memory than bytes.
        for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
            try feed(audio.samples(Array(bytes[start..<min(start + 1 << 16, bytes.count)])))
        }
        slot.heard(seconds: audio.seconds - before)
        guard session.turns == nil else { return }
        if items.last?.isCommitted != false { items.append(RealtimeItem(start: 0)) }
        buffered += audio.seconds - before
    }

    private func feed(_ samples: [Float]) throws(StreamEnd) {
        guard !samples.isEmpty else { return }
        fed += samples.count
        try recognition.feed(samples)
    }

    private func commit(_ eventID: String?) throws {
        if audio.isInsideSample {
            throw HTTPError.invalid("audio", "The audio ends inside a sample: it has an odd number of bytes.")
        }
        if session.turns != nil {
            guard try mark(.commit(eventID)) else { throw HTTPError.emptyBuffer(milliseconds: 0) }
            return
        }
        guard 1000 * buffered >= Self.minimum else { throw HTTPError.emptyBuffer(milliseconds: 1000 * buffered) }
        try commitItem()
    }

    /// Ends the last item, which the client commits.
    private func commitItem() throws(StreamEnd) {
        let last = items.count - 1
        items[last].end = buffered
        items[last].isCommitted = true
        messages.committed(items[last])
        buffered = 0
        try mark(.item)
    }

    private func clear() throws(StreamEnd) {
        if session.turns != nil {
            if try !mark(.clear) { messages.cleared() }
            return
        }
        try dropItem()
        messages.cleared()
    }

    /// Forgets the audio that the client has not committed.
    private func dropItem() throws(StreamEnd) {
        buffered = 0
        if items.last?.isCommitted == false { try mark(.item) }
    }

    /// Makes the audio so far final.
    ///
    /// - Returns: `false` if there has been none since the last mark.
    @discardableResult
    private func mark(_ reason: Mark.Reason) throws(StreamEnd) -> Bool {
        try feed(audio.flush())
        guard fed > marked else { return false }
        marked = fed
        marks.append(Mark(reason: reason))
        try recognition.endUtterance()
        return true
    }

    // MARK: - Settings

    private func update(_ value: JSONValue, isBeta: Bool) async throws {
        var new = session
        try new.update(value, isStrict: server.settings.isStrict)
        try await server.check(new)
        let hasModel = recognition.isLoading
        guard try !hasModel || server.model(of: new) == modelName,
            !hasModel || new.wantsSpeakers == session.wantsSpeakers
        else {
            throw HTTPError.invalid(
                "session.audio.input.transcription.model", "The model cannot be changed after audio has been sent.")
        }
        let update = Update(session: new, isBeta: isBeta)
        if (new.turns == nil) != (session.turns == nil) {
            if session.turns != nil {
                try mark(.settle)
            } else if 1000 * buffered >= Self.minimum {
                try commitItem()
            } else {
                try dropItem()
            }
            guard marks.isEmpty else {
                pendingUpdate = update
                return
            }
        }
        try apply(update)
    }

    private func apply(_ update: Update) throws(StreamEnd) {
        if update.session.format != session.format {
            try feed(audio.finish())
            audio = update.session.audio
        }
        session = update.session
        configure()
        let isFlat = update.isBeta || messages.isBeta
        messages.session(
            "updated", isBeta: update.isBeta, Self.json(session, id: id, server, isBeta: isFlat))
    }

    private func configure() {
        if let model = recognition.model { recognition.change(model.suited(session.change)) }
    }

    /// Starts recognition when the model is loaded.
    private func begin(_ model: ServedModel) throws(StreamEnd) {
        try recognition.begin(model, server.settings.streaming, id: id)
        configure()
        try recognition.catchUp()
        if end != nil { recognition.finish([]) }
    }

    // MARK: - End

    /// Ends the session, after its last words if there is time for them.
    private func stop(_ reason: StreamEnd) {
        guard reason.finishesTurn else { return close(reason) }
        guard end == nil else { return }
        // Nothing has been said that is not answered.
        if recognition.isResting { return close(reason) }
        end = (reason, now + server.settings.endTime)
        held = []
        do throws(StreamEnd) {
            if session.turns != nil { try mark(.settle) } else { try dropItem() }
        } catch {
            return close(error)
        }
        guard recognition.hasBegun || recognition.isWaiting else { return close(reason) }
        recognition.finish([])
    }

    private func close(_ reason: StreamEnd) {
        guard !isOver else { return }
        isOver = true
        guard reason != .disconnected else { return }
        for item in [turn].compactMap(\.self) + items where item.isCommitted && session.transcription != nil {
            messages.failed(item, .recognitionFailed)
        }
        if let error = HTTPError(reason) { messages.error(error) }
        messages.connection.close(reason.realtimeCode, reason.reason)
    }
}

extension StreamEnd {
    fileprivate var realtimeCode: Int {
        switch self {
        case .shutDown, .expired, .inactive, .idle: 1001
        case .tooManyMessages, .tooFast: 1008
        // libsoup has no code for overload.
        case .failed, .slowReader: 1011
        default: 1000
        }
    }
}

extension HTTPError {
    fileprivate static let binaryMessage = HTTPError(
        400, "Binary messages are not supported. Send audio as base64 in input_audio_buffer.append.",
        code: "invalid_value")
    static let recognitionFailed = HTTPError(
        500, "The audio could not be transcribed.", type: "server_error", code: "server_error")

    static func emptyBuffer(milliseconds: Double) -> HTTPError {
        let hundredths = Int((100 * milliseconds).rounded())
        let shown = "\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10)"
        return HTTPError(
            400,
            "Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but buffer only "
                + "has \(shown)ms of audio.", code: "input_audio_buffer_commit_empty")
    }

    /// The error that ends a session; `nil` if it ends normally.
    fileprivate init?(_ reason: StreamEnd) {
        switch reason {
        case .expired: self.init(400, "Your session hit the maximum duration.", code: "session_expired")
        case .inactive: self.init(400, "Nothing was received for too long.", code: "session_expired")
        case .idle:
            self.init(400, "There was no audio for too long, while others were waiting.", code: "session_expired")
        case .tooManyMessages, .tooFast:
            self.init(429, "Events are sent too fast.", code: "rate_limit_exceeded")
        case .failed: self = .recognitionFailed
        case .slowReader:
            self.init(400, "Events are not read fast enough.", code: "rate_limit_exceeded")
        default: return nil
        }
    }
}
