import Glibc
import WhisperEngine

/// The keys and signals of `live`.
struct LiveControls: Sendable {
    let session: StreamingSession
    let display: LiveDisplay
    let context: CommandContext

    /// Asks whether the terminal supports synchronized output; one that does not ignores the question.
    private static let synchronizationQuery: StaticString = "\u{1b}[?2026$p"

    /// Space and p pause and resume.
    ///
    /// - Parameter redraws: the transcript is redrawn on the terminal.
    /// - Returns: `nil` if keys cannot be read.
    func readKeys(_ input: AudioInput, redraws: Bool) -> Task<Void, Never>? {
        let greeting = context.streams.outputIsTerminal && redraws ? Self.synchronizationQuery : ""
        guard input.leavesKeyboardFree, !Terminal.isDumb(context.environment), KeyMode.enter(greeting: greeting)
        else { return nil }
        let keys = KeyReader()
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

    func watchSignals() {
        context.signals.watch(SIGWINCH) { Task { await display.refresh() } }
        context.signals.watch(SIGCONT) {
            Task {
                _ = KeyMode.wasEntered ? KeyMode.enter() : false
                await display.refresh()
            }
        }
        context.signals.watch(SIGTSTP) {
            Task {
                await display.leave()
                // SIGCONT enters key mode again.
                KeyMode.restore()
                Signals.raiseDefault(SIGTSTP)
            }
        }
    }

    func unwatchSignals() {
        for number in [SIGWINCH, SIGCONT, SIGTSTP] { context.signals.watch(number, nil) }
    }
}
