/// The speech in a recording, as ranges of 10 ms frames.
package struct SpeechIntervals: Hashable, Sendable {
    private static let frameSamples = 160

    /// Frames of speech, sorted and disjoint.
    package private(set) var ranges: [Range<Int>] = []
    private var openStart: Int?

    package init() {}

    /// Adds a detector's events, in order.
    package mutating func add(_ events: [VoiceActivityEvent]) {
        for event in events {
            switch event {
            case .opened(let sample): openStart = sample
            case .voiced: break
            case .closed(let sample):
                guard let start = openStart, start < sample else { continue }
                add(Self.frames(of: start..<sample))
                openStart = nil
            }
        }
    }

    /// Returns the number of speech frames within a range of frames.
    package func count(in frames: Range<Int>) -> Int {
        ranges.reduce(0) { $0 + $1.clamped(to: frames).count }
    }

    /// Returns the speech within a range of samples, counted from its start.
    package func within(_ samples: Range<Int>) -> SpeechIntervals {
        let frames = Self.frames(of: samples)
        var part = SpeechIntervals()
        part.ranges = ranges.map { $0.clamped(to: frames) }.filter { !$0.isEmpty }.map {
            $0.lowerBound - frames.lowerBound..<$0.upperBound - frames.lowerBound
        }
        return part
    }

    /// Returns the first frame of speech at or after `frame`.
    package func firstSpeech(from frame: Int) -> Int? {
        ranges.first { $0.upperBound > frame }.map { max($0.lowerBound, frame) }
    }

    /// Returns the first frames of up to `limit` windows, each starting at the first speech after the previous window.
    package func windowStarts(ofFrames frames: Int, limit: Int) -> [Int] {
        var starts: [Int] = []
        while starts.count < limit, let next = firstSpeech(from: starts.last.map { $0 + frames } ?? 0) {
            starts.append(next)
        }
        return starts
    }

    private static func frames(of samples: Range<Int>) -> Range<Int> {
        samples.lowerBound / frameSamples..<(samples.upperBound + frameSamples - 1) / frameSamples
    }

    private mutating func add(_ range: Range<Int>) {
        if let last = ranges.last, range.lowerBound <= last.upperBound {
            ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        } else {
            ranges.append(range)
        }
    }
}
