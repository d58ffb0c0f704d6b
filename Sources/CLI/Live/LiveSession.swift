import Synchronization
import WhisperEngine

/// One run of `live`: passes audio from the source to the streaming session, and the session's updates to the display.
struct LiveSession: Sendable {
    let session: StreamingSession
    /// Audio to transcribe before the source's; `nil` if there is none.
    let earlier: EarlierAudio?
    let source: any CaptureSource
    /// `nil` saves no audio.
    let recorder: WAVRecorder?
    let modelName: String
    let options: LiveOptions
    let input: AudioInput
    let context: CommandContext

    private static let redrawInterval = Duration.milliseconds(100)

    func run() async throws -> ExitStatus {
        let display = makeDisplay()
        let recorder = recorder.map { recorder in
            BackgroundRecorder(recorder, start: AudioChunk.samples(in: earlier?.end ?? session.status.clock)) {
                error in
                Task { await display.warning(error.report.singleLine) }
            }
        }
        let observed = observed(source, display: display, recorder: recorder)
        await display.open(model: modelName, device: source.device)
        let controls = LiveControls(session: session, display: display, context: context)
        let keys = controls.readKeys(input, redraws: !options.printsJSON)
        context.signals.beforeAbort { KeyMode.restore() }
        controls.watchSignals()
        context.signals.onInterrupt {
            Task { try? await session.stop() }
        } cancel: {
            Task { await session.cancel() }
        }
        let reader = Task {
            for try await update in session.updates { await display.show(update) }
        }
        let ticker = startTicker(display, hasKeys: keys != nil)
        var failure: (any Error)?
        do {
            try await earlier?.feed(to: session)
            try await session.capture(from: observed)
        } catch {
            failure = error
        }
        // Ended already, unless the earlier audio could not be read.
        if failure != nil { try? await session.stop() }
        _ = await reader.result
        let recorderFailure = await recorder?.close()
        ticker.cancel()
        await ticker.value
        keys?.cancel()
        await keys?.value
        controls.unwatchSignals()
        await display.close(session.status)
        KeyMode.restore()
        return try await exitStatus(failure ?? recorderFailure, display: display)
    }

    private func exitStatus(_ failure: (any Error)?, display: LiveDisplay) async throws -> ExitStatus {
        if let outputFailure = await display.failure, options.listening.session == nil { throw outputFailure }
        if let failure, !(failure is CancellationError) { throw failure }
        if let outputFailure = await display.failure { throw outputFailure }
        let status = session.status
        await display.detail(
            "\(Timestamp.clock(status.clock)) of audio, \(await display.finalCount) finals, "
                + "\(status.droppedSamples) samples lost")
        switch context.signals.received {
        // Ctrl-C is how a session ends; only a second one, which discards text, counts as an interruption.
        case .interrupted?: return context.signals.interruptCount > 1 ? .interrupted : .success
        case let received?: return received
        case nil: return .success
        }
    }

    private func makeDisplay() -> LiveDisplay {
        let isTerminal = context.streams.outputIsTerminal
        let isDumb = Terminal.isDumb(context.environment)
        let isStyled = options.listening.color.isOn(onTerminal: isTerminal, environment: context.environment)
        let form: LiveDisplay.Form
        if options.printsJSON {
            form = .json(LiveJSON(session: session.id))
        } else if isTerminal, !isDumb {
            form = .screen(
                LiveScreen(size: Terminal.size(of: 1) ?? .unknown, style: isStyled ? .dim : .parentheses))
        } else {
            form = .lines(LiveLines(showsTimestamps: options.showsTimestamps, colorsSpeakers: isStyled))
        }
        let style = LiveDisplay.Style(
            showsTimestamps: options.showsTimestamps, isQuiet: options.listening.verbosity == .quiet,
            isVerbose: options.listening.verbosity == .verbose, showsStatus: !isDumb,
            dimsStatus: options.listening.color.isOn(
                onTerminal: context.streams.errorIsTerminal, environment: context.environment),
            colorsSpeakers: isStyled)
        // A saved session continues without a reader.
        let stops = options.listening.session == nil
        return LiveDisplay(form: form, style: style, streams: context.streams) { [session] in
            if stops { Task { try? await session.stop() } }
        }
    }

    /// Saves the audio and warns about problems before the session receives an event.
    private func observed(
        _ source: any CaptureSource, display: LiveDisplay, recorder: BackgroundRecorder?
    ) -> ObservedCapture {
        let limit = options.duration.map(AudioChunk.samples)
        let monitor = Mutex(SignalMonitor())
        let isMicrophone = input.isMicrophone
        return ObservedCapture(source, limit: limit) { [session] event in
            switch event {
            case .samples(let samples):
                // A paused session ignores audio, so the recording leaves it out, too.
                if session.status.state != .paused { recorder?.append(samples) }
                guard isMicrophone else { return }
                for warning in monitor.withLock({ $0.warnings(for: samples) }) {
                    Task { await display.warning(warning.text) }
                }
            case .deviceLost(let reason):
                Task { await display.warning("device lost: the microphone \(reason); waiting for it to return") }
            case .deviceBack: Task { await display.note("the microphone is back") }
            case .stalled: Task { await display.warning("no audio from the microphone; waiting") }
            case .overrun: break
            }
        }
    }

    private func startTicker(_ display: LiveDisplay, hasKeys: Bool) -> Task<Void, Never> {
        let isRealTime = options.listening.file == nil || options.speed != .unlimited
        return Task {
            var lag = LagMonitor()
            var saving = SaveMonitor(showsUnsaved: options.showsUnsaved)
            let start = ContinuousClock.now
            while !Task.isCancelled {
                let status = session.status
                await display.update(status, hasKeys: hasKeys)
                let seconds = (ContinuousClock.now - start) / Duration.seconds(1)
                // Earlier audio arrives all at once.
                let isLive = isRealTime && status.decoded >= earlier?.end ?? 0
                if isLive, let warning = lag.warning(status, at: seconds) { await display.warning(warning) }
                if let message = saving.message(status) { await display.note(message) }
                try? await Task.sleep(for: Self.redrawInterval)
            }
        }
    }
}
