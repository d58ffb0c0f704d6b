import Synchronization

/// A live session's journal in the store of sessions.
///
/// What a call has returned from is on the disk: the log is flushed by every commit. A call that fails has changed
/// nothing; where `JournalError.isTemporary` holds it may be made again with the same finals, or with more behind them.
/// The session is locked for other writers until the journal is closed or its process ends.
public final class SQLiteJournal: SessionJournal {
    public let session: SessionID
    public let name: String
    /// The session existed before.
    public let isResumed: Bool
    /// Samples on the session's clock: a resumed run begins there.
    public let clock: Int
    /// Id of the next final: how many there are.
    public let nextID: Int
    /// The end of the session's text, 200 characters at most, to prompt a resumed run with.
    public let context: String
    /// Where the session's sound may be saved: 16-bit mono WAV whose first sample is sample 0 of the clock.
    public let savedAudio: FilePath

    fileprivate struct State {
        let store: SessionStore
        let lock: LockFile?
        /// Utterances of earlier runs; this run counts its own from 0.
        let firstUtterance: Int
        var nextID: Int
        /// The database when it was opened.
        let file: DiskAccess.Status?
    }

    /// `nil` once it is closed.
    private let state: Mutex<State?>

    /// Begins the session of that name, or goes on with it where it exists.
    ///
    /// - Parameters:
    ///   - store: the database, created with its folders where there is none.
    ///   - origin: of a new session; an old one keeps its own.
    ///   - wallClock: tells when something happened; decides nothing.
    /// - Throws: `JournalError`; `.sessionBusy` with the process that records the session.
    public convenience init(
        session name: String, in store: FilePath, from origin: SessionOrigin,
        wallClock: @escaping @Sendable () -> WallTime = { .now }
    ) throws(JournalError) {
        let open = try SessionStore.create(store, wallClock: wallClock)
        self.init(name, try open.record(name, from: origin), in: open)
    }

    /// Goes on with a session whose process died.
    convenience init(reopening session: StoredSession, in store: FilePath) throws(JournalError) {
        let open = try SessionStore.create(store)
        self.init(session.title, try open.reopen(session), in: open)
    }

    private init(_ name: String, _ recording: SessionStore.Recording, in store: sending SessionStore) {
        self.name = name
        session = recording.id
        isResumed = recording.isResumed
        clock = recording.clock
        nextID = recording.nextID
        context = recording.context
        savedAudio = store.savedAudio(of: recording.id) ?? store.folder.appending("\(recording.id).wav")
        state = Mutex(
            State(
                store: store, lock: recording.lock, firstUtterance: recording.nextUtterance,
                nextID: recording.nextID, file: try? DiskAccess.status(of: store.path, followingLinks: true)))
    }

    /// Samples: where the last final ends.
    func lastEnd() throws(JournalError) -> Int {
        var end = 0
        try use { state throws(JournalError) in end = try state.store.lastEnd(of: session) }
        return end
    }

    public func append(_ finals: [TranscriptSegment], clock: Int) throws {
        try use { state throws(JournalError) in
            try state.store.append(
                finals, to: session, nextID: state.nextID, firstUtterance: state.firstUtterance, clock: clock)
            if let last = finals.last { state.nextID = max(state.nextID, last.id + 1) }
        }
    }

    /// The start of a resumed session is kept as its resumption.
    public func record(_ event: ClockEvent, at position: Int, lostSamples: Int) throws {
        try use { state throws(JournalError) in
            try state.store.note(
                event == .start && isResumed ? .resume : event, at: position, lostSamples: lostSamples, in: session)
        }
    }

    /// A second time does nothing.
    public func close(cancelled: Bool, clock: Int) throws {
        guard state.withLock({ $0 != nil }) else { return }
        try use { state throws(JournalError) in
            try state.store.close(session, as: cancelled ? .cancelled : .closed, clock: clock)
            state.lock?.release()
        }
        state.withLock { $0 = nil }
    }

    private func use(_ body: (inout State) throws(JournalError) -> Void) throws(JournalError) {
        try state.withLock { state throws(JournalError) in
            guard var open = state else { throw .notOpen(name: name) }
            try open.checkPlace()
            try body(&open)
            state = open
        }
    }
}

extension SQLiteJournal.State {
    /// What is written into a file that was removed is lost, and SQLite would not notice.
    fileprivate func checkPlace() throws(JournalError) {
        guard let file, let found = try? DiskAccess.status(of: store.path, followingLinks: true),
            found.isSameFile(as: file)
        else { throw .gone(store.path) }
    }
}
