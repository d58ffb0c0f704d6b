import WhisperEngine

/// A streaming session: processes its inputs one after another. Recognition runs elsewhere.
actor StreamRun {
    /// Milliseconds of a frame.
    private static let maxFrame = 5000
    private static let strictFrame = 50...1000
    /// Ends of utterances and changes of settings that may wait for the recognition of the audio before them.
    private static let maxEvents = 200
    /// Seconds that audio may be ahead of real time in strict mode.
    private static let maxLead = 30.0

    let connection: any WebSocketConnection
    let dialect: any StreamDialect
    let settings: AssemblyAISettings
    private let server: AssemblyAIServer
    private let id: SessionID
    private let budget: InputBudget
    private let slot: SessionSlot
    private var controlMessages = RateLimit.control
    private let inputs: AsyncStream<StreamInput>.Continuation
    private let start = ContinuousClock.now
    let maxSeconds: Double

    var parameters: StreamingParameters
    var builder: TurnBuilder
    var audio: StreamAudio
    var recognition: LiveRecognition
    /// When the last message arrived, in seconds since the session began.
    var lastInput = 0.0
    /// When the last heartbeat was sent, in seconds since the session began.
    var lastHeartbeat = 0.0
    /// Why the session is ending, and when it ends at the latest.
    var end: (reason: StreamEnd, deadline: Double)?
    var isOver = false

    init(
        _ server: AssemblyAIServer, _ connection: any WebSocketConnection, _ dialect: any StreamDialect,
        _ parameters: StreamingParameters, id: SessionID, slot: SessionSlot, maxSeconds: Int, budget: InputBudget,
        inputs: AsyncStream<StreamInput>.Continuation
    ) {
        self.server = server
        settings = server.settings
        self.connection = connection
        self.dialect = dialect
        self.parameters = parameters
        self.id = id
        self.maxSeconds = Double(maxSeconds)
        self.budget = budget
        self.slot = slot
        self.inputs = inputs
        recognition = LiveRecognition(inputs)
        audio = StreamAudio(parameters.encoding.samples, sampleRate: parameters.sampleRate)
        builder = TurnBuilder(
            threshold: parameters.endOfTurnThreshold, minSilence: parameters.minTurnSilence,
            format: dialect.format(parameters))
    }

    /// Seconds since the session began.
    var now: Double { start.duration(to: .now) / .seconds(1) }

    /// Runs the session to its end.
    ///
    /// - Parameter model: the name of the model; `nil` for the default one.
    func run(_ stream: AsyncStream<StreamInput>, model: String?) async {
        recognition.load(model, of: server.models, wantsSpeakers: parameters.wantsSpeakers)
        let ticker = LiveRecognition.ticker(inputs)
        for await input in stream {
            react(to: input)
            if isOver { break }
        }
        ticker.cancel()
        inputs.finish()
        await recognition.cancel()
    }

    private func react(to input: StreamInput) {
        do throws(StreamEnd) {
            switch input {
            case .text(let text):
                defer { budget.release(text.utf8.count) }
                if end == nil { try receive(try dialect.clientMessage(text)) }
            case .binary(let bytes):
                defer { budget.release(bytes.count) }
                if end == nil { try receive(.audio(bytes)) }
            case .flooded: throw tooFast
            case .closed: throw .disconnected
            case .shutDown: throw .shutDown
            case .evicted: throw .idle
            case .tick: try checkTime()
            case .speakers(.success(let networks)): recognition.use(networks)
            case .speakers(.failure):
                warn("Speakers are not identified: speakers.safetensors is missing or damaged. Words have no speaker.")
            case .loaded(.success(let model)): try begin(model)
            case .loaded(.failure): throw .failed
            case .update(let update): try show(update)
            case .finished(let hasFailed):
                if recognition.hasStoppedForRest() { return }
                guard let end else { throw .failed }
                close(hasFailed && end.reason == .terminated ? .failed : end.reason)
            }
        } catch {
            stop(error)
        }
    }

    private func warn(_ text: String) {
        if end == nil, let warning = dialect.warning(text) { connection.send(warning) }
    }

    /// Passes the client's parameters on, and warns of those that the model cannot use.
    private func configure(_ model: ServedModel) {
        let unknown = parameters.languages.filter { !model.traits.knows($0) }
        if !unknown.isEmpty {
            warn("The model \(model.shownName) does not know \(unknown.joined(separator: ", ")), which is ignored.")
            parameters.languages.removeAll { unknown.contains($0) }
        }
        if model.traits.maxPromptTokens == nil, parameters.sessionChange.initialPrompt?.isEmpty == false {
            warn("The model \(model.shownName) takes no prompt. It is ignored.")
            parameters.prompt = ""
        }
        recognition.change(model.suited(parameters.sessionChange))
    }

    private func receive(_ message: ClientMessage) throws(StreamEnd) {
        lastInput = now
        if case .audio(let bytes) = message { return try receive(bytes) }
        guard controlMessages.count(), recognition.queuedEvents <= Self.maxEvents else { throw .tooManyMessages }
        switch message {
        case .audio: break
        case .update(let update):
            parameters.apply(update)
            builder.threshold = parameters.endOfTurnThreshold
            builder.minSilence = parameters.minTurnSilence
            builder.format = dialect.format(parameters)
            if let model = recognition.model { configure(model) }
        case .forceEndpoint: try recognition.endUtterance()
        case .keepAlive: break
        case .terminate: throw .terminated
        }
    }

    private func receive(_ bytes: [UInt8]) throws(StreamEnd) {
        guard !bytes.isEmpty else { return }
        let milliseconds = audio.milliseconds(bytes)
        let isAllowed =
            settings.isStrict ? Self.strictFrame.contains(milliseconds) : milliseconds <= Self.maxFrame
        guard isAllowed else { throw .wrongDuration(milliseconds: milliseconds) }
        let before = audio.seconds
        let samples = audio.samples(bytes)
        slot.heard(seconds: audio.seconds - before)
        if settings.isStrict, audio.seconds > now + Self.maxLead { throw tooFast }
        try recognition.feed(samples)
        if recognition.queuedSeconds > settings.maxQueue { throw tooFast }
    }

    private var tooFast: StreamEnd { .tooFast(received: audio.seconds, elapsed: now) }

    /// Starts recognition when the model is loaded.
    private func begin(_ model: ServedModel) throws(StreamEnd) {
        var options = settings.streaming
        options.transcription.multilingual = parameters.reportsLanguage
        try recognition.begin(model, options, id: id, maxSpeakers: parameters.maxSpeakers)
        configure(model)
        try recognition.catchUp()
        if end != nil { recognition.finish(audio.finish()) }
    }
}
