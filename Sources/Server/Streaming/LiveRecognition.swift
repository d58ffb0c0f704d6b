import WhisperEngine

/// The recognition of a streaming session. What arrives before the model is loaded waits for it.
///
/// Without sound for some time, it gives its model back, and asks for it again at the next sound.
struct LiveRecognition {
    /// What to pass on to the recognition.
    private enum Action {
        case feed([Float])
        case endUtterance
    }

    /// A recognition without a model, which waits for sound.
    private struct Rest {
        var detector: any VoiceActivityDetector
        /// The last samples, which may belong to the next sound.
        var recent: [Float] = []
    }

    private static let tick = Duration.milliseconds(100)
    /// Audio kept during a rest, more than any detector's pre-roll.
    private static let recentSamples = AudioChunk.sampleRate
    /// Audio that may wait at a moment in which the recognition is not busy.
    private static let idleSeconds = 0.5

    private let inputs: AsyncStream<StreamInput>.Continuation
    private var loading: Task<Void, Never>?
    private var source: (name: String?, models: any ModelProvider)?
    private var networks: SpeakerNetworks?
    private var waiting: [Action] = []
    private var waitingSamples = 0
    /// Samples so far.
    private var clock = 0
    private var rest: Rest?
    /// Sessions that have been stopped for a rest, and have not reported their end yet.
    private var stopping = 0
    private var lastSound = ContinuousClock.now
    private var speechThreshold: Float?
    /// Both are `nil` until the model is loaded.
    private(set) var model: ServedModel?
    private var session: StreamingSession?

    init(_ inputs: AsyncStream<StreamInput>.Continuation) { self.inputs = inputs }

