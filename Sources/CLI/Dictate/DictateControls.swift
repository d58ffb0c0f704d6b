import Glibc
import WhisperEngine

/// The keys and signals of `dictate`, reported as events of push to talk.
actor DictateControls {
    private let context: CommandContext
    private let display: DictateDisplay
    private nonisolated let events: AsyncStream<PushToTalk.Event>.Continuation
    private var terminalReportsReleases = false

    /// How long to wait for the rest of an escape sequence after a lone escape, in milliseconds.
    private static let escapeTimeout: Int32 = 20
    /// Asks for kitty's keyboard protocol; a terminal that does not support it ignores the question.
    private static let keyboardQuery: StaticString = "\u{1b}[?u"

    init(context: CommandContext, display: DictateDisplay, events: AsyncStream<PushToTalk.Event>.Continuation) {
        (self.context, self.display, self.events) = (context, display, events)
    }

    // MARK: Keys

    /// Whether the terminal's keys can be read.
    nonisolated static func readsKeys(_ input: AudioInput, _ context: CommandContext) -> Bool {
        input.leavesKeyboardFree && !Terminal.isDumb(context.environment) && KeyMode.isPossible
    }

    /// - Returns: `nil` if keys cannot be read.
    func readKeys(_ input: AudioInput, toggles: Bool) async -> Task<Void, Never>? {
        let greeting = context.streams.errorIsTerminal ? Self.keyboardQuery : ""
        guard Self.readsKeys(input, context), KeyMode.enter(output: 2, greeting: greeting) else {
            await display.show(keys: .none)
            return nil
        }
        await display.show(keys: toggles ? .toggled : .held)
        let keys = KeyReader()
        return Task {
            while let pressed = await keys.next(within: Self.escapeTimeout) {
                for key in pressed { self.handle(key) }
            }
        }
    }

    private func handle(_ key: Key) {
        switch key {
        case .keyboardFlags:
            guard !terminalReportsReleases else { return }
            terminalReportsReleases = true
            enableReleaseReports()
        case .code(32, false, .press): events.yield(.press(terminalReportsReleases ? .withRelease : .repeating))
        case .code(32, false, .release): events.yield(.release)
        case .code(27, false, .press): events.yield(.cancel)
        case .code(113, false, .press): events.yield(.quit)
        case .code(99, true, .press): events.yield(.interrupt)
        case .code(122, true, .press): suspend()
        default: break
        }
    }

    private func enableReleaseReports() { KeyMode.send("\u{1b}[>11u", farewell: "\u{1b}[<u") }

    private func suspend() {
        Task { [display] in
            await display.hide()
            KeyMode.restore()
            Signals.raiseDefault(SIGTSTP)
        }
    }

    private func resume() {
        guard KeyMode.wasEntered, KeyMode.enter(output: 2) else { return }
        if terminalReportsReleases { enableReleaseReports() }
    }

    // MARK: Signals

    nonisolated func watchSignals() {
        let signals = context.signals
        signals.watch(SIGINT) { [events] in events.yield(.interrupt) }
        signals.watch(SIGUSR1) { [events] in events.yield(.press(.withRelease)) }
        signals.watch(SIGUSR2) { [events] in events.yield(.release) }
        signals.watch(SIGTSTP) { Task { await self.suspend() } }
        signals.watch(SIGCONT) { Task { await self.resume() } }
        signals.onInterrupt { [events] in
            events.yield(.captureEnded)
            events.yield(.quit)
        }
    }

    nonisolated func unwatchSignals() {
        for number in [SIGINT, SIGTSTP, SIGCONT] { context.signals.watch(number, nil) }
        // A late press must not kill the program.
        for number in [SIGUSR1, SIGUSR2] { context.signals.watch(number) {} }
    }
}
