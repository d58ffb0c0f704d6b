package import EngineAudio
package import EngineBasics
import Synchronization
package import EngineTranscripts

/// Recovers a session whose process died: the caller decodes the saved audio after the last final and appends the
/// result.
///
/// Call `finish` at the end. Without it the appended finals stay, and another recovery continues after them.
package final class SessionRecovery: Sendable {
    /// The saved audio from the start of the session.
    package let source: any AudioSource
    /// The audio to decode.
    package let audio: UnrecognizedAudio

    private struct State {
        var nextID: Int
        /// The sample at which the last final ends.
        var end: Int
    }

    private let journal: SQLiteJournal
    private let state: Mutex<State>

    /// - Throws: `JournalError.noSavedAudio`, `.sessionBusy`; `AudioFormatError` if the audio cannot be read.
    package init(_ session: StoredSession, in path: FilePath) throws {
        journal = try SQLiteJournal(resuming: session, in: path)
        guard let audio = try journal.unrecognizedAudio() else {
            throw JournalError.noSavedAudio(name: session.title, journal.savedAudio)
        }
        self.audio = audio
        source = try AudioFile.open(journal.savedAudio)
        state = Mutex(State(nextID: journal.nextID, end: audio.finalEnd))
    }

    /// Stores a segment as the next final of the session unless it has no text.
    ///
    /// - Returns: the final, with times moved so that it does not overlap the previous final.
    package func append(_ segment: TranscriptSegment) throws -> TranscriptSegment? {
        guard segment.text.contains(where: { !$0.isWhitespace }) else { return nil }
        return try state.withLock { state in
            let floor = AudioChunk.seconds(of: state.end)
            var final = segment
            final.id = state.nextID
            final.utterance = segment.id
            final.session = journal.session
            final.start = max(segment.start, floor)
            final.end = max(segment.end, final.start)
            let begin = final.start
            final.words = final.words?.map { word in
                TranscriptWord(
                    word: word.word, start: max(begin, word.start), end: max(begin, word.end),
                    probability: word.probability)
            }
            guard let end = SegmentRow.sample(final.end) else { throw JournalError.badTime(id: final.id) }
            try journal.append([final], clock: end)
            state.nextID += 1
            state.end = end
            return final
        }
    }

    /// Closes the session, as nothing is left to recover.
    package func finish() throws {
        try journal.close(cancelled: false, clock: journal.clock)
    }
}

/// The saved audio of a session. Its header may describe less audio than the file holds.
enum SavedAudio {
    /// Returns the number of complete samples after the header, whatever the header says; `nil` if there is no such
    /// file.
    static func sampleCount(of path: FilePath) -> Int? {
        guard let file = try? ReadOnlyFile(path), file.count >= RecorderHeader.size,
            let head = try? file.bytes(0..<RecorderHeader.size), RecorderHeader.isOurs(head)
        else { return nil }
        return (file.count - RecorderHeader.size) / 2
    }

    /// Updates the sizes in the header to the actual size, so that readers see all samples.
    static func repair(_ path: FilePath) throws(DiskAccess.Fault) {
        guard let samples = sampleCount(of: path) else { return }
        let descriptor = try DiskAccess.openForWriting(path)
        defer { try? DiskAccess.close(descriptor) }
        try DiskAccess.write(RecorderHeader.bytes(samples: samples), to: descriptor, at: 0)
    }
}
