/// Where in a recording somebody speaks, in frames of 10 ms from its start.
package struct SpeechIntervals: Hashable, Sendable {
    private static let frameSamples = 160

    /// In order, apart from each other.
    package private(set) var ranges: [Range<Int>] = []
    private var opened: Int?

    package init() {}

    /// Takes what a detector has heard, in its order.
    package mutating func add(_ events: [VoiceActivityEvent]) {
        for event in events {
            switch event {
            case .opened(let sample): opened = sample
            case .voiced: break
            case .closed(let sample):
                guard let start = opened, start < sample else { continue }
                add(start / Self.frameSamples..<(sample + Self.frameSamples - 1) / Self.frameSamples)
                opened = nil
            }
        }
    }

    /// Frames of speech among `frames`.
    package func count(in frames: Range<Int>) -> Int {
        ranges.reduce(0) { $0 + $1.clamped(to: frames).count }
    }

    /// The first frame of speech from `frame` on.
    package func firstSpeech(from frame: Int) -> Int? {
        ranges.first { $0.upperBound > frame }.map { max($0.lowerBound, frame) }
    }

    /// Where up to so many windows of `frames` begin, each at the first speech behind the one before it.
    package func windowStarts(ofFrames frames: Int, limit: Int) -> [Int] {
        var starts: [Int] = []
        while starts.count < limit, let next = firstSpeech(from: starts.last.map { $0 + frames } ?? 0) { starts.append(next) }
        return starts
    }

    private mutating func add(_ span: Range<Int>) {
        if let last = ranges.last, span.lowerBound <= last.upperBound {
            ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
        } else {
            ranges.append(span)
        }
    }
}
