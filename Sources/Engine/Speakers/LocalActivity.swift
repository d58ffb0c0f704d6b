import Glibc

/// Who talks in each window of the segmentation network: local speakers, whose numbers mean nothing in other windows.
package struct LocalActivity: Sendable {
    /// What the network hears in the frames of adjacent windows.
    package struct Frames: Sendable {
        /// The local speakers of the likeliest class, as bits.
        package var talking: [UInt8]
        /// How many people are expected to talk, from the probabilities of the classes.
        package var expected: [Float]

        package init(talking: [UInt8], expected: [Float]) {
            precondition(talking.count == expected.count, "\(talking.count) and \(expected.count) frames")
            self.talking = talking
            self.expected = expected
        }

        func part(_ range: Range<Int>) -> Frames {
            Frames(talking: Array(talking[range]), expected: Array(expected[range]))
        }

        /// - Parameter logits: `[frames, 7]`.
        package init(logits: [Float]) {
            let classes = SegmentationNetwork.classes
            talking = []
            expected = []
            for row in stride(from: 0, to: logits.count, by: classes) {
                let row = logits[row..<(row + classes)]
                let best = row.indices.reduce(row.startIndex) { row[$1] > row[$0] ? $1 : $0 }
                talking.append(sets[best - row.startIndex])
                var sum: Float = 0, people: Float = 0
                for (set, logit) in zip(sets, row) {
                    let weight = exp(logit - row[best])
                    sum += weight
                    people += weight * Float(set.nonzeroBitCount)
                }
                expected.append(people / sum)
            }
        }
    }

    /// Frames in a window.
    static let frames = SegmentationNetwork.frames(samples: SegmentationNetwork.windowSamples)
    static let speakers = 3
    /// Samples from one window to the next, 1 s.
    static let step = 16_000

    /// The local speakers of each class, as bits.
    private static let sets: [UInt8] = [0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110]

    /// Someone talks in a frame if the expected number of people is more than this share of its maximum within
    /// `peakReach`, but at least `minSpeech`: the edges of clear speech stay sharp, and faint speech is heard, too. A second
    /// person talks from `minSecond` on. Chosen on made conversations (docs/speakers.md).
    private static let peakShare: Float = 0.6
    private static let minSpeech: Float = 0.5
    private static let minSecond: Float = 1.4
    /// Frames, 0.5 s.
    private static let peakReach = 29

    package let windows: Int
    /// For each window and frame, the local speakers as bits.
    private(set) var talking: [UInt8]
    /// For each frame of the grid, the sum of the expected numbers of people over the windows.
    private var expected: [Float]

    package init(windows: Int) {
        self.windows = windows
        talking = [UInt8](repeating: 0, count: windows * Self.frames)
        expected = [Float](repeating: 0, count: Self.firstFrame(of: windows - 1) + Self.frames)
    }

    /// The number of windows that cover a recording.
    package static func windows(samples: Int) -> Int {
        let rest = samples - SegmentationNetwork.windowSamples
        return rest <= 0 ? 1 : (rest + step - 1) / step + 1
    }

    /// The first frame of a window on the common grid.
    static func firstFrame(of window: Int) -> Int {
        Int((Double(window * step) / Double(SegmentationNetwork.hop)).rounded(.toNearestOrEven))
    }

    /// The frames of all windows together.
    var frameCount: Int { expected.count }

    /// Stores the frames of adjacent windows, each once.
    package mutating func store(_ frames: Frames, from window: Int) {
        let first = window * Self.frames
        talking.replaceSubrange(first..<(first + frames.talking.count), with: frames.talking)
        for (index, people) in frames.expected.enumerated() {
            expected[Self.firstFrame(of: window + index / Self.frames) + index % Self.frames] += people
        }
    }

    /// The local speakers in each frame of a window, as bits.
    func frames(of window: Int) -> ArraySlice<UInt8> {
        talking[(window * Self.frames)..<((window + 1) * Self.frames)]
    }

    /// How many people talk in each frame, at most two.
    package func people() -> [UInt8] {
        var counts = [Float](repeating: 0, count: frameCount)
        for window in 0..<windows {
            let first = Self.firstFrame(of: window)
            for frame in first..<(first + Self.frames) { counts[frame] += 1 }
        }
        let means = zip(expected, counts).map { $0 / max(1, $1) }
        return means.indices.map { frame in
            let near = max(0, frame - Self.peakReach)..<min(means.count, frame + Self.peakReach + 1)
            let peak = means[near].reduce(0, max)
            let isSpeech = means[frame] > max(Self.minSpeech, Self.peakShare * min(1, peak))
            return !isSpeech ? 0 : means[frame] > Self.minSecond ? 2 : 1
        }
    }
}
