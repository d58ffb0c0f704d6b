import EngineBasics

/// Byte-level byte-pair encoding by rank, as in tiktoken: repeatedly merges the pair of neighbors whose concatenation
/// has the lowest ID, until no concatenation is a piece.
struct BytePairEncoder: Sendable {
    /// Piece i has the number i, which is its ID and merge rank.
    private let table: ByteStringTable
    /// IDs of the 256 single bytes; `nil` for bytes missing from a damaged vocabulary.
    private let byteIDs: [Int?]

    init(pieces: [[UInt8]]) {
        var table = ByteStringTable(capacity: pieces.count)
        for piece in pieces { table.add(piece.span) }
        self.table = table
        byteIDs = (UInt8.min...UInt8.max).map { [table] in table.number(of: [$0].span) }
    }

    /// Encodes `text`. Bytes missing from the vocabulary are dropped.
    func encode(_ text: String) -> [Int] {
        let bytes = Array(text.utf8)
        var ids: [Int] = []
        var parts = Parts()
        for piece in TextPieces(bytes) {
            let span = bytes.span.extracting(piece)
            if let id = table.number(of: span) {
                ids.append(id)
            } else {
                merge(span, in: &parts)
                parts.appendIDs(to: &ids)
            }
        }
        return ids
    }

    /// The parts of the piece being merged; reused for every piece. Index i is the part that starts at byte i.
    private struct Parts {
        var queue = MergeQueue()
        /// The index after the part's last byte.
        var ends: [Int] = []
        /// The start of the previous part, -1 for the first.
        var previous: [Int] = []
        var ids: [Int?] = []
        /// The rank of the part merged with its right neighbor; `nil` if that is not a piece or the part no longer
        /// exists.
        var pairRanks: [Int?] = []

        mutating func reset(count: Int) {
            ends.removeAll(keepingCapacity: true)
            previous.removeAll(keepingCapacity: true)
            ids.removeAll(keepingCapacity: true)
            pairRanks.removeAll(keepingCapacity: true)
            for start in 0..<count {
                ends.append(start + 1)
                previous.append(start - 1)
                pairRanks.append(nil)
            }
        }

        func appendIDs(to result: inout [Int]) {
            var start = 0
            while start < ends.count {
                if let id = ids[start] { result.append(id) }
                start = ends[start]
            }
        }
    }

    /// Merges in O(n log n), because a single word may be as long as the text.
    private func merge(_ bytes: Span<UInt8>, in parts: inout Parts) {
        parts.reset(count: bytes.count)
        for start in bytes.indices {
            parts.ids.append(byteIDs[Int(bytes[start])])
            updatePair(at: start, of: bytes, in: &parts)
        }
        while let best = parts.queue.popFirst() {
            let left = best.position
            // Merging changes neighbors, so candidates queued for them earlier may be stale.
            guard parts.pairRanks[left] == best.rank else { continue }
            let right = parts.ends[left]
            let end = parts.ends[right]
            parts.ids[left] = best.rank
            parts.ends[left] = end
            parts.pairRanks[right] = nil
            if end < bytes.count { parts.previous[end] = left }
            updatePair(at: left, of: bytes, in: &parts)
            if parts.previous[left] >= 0 { updatePair(at: parts.previous[left], of: bytes, in: &parts) }
        }
    }

    private func updatePair(at start: Int, of bytes: Span<UInt8>, in parts: inout Parts) {
        let middle = parts.ends[start]
        let rank = middle < bytes.count ? table.number(of: bytes.extracting(start..<parts.ends[middle])) : nil
        parts.pairRanks[start] = rank
        if let rank { parts.queue.insert(MergeQueue.Candidate(rank: rank, position: start)) }
    }
}

/// A binary heap of neighbor pairs to merge, ordered by rank, then from left to right.
struct MergeQueue {
    struct Candidate: Comparable {
        let rank: Int
        /// The start of the left neighbor.
        let position: Int

        static func < (left: Candidate, right: Candidate) -> Bool {
            left.rank != right.rank ? left.rank < right.rank : left.position < right.position
        }
    }

    private var heap: [Candidate] = []

    mutating func insert(_ candidate: Candidate) {
        var child = heap.count
        heap.append(candidate)
        while child > 0 {
            let parent = (child - 1) / 2
            guard candidate < heap[parent] else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    package mutating func popFirst() -> Candidate? {
        guard let last = heap.popLast() else { return nil }
        guard let first = heap.first else { return last }
        heap[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
            guard heap[child] < last else { break }
            heap.swapAt(child, parent)
            parent = child
        }
        return first
    }
}
