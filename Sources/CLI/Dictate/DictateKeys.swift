import Glibc
import WhisperEngine

/// The keys of the terminal and the signals of a desktop, as what they ask for.
actor DictateKeys {
    private let context: CommandContext
    private let display: DictateDisplay
    private nonisolated let ask: AsyncStream<PushToTalk.Input>.Continuation
    /// The terminal tells of releases.
    private var tellsReleases = false

    /// How long a lone escape may turn out to be the beginning of something, in milliseconds.
    private static let patience: Int32 = 20

    init(context: CommandContext, display: DictateDisplay, ask: AsyncStream<PushToTalk.Input>.Continuation) {
        (self.context, self.display, self.ask) = (context, display, ask)
    }

    // MARK: Keys

    /// - Returns: `nil` where no terminal gives keys.
    func start(_ input: AudioInput, toggles: Bool) async -> Task<Void, Never>? {
        // The question whether it knows kitty's protocol; what does not is silent.
        let greeting = context.streams.errorIsTerminal ? "\u{1b}[?u" : ""
        guard input.leavesKeys, !ColorChoice.isDumb(context.environment), KeyMode.enter(output: 2, greeting: greeting)
        else {
            await display.show(keys: .none)
            return nil
        }
        await display.show(keys: toggles ? .toggled : .held)
        let keys = TerminalKeys()
        return Task {
            while let pressed = await keys.next(within: Self.patience) {
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
        case .code(32, false, .press): ask.yield(.press(tellsReleases ? .exact : .repeating))
        case .code(32, false, .release): ask.yield(.release)
        case .code(27, false, .press): ask.yield(.cancel)
        case .code(113, false, .press): ask.yield(.quit)
        case .code(99, true, .press): ask.yield(.interrupt)
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

    // MARK: Signals

    nonisolated func watchSignals() {
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

    nonisolated func unwatchSignals() {
        for number in [SIGINT, SIGTSTP, SIGCONT, SIGUSR1, SIGUSR2] { context.signals.watch(number, nil) }
    }
}
