import Glibc
import Synchronization
import WhisperEngine

/// A session at work: source, session and display joined, keys and signals heard.
struct LiveWork: Sendable {
    let session: StreamingSession
    let source: any CaptureSource
    /// `nil` saves no sound.
    let recorder: WAVRecorder?
    let modelName: String
    let options: LiveOptions
    let input: AudioInput
    let context: CommandContext

    private static let tick = Duration.milliseconds(100)

    func run() async throws -> ExitStatus {
        let display = makeDisplay()
        let keeper = recorder.map { recorder in
            AudioKeeper(recorder, start: Int((session.status.clock * Double(AudioChunk.sampleRate)).rounded())) {
                error in
                Task { await display.warning("\(error); \(error.advice)") }
            }
        }
        let watched = watched(source, display: display, keeper: keeper)
        await display.open(model: modelName, device: source.device)
        let keys = startKeys(display)
        context.signals.beforeAbort { KeyMode.restore() }
        watchSignals(display)
        context.signals.keepsWork {
            Task { try? await session.stop() }
        } cancel: {
            Task { await session.cancel() }
        }
        let reader = Task {
            for try await update in session.updates { await display.hear(update) }
        }
        let ticker = startTicker(display, hasKeys: keys != nil)
        var failure: (any Error)?
        do { try await session.run(watched) } catch { failure = error }
        _ = await reader.result
        let unsaved = await keeper?.close()
        ticker.cancel()
        await ticker.value
        keys?.cancel()
        await keys?.value
        unwatchSignals()
        await display.close(session.status)
        KeyMode.restore()
        return try await status(failure ?? unsaved, display: display)
    }

    private func status(_ failure: (any Error)?, display: LiveDisplay) async throws -> ExitStatus {
        if let lost = await display.failure, options.session == nil { throw lost }
        if let failure, !(failure is CancellationError) { throw EngineErrors.report(failure) ?? failure }
        if let lost = await display.failure { throw lost }
        let status = session.status
        await display.detail(
            "\(TimeSyntax.clock(status.clock)) heard, \(await display.finals) pieces of text, "
                + "\(status.droppedSamples) samples lost")
        switch context.signals.received {
        // Ctrl-C is how a session ends; only what it dropped is told by the status.
        case .interrupted?: return context.signals.askedCount > 1 ? .interrupted : .success
        case let received?: return received
        case nil: return .success
        }
    }

    // MARK: Output

    private func makeDisplay() -> LiveDisplay {
        let isTerminal = context.streams.outputIsTerminal
        let isDumb = ColorChoice.isDumb(context.environment)
        let isStyled = options.color.isOn(onTerminal: isTerminal, environment: context.environment)
        let form: LiveDisplay.Form
        if options.printsJSON {
            form = .json(LiveJSON(session: session.id))
        } else if isTerminal, !isDumb {
            form = .screen(
                LiveScreen(size: TerminalDevice.size(of: 1) ?? .unknown, style: isStyled ? .dim : .parentheses))
        } else {
            form = .lines(LiveLines(showsTimestamps: options.showsTimestamps))
        }
        let style = LiveDisplay.Style(
            showsTimestamps: options.showsTimestamps, isQuiet: options.verbosity == .quiet,
            isVerbose: options.verbosity == .verbose, showsStatus: !isDumb,
            dimsStatus: options.color.isOn(
                onTerminal: context.streams.errorIsTerminal, environment: context.environment))
        // What a session writes down goes on without a reader.
        let stops = options.session == nil
        return LiveDisplay(form: form, style: style, streams: context.streams) { [session] in
            if stops { Task { try? await session.stop() } }
        }
    }

    private func watched(
        _ source: any CaptureSource, display: LiveDisplay, keeper: AudioKeeper?
    ) -> WatchedCapture {
        let limit = options.duration.map { Int(($0 * Double(AudioChunk.sampleRate)).rounded()) }
        let hints = Mutex(InputHints())
        let isMicrophone = input.isMicrophone
        return WatchedCapture(source, limit: limit) { [session] event in
            switch event {
            case .samples(let samples):
                // What comes while the session is paused it does not hear either.
                if session.status.state != .paused { keeper?.hear(samples) }
                guard isMicrophone else { return }
                for hint in hints.withLock({ $0.hear(samples) }) { Task { await display.warning(hint.text) } }
            case .deviceLost(let reason):
                Task { await display.warning("device lost, waiting: the microphone \(reason)") }
            case .deviceBack: Task { await display.note("the microphone is back") }
            case .stalled: Task { await display.warning("the microphone gives no sound; waiting") }
            case .overrun: break
            }
        }
    }

    private func startTicker(_ display: LiveDisplay, hasKeys: Bool) -> Task<Void, Never> {
        let isSpoken = options.file == nil || options.speed != .unlimited
        return Task {
            var pace = LivePace()
            let start = ContinuousClock.now
            while !Task.isCancelled {
                let status = session.status
                await display.tick(status, hasKeys: hasKeys)
                let seconds = (ContinuousClock.now - start) / Duration.seconds(1)
                if isSpoken, let warning = pace.warning(status, at: seconds) { await display.warning(warning) }
                try? await Task.sleep(for: Self.tick)
            }
        }
    }

    // MARK: Keys and signals

    /// `nil` where no terminal gives keys.
    private func startKeys(_ display: LiveDisplay) -> Task<Void, Never>? {
        // The question whether it draws a marked change at once; what does not know it is silent.
        let question = context.streams.outputIsTerminal && !options.printsJSON ? "\u{1b}[?2026$p" : ""
        guard input.leavesKeys, !ColorChoice.isDumb(context.environment), KeyMode.enter(greeting: question) else {
            return nil
        }
        let keys = TerminalKeys()
        return Task {
            while let pressed = await keys.next() {
                for key in pressed {
                    switch key {
                    case .synchronizes(true): await display.synchronize()
                    case .character(" "), .character("p"):
                        if session.status.state == .paused { session.resume() } else { session.pause() }
                    default: break
                    }
                }
            }
        }
    }

    private func watchSignals(_ display: LiveDisplay) {
        context.signals.watch(SIGWINCH) { Task { await display.refresh() } }
        context.signals.watch(SIGCONT) {
            Task {
                _ = KeyMode.isWanted ? KeyMode.enter() : false
                await display.refresh()
            }
        }
        context.signals.watch(SIGTSTP) {
            Task {
                await display.leave()
                KeyMode.restore()
                // SIGCONT takes the keys back.
                Signals.passOn(SIGTSTP)
            }
        }
    }

    private func unwatchSignals() {
        for number in [SIGWINCH, SIGCONT, SIGTSTP] { context.signals.watch(number, nil) }
    }
}
