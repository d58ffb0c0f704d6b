import EngineAudio
import EngineModels
import EngineTranscripts

/// Hears a clip of a recording as one stream and divides its words into segments.
final class StreamedClip {
    private let stream: SpeechStream
    private let range: Range<Int>
    private let segments: PieceSegments
    private let language: String?
    private let read: (Range<Int>) throws -> [Float]
    private var isFinished = false
    /// Words of the segment that has not ended.
    private var words: [ParakeetWord] = []
    /// Where the next samples begin.
    private(set) var position: Int

    /// - Parameters:
    ///   - range: its samples.
    ///   - language: the code of the spoken language; `nil` if it is unknown.
    ///   - read: returns samples of a range.
    init(
        _ range: Range<Int>, by stream: SpeechStream, options: TranscriptionOptions, language: String?,
        read: @escaping (Range<Int>) throws -> [Float]
    ) {
        self.stream = stream
        self.range = range
        self.language = language
        self.read = read
        segments = PieceSegments(range, options: options)
        position = range.lowerBound
    }

    /// The tokens of the segment that has not ended.
    var tokens: [Int] { (words + [stream.open].compactMap(\.self)).flatMap(\.tokens) }

    /// No later segment starts before this, in seconds.
    var settled: Double {
        let open = words.first ?? stream.open
        return position == range.lowerBound ? segments.start : segments.time(open?.start ?? Double(stream.frames))
    }

    /// Hears the next samples.
    ///
    /// - Parameter first: the id of the next segment.
    /// - Returns: the segments that have ended; `nil` after the end of the clip.
    func next(first: Int) throws -> [TranscriptSegment]? {
        if isFinished { return nil }
        let samples = try read(position..<min(position + stream.blockSamples, range.upperBound))
        if position == range.lowerBound { stream.start(language: language) }
        position += samples.count
        let isLast = position == range.upperBound
        var groups = segments.groups(of: words + (try stream.hear(samples, isLast: isLast)))
        isFinished = isLast
        // The stream may go on with the same sentence.
        words = isLast || groups.last.map(segments.isEnded) ?? true ? [] : groups.removeLast()
        return segments.segments(of: groups, first: first)
    }

    /// All segments of the clip.
    func all() throws -> [TranscriptSegment] {
        var all: [TranscriptSegment] = []
        while let segments = try next(first: all.count) { all += segments }
        return all
    }
}
