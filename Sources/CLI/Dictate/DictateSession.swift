import Glibc
import WhisperEngine

/// One run of `dictate`: joins the rules of push to talk with capture, recognition, delivery, keys and signals.
actor DictateSession {
    let options: DictateOptions
    let input: AudioInput
    let display: DictateDisplay
    private let transcriber: PressTranscriber
    private let delivery: TextDelivery
    private let context: CommandContext
    private let controls: DictateControls
    private let start = ContinuousClock.now

    private(set) var rules: PushToTalk
    private var server: DictateServer?
    /// The latest recording's transcription; each one waits for the previous one.
    private var transcription: Task<Void, Never>?
    /// The latest problem being reported.
    private var reports: Task<Void, Never>?
    private var failure: (any Error)?
    private let (endRequests, requestEnd) = AsyncStream<Void>.makeStream()
    /// What keys and signals report, in order.
    private let events: AsyncStream<PushToTalk.Event>
    private let eventSink: AsyncStream<PushToTalk.Event>.Continuation

    let preRoll = PreRollBuffer()
    var source: (any CaptureSource)?
    /// Counts the sources opened so far, to recognize late events of an earlier one.
    var sourceNumber = 0
    var capture: Task<Void, Never>?
    var current: PressRecording?

    /// How often the status line is redrawn: when it is changing, and when it is idle and a wake-up is the only cost.
    private static let redrawIntervals = (active: Duration.milliseconds(50), idle: Duration.milliseconds(100))

    init(
        transcriber: PressTranscriber, delivery: TextDelivery, display: DictateDisplay, options: DictateOptions,
        input: AudioInput, context: CommandContext
    ) {
        self.transcriber = transcriber
        self.delivery = delivery
        self.display = display
        self.options = options
        self.input = input
        self.context = context
        (events, eventSink) = AsyncStream<PushToTalk.Event>.makeStream()
        controls = DictateControls(context: context, display: display, events: eventSink)
        rules = PushToTalk(toggles: options.toggles)
    }

    /// - Parameters:
    ///   - firstSource: already open.
    ///   - server: asks what `answer` answers.
    ///   - key: that of `--key`.
    func run(
        _ firstSource: any CaptureSource, server: DictateServer?, key: HeldKey?
    ) async throws -> ExitStatus {
        self.server = server
        if !options.closesDevice { listen(to: firstSource) }
        controls.watchSignals()
        context.signals.beforeAbort { KeyMode.restore() }
        context.signals.beforeAbort { server?.end() }
        server?.run { await self.answer($0) }
        key?.watch { self.receive($0) }
        let keys = await controls.readKeys(input, toggles: options.toggles)
        let ticker = Task {
            while !Task.isCancelled {
                await self.tick()
                try? await Task.sleep(for: self.isIdle ? Self.redrawIntervals.idle : Self.redrawIntervals.active)
            }
        }
        let eventHandler = Task { for await event in events { self.handle(event) } }
        for await _ in endRequests { break }
        server?.end()
        key?.stop()
        source?.stop()
        preRoll.stopRecording()
        await transcription?.value
        await delivery.finish()
        eventSink.finish()
        await eventHandler.value
        await reports?.value
        ticker.cancel()
        await ticker.value
        keys?.cancel()
        await keys?.value
        await capture?.value
        if options.playsSounds { DictateSounds.finish() }
        await display.hide()
        KeyMode.restore()
        controls.unwatchSignals()
        if let failure {
            // Whoever started this in the background sees no error.
            if !context.streams.errorIsTerminal { await delivery.notify(Self.singleLine(failure)) }
            throw failure
        }
        return context.signals.received ?? .success
    }

    var now: Double { (ContinuousClock.now - start) / Duration.seconds(1) }

    private var isIdle: Bool { !rules.isRecording && rules.phase(at: now) == .idle }

    // MARK: Push to talk

    func handle(_ event: PushToTalk.Event) {
        switch event {
        case .recordingFailed(let reason), .captureFailed(let reason):
            reports = Task { [previous = reports] in
                await previous?.value
                await display.report(reason)
                if !context.streams.errorIsTerminal { await delivery.notify(reason) }
            }
        default: break
        }
        for effect in rules.handle(event, at: now) { perform(effect) }
        server?.publish(status)
    }

    /// What happens to the key of `--key`.
    private nonisolated func receive(_ event: HeldKey.Event) {
        switch event {
        case .given(let note): Task { await display.note(note) }
        case .pressed: eventSink.yield(.press(.withRelease))
        case .released: eventSink.yield(.release)
        case .failed(let report): Task { await self.fail(report) }
        }
    }

    private var status: DictateStatus { DictateStatus(rules.phase(at: now), isRecording: rules.isRecording) }

    /// Does what another process asks.
    private func answer(_ verb: DictateRemote.Verb) -> DictateStatus {
        switch verb {
        case .start: handle(.start)
        case .stop: handle(.stop)
        case .toggle: handle(rules.isRecording ? .stop : .start)
        case .cancel: handle(.cancel)
        case .quit: handle(.quit)
        case .status: break
        }
        return status
    }

    private func tick() async {
        for effect in rules.tick(at: now) { perform(effect) }
        server?.publish(status)
        await display.draw(rules.phase(at: now), level: preRoll.level, at: now)
    }

    private func perform(_ effect: PushToTalk.Effect) {
        switch effect {
        case .start: startRecording()
        case .confirm:
            if options.ringsBell { Task { await display.ring() } }
            if options.playsSounds { DictateSounds.started.play() }
        case .finish:
            if options.playsSounds { DictateSounds.ended.play() }
            current = nil
            stopCapture()
        case .discard:
            current?.discard()
            current = nil
            preRoll.stopRecording()
            setInterval()
            pauseCapture()
        case .quit:
            // From now on Ctrl-C ends the program, even while a text is still being recognized.
            context.signals.watch(SIGINT, nil)
            requestEnd.yield()
        }
    }

    private func startRecording() {
        guard let recording = openRecording() else {
            handle(.cancel)
            return handle(.captureFailed("the recording has ended; q quits"))
        }
        transcription = Task { [previous = transcription] in
            await previous?.value
            await self.transcribe(recording)
        }
    }

    private func transcribe(_ recording: PressRecording) async {
        guard !recording.isDiscarded else { return }
        do {
            let text = try await transcriber.text(of: recording)
            guard !recording.isDiscarded else { return }
            guard !text.isEmpty else {
                let isMuted = preRoll.isSilent && !recording.hasSignal
                return handle(isMuted ? .recordingFailed("no signal; is the microphone muted?") : .noSpeech)
            }
            await deliver(text + (options.ending?.text ?? ""))
        } catch {
            handle(.recordingFailed(Self.singleLine(error)))
        }
    }

    private func deliver(_ text: String) async {
        do {
            try await display.print(text)
        } catch {
            return fail(error)
        }
        let failure = await delivery.deliver(text)
        if options.ringsBell { await display.ring() }
        if let failure {
            handle(.recordingFailed(failure))
        } else {
            handle(.delivered(words: text.split(whereSeparator: \.isWhitespace).count))
        }
    }

    /// Ends the run with an error.
    func fail(_ error: any Error) {
        failure = error
        requestEnd.yield()
    }

    static func singleLine(_ error: any Error) -> String {
        (error as? any ReportedError)?.report.singleLine ?? "\(error)"
    }
}
