import EngineAudio
import EngineBasics
import EngineStreaming
package import EngineTranscripts

extension SessionStore {
    private static let sessionColumns = """
        id, title, created_utc, closed_utc, source, model, language, state, next_sample,
        (SELECT COUNT(*) FROM segment WHERE session_id = session.id)
        """

    /// Returns all sessions, newest first.
    package func sessions() throws(JournalError) -> [StoredSession] {
        try mappingErrors {
            try database.rows(
                "SELECT \(Self.sessionColumns) FROM session ORDER BY created_utc DESC, id", [], StoredSession.init)
        }
    }

    /// Returns the sessions that a name may refer to: the newest with that title, or else the one with that id, or else
    /// all whose id starts with it, if it has at least four characters.
    package func sessions(named name: String) throws(JournalError) -> [StoredSession] {
        try mappingErrors {
            let titled = try sessions(where: "title = ? ORDER BY created_utc DESC LIMIT 1", name)
            if !titled.isEmpty { return titled }
            let identified = try sessions(where: "id = ?", name)
            if !identified.isEmpty || name.utf8.count < 4 { return identified }
            return try sessions(where: "substr(id, 1, length(?1)) = ?1 ORDER BY id", name)
        }
    }

    private func sessions(where condition: String, _ value: String) throws(SQLiteError) -> [StoredSession] {
        try database.rows(
            "SELECT \(Self.sessionColumns) FROM session WHERE \(condition)", [.text(value)], StoredSession.init)
    }

    /// Returns the finals of a session, in order.
    package func finals(of session: StoredSession) throws(JournalError) -> [TranscriptSegment] {
        try mappingErrors {
            try database.rows(
                """
                SELECT seq, utterance, start_sample, end_sample, text, language, words FROM segment
                WHERE session_id = ? ORDER BY seq
                """, [.text(session.id.description)]
            ) { row in
                var segment = TranscriptSegment(
                    id: row.integer(0), seek: 0, start: AudioChunk.seconds(of: row.integer(2)),
                    end: AudioChunk.seconds(of: row.integer(3)), text: row.text(4), tokens: [], temperature: 0,
                    avgLogprob: 0, compressionRatio: 0, noSpeechProb: 0, words: StoredWords.decode(row.text(6)))
                segment.utterance = row.integer(1)
                segment.language = row.optionalText(5)
                segment.session = session.id
                // All words of a final have the same.
                segment.speaker = segment.words?.first?.speaker
                return segment
            }
        }
    }

    /// Returns the clock events of a session, in order.
    package func clockEvents(of session: StoredSession) throws(JournalError) -> [StoredClockEvent] {
        try mappingErrors {
            try database.rows(
                """
                SELECT kind, sample, wall_utc, lost_samples FROM clock_event WHERE session_id = ? ORDER BY n
                """, [.text(session.id.description)]
            ) { row in
                ClockEvent(rawValue: row.text(0)).map {
                    StoredClockEvent(
                        event: $0, sample: row.integer(1), wallTime: WallTime(row.text(2)), lostSamples: row.integer(3))
                }
            }.compactMap(\.self)
        }
    }

    /// Returns the sample at which the last final of a session ends.
    func lastEnd(of id: SessionID) throws(JournalError) -> Int {
        try mappingErrors {
            try database.rows("SELECT MAX(end_sample) FROM segment WHERE session_id = ?", [.text(id.description)]) {
                $0.integer(0)
            }.first ?? 0
        }
    }

    /// Returns the number of saved samples after the last final of a session that did not end by itself; `nil` if there
    /// are too few to recognize.
    package func unrecoveredSamples(of session: StoredSession) throws(JournalError) -> Int? {
        guard session.state == .recovered, let saved = savedAudio(of: session.id).flatMap(SavedAudio.sampleCount)
        else { return nil }
        let rest = saved - (try lastEnd(of: session.id))
        return rest >= UnrecognizedAudio.minimumSamples ? rest : nil
    }
}
