package import EngineBasics
package import EngineStreaming
import Synchronization
package import EngineTranscripts

/// The journal of a live session in the session store, an SQLite database.
///
/// When a call returns, its data is on disk: every commit flushes the log. A call that fails changes nothing and can be
/// repeated later with the same finals, optionally followed by more. The session is locked for other writers until the
/// journal is closed or the process ends.
package final class SQLiteJournal: SessionJournal {
    package let session: SessionID
    package let name: String
    /// Whether the session existed before.
    package let isResumed: Bool
    /// Whether the process of the earlier run died, so that saved audio may not be transcribed yet.
    package let isInterrupted: Bool
    /// Samples on the session clock, where a resumed run starts.
    package let clock: Int
    /// The id of the next final, which is the number of finals.
    package let nextID: Int
    /// The last characters of the session's text, up to 200, to prompt a resumed run.
    package let context: String
    /// How many speaker numbers the session has used so far.
    package let speakerNumbers: Int
    /// Where to save the session's audio: 16-bit mono WAV whose first sample is sample 0 of the clock.
    package let savedAudio: FilePath

    fileprivate struct State {
        let store: SessionStore
        let lock: LockFile?
        /// Number of utterances in earlier runs; each run counts from 0.
        let firstUtterance: Int
        var nextID: Int
        /// The status of the database file when it was opened.
        let file: DiskAccess.Status?
    }

    /// `nil` after `close`.
    private let state: Mutex<State?>

    /// Starts a session, or resumes the session with that name.
    ///
    /// - Parameters:
    ///   - name: 1 to 256 bytes of any text.
    ///   - store: the database file; created with its folders if missing.
    ///   - origin: describes a new session; ignored for an existing one.
    ///   - wallClock: provides the times stored with events. They have no other effect.
    /// - Throws: `JournalError`; `.sessionBusy` if the session is already being recorded.
    package convenience init(
        session name: String, in store: FilePath, from origin: SessionOrigin,
        wallClock: @escaping @Sendable () -> WallTime = { .now }
    ) throws(JournalError) {
        let open = try SessionStore.create(store, wallClock: wallClock)
        self.init(name, try open.startRecording(name, from: origin), in: open)
    }

    /// Resumes a session whose process died.
    convenience init(resuming session: StoredSession, in store: FilePath) throws(JournalError) {
        let open = try SessionStore.create(store)
        self.init(session.title, try open.resumeRecording(session), in: open)
    }

    private init(_ name: String, _ recording: SessionStore.Recording, in store: sending SessionStore) {
        self.name = name
        session = recording.id
        isResumed = recording.isResumed
        isInterrupted = recording.isInterrupted
        clock = recording.clock
        nextID = recording.nextID
        context = recording.context
        speakerNumbers = recording.speakerNumbers
        savedAudio = store.savedAudio(of: recording.id) ?? store.folder.appending("\(recording.id).wav")
        state = Mutex(
            State(
                store: store, lock: recording.lock, firstUtterance: recording.nextUtterance,
                nextID: recording.nextID, file: try? DiskAccess.status(of: store.path, followingLinks: true)))
    }

    /// Returns the saved audio after the last final; `nil` if no audio is saved.
    package func unrecognizedAudio() throws(JournalError) -> UnrecognizedAudio? {
        var end = 0
        try use { state throws(JournalError) in end = try state.store.lastEnd(of: session) }
        return UnrecognizedAudio(savedAudio, after: end)
    }

    package func append(_ finals: [TranscriptSegment], clock: Int) throws {
        try use { state throws(JournalError) in
            try state.store.append(
                finals, to: session, nextID: state.nextID, firstUtterance: state.firstUtterance, clock: clock)
            if let last = finals.last { state.nextID = max(state.nextID, last.id + 1) }
        }
    }

    /// The start of a resumed session is recorded as `resume`.
    package func record(_ event: ClockEvent, at position: Int, lostSamples: Int) throws {
        try use { state throws(JournalError) in
            try state.store.record(
                event == .start && isResumed ? .resume : event, at: position, lostSamples: lostSamples, in: session)
        }
    }

    /// A second call does nothing.
    package func close(cancelled: Bool, clock: Int) throws {
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
            try open.verifyFile()
            try body(&open)
            state = open
        }
    }
}

extension SQLiteJournal.State {
    /// Verifies that the database file is still in place. SQLite would keep writing to a deleted file.
    fileprivate func verifyFile() throws(JournalError) {
        guard let file, let current = try? DiskAccess.status(of: store.path, followingLinks: true),
            current.identity == file.identity
        else { throw .gone(store.path) }
    }
}
