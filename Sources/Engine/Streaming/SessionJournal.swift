package import EngineTranscripts

/// What happens to a session clock.
package enum ClockEvent: String, Sendable, Hashable, CaseIterable {
    case start, pause, resume, gap
    case deviceLost = "device_lost"
    case deviceBack = "device_back"
    case stop
}

/// Stores the finals of a live session before they are published.
///
/// One session calls it, one call at a time. When a call returns, its data must survive a crash of the process and of
/// the machine.
package protocol SessionJournal: Sendable {
    /// Stores finals in one transaction. Their ids continue the ids stored before.
    ///
    /// - Parameter clock: number of samples accepted so far.
    func append(_ finals: [TranscriptSegment], clock: Int) throws

    /// Records what happened to the clock at sample `position`.
    func record(_ event: ClockEvent, at position: Int, lostSamples: Int) throws

    /// Ends the session.
    ///
    /// - Parameter cancelled: whether volatile text was dropped.
    func close(cancelled: Bool, clock: Int) throws
}

/// Where a session starts: from zero, or where an earlier run of it ended.
package struct SessionStart: Sendable, Hashable {
    package var id: SessionID
    /// Samples on the session clock.
    package var clock: Int
    /// The id of the next final.
    package var nextID: Int
    /// The last text of the earlier run, used to prompt the first pass.
    package var context: String
    /// Samples on the session clock where new audio starts. The audio before it was captured by the earlier run.
    package var captureStart: Int
    /// How many speaker numbers earlier runs used.
    package var speakerNumbers = 0

    /// - Parameter captureStart: `nil` if all audio is new.
    package init(
        id: SessionID = SessionID(), clock: Int = 0, nextID: Int = 0, context: String = "", captureStart: Int? = nil
    ) {
        self.id = id
        self.clock = max(0, clock)
        self.nextID = max(0, nextID)
        self.context = context
        self.captureStart = max(self.clock, captureStart ?? 0)
    }
}

/// How a new session is recorded, stored with it.
package struct SessionOrigin: Sendable, Hashable {
    /// The name of the microphone or file.
    package var source: String
    /// The name of the model.
    package var model: String
    /// The language code, if the language was specified.
    package var language: String?
    /// The options of the session, as a JSON object.
    package var options: String

    package init(source: String, model: String, language: String? = nil, options: String = "{}") {
        self.source = source
        self.model = model
        self.language = language
        self.options = options
    }
}
