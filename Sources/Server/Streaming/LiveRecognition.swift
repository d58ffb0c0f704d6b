import WhisperEngine

/// The recognition of a streaming session. What arrives before the model is loaded waits for it.
struct LiveRecognition {
    /// What to pass on to the recognition.
    private enum Action {
        case feed([Float])
        case endUtterance
    }

    private static let tick = Duration.milliseconds(100)

    private let inputs: AsyncStream<StreamInput>.Continuation
    private var loading: Task<Void, Never>?
    private var networks: SpeakerNetworks?
    private var waiting: [Action] = []
    private var waitingSamples = 0
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
    /// Audio that is waiting for recognition.
    var queuedSeconds: Double { AudioChunk.seconds(of: session?.queuedSamples ?? waitingSamples) }
    var queuedEvents: Int { session?.queuedEvents ?? 0 }

    /// Loads the model, which arrives as an input.
    ///
    /// - Parameters:
    ///   - name: of the model; `nil` for the default one.
    ///   - wantsSpeakers: whether the speaker networks arrive before it.
    mutating func load(_ name: String?, of models: any ModelProvider, wantsSpeakers: Bool) {
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
                start: SessionStart(id: id))
        } catch {
            throw .failed
        }
        (self.model, self.session) = (model, session)
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
        waiting = []
        for action in actions { try perform(action) }
    }

    mutating func feed(_ samples: [Float]) throws(StreamEnd) { try perform(.feed(samples)) }

    /// Makes all audio so far final.
    mutating func endUtterance() throws(StreamEnd) { try perform(.endUtterance) }

    func change(_ change: SessionChange) { session?.change(change) }

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

    private mutating func perform(_ action: Action) throws(StreamEnd) {
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
