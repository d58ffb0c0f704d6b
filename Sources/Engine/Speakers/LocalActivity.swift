/// Who talks in each window of the segmentation network: local speakers, whose numbers mean nothing in other windows.
package struct LocalActivity: Sendable {
    /// Frames in a window.
    static let frames = SegmentationNetwork.frames(samples: SegmentationNetwork.windowSamples)
    static let speakers = 3
    /// Samples from one window to the next, 1 s.
    static let step = 16_000

    /// The local speakers of each class, as bits.
    private static let sets: [UInt8] = [0b000, 0b001, 0b010, 0b100, 0b011, 0b101, 0b110]

    package let windows: Int
    /// For each window and frame, the local speakers as bits.
    private(set) var talking: [UInt8]

    package init(windows: Int) {
        self.windows = windows
        talking = [UInt8](repeating: 0, count: windows * Self.frames)
    }

    /// - Parameter talking: for each window and frame, the local speakers as bits.
    init(talking: [UInt8]) {
        windows = talking.count / Self.frames
        self.talking = talking
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
    var frameCount: Int { Self.firstFrame(of: windows - 1) + Self.frames }

    /// Stores the likeliest class of each frame.
    ///
    /// - Parameter logits: `[windows, frames, 7]` of adjacent windows.
    package mutating func store(_ logits: [Float], from window: Int) {
        let sets = Self.likeliest(logits), first = window * Self.frames
        talking.replaceSubrange(first..<(first + sets.count), with: sets)
    }

    /// The local speakers of the likeliest class of each frame, as bits.
    ///
    /// - Parameter logits: `[frames, 7]`.
    static func likeliest(_ logits: [Float]) -> [UInt8] {
        let classes = SegmentationNetwork.classes
        return stride(from: 0, to: logits.count, by: classes).map { row in
            var best = 0
            for index in 1..<classes where logits[row + index] > logits[row + best] { best = index }
            return sets[best]
        }
    }

    /// The local speakers in each frame of a window, as bits.
    func frames(of window: Int) -> ArraySlice<UInt8> {
        talking[(window * Self.frames)..<((window + 1) * Self.frames)]
    }

    /// How many people talk in each frame: the mean over the windows, rounded half to even.
    package func people() -> [UInt8] {
        var sums = [UInt16](repeating: 0, count: frameCount), counts = sums
        for window in 0..<windows {
            let first = Self.firstFrame(of: window)
            for (index, set) in frames(of: window).enumerated() {
                sums[first + index] += UInt16(set.nonzeroBitCount)
                counts[first + index] += 1
            }
        }
        return zip(sums, counts).map { sum, count in
            UInt8((Double(sum) / Double(max(1, count))).rounded(.toNearestOrEven))
        }
    }
}
