/// Stretches of a recording put together without what lies between, and the way back to where they were.
///
/// Positions and times are those of the sound put together, unless they are called original.
package struct KeptAudio: Sendable, Hashable {
    /// Original samples of each stretch.
    package let ranges: [Range<Int>]
    /// Where each stretch ends.
    private let ends: [Int]

    package init(_ ranges: [Range<Int>]) {
        self.ranges = ranges.filter { !$0.isEmpty }
        var end = 0
        ends = self.ranges.map {
            end += $0.count
            return end
        }
    }

    /// Samples in all.
    package var count: Int { ends.last ?? 0 }

    /// The original samples of a range.
    package func originalRanges(of range: Range<Int>) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var index = firstStretch(endingAfter: range.lowerBound)
        while index < ranges.count {
            let start = ends[index] - ranges[index].count
            let part = range.clamped(to: start..<ends[index])
            if part.isEmpty { break }
            let shift = ranges[index].lowerBound - start
            parts.append((part.lowerBound + shift)..<(part.upperBound + shift))
            index += 1
        }
        return parts
    }

    /// The stretch that a time lies in; the last where it lies behind all, `nil` where there is none.
    ///
    /// - Parameter isEnd: a time on the border of two belongs to the earlier one.
    package func rangeIndex(at seconds: Double, isEnd: Bool = false) -> Int? {
        guard !ranges.isEmpty else { return nil }
        let sample = Int(min(max(0, seconds * Double(AudioChunk.sampleRate)), Double(count)))
        let index = firstStretch(endingAfter: isEnd ? sample - 1 : sample)
        return min(index, ranges.count - 1)
    }

    /// The original time of a time that belongs to a stretch, limited to it.
    package func originalTime(_ seconds: Double, in stretch: Int) -> Double {
        let rate = Double(AudioChunk.sampleRate)
        let range = ranges[stretch]
        let shift = Double(range.upperBound - ends[stretch]) / rate
        return min(max(seconds + shift, Double(range.lowerBound) / rate), Double(range.upperBound) / rate)
    }

    private func firstStretch(endingAfter sample: Int) -> Int {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > sample { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
