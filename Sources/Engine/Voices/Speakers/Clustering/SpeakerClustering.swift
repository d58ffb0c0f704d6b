/// Groups voice vectors by speaker.
///
/// Average linkage finds the voices; clusters too small to be a voice join the nearest one, and clusters that are too
/// similar are merged.
package struct SpeakerClustering: Sendable {
    /// The distance (1 − cosine) at which the tree is cut, and the cosine from which two centers are the same voice:
    /// chosen on simulated conversations (docs/speakers.md).
    private static let cut: Float = 0.60
    private static let sameVoice: Float = 0.60
    /// A voice has at least this share of the vectors, within these bounds.
    private static let minShare = 0.03
    private static let minMembers = 3.0
    private static let maxMembers = 12.0
    /// Maximum number of leaves in a tree, whose memory grows with their square.
    static let maxLeaves = 3000
    /// If fewer speakers are found than the minimum, cuts with up to this many more clusters are tried; the second half
    /// of these accepts clusters of a single vector.
    private static let extraCuts = 60

    private let limits: SpeakerLimits
    private let maxLeaves: Int

    /// - Parameter maxLeaves: the greatest number of vectors in the tree, evenly chosen.
    package init(limits: SpeakerLimits, maxLeaves: Int = Self.maxLeaves) {
        self.limits = limits
        self.maxLeaves = maxLeaves
    }

    /// - Returns: a label for each vector, from 0 without gaps.
    package func labels(of vectors: VoiceVectors) throws -> [Int] {
        guard vectors.count > 1 else { return Array(repeating: 0, count: vectors.count) }
        let step = (vectors.count + maxLeaves - 1) / maxLeaves
        let sample = step > 1 ? vectors.every(step) : vectors
        let n = sample.count
        guard n > 1 else { return Array(repeating: 0, count: vectors.count) }
        let tree = LinkageTree(cosines: try sample.cosines(with: sample), count: n)
        let share = (Self.minShare * Double(n)).rounded(.toNearestOrEven)
        let smallest = Int(min(max(share, Self.minMembers), Self.maxMembers))
        var labels = try settle(absorb(tree.labels(distance: Self.cut), below: smallest, in: sample), in: sample)
        labels = try settle(fuse(labels, from: Self.sameVoice, downTo: 1, in: sample), in: sample)
        let least = limits.minimum, most = limits.maximum ?? n
        if Self.count(labels) < least, least <= n {
            for count in least...max(least, min(n, least + Self.extraCuts)) {
                let size = count < least + Self.extraCuts / 2 ? smallest : 1
                labels = try absorb(tree.labels(clusters: count), below: size, in: sample)
                if Self.count(labels) >= least { break }
            }
            labels = try settle(labels, in: sample)
        }
        if Self.count(labels) > most {
            labels = try settle(fuse(labels, from: -2, downTo: most, in: sample), in: sample)
        }
        if step > 1 {
            labels = try vectors.nearest(sample.centers(labels, count: Self.count(labels)))
            labels = try settle(Self.compact(labels), in: vectors)
        }
        return labels
    }

    private static func count(_ labels: [Int]) -> Int { (labels.max() ?? -1) + 1 }

    /// The same labels without gaps, in the same order.
    static func compact(_ labels: [Int]) -> [Int] {
        var numbers: [Int: Int] = [:]
        for (index, label) in Set(labels).sorted().enumerated() { numbers[label] = index }
        return labels.map { numbers[$0] ?? 0 }
    }

    /// Clusters with fewer than `size` members join the larger one with the most similar center.
    private func absorb(_ labels: [Int], below size: Int, in vectors: VoiceVectors) throws -> [Int] {
        let count = Self.count(labels)
        var sizes = [Int](repeating: 0, count: count)
        for label in labels { sizes[label] += 1 }
        let limit = min(size, sizes.max() ?? 0)
        let large = (0..<count).filter { sizes[$0] >= limit }
        let centers = vectors.centers(labels, count: count)
        let cosines = try centers.cosines(with: centers)
        let home = (0..<count).map { cluster -> Int in
            if sizes[cluster] >= limit { return cluster }
            return large.reduce(large[0]) {
                cosines[cluster * count + $1] > cosines[cluster * count + $0] ? $1 : $0
            }
        }
        return Self.compact(labels.map { home[$0] })
    }

    /// Every vector moves to the most similar center until none moves, at most ten times.
    private func settle(_ labels: [Int], in vectors: VoiceVectors) throws -> [Int] {
        var labels = labels
        for _ in 0..<10 {
            let moved = Self.compact(try vectors.nearest(vectors.centers(labels, count: Self.count(labels))))
            if moved == labels { break }
            labels = moved
        }
        return labels
    }

    /// Joins the two clusters with the most similar centers while their cosine is at least `cosine`.
    private func fuse(
        _ labels: [Int], from cosine: Float, downTo least: Int, in vectors: VoiceVectors
    ) throws -> [Int] {
        var labels = labels
        while Self.count(labels) > least {
            let count = Self.count(labels), centers = vectors.centers(labels, count: count)
            let cosines = try centers.cosines(with: centers)
            var (first, second) = (0, 1)
            for i in 0..<count {
                for j in (i + 1)..<max(i + 1, count) where cosines[i * count + j] > cosines[first * count + second] {
                    (first, second) = (i, j)
                }
            }
            if cosines[first * count + second] < cosine { break }
            labels = Self.compact(labels.map { $0 == second ? first : $0 })
        }
        return labels
    }
}
