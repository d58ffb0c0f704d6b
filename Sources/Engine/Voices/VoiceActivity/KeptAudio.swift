import EngineAudio

/// The ranges of a recording that are kept after silence is removed, joined together, and the mapping of times back to
/// the recording.
///
/// Positions and times refer to the joined audio unless they are called original.
package struct KeptAudio: Sendable, Hashable {
    /// Original samples of each range.
    package let ranges: [Range<Int>]
    /// Where each range ends in the joined audio.
    private let ends: [Int]

    package init(_ ranges: [Range<Int>]) {
        self.ranges = ranges.filter { !$0.isEmpty }
        var end = 0
        ends = self.ranges.map {
            end += $0.count
            return end
        }
    }

    /// Samples in total.
    package var count: Int { ends.last ?? 0 }

    /// Returns the original samples of a range of the joined audio.
    package func originalRanges(of range: Range<Int>) -> [Range<Int>] {
        var originals: [Range<Int>] = []
        var index = firstRange(endingAfter: range.lowerBound)
        while index < ranges.count {
            let start = ends[index] - ranges[index].count
            let part = range.clamped(to: start..<ends[index])
            if part.isEmpty { break }
            let shift = ranges[index].lowerBound - start
            originals.append((part.lowerBound + shift)..<(part.upperBound + shift))
            index += 1
        }
        return originals
    }

    /// Returns the index of the range that contains a time: the last one for a time after the end, `nil` if there are
    /// no ranges.
    ///
    /// - Parameter isEnd: whether a time on the border of two ranges belongs to the earlier one.
    package func rangeIndex(at seconds: Double, isEnd: Bool = false) -> Int? {
        guard !ranges.isEmpty else { return nil }
        let sample = Int(min(max(0, seconds * Double(AudioChunk.sampleRate)), Double(count)))
        let index = firstRange(endingAfter: isEnd ? sample - 1 : sample)
        return min(index, ranges.count - 1)
    }

    /// Restores the original time of a time in a given range, clamped to that range.
    package func originalTime(_ seconds: Double, in index: Int) -> Double {
        let rate = Double(AudioChunk.sampleRate)
        let range = ranges[index]
        let shift = Double(range.upperBound - ends[index]) / rate
        return min(max(seconds + shift, Double(range.lowerBound) / rate), Double(range.upperBound) / rate)
    }

    /// The time at which an original one is; that of the next range for one between two ranges.
    package func time(ofOriginal seconds: Double) -> Double {
        let sample = Int((min(max(0, seconds), 1e9) * Double(AudioChunk.sampleRate)).rounded())
        guard let index = ranges.firstIndex(where: { $0.upperBound > sample }) else {
            return AudioChunk.seconds(of: count)
        }
        let start = ends[index] - ranges[index].count
        return AudioChunk.seconds(of: start + max(0, sample - ranges[index].lowerBound))
    }

    private func firstRange(endingAfter sample: Int) -> Int {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > sample { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Groups segments of speech into chunks that fit into a window, like faster-whisper's `collect_chunks`.
package struct SpeechChunker: Sendable {
    private let limit: Double
    private var chunk: [Range<Int>] = []
    private var count = 0

    /// - Parameter seconds: maximum speech per chunk; a longer segment becomes a separate chunk.
    package init(seconds: Double) { limit = seconds * Double(AudioChunk.sampleRate) }

    /// Adds the next segment, in samples.
    ///
    /// - Returns: the completed chunk if the segment no longer fits into it.
    package mutating func add(_ segment: Range<Int>) -> [Range<Int>]? {
        if segment.isEmpty { return nil }
        let complete = Double(count + segment.count) > limit ? finish() : nil
        chunk.append(segment)
        count += segment.count
        return complete
    }

    /// Returns the last chunk.
    package mutating func finish() -> [Range<Int>]? {
        defer { (chunk, count) = ([], 0) }
        return chunk.isEmpty ? nil : chunk
    }
}