    /// Sends the session a tick ten times a second, until the task is cancelled.
    static func ticker(_ inputs: AsyncStream<StreamInput>.Continuation) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: tick)
                inputs.yield(.tick)
            }
        }
    }

    var isLoading: Bool { loading != nil }
    var hasBegun: Bool { session != nil }
    var isWaiting: Bool { !waiting.isEmpty }
    /// Whether there is no sound, and no model.
    var isResting: Bool { rest != nil }
    /// Audio that is waiting for recognition.
    var queuedSeconds: Double { AudioChunk.seconds(of: session?.queuedSamples ?? waitingSamples) }
    var queuedEvents: Int { session?.queuedEvents ?? 0 }

    /// Loads the model, which arrives as an input.
    ///
    /// - Parameters:
    ///   - name: of the model; `nil` for the default one.
    ///   - wantsSpeakers: whether the speaker networks arrive before it.
    mutating func load(_ name: String?, of models: any ModelProvider, wantsSpeakers: Bool) {
        source = (name, models)
        loading = Task { [inputs] in
            if wantsSpeakers { inputs.yield(.speakers(await Self.networks(models))) }
            do throws(HTTPError) {
                inputs.yield(.loaded(.success(try await models.model(name))))
            } catch {
                inputs.yield(.loaded(.failure(error)))
            }
        }
    }

    private static func networks(_ models: any ModelProvider) async -> Result<SpeakerNetworks, HTTPError> {
        do throws(HTTPError) { return .success(try await models.speakerNetworks()) } catch { return .failure(error) }
    }

    mutating func use(_ networks: SpeakerNetworks) { self.networks = networks }

    /// Starts when the model is loaded. Its updates arrive as inputs.
    ///
    /// - Parameter maxSpeakers: if they are identified.
    mutating func begin(
        _ model: ServedModel, _ options: StreamingOptions, id: SessionID, maxSpeakers: Int? = nil
    ) throws(StreamEnd) {
        var options = options
        options.reportsUtterances = true
        options.transcription.terms = model.defaults.terms
        options.transcription.replacements = model.defaults.replacements
        options.transcription.speakers = networks.map { networks in
            SpeakerOptions(
                networks: networks, limits: SpeakerLimits(maximum: maxSpeakers), names: SpeakerNames.letters)
        }
        let session: StreamingSession
        do {
            session = try StreamingSession(
                model.recognizer, options: options, detector: model.detector.makeLiveDetector(), journal: nil,
                start: SessionStart(id: id, clock: clock - waitingSamples))
        } catch {
            throw .failed
        }
        (self.model, self.session) = (model, session)
        lastSound = .now
        Task { [inputs] in
            do {
                for try await update in session.updates { inputs.yield(.update(update)) }
                inputs.yield(.finished(hasFailed: false))
            } catch {
                inputs.yield(.finished(hasFailed: true))
            }
        }
    }

    /// Passes on what has waited for the model, after `begin` and the first change.
    mutating func catchUp() throws(StreamEnd) {
        let actions = waiting
        (waiting, waitingSamples) = ([], 0)
        for action in actions { try perform(action) }
    }

    mutating func feed(_ samples: [Float]) throws(StreamEnd) {
        clock += samples.count
        try perform(.feed(samples))
    }

    /// Makes all audio so far final.
    mutating func endUtterance() throws(StreamEnd) { try perform(.endUtterance) }

    mutating func change(_ change: SessionChange) {
        speechThreshold = change.speechThreshold ?? speechThreshold
        session?.change(change)
    }

    /// Makes all audio final, the last samples included; `finished` follows.
    func finish(_ samples: [Float]) {
        guard let session else { return }
        try? session.feed(samples)
        session.endUtterance()
        Task { try? await session.stop() }
    }

    func cancel() async {
        loading?.cancel()
        await session?.cancel()
    }

    // MARK: - Silence

    /// Gives the model back if there has been no sound for as long as models are kept. A session with speakers keeps it,
    /// because it would not know their voices afterwards.
    ///
    /// - Returns: whether it has.
    @discardableResult
    mutating func restIfSilent() -> Bool {
        guard let idleTime = source?.models.idleTime, let session, let model, networks == nil else { return false }
        if session.status.speech || queuedSeconds > Self.idleSeconds || queuedEvents > 0 { lastSound = .now }
        guard ContinuousClock.now - lastSound >= .seconds(idleTime) else { return false }
        var detector = model.detector.makeLiveDetector()
        if let speechThreshold { detector.setThreshold(speechThreshold) }
        rest = Rest(detector: detector)
        model.lease?.idle(since: lastSound)
        stopping += 1
        Task { try? await session.stop() }
        (self.model, self.session) = (nil, nil)
        return true
    }

    /// Whether a session that has ended was stopped for a rest.
    mutating func hasStoppedForRest() -> Bool {
        guard stopping > 0 else { return false }
        stopping -= 1
        return true
    }

    /// Waits for sound.
    private mutating func listen(_ samples: [Float], in rest: Rest) {
        var rest = rest
        let isSound = !rest.detector.feed(samples).isEmpty
        rest.recent = Array((rest.recent + samples).suffix(Self.recentSamples + (isSound ? samples.count : 0)))
        self.rest = rest
        if isSound { wake() }
    }

    /// Asks for the model again.
    private mutating func wake() {
        guard let recent = rest?.recent, let source else { return }
        rest = nil
        if !recent.isEmpty { waiting = [.feed(recent)] }
        waitingSamples = recent.count
        load(source.name, of: source.models, wantsSpeakers: false)
    }

    private mutating func perform(_ action: Action) throws(StreamEnd) {
        switch (rest, action) {
        case (let rest?, .feed(let samples)): return listen(samples, in: rest)
        case (_?, .endUtterance):
            wake()
            // It is answered even if there has been no audio.
            waiting.append(action)
            return
        case (nil, _): break
        }
        guard let session else { return wait(action) }
        switch action {
        case .feed(let samples):
            do { try session.feed(samples) } catch { throw .failed }
        case .endUtterance: session.endUtterance()
        }
    }

    /// Keeps an action until the model is loaded. Audio is collected, and an utterance without audio needs no end.
    private mutating func wait(_ action: Action) {
        switch (action, waiting.last) {
        case (.feed(let samples), .feed(var collected)):
            waitingSamples += samples.count
            // The array must have one owner, or else it would be copied.
            waiting.removeLast()
            collected += samples
            waiting.append(.feed(collected))
        case (.feed(let samples), _):
            waitingSamples += samples.count
            waiting.append(action)
        case (.endUtterance, .feed): waiting.append(action)
        case (.endUtterance, _): break
        }
    }
}

extension ServedModel {
    /// What a client asks of a session, without what this model cannot do.
    ///
    /// - Parameter change: its languages are those that the model knows; a prompt it cannot use is dropped.
    func suited(_ change: SessionChange) -> SessionChange {
        var change = change
        // A language that the model does not know would end the session.
        change.languages = change.languages?.filter { traits.knows($0) }
        if change.languages?.isEmpty != false {
            change.languages = defaults.language.map { [$0] } ?? defaults.languages
        }
        if traits.maxPromptTokens == nil { change.initialPrompt = nil }
        return change
    }
}
