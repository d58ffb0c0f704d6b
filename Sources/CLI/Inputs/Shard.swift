/// One of several parts of a list, which are transcribed by different runs.
package struct Shard: Sendable, Equatable {
    /// From 1.
    package let number: Int
    package let count: Int

    package static let maxCount = 1_000_000

    /// Parses `2/8`.
    package init?(_ value: [UInt8]) {
        let parts = value.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.allSatisfy(ValueSyntax.isDigit) }),
            let number = ValueSyntax.integer(Array(parts[0])), let count = ValueSyntax.integer(Array(parts[1])),
            1...Self.maxCount ~= count, 1...count ~= number
        else { return nil }
        self.init(number: number, of: count)
    }

    package init(number: Int, of count: Int) {
        precondition(1...count ~= number, "shard \(number) of \(count)")
        (self.number, self.count) = (number, count)
    }

    /// The indices of this shard's recordings, in ascending order. They depend only on the arguments.
    ///
    /// Recordings are assigned longest first, each to the shard with the smallest load so far. The loads of two shards
    /// then differ by at most the longest recording (Graham, "Bounds on Multiprocessing Timing Anomalies", 1969).
    package func indices(of loads: [Double]) -> [Int] {
        let order = loads.indices.sorted { (-loads[$0], $0) < (-loads[$1], $1) }
        var shards = ShardLoads(count: count)
        return order.filter { shards.add(loads[$0]) == number - 1 }.sorted()
    }
}

/// The loads of all shards as a binary heap, smallest load first; ties are broken by the lowest number.
private struct ShardLoads {
    private var heap: [(load: Double, shard: Int)]

    init(count: Int) { heap = (0..<count).map { (0, $0) } }

    /// Adds a load to the shard with the least, and returns that shard.
    mutating func add(_ load: Double) -> Int {
        let shard = heap[0].shard
        heap[0].load += load
        var parent = 0
        while let child = leastChild(of: parent), heap[child] < heap[parent] {
            heap.swapAt(child, parent)
            parent = child
        }
        return shard
    }

    private func leastChild(of parent: Int) -> Int? {
        let left = 2 * parent + 1
        guard left < heap.count else { return nil }
        return left + 1 < heap.count && heap[left + 1] < heap[left] ? left + 1 : left
    }
}
