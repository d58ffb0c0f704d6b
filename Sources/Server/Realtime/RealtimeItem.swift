import WhisperEngine

/// A stretch of audio with its text: what is said between two silences, or what the client has committed.
struct RealtimeItem {
    let id = RequestID.random("item")
    /// Seconds from the start of the session.
    let start: Double
    var end: Double
    /// Whether its audio is complete.
    var isCommitted = false
    private(set) var deltas = TextDeltas()
    /// All final segments.
    private(set) var segments: [TranscriptSegment] = []
    /// How many of them have been sent.
    private var sentCount = 0

    init(start: Double) {
        self.start = start
        end = start
    }

    var seconds: Double { max(0, end - start) }

    mutating func add(_ segment: TranscriptSegment) { segments.append(segment) }

    /// The text that has not been sent yet, with the segment that it belongs to. Nothing of it changes later.
    mutating func unsent() -> [(delta: String, segment: TranscriptSegment)] {
        defer { sentCount = segments.count }
        var new: [(String, TranscriptSegment)] = []
        for segment in segments[sentCount...] { new.append((deltas.next(segment.text), segment)) }
        return new
    }

    /// Whether the text so far ends with a sentence.
    var endsSentence: Bool {
        segments.last.map { TurnText.endsSentence(WhiteSpace.strip($0.text)) } ?? false
    }
}
