/// The rules of push to talk: decides from key presses, releases and the passing of time when to record.
///
/// A pure state machine. Times are seconds on any monotonic clock.
package struct PushToTalk: Sendable {
    /// What the terminal or the sender of a signal reports about the key.
    package enum KeyReports: Equatable, Sendable {
        /// Presses and releases: signals, or a terminal that reports both.
        case withRelease
        /// Presses only; a held key repeats.
        case repeating
    }

    package enum Event: Equatable, Sendable {
        case press(KeyReports)
        case release
        /// Another program asks to record; without effect while that is done.
        case start
        /// Another program asks to end the recording.
        case stop
        /// Escape: discards the recording and dismisses an error.
        case cancel
        /// Ctrl-C: ends the recording and delivers it; if nothing is being recorded, quits.
        case interrupt
        /// `q`: ends the recording and delivers it, and quits.
        case quit
        /// The source ended or its device was lost.
        case captureEnded
        case captureFailed(String)
        /// The oldest recording in progress has been recognized and its text delivered.
        case delivered(words: Int)
        case noSpeech
        /// The oldest recording in progress could not be recognized or delivered.
        case recordingFailed(String)
    }

    package enum Effect: Equatable, Sendable {
        /// Start a recording, with the pre-roll.
        case start
        /// The press was long enough to be intended. The bell waits for this.
        case confirm
        /// End the recording; its text is to be delivered.
        case finish
        /// End the recording without a trace.
        case discard
        /// Record nothing more; recordings in progress are still delivered.
        case quit
    }

    /// What the status line shows.
    package enum Phase: Equatable, Sendable {
        case idle
        case recording(seconds: Double)
        case processing(seconds: Double)
        case complete(words: Int, seconds: Double)
        case noSpeech
        case error(String)
    }

    /// A shorter press is accidental.
    package static let shortestPress = 0.1
    package static let longestRecording = 600.0
    /// A held key repeats within this time, if it repeats at all.
    private static let firstRepeat = 0.7
    /// Further repeats follow at least this often: 30 ms apart as a rule, but up to 0.5 s over a slow connection, and a
    /// busy machine reads them late.
    private static let nextRepeat = 0.6
    /// A repeat later than this may never come.
    private static let usualRepeat = 0.15
    private static let noticeSeconds = 1.0
    private static let errorSeconds = 5.0

    /// How the current press ends its recording.
    private enum Ending {
        case onRelease
        /// When the key stops repeating.
        case onLastRepeat(last: Double)
        /// The key has been pressed once: held or tapped.
        case undecided
        case onNextPress
    }

    private struct Press {
        let start: Double
        var ending: Ending
        var isConfirmed = false
    }

    private struct Notice {
        let phase: Phase
        let end: Double
    }

    /// Every press starts or stops a recording, and releases are ignored.
    private let toggles: Bool
    /// The press being recorded.
    private var press: Press?
    /// When the recordings in progress ended, oldest first.
    private var processing: [Double] = []
    private var notice: Notice?
    private var hasQuit = false
    /// The last press or repeat of a key that has already been acted on, and whether it has repeated.
    private var handledKey: (last: Double, isRepeating: Bool)?

    package init(toggles: Bool = false) { self.toggles = toggles }

    package var isRecording: Bool { press != nil }

    /// Whether the key may have been released, because its next repeat is late.
    package func isReleasePossible(at time: Double) -> Bool {
        guard case .onLastRepeat(let last) = press?.ending else { return false }
        return time - last > Self.usualRepeat
    }

    package mutating func handle(_ event: Event, at time: Double) -> [Effect] {
        // What was due earlier happens first.
        var effects = tick(at: time)
        switch event {
        case .press(let reports): effects += handlePress(reports, at: time)
        case .release: effects += handleRelease(at: time)
        case .start:
            guard !hasQuit, press == nil else { break }
            notice = nil
            press = Press(start: time, ending: .onNextPress)
            effects.append(.start)
        case .stop: effects += end(at: time)
        case .cancel:
            notice = nil
            effects += discard()
        case .interrupt:
            notice = nil
            effects += press == nil ? quit() : finish(at: time)
        case .quit: effects += finish(at: time) + quit()
        case .captureEnded:
            effects += finish(at: time)
        case .captureFailed(let reason):
            notice = Notice(phase: .error(reason), end: time + Self.errorSeconds)
        case .delivered(let words):
            let start = processing.isEmpty ? time : processing.removeFirst()
            notice = Notice(phase: .complete(words: words, seconds: time - start), end: time + Self.noticeSeconds)
        case .noSpeech:
            if !processing.isEmpty { processing.removeFirst() }
            notice = Notice(phase: .noSpeech, end: time + Self.noticeSeconds)
        case .recordingFailed(let reason):
            if !processing.isEmpty { processing.removeFirst() }
            notice = Notice(phase: .error(reason), end: time + Self.errorSeconds)
        }
        return effects
    }

    /// The effects of the passing of time.
    package mutating func tick(at time: Double) -> [Effect] {
        if let notice, time >= notice.end { self.notice = nil }
        guard var press else { return [] }
        var effects: [Effect] = []
        var isOver = time - press.start >= Self.longestRecording
        switch press.ending {
        case .undecided where time - press.start > Self.firstRepeat: press.ending = .onNextPress
        case .onLastRepeat(let last) where time - last > Self.nextRepeat: isOver = true
        default: break
        }
        if !press.isConfirmed, time - press.start >= Self.shortestPress {
            press.isConfirmed = true
            effects.append(.confirm)
        }
        self.press = press
        return isOver ? effects + finish(at: time) : effects
    }

    package func phase(at time: Double) -> Phase {
        if let press, time - press.start >= Self.shortestPress {
            return .recording(seconds: time - press.start)
        }
        if let notice, time < notice.end { return notice.phase }
        if let oldest = processing.first { return .processing(seconds: time - oldest) }
        return .idle
    }

    private mutating func handlePress(_ reports: KeyReports, at time: Double) -> [Effect] {
        guard !hasQuit else { return [] }
        if reports == .repeating, isRepeatOfHandledKey(at: time) { return [] }
        guard let current = press else {
            notice = nil
            let ending: Ending = toggles ? .onNextPress : reports == .withRelease ? .onRelease : .undecided
            press = Press(start: time, ending: ending)
            if toggles, reports == .repeating { handledKey = (time, false) }
            return [.start]
        }
        switch current.ending {
        case .onRelease: return []
        case .undecided, .onLastRepeat:
            if reports == .repeating { press?.ending = .onLastRepeat(last: time) }
            return []
        case .onNextPress:
            if reports == .repeating { handledKey = (time, false) }
            return finish(at: time)
        }
    }

    /// Whether this press only repeats a key that started or stopped a recording and is still held.
    private mutating func isRepeatOfHandledKey(at time: Double) -> Bool {
        guard let handledKey else { return false }
        let isRepeat = time - handledKey.last <= (handledKey.isRepeating ? Self.nextRepeat : Self.firstRepeat)
        self.handledKey = isRepeat ? (time, true) : nil
        return isRepeat
    }

    private mutating func handleRelease(at time: Double) -> [Effect] {
        guard case .onRelease = press?.ending else { return [] }
        return end(at: time)
    }

    /// Ends a recording, unless its press was accidental.
    private mutating func end(at time: Double) -> [Effect] {
        guard let press else { return [] }
        return time - press.start < Self.shortestPress ? discard() : finish(at: time)
    }

    private mutating func finish(at time: Double) -> [Effect] {
        guard press != nil else { return [] }
        press = nil
        processing.append(time)
        return [.finish]
    }

    private mutating func discard() -> [Effect] {
        guard press != nil else { return [] }
        press = nil
        return [.discard]
    }

    private mutating func quit() -> [Effect] {
        guard !hasQuit else { return [] }
        hasQuit = true
        return [.quit]
    }
}
