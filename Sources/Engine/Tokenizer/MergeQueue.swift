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
