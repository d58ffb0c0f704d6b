import Glibc
import WhisperEngine

/// Presses turned into texts: the rules of push to talk joined with sound, sessions, delivery, keys and signals.
actor DictateWork {
    private let recognizer: Recognizer
    /// As it is before it has heard anything; `nil` takes all sound for speech.
    private let detector: (any VoiceActivityDetector)?
    private let options: DictateOptions
    private let input: SoundInput
    private let journal: DictationJournal?
    private let delivery: Delivery
    private let context: CommandContext
    private let display: DictateDisplay
    private let tap = SoundTap()
    private let begin = ContinuousClock.now

    private var rules: PushToTalk
    private var source: (any CaptureSource)?
    /// Which of the sources that were opened one after the other.
    private var sourceNumber = 0
    private var listening: Task<Void, Never>?
    private var current: Dictation?
    /// The last recording being worked on; each waits for the one before it.
    private var work: Task<Void, Never>?
    private var fatal: (any Error)?
    private let (ends, end) = AsyncStream<Void>.makeStream()
    /// What signals ask for, in their order.
    private nonisolated let (asked, ask) = AsyncStream<PushToTalk.Input>.makeStream()
    /// The terminal tells of releases.
    private var tellsReleases = false

    /// Milliseconds between two looks at the microphone, at the line and at the keys. A press ends them early; without
    /// one, waking up is all that the program does.
    private typealias Pace = (sound: Int, line: Int, keys: Int32)
    private static let busy: Pace = (20, 50, 20)
    private static let idle: Pace = (100, 100, 100)
    /// Sound that is on its way from the device when a key is released.
    private static let onItsWay = Duration.milliseconds(60)

    init(
        recognizer: Recognizer, detector: (any VoiceActivityDetector)?, options: DictateOptions, input: SoundInput,
        journal: DictationJournal?, delivery: Delivery, context: CommandContext
    ) {
        self.recognizer = recognizer
        self.detector = detector
        self.options = options
        self.input = input
        self.journal = journal
        self.delivery = delivery
        self.context = context
        display = DictateDisplay(options, context: context)
        rules = PushToTalk(toggles: options.toggles)
    }

    /// - Parameter first: the source of sound, opened already.
    func run(_ first: any CaptureSource) async throws -> ExitStatus {
        if !options.closesDevice { listen(first) }
        watchSignals()
        context.signals.beforeAbort { KeyMode.restore() }
        let keys = await startKeys()
        if let file = options.processFile {
            try AtomicFile.write(Array("\(getpid())\n".utf8), to: file)
            context.signals.beforeAbort { AtomicFile.remove(file) }
        }
        defer { if let file = options.processFile { AtomicFile.remove(file) } }
        let ticker = Task {
            while !Task.isCancelled {
                await self.passTime()
                try? await Task.sleep(for: .milliseconds(self.pace.line))
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
        keys?.cancel()
        await keys?.value
        await listening?.value
        await display.hide()
        KeyMode.restore()
        for number in [SIGINT, SIGTSTP, SIGCONT, SIGUSR1, SIGUSR2] { context.signals.watch(number, nil) }
        if let fatal { throw fatal }
        return context.signals.received ?? .success
    }

    private var now: Double { (ContinuousClock.now - begin) / Duration.seconds(1) }

    /// Nothing is shown but what is there all the time.
    private var pace: Pace { rules.isRecording || rules.phase(at: now) != .idle ? Self.busy : Self.idle }

    // MARK: Rules

    private func take(_ input: PushToTalk.Input) {
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
        if options.closesDevice { source?.stop() }
        if source == nil || options.closesDevice, !openSource() { return take(.cancel) }
        let dictation = Dictation(sound: tap.begin())
        current = dictation
        setInterval()
        if !keepsListening { source?.resume() }
        work = Task { [previous = work] in
            await previous?.value
            await self.transcribe(dictation)
        }
    }

    private func stopSound() {
        guard keepsListening || options.closesDevice else {
            rest()
            return tap.end()
        }
        Task { [source] in
            try? await Task.sleep(for: Self.onItsWay)
            if options.closesDevice { return source?.stop() ?? () }
            // A new press has ended the last recording by itself.
            if current == nil { tap.end() }
            setInterval()
        }
    }

    /// A recording that stands in for a microphone waits between two presses.
    private func rest() {
        if options.closesDevice { source?.stop() } else if !keepsListening { source?.pause() }
    }

    private var keepsListening: Bool { input.isMicrophone }

    // MARK: Sound

    private func openSource() -> Bool {
        guard input.isMicrophone, let next = try? input.open(speed: .spoken) else {
            take(.trouble("the recording is over; q quits"))
            return false
        }
        listen(next)
        return true
    }

    private func setInterval() {
        source?.setInterval(.milliseconds(rules.isRecording ? Self.busy.sound : Self.idle.sound))
    }

    private func listen(_ source: any CaptureSource) {
        if !keepsListening { source.pause() }
        self.source = source
        setInterval()
        sourceNumber += 1
        listening = Task { [number = sourceNumber] in
            do {
                for try await event in source.events() { self.hear(event, from: number) }
                self.soundEnded(number, nil)
            } catch {
                self.soundEnded(number, error)
            }
        }
    }

    private func hear(_ event: CaptureEvent, from number: Int) {
        guard number == sourceNumber else { return }
        switch event {
        case .samples(let samples): tap.hear(samples, keepsHistory: keepsListening && !options.closesDevice)
        case .deviceLost(let reason):
            take(.soundEnded)
            take(.trouble("device lost, waiting: the microphone \(reason)"))
        case .stalled: take(.trouble("the microphone gives no sound; unmute it, or choose another device"))
        case .overrun(let lost):
            let seconds = ProgressLine.oneDecimal(Double(lost) / Double(AudioChunk.sampleRate))
            Task { await display.warning("\(seconds) s of sound lost") }
        case .deviceBack: break
        }
    }

    private func soundEnded(_ number: Int, _ error: (any Error)?) {
        guard number == sourceNumber else { return }
        source = nil
        tap.end()
        take(.soundEnded)
        guard let error else { return }
        guard tap.hasHeard else {
            fatal = error
            end.yield()
            return
        }
        let report = EngineErrors.report(error)
        take(.trouble([report?.what ?? "\(error)", report?.cure].compactMap(\.self).joined(separator: "; ")))
    }

    // MARK: Text

    private func transcribe(_ dictation: Dictation) async {
        guard !dictation.isDropped else { return }
        do {
            let finals = try await finals(of: dictation)
            guard !dictation.isDropped else { return }
            let text = String(finals.map(\.text).joined().drop { $0.isWhitespace })
            guard !text.isEmpty else {
                return take(tap.isSilent ? .failed("no signal; is the microphone muted?") : .nothingHeard)
            }
            await deliver(text + (options.appendsSpace ? " " : ""))
        } catch {
            let report = EngineErrors.report(error)
            take(.failed([report?.what ?? "\(error)", report?.cure].compactMap(\.self).joined(separator: "; ")))
        }
    }

    private func finals(of dictation: Dictation) async throws -> [TranscriptSegment] {
        let session = try StreamingSession(
            recognizer, options: options.streaming, detector: detector,
            journal: journal, start: journal?.start ?? SessionStart())
        dictation.attach(session)
        let reader = Task { [display] in
            var finals: [TranscriptSegment] = []
            for try await update in session.updates {
                switch update {
                case .final(let segment): finals.append(segment)
                case .volatile(let segment):
                    await display.show(volatile: finals.map(\.text).joined() + (segment?.text ?? ""))
                default: break
                }
            }
            return finals
        }
        for await samples in dictation.sound { try session.feed(samples) }
        if dictation.isDropped { await session.cancel() } else { try await session.stop() }
        let finals = try await reader.value
        await display.show(volatile: "")
        return finals
    }

    private func deliver(_ text: String) async {
        do {
            try await display.deliver(text)
        } catch {
            fatal = error
            end.yield()
            return
        }
        let failure = await delivery.deliver(text)
        if options.ringsBell { await display.ring() }
        if let failure {
            take(.failed(failure))
        } else {
            take(.delivered(words: text.split(whereSeparator: \.isWhitespace).count))
        }
    }

    // MARK: Keys and signals

    private func startKeys() async -> Task<Void, Never>? {
        let signals: DictateLine.Keys = .none
        guard input.leavesKeys, !ColorChoice.isDumb(context.environment) else {
            await display.show(keys: signals)
            return nil
        }
        // The question whether it knows kitty's protocol; what does not is silent.
        let isHeard = context.streams.errorIsTerminal
        guard KeyMode.enter(output: 2, greeting: isHeard ? "\u{1b}[?u" : "") else {
            await display.show(keys: signals)
            return nil
        }
        await display.show(keys: options.toggles ? .toggled : .held)
        let keys = TerminalKeys()
        return Task {
            while let pressed = await keys.next(within: self.pace.keys) {
                for key in pressed { self.take(key) }
            }
        }
    }

    private func take(_ key: Key) {
        switch key {
        case .keyboardFlags:
            guard !tellsReleases else { return }
            tellsReleases = true
            askForReleases()
        case .code(32, false, .press): take(.press(tellsReleases ? .exact : .repeating))
        case .code(32, false, .release): take(.release)
        case .code(27, false, .press): take(.cancel)
        case .code(113, false, .press): take(.quit)
        case .code(99, true, .press): take(.interrupt)
        case .code(122, true, .press): suspend()
        default: break
        }
    }

    private func askForReleases() { KeyMode.say("\u{1b}[>11u", farewell: "\u{1b}[<u") }

    private func suspend() {
        Task { [display] in
            await display.hide()
            KeyMode.restore()
            Signals.passOn(SIGTSTP)
        }
    }

    private func resume() {
        guard KeyMode.isWanted, KeyMode.enter(output: 2) else { return }
        if tellsReleases { askForReleases() }
    }

    private func watchSignals() {
        let signals = context.signals
        signals.watch(SIGINT) { [ask] in ask.yield(.interrupt) }
        signals.watch(SIGUSR1) { [ask] in ask.yield(.press(.exact)) }
        signals.watch(SIGUSR2) { [ask] in ask.yield(.release) }
        signals.watch(SIGTSTP) { Task { await self.suspend() } }
        signals.watch(SIGCONT) { Task { await self.resume() } }
        signals.keepsWork { [ask] in
            ask.yield(.soundEnded)
            ask.yield(.quit)
        }
    }
}
