/// Byte-level byte-pair encoding by rank, as tiktoken does it: among all neighbours the pair whose concatenation has
/// the lowest id is merged first, until no concatenation is a piece.
struct BytePairEncoder: Sendable {
    private let table: RankTable
    /// Ids of the 256 single bytes; `nil` for bytes that a damaged vocabulary has lost.
    private let byteIDs: [Int?]

    init(pieces: [[UInt8]]) {
        let table = RankTable(pieces: pieces)
        self.table = table
        byteIDs = (UInt8.min...UInt8.max).map { table.rank(of: [$0].span) }
    }

    /// Ids of `text`. Bytes that the vocabulary does not have are left out.
    func encode(_ text: String) -> [Int] {
        let bytes = Array(text.utf8)
        var ids: [Int] = []
        var parts = Parts()
        for piece in TextPieces(bytes) {
            let span = bytes.span.extracting(piece)
            if let id = table.rank(of: span) {
                ids.append(id)
            } else {
                merge(span, in: &parts)
                parts.appendIDs(to: &ids)
            }
        }
        return ids
    }

    /// Storage for the parts of one piece, used again for the next. Index i is the part that starts at byte i.
    private struct Parts {
        var queue = MergeQueue()
        /// First byte behind the part.
        var ends: [Int] = []
        /// Start of the part before, -1 for the first.
        var previous: [Int] = []
        var ids: [Int?] = []
        /// Rank of the part with its right neighbour; `nil` if that is no piece or the part is gone.
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

    /// n log n in the length: a word may be as long as the text.
    private func merge(_ bytes: Span<UInt8>, in parts: inout Parts) {
        parts.reset(count: bytes.count)
        for start in bytes.indices {
            parts.ids.append(byteIDs[Int(bytes[start])])
            updatePair(at: start, of: bytes, in: &parts)
        }
        while let best = parts.queue.popFirst() {
            let left = best.position
            // Merging changes neighbours; what was queued for them before is stale.
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
        let rank = middle < bytes.count ? table.rank(of: bytes.extracting(start..<parts.ends[middle])) : nil
        parts.pairRanks[start] = rank
        if let rank { parts.queue.insert(MergeQueue.Candidate(rank: rank, position: start)) }
    }
}

/// Pairs of neighbours waiting to be merged, lowest rank first, leftmost first among equal ranks (a binary heap).
struct MergeQueue {
    struct Candidate: Comparable {
        let rank: Int
        /// Where the left neighbour starts.
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

    mutating func popFirst() -> Candidate? {
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
