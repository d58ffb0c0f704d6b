import Glibc

/// Who talks in each window of the segmentation network: local speakers, whose numbers mean nothing in other windows.
package struct LocalActivity: Sendable {
    /// The network's output for the frames of adjacent windows.
    package struct Frames: Sendable {
        /// The local speakers that probably talk, as bits.
        package var talking: [UInt8]
        /// How many people are expected to talk, from the network's probabilities.
        package var expected: [Float]

        package init(talking: [UInt8], expected: [Float]) {
            precondition(talking.count == expected.count, "\(talking.count) and \(expected.count) frames")
            self.talking = talking
            self.expected = expected
        }

        package func part(_ range: Range<Int>) -> Frames {
            Frames(talking: Array(talking[range]), expected: Array(expected[range]))
        }

        /// - Parameter logits: `[frames, classes]`.
        package init(logits: [Float], version: SegmentationNetwork.Version) {
            talking = []
            expected = []
            for row in stride(from: 0, to: logits.count, by: version.classes) {
                let row = logits[row..<(row + version.classes)]
                let (set, people) = version == .powerset ? Self.likeliest(row) : Self.independent(row)
                talking.append(set)
                expected.append(people)
            }
        }

        /// The likeliest class, and the expected number of people over all classes.
        private static func likeliest(_ logits: ArraySlice<Float>) -> (talking: UInt8, expected: Float) {
            let best = logits.indices.reduce(logits.startIndex) { logits[$1] > logits[$0] ? $1 : $0 }
            var sum: Float = 0, people: Float = 0
            for (set, logit) in zip(sets, logits) {
                let weight = exp(logit - logits[best])
                sum += weight
                people += weight * Float(set.nonzeroBitCount)
            }
            return (sets[best - logits.startIndex], people / sum)
        }

        /// The speakers with a probability above one half, and the sum of the probabilities.
        private static func independent(_ logits: ArraySlice<Float>) -> (talking: UInt8, expected: Float) {
            var talking: UInt8 = 0, people: Float = 0
            for (speaker, logit) in logits.enumerated() {
                if logit > 0 { talking |= 1 << UInt8(speaker) }
                people += 1 / (1 + exp(-logit))
            }
            return (talking, people)
        }
    }

    static let speakers = 3
    /// Samples from one window to the next, 1 s.
    package static let step = 16_000

    /// The local speakers of each class of `.powerset`, as bits.
    private static let sets: [UInt8] = [0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110]

    /// A frame is speech if the expected number of people exceeds this share of its maximum within `peakReach`, and
    /// `minSpeech`: this keeps the edges of clear speech sharp without missing faint speech. Above `minSecond`, two
    /// people talk. Chosen on simulated conversations (docs/speakers.md).
    private static let peakShare: Float = 0.6
    private static let minSpeech: Float = 0.5
    private static let minSecond: Float = 1.4
    /// Frames, 0.5 s.
    private static let peakReach = 29

    package let windows: Int
    /// Frames in a window.
    let framesPerWindow: Int
    /// For each window and frame, the local speakers as bits.
    package private(set) var talking: [UInt8]
    /// For each frame of the grid, the sum of the expected numbers of people over the windows.
    private var expected: [Float]

    package init(windows: Int, of version: SegmentationNetwork.Version) {
        self.windows = windows
        framesPerWindow = SegmentationNetwork.frames(samples: version.windowSamples)
        talking = [UInt8](repeating: 0, count: windows * framesPerWindow)
        expected = [Float](repeating: 0, count: Self.firstFrame(of: windows - 1) + framesPerWindow)
    }

    /// The number of windows that cover a recording.
    package static func windows(samples: Int, of version: SegmentationNetwork.Version) -> Int {
        let rest = samples - version.windowSamples
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
        let first = window * framesPerWindow
        talking.replaceSubrange(first..<(first + frames.talking.count), with: frames.talking)
        for (index, people) in frames.expected.enumerated() {
            expected[Self.firstFrame(of: window + index / framesPerWindow) + index % framesPerWindow] += people
        }
    }

    /// The local speakers in each frame of a window, as bits.
    func frames(of window: Int) -> ArraySlice<UInt8> {
        talking[(window * framesPerWindow)..<((window + 1) * framesPerWindow)]
    }

    /// How many people talk in each frame, at most two.
    package func people() -> [UInt8] {
        var counts = [Float](repeating: 0, count: frameCount)
        for window in 0..<windows {
            let first = Self.firstFrame(of: window)
            for frame in first..<(first + framesPerWindow) { counts[frame] += 1 }
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
