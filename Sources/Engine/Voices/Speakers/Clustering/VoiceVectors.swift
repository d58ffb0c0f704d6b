import EngineCompute

/// Vectors of length 1, with the operations that clustering needs.
package struct VoiceVectors: Sendable {
    package let size: Int
    /// `[count, size]`.
    package private(set) var numbers: [Float] = []

    package init(size: Int) { self.size = size }

    package var count: Int { numbers.count / size }

    package mutating func append(_ vector: [Float]) {
        precondition(vector.count == size, "a vector of \(vector.count)")
        numbers += vector
    }

    package subscript(index: Int) -> [Float] { Array(numbers[(index * size)..<((index + 1) * size)]) }

    /// Every `step`-th vector.
    func every(_ step: Int) -> VoiceVectors {
        var result = VoiceVectors(size: size)
        for index in stride(from: 0, to: count, by: step) {
            result.numbers += numbers[(index * size)..<((index + 1) * size)]
        }
        return result
    }

    /// The last vectors.
    package func suffix(_ kept: Int) -> VoiceVectors {
        var result = VoiceVectors(size: size)
        result.numbers = numbers.suffix(kept * size)
        return result
    }

    /// The cosine of each vector of `self` with each of `others`, `[count, others.count]`.
    func cosines(with others: VoiceVectors) throws -> [Float] {
        guard count > 0, others.count > 0 else { return [] }
        let rows = try Tensor(numbers), weights = try Tensor(others.numbers)
        let result = try Tensor(count: count * others.count)
        SmallProduct.multiply(
            rows.rows(count, columns: size), weights, bias: nil, into: result.rows(count, columns: others.count))
        return result.values(0..<result.count)
    }

    /// The mean of each cluster, of length 1.
    package func centers(_ labels: [Int], count clusters: Int) -> VoiceVectors {
        var sums = [Double](repeating: 0, count: clusters * size)
        for (index, label) in labels.enumerated() {
            for i in 0..<size { sums[label * size + i] += Double(numbers[index * size + i]) }
        }
        var result = VoiceVectors(size: size)
        for cluster in 0..<clusters {
            let sum = sums[(cluster * size)..<((cluster + 1) * size)]
            let length = max(1e-9, sum.reduce(0) { $0 + $1 * $1 }.squareRoot())
            result.numbers += sum.map { Float($0 / length) }
        }
        return result
    }

    /// The index of the center that each vector is most similar to.
    func nearest(_ centers: VoiceVectors) throws -> [Int] {
        let cosines = try cosines(with: centers), width = centers.count
        return (0..<count).map { row in
            var best = 0
            for index in 1..<max(1, width) where cosines[row * width + index] > cosines[row * width + best] {
                best = index
            }
            return best
        }
    }
}
