/// The rules of push to talk: what presses, releases and the passing of time mean, as a value. Times are seconds by any
/// clock that goes on.
package struct PushToTalk: Sendable {
    /// What is known of the key that is spoken with.
    package enum KeyKind: Equatable, Sendable {
        /// Presses and releases are told: signals, or a terminal that tells both.
        case exact
        /// A key that is held comes again and again; its release is not told.
        case repeating
    }

    package enum Input: Equatable, Sendable {
        case press(KeyKind)
        case release
        /// Escape: what is being said is dropped, an error is read.
        case cancel
        /// Ctrl-C: the same, and the end where nothing is being said.
        case interrupt
        /// `q`: the end, unless something is being said.
        case quit
        /// The sound ended or its device went away.
        case soundEnded
        case delivered(words: Int)
        case nothingHeard
        case failed(String)
        /// Something went wrong that belongs to no press.
        case trouble(String)
    }

    package enum Effect: Equatable, Sendable {
        /// Sound from 300 ms ago on belongs to a new recording.
        case begin
        /// The recording is what somebody wants to say; the first moment to sound a bell.
        case confirm
        /// The recording is over and to be delivered.
        case finish
        /// The recording is over and leaves no trace.
        case drop
        /// No more recordings; what is being worked on is still delivered.
        case quit
    }

    /// What is shown.
    package enum Phase: Equatable, Sendable {
        case idle
        case recording(seconds: Double)
        case processing(seconds: Double)
        case complete(words: Int, seconds: Double)
        case nothingHeard
        case error(String)
    }

    /// Under this a press is a slip.
    package static let shortestPress = 0.1
    package static let longestRecording = 600.0
    /// A held key has come again after this, if it ever does.
    private static let firstRepeat = 0.7
    /// And goes on to come at least so often.
    private static let nextRepeat = 0.15
    private static let noticeSeconds = 1.0
    private static let errorSeconds = 5.0

    private enum Hold {
        /// Ends with its release.
        case held
        /// Ends when it does not come again.
        case repeating(last: Double)
        /// It has come once: held, or tapped.
        case unsure
        /// Ends with the next press.
        case tapped
    }

    private struct Recording {
        let start: Double
        var hold: Hold
        var isConfirmed = false
    }

    private struct Notice {
        let phase: Phase
        let end: Double
    }

    /// Every press starts or stops, and no release means anything.
    private let toggles: Bool
    private var recording: Recording?
    /// When the recordings that are being worked on ended, in order.
    private var waiting: [Double] = []
    private var notice: Notice?
    private var hasQuit = false
    /// When the key that stopped or started a recording came last, and whether it has come again.
    private var echo: (last: Double, isRepeating: Bool)?

    package init(toggles: Bool = false) { self.toggles = toggles }

    package var isRecording: Bool { recording != nil }
    package var isWorking: Bool { !waiting.isEmpty }

    // MARK: What happens

    package mutating func handle(_ input: Input, at time: Double) -> [Effect] {
        // What was due before comes before.
        var effects = tick(at: time)
        switch input {
        case .press(let kind): effects += press(kind, at: time)
        case .release: effects += release(at: time)
        case .cancel:
            notice = nil
            effects += drop()
        case .interrupt:
            notice = nil
            effects += recording == nil ? quit() : drop()
        case .quit:
            if recording == nil { effects += quit() }
        case .soundEnded:
            effects += finish(at: time)
        case .delivered(let words):
            let start = waiting.isEmpty ? time : waiting.removeFirst()
            notice = Notice(phase: .complete(words: words, seconds: time - start), end: time + Self.noticeSeconds)
        case .nothingHeard:
            if !waiting.isEmpty { waiting.removeFirst() }
            notice = Notice(phase: .nothingHeard, end: time + Self.noticeSeconds)
        case .failed(let reason):
            if !waiting.isEmpty { waiting.removeFirst() }
            notice = Notice(phase: .error(reason), end: time + Self.errorSeconds)
        case .trouble(let reason):
            notice = Notice(phase: .error(reason), end: time + Self.errorSeconds)
        }
        return effects
    }

    /// What the passing of time brings.
    package mutating func tick(at time: Double) -> [Effect] {
        if let notice, time >= notice.end { self.notice = nil }
        guard var recording else { return [] }
        var effects: [Effect] = []
        var isOver = time - recording.start >= Self.longestRecording
        switch recording.hold {
        case .unsure where time - recording.start > Self.firstRepeat: recording.hold = .tapped
        case .repeating(let last) where time - last > Self.nextRepeat: isOver = true
        default: break
        }
        if !recording.isConfirmed, time - recording.start >= Self.shortestPress {
            recording.isConfirmed = true
            effects.append(.confirm)
        }
        self.recording = recording
        return isOver ? effects + finish(at: time) : effects
    }

    package func phase(at time: Double) -> Phase {
        if let recording, time - recording.start >= Self.shortestPress {
            return .recording(seconds: time - recording.start)
        }
        if let notice, time < notice.end { return notice.phase }
        if let first = waiting.first { return .processing(seconds: time - first) }
        return .idle
    }

    // MARK: -

    private mutating func press(_ kind: KeyKind, at time: Double) -> [Effect] {
        guard !hasQuit else { return [] }
        if kind == .repeating, isEcho(at: time) { return [] }
        guard let open = recording else {
            notice = nil
            let hold: Hold = toggles ? .tapped : kind == .exact ? .held : .unsure
            recording = Recording(start: time, hold: hold)
            if toggles, kind == .repeating { echo = (time, false) }
            return [.begin]
        }
        switch open.hold {
        case .held: return []
        case .unsure, .repeating:
            if kind == .repeating { recording?.hold = .repeating(last: time) }
            return []
        case .tapped:
            if kind == .repeating { echo = (time, false) }
            return finish(at: time)
        }
    }

    /// Whether a key that was acted on is still held and comes again.
    private mutating func isEcho(at time: Double) -> Bool {
        guard let echo else { return false }
        let isEcho = time - echo.last <= (echo.isRepeating ? Self.nextRepeat : Self.firstRepeat)
        self.echo = isEcho ? (time, true) : nil
        return isEcho
    }

    private mutating func release(at time: Double) -> [Effect] {
        guard let open = recording, case .held = open.hold else { return [] }
        return time - open.start < Self.shortestPress ? drop() : finish(at: time)
    }

    private mutating func finish(at time: Double) -> [Effect] {
        guard recording != nil else { return [] }
        recording = nil
        waiting.append(time)
        return [.finish]
    }

    private mutating func drop() -> [Effect] {
        guard recording != nil else { return [] }
        recording = nil
        return [.drop]
    }

    private mutating func quit() -> [Effect] {
        guard !hasQuit else { return [] }
        hasQuit = true
        return [.quit]
    }
}
