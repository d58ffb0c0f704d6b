import Synchronization

/// A session whose process died, while the sound behind its last final is decoded and appended.
///
/// Ends with `finish`; where it does not come to that, what was appended stays, and another recovery goes on from there.
package final class SessionRecovery: Sendable {
    /// Its saved sound from the session's start.
    package let source: any RecordedAudio
    /// Seconds: where the last final ends.
    package let start: Double
    /// There is more behind the last final than the end of its last word, of which a model would make up words.
    package let isWorthwhile: Bool

    /// Samples.
    static let shortest = AudioChunk.sampleRate

    /// Seconds that the detector keeps behind speech.
    private static let pad = 0.2

    private struct State {
        var nextID: Int
        /// Samples: the end of the last final.
        var end: Int
    }

    private let journal: SQLiteJournal
    private let state: Mutex<State>

    /// - Throws: `JournalError.noSavedAudio`, `.sessionBusy`; `AudioFormatError` where the sound cannot be read.
    package init(_ session: StoredSession, in path: FilePath) throws {
        journal = try SQLiteJournal(reopening: session, in: path)
        guard let samples = SavedAudio.sampleCount(of: journal.savedAudio) else {
            throw JournalError.noSavedAudio(name: session.title, journal.savedAudio)
        }
        try? SavedAudio.repair(journal.savedAudio)
        source = try AudioFile.open(journal.savedAudio)
        let end = try journal.lastEnd()
        start = SegmentRow.seconds(end)
        isWorthwhile = samples - end >= Self.shortest
        state = Mutex(State(nextID: journal.nextID, end: end))
    }

    /// Seconds from which there is speech that is not final; `nil` where there is none.
    ///
    /// That is the end of the last final, unless all that is left of the speech in which it lies is the end of its last
    /// word: a word's end is found less exactly than that of speech, and from a piece of it a model makes up another.
    package func findSpeech() async throws -> Double? {
        var detector = EnergyDetector()
        var speech = SpeechIntervals()
        for try await chunk in try AudioFile.open(journal.savedAudio).chunks() {
            speech.add(detector.feed(chunk.samples))
        }
        speech.add(detector.finish())
        let framesPerSecond = 100.0
        let end = Int(start * framesPerSecond)
        let open = speech.ranges.first { $0.contains(end) }
        let rest = open.map { Double($0.upperBound - end) / framesPerSecond } ?? 0
        guard let open, rest < Double(Self.shortest) / Double(AudioChunk.sampleRate) + Self.pad else {
            return speech.firstSpeech(from: end) == nil ? nil : start
        }
        return speech.firstSpeech(from: open.upperBound) == nil ? nil : Double(open.upperBound) / framesPerSecond
    }

    /// Writes a segment of the recognition down as the session's next final; nothing where it has no text.
    ///
    /// - Returns: the final. Its times are those of the segment, or later where that would overlap the final before.
    package func append(_ segment: TranscriptSegment) throws -> TranscriptSegment? {
        guard segment.text.contains(where: { !$0.isWhitespace }) else { return nil }
        return try state.withLock { state in
            let floor = SegmentRow.seconds(state.end)
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

    /// Closes the session: there is nothing left to recover.
    package func finish() throws {
        try journal.close(cancelled: false, clock: journal.clock)
    }
}
