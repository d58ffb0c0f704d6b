import EngineAudio
import EngineModels
import EngineVoices

/// Divides a recording into pieces for the network, without overlap: each begins with speech and ends in a pause if
/// there is one, else at the quietest place.
package struct SpeechPieces {
    /// Speech without a long pause, in samples.
    private struct Stretch {
        var range: Range<Int>
        /// Samples of silence before it.
        let pause: Int
    }

    private let read: (Range<Int>) throws -> [Float]
    private let longest: Int
    /// Of each clip.
    private var clips: [[Stretch]]

    /// A longer pause always ends a piece: there is nothing in it to hear.
    private static let longPause = AudioChunk.samples(in: 2)
    /// Samples of the pause after a piece that belong to it: with them, the full stop is heard.
    private static let trailing = AudioChunk.samples(in: 0.5)
    /// A piece that has to end in speech is at least this part of the longest.
    private static let leastShare = 0.6

    /// - Parameters:
    ///   - clips: samples to transcribe, in order.
    ///   - speech: samples of speech in order; what the ranges do not touch is left out.
    ///   - pauses: the samples of silence before each range of speech.
    ///   - read: returns the samples of a range.
    package init(
        clips: [Range<Int>], speech: [Range<Int>], pauses: [Int]? = nil, longest: Int,
        read: @escaping (Range<Int>) throws -> [Float]
    ) {
        self.read = read
        self.longest = longest
        self.clips = clips.map { clip in
            var stretches: [Stretch] = [], end = clip.lowerBound
            for (index, range) in speech.enumerated() {
                let part = range.clamped(to: clip)
                if part.isEmpty { continue }
                stretches.append(
                    Stretch(range: part, pause: max(pauses?[index] ?? 0, part.lowerBound - end)))
                end = part.upperBound
            }
            return stretches.reversed()
        }.reversed()
    }

    /// Where the next piece begins; `nil` after the last.
    package var start: Int? { clips.last(where: { !$0.isEmpty })?.last?.range.lowerBound }

    /// Removes the next piece.
    ///
    /// - Returns: its samples; `nil` after the last.
    package mutating func next() throws -> Range<Int>? {
        while let clip = clips.last, clip.isEmpty { clips.removeLast() }
        guard var rest = clips.popLast(), let first = rest.last else { return nil }
        defer { clips.append(rest) }
        let limit = first.range.lowerBound + longest
        if first.range.upperBound > limit {
            let cut = try quietest(in: (first.range.lowerBound + Int(Self.leastShare * Double(longest)))..<limit)
            rest[rest.count - 1] = Stretch(range: cut..<first.range.upperBound, pause: 0)
            return first.range.lowerBound..<cut
        }
        let count = pieceLength(rest, limit: limit)
        let last = rest[rest.count - count]
        rest.removeLast(count)
        let room = rest.last.map { ($0.range.lowerBound - last.range.upperBound) / 2 } ?? 0
        return first.range.lowerBound..<min(limit, last.range.upperBound + min(Self.trailing, room))
    }

    /// The number of stretches, the next of which is the last in `rest`, that make a piece.
    private func pieceLength(_ rest: [Stretch], limit: Int) -> Int {
        var count = 1
        while count < rest.count {
            let next = rest[rest.count - 1 - count]
            if next.pause >= Self.longPause { return count }
            guard next.range.upperBound <= limit else { break }
            count += 1
        }
        if count == rest.count { return count }
        // Of the pauses that do not waste much room, the longest.
        let start = limit - longest, least = start + Int(Self.leastShare * Double(longest))
        let possible = (1...count).filter { rest[rest.count - $0].range.upperBound >= least }
        return possible.max { rest[rest.count - 1 - $0].pause < rest[rest.count - 1 - $1].pause } ?? count
    }

    /// The middle of the quietest 160 ms, a multiple of 10 ms from the start of the recording.
    private func quietest(in range: Range<Int>) throws -> Int {
        let width = 8, frame = 320
        var meter = FrameLevelMeter(), position = 0, levels: [Double] = []
        let samples = try read(range)
        while let level = meter.nextFrame(of: samples, from: &position) { levels.append(level) }
        guard levels.count > width else { return range.upperBound }
        let sums = (0...(levels.count - width)).map { levels[$0..<($0 + width)].reduce(0, +) }
        let best = sums.indices.min { sums[$0] < sums[$1] } ?? 0
        let middle = range.lowerBound + (best + width / 2) * frame
        return middle / ParakeetFeatures.hop * ParakeetFeatures.hop
    }
}

extension SpeechPieces {
    /// The pieces of a recording that has been read.
    init(_ recording: RecordedAudio, options: TranscriptionOptions, longest: Int) throws {
        let read = { (range: Range<Int>) in try recording.read(range) }, all = 0..<recording.count
        let clips = Self.clips(of: recording, options)
        if let kept = recording.summary.speech?.kept {
            var end = 0, last = 0
            let ranges = kept.ranges.map { range in
                defer { (end, last) = (end + range.count, range.upperBound) }
                return (own: end..<(end + range.count), pause: range.lowerBound - last)
            }
            self.init(
                clips: clips, speech: ranges.map(\.own), pauses: ranges.map(\.pause), longest: longest, read: read)
            return
        }
        let isGuarded = options.isGuarded
        let speech = isGuarded ? recording.summary.voiced : try Self.speech(in: recording, options)
        // Without guards, nothing is left out where the detector is deaf.
        let heard = isGuarded || !speech.ranges.isEmpty ? Self.samples(of: speech, in: all) : [all]
        self.init(clips: clips, speech: heard, longest: longest, read: read)
    }

    /// The samples of a recording to transcribe, in order.
    static func clips(of recording: RecordedAudio, _ options: TranscriptionOptions) -> [Range<Int>] {
        let seconds = recording.summary.speech?.clips ?? options.clipTimestamps
        // The last frame may be incomplete.
        let frames = (recording.count + ClipTimestamps.frameSamples - 1) / ClipTimestamps.frameSamples
        return ClipTimestamps(seconds, contentFrames: frames).clips.filter { $0.start < $0.end }.map {
            ($0.start * ClipTimestamps.frameSamples..<$0.end * ClipTimestamps.frameSamples)
                .clamped(to: 0..<recording.count)
        }
    }

    /// The pieces of a chunk that is transcribed on its own.
    init(_ chunk: RecordingChunk, longest: Int, read: @escaping (Range<Int>) throws -> [Float]) {
        let all = 0..<chunk.audio.count
        let speech = Self.samples(of: chunk.speech, in: all)
        self.init(clips: [all], speech: speech, longest: longest, read: read)
    }

    private static func samples(of speech: SpeechIntervals, in all: Range<Int>) -> [Range<Int>] {
        let frame = ClipTimestamps.frameSamples
        return speech.ranges.map { ($0.lowerBound * frame..<$0.upperBound * frame).clamped(to: all) }
    }

    private static func speech(in recording: RecordedAudio, _ options: TranscriptionOptions) throws -> SpeechIntervals {
        var speech = SpeechIntervals(), detector = (options.guardDetector ?? .energy).makeDetector()
        let block = 60 * AudioChunk.sampleRate
        for start in stride(from: 0, to: recording.count, by: block) {
            try Task.checkCancellation()
            speech.add(detector.feed(try recording.read(start..<min(start + block, recording.count))))
        }
        speech.add(detector.finish())
        return speech
    }
}
