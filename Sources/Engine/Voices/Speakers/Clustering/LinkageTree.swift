/// Average linkage: the two closest clusters are merged until one is left; the distance of clusters is the mean of their
/// members' distances.
package struct LinkageTree: Sendable {
    package struct Merge: Sendable, Equatable {
        /// Leaves are 0..<count; merge i makes cluster count + i.
        package let first: Int
        package let second: Int
        package let distance: Float
    }

    let count: Int
    package private(set) var merges: [Merge] = []

    /// - Parameter cosines: `[count, count]`; the distance is 1 − cosine.
    package init(cosines: [Float], count n: Int) {
        precondition(cosines.count == n * n, "\(cosines.count) cosines of \(n)")
        count = n
        guard n > 1 else { return }
        var distances = cosines.map { 1 - $0 }
        for i in 0..<n { distances[i * n + i] = .infinity }
        var names = Array(0..<n), sizes = [Float](repeating: 1, count: n)
        var alive = [Bool](repeating: true, count: n)
        var nearest = (0..<n).map { Self.nearest(to: $0, in: distances, count: n) }
        for step in 0..<(n - 1) {
            var a = -1
            for i in 0..<n where alive[i] {
                if a < 0 || distances[i * n + nearest[i]] < distances[a * n + nearest[a]] { a = i }
            }
            let b = nearest[a]
            merges.append(Merge(first: names[a], second: names[b], distance: distances[a * n + b]))
            let (weight, other) = (sizes[a], sizes[b])
            alive[b] = false
            sizes[a] = weight + other
            names[a] = n + step
            for i in 0..<n {
                let isOut = !alive[i] || i == a
                let mean = (weight * distances[a * n + i] + other * distances[b * n + i]) / (weight + other)
                let distance = isOut ? Float.infinity : mean
                distances[a * n + i] = distance
                distances[i * n + a] = distance
            }
            for i in 0..<n {
                distances[b * n + i] = .infinity
                distances[i * n + b] = .infinity
            }
            nearest[a] = Self.nearest(to: a, in: distances, count: n)
            for i in 0..<n where alive[i] && i != a {
                if nearest[i] == a || nearest[i] == b {
                    nearest[i] = Self.nearest(to: i, in: distances, count: n)
                } else if distances[a * n + i] < distances[i * n + nearest[i]] {
                    nearest[i] = a
                }
            }
        }
    }

    private static func nearest(to row: Int, in distances: [Float], count n: Int) -> Int {
        var best = 0
        for i in 1..<n where distances[row * n + i] < distances[row * n + best] { best = i }
        return best
    }

    /// The clusters before the first merge at a greater distance.
    package func labels(distance: Float) -> [Int] {
        labels(merges.firstIndex { $0.distance > distance } ?? merges.count)
    }

    /// The clusters when `clusters` of them are left.
    package func labels(clusters: Int) -> [Int] { labels(max(0, min(merges.count, count - clusters))) }

    /// The cluster of each leaf after some merges, numbered from 0 in the order of their names.
    private func labels(_ merged: Int) -> [Int] {
        var parents = Array(0..<(count + merged))
        for (index, merge) in merges.prefix(merged).enumerated() {
            parents[merge.first] = count + index
            parents[merge.second] = count + index
        }
        // Parents come after their children.
        for name in parents.indices.reversed() { parents[name] = parents[parents[name]] }
        return SpeakerClustering.compact(Array(parents.prefix(count)))
    }
}
