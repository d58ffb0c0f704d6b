import Glibc
import WhisperEngine

/// Presses turned into texts: the rules of push to talk joined with sound, sessions, delivery, keys and signals.
actor DictateWork {
    let options: DictateOptions
    let input: AudioInput
    private let text: DictationText
    private let delivery: Delivery
    private let context: CommandContext
    let display: DictateDisplay
    private let keys: DictateKeys
    private let begin = ContinuousClock.now

    private(set) var rules: PushToTalk
    /// The last recording being worked on; each waits for the one before it.
    private var work: Task<Void, Never>?
    private var fatal: (any Error)?
    private let (ends, end) = AsyncStream<Void>.makeStream()
    /// What keys and signals ask for, in their order.
    private let asked: AsyncStream<PushToTalk.Input>
    private let ask: AsyncStream<PushToTalk.Input>.Continuation

    let tap = AudioTap()
    var source: (any CaptureSource)?
    /// Which of the sources that were opened one after the other.
    var sourceNumber = 0
    var listening: Task<Void, Never>?
    var current: Dictation?

    /// Between two looks at the line: while something moves in it, and else, when waking up is all that is done.
    private static let frames = (moving: Duration.milliseconds(50), still: Duration.milliseconds(100))

    init(
        recognizer: Recognizer, detector: (any VoiceActivityDetector)?, options: DictateOptions, input: AudioInput,
        journal: DictationJournal?, delivery: Delivery, context: CommandContext
    ) {
        self.options = options
        self.input = input
        self.delivery = delivery
        self.context = context
        display = DictateDisplay(options, context: context)
        text = DictationText(
            recognizer: recognizer, detector: detector, options: options.streaming, journal: journal, display: display)
        (asked, ask) = AsyncStream<PushToTalk.Input>.makeStream()
        keys = DictateKeys(context: context, display: display, ask: ask)
        rules = PushToTalk(toggles: options.toggles)
    }

    /// - Parameter first: the source of sound, opened already.
    func run(_ first: any CaptureSource) async throws -> ExitStatus {
        if !options.closesDevice { listen(first) }
        keys.watchSignals()
        context.signals.beforeAbort { KeyMode.restore() }
        let typing = await keys.start(input, toggles: options.toggles)
        if let file = options.processFile {
            try AtomicFile.write(Array("\(getpid())\n".utf8), to: file)
            context.signals.beforeAbort { AtomicFile.remove(file) }
        }
        defer { if let file = options.processFile { AtomicFile.remove(file) } }
        let ticker = Task {
            while !Task.isCancelled {
                await self.passTime()
                try? await Task.sleep(for: self.isStill ? Self.frames.still : Self.frames.moving)
            }
        }
        let listener = Task { for await input in asked { self.take(input) } }
        for await _ in ends { break }
        source?.stop()
        tap.end()
        await work?.value
        ask.finish()
        await listener.value
        ticker.cancel()
        await ticker.value
        typing?.cancel()
        await typing?.value
        await listening?.value
        await display.hide()
        KeyMode.restore()
        keys.unwatchSignals()
        if let fatal { throw fatal }
        return context.signals.received ?? .success
    }

    private var now: Double { (ContinuousClock.now - begin) / Duration.seconds(1) }

    private var isStill: Bool { !rules.isRecording && rules.phase(at: now) == .idle }

    // MARK: Rules

    func take(_ input: PushToTalk.Input) {
        switch input {
        case .failed(let reason), .trouble(let reason): Task { await display.tell(reason) }
        default: break
        }
        for effect in rules.handle(input, at: now) { perform(effect) }
    }

    private func passTime() async {
        for effect in rules.tick(at: now) { perform(effect) }
        await display.draw(rules.phase(at: now), level: tap.level, at: now)
    }

    private func perform(_ effect: PushToTalk.Effect) {
        switch effect {
        case .begin: startRecording()
        case .confirm: if options.ringsBell { Task { await display.ring() } }
        case .finish:
            current = nil
            stopSound()
        case .drop:
            current?.drop()
            current = nil
            tap.end()
            setInterval()
            rest()
        case .quit:
            // From now on Ctrl-C ends the program although a text is still being worked on.
            context.signals.watch(SIGINT, nil)
            end.yield()
        }
    }

    private func startRecording() {
        guard let dictation = openRecording() else { return take(.cancel) }
        work = Task { [previous = work] in
            await previous?.value
            await self.transcribe(dictation)
        }
    }

    private func transcribe(_ dictation: Dictation) async {
        guard !dictation.isDropped else { return }
        do {
            let text = try await text.text(of: dictation)
            guard !dictation.isDropped else { return }
            guard !text.isEmpty else {
                return take(tap.isSilent ? .failed("no signal; is the microphone muted?") : .nothingHeard)
            }
            await deliver(text + (options.appendsSpace ? " " : ""))
        } catch {
            take(.failed(Self.oneLine(error)))
        }
    }

    private func deliver(_ text: String) async {
        do {
            try await display.deliver(text)
        } catch {
            return fail(error)
        }
        let failure = await delivery.deliver(text)
        if options.ringsBell { await display.ring() }
        if let failure {
            take(.failed(failure))
        } else {
            take(.delivered(words: text.split(whereSeparator: \.isWhitespace).count))
        }
    }

    /// Ends the run.
    func fail(_ error: any Error) {
        fatal = error
        end.yield()
    }

    static func oneLine(_ error: any Error) -> String {
        let report = EngineErrors.report(error)
        return [report?.what ?? "\(error)", report?.cure].compactMap(\.self).joined(separator: "; ")
    }
}
