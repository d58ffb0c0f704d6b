import Foundation
import Synchronization

/// A session store in a temporary folder, with a wall clock that the test controls.
final class StoreFixture: Sendable {
    static let origin = SessionOrigin(source: "default", model: "nano.en", language: "en")

    let folder: TemporaryFolder
    /// Initially 2026-03-01T12:00:00.000Z.
    let time = Mutex(WallTime(milliseconds: 1_772_366_400_000))

    init() throws { folder = try TemporaryFolder() }

    var path: FilePath { folder.path("data/whisper-local/sessions.db") }

    func wait(_ milliseconds: Int) { time.withLock { $0.milliseconds += milliseconds } }

    func journal(_ name: String) throws -> SQLiteJournal {
        try SQLiteJournal(session: name, in: path, from: Self.origin) { self.time.withLock { $0 } }
    }

    func store() throws -> SessionStore {
        guard let store = try SessionStore.open(path) else { throw JournalError.gone(path) }
        return store
    }

    /// Returns a direct connection to the database.
    func database() throws -> SQLiteDatabase { try SQLiteDatabase(path, access: .write) }

    func session(_ name: String) throws -> StoredSession {
        guard let session = try store().sessions(named: name).first else { throw JournalError.notOpen(name: name) }
        return session
    }

    func texts(_ name: String) throws -> [String] {
        try store().finals(of: session(name)).map(\.text)
    }

    /// Returns a final with times in samples.
    static func final(
        _ id: Int, _ start: Int, _ end: Int, _ text: String, words: [TranscriptWord]? = nil, utterance: Int = 0
    ) -> TranscriptSegment {
        var segment = TranscriptSegment(
            id: id, seek: 0, start: Double(start) / 16_000, end: Double(end) / 16_000, text: text, tokens: [],
            temperature: 0, avgLogprob: 0, compressionRatio: 0, noSpeechProb: 0, words: words)
        segment.utterance = utterance
        return segment
    }
}
