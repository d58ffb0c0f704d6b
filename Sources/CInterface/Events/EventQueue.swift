import Dispatch
import EngineBasics
import Synchronization

/// What a job or stream says, for one reader that asks for it.
final class EventQueue: Sendable {
    /// What the reader gets.
    enum Answer: Equatable, Sendable {
        case event(String)
        case timeout
        case end
        /// The last event.
        case failed(String)
        /// Another thread is asking.
        case busy
    }

    /// What an event replaces if it has not been read.
    enum Kind: Sendable {
        /// Nothing: every one is read.
        case lasting
        /// The one before it of the same kind, if nothing is between them.
        case volatile, progress, status
    }

    private struct State {
        var events: [(kind: Kind, text: String)] = []
        /// Index of the next one to read.
        var next = 0
        /// What ended it, if it has failed.
        var failure: InterfaceError?
        var hasEnded = false
        var isAsking = false
        var readerWaits = false
        /// Whether the reader has asked for more than there was.
        var wasAsked = false
        var writerWaits = false

        var isEmpty: Bool { next == events.count }

        mutating func takeNext() -> String? {
            guard next < events.count else { return nil }
            let text = events[next].text
            events[next].text = ""
            next += 1
            wasAsked = false
            if next == events.count { (events, next) = ([], 0) }
            return text
        }
    }

    private let state = Mutex(State())
    private let arrival = DispatchSemaphore(value: 0)
    private let departure = DispatchSemaphore(value: 0)

    // MARK: Writing

    func add(_ text: String, _ kind: Kind = .lasting) {
        wakeReader { state in
            guard !state.hasEnded else { return }
            if kind != .lasting, !state.isEmpty, state.events.last?.kind == kind { state.events.removeLast() }
            state.events.append((kind, text))
        }
    }

    /// Ends the queue after what is in it.
    func finish(_ failure: InterfaceError? = nil) {
        wakeReader { state in
            guard !state.hasEnded else { return }
            (state.hasEnded, state.failure) = (true, failure)
        }
    }

    /// Ends the queue and discards what is in it. Does nothing after the end has been read.
    func cancel() {
        wakeReader { state in
            if state.hasEnded, state.isEmpty, state.failure == nil { return }
            (state.events, state.next, state.hasEnded, state.failure) = ([], 0, true, .cancelled)
        }
        wakeWriter()
    }

    private func wakeReader(_ change: (inout State) -> Void) {
        let waits = state.withLock { state in
            change(&state)
            defer { state.readerWaits = false }
            return state.readerWaits
        }
        if waits { arrival.signal() }
    }

    private func wakeWriter() {
        let waits = state.withLock { state in
            defer { state.writerWaits = false }
            return state.writerWaits
        }
        if waits { departure.signal() }
    }

    /// Blocks until everything has been read.
    ///
    /// - Parameter isAskedFor: waits also until the reader asks for more.
    func waitForReader(untilAsked isAskedFor: Bool) {
        while true {
            let isDone = state.withLock { state in
                if state.hasEnded || state.isEmpty && (!isAskedFor || state.wasAsked) { return true }
                state.writerWaits = true
                return false
            }
            if isDone { return }
            departure.wait()
        }
    }

    // MARK: Reading

    /// Waits for the next event.
    ///
    /// - Parameter milliseconds: negative to wait without limit.
    func next(milliseconds: Int) -> Answer {
        let isAlone = state.withLock { state in
            defer { state.isAsking = true }
            return !state.isAsking
        }
        guard isAlone else { return .busy }
        defer { state.withLock { ($0.isAsking, $0.readerWaits) = (false, false) } }
        let deadline = milliseconds < 0 ? DispatchTime.distantFuture : .now() + .milliseconds(milliseconds)
        var isLate = milliseconds == 0
        while true {
            let answer = state.withLock { state -> Answer? in
                if let text = state.takeNext() { return .event(text) }
                if let failure = state.failure {
                    state.failure = nil
                    return .failed(failure.event)
                }
                if state.hasEnded { return .end }
                (state.readerWaits, state.wasAsked) = (true, true)
                return nil
            }
            wakeWriter()
            if let answer { return answer }
            if isLate { return .timeout }
            isLate = arrival.wait(timeout: deadline) == .timedOut
        }
    }
}
