import Foundation
import Testing

@Suite("Clustering of voices")
struct SpeakerClusteringTests {
    private static func vectors(_ rows: [[Float]]) -> VoiceVectors {
        var vectors = VoiceVectors(size: rows[0].count)
        for row in rows {
            let length = row.reduce(0) { $0 + $1 * $1 }.squareRoot()
            vectors.append(row.map { $0 / length })
        }
        return vectors
    }

    /// `counts[i]` noisy vectors around each of several orthogonal voices.
    private static func voices(_ counts: [Int], noise: Float = 0.08, seed: Int = 7) -> (VoiceVectors, [Int]) {
        var rows: [[Float]] = [], labels: [Int] = []
        for (voice, count) in counts.enumerated() {
            for index in 0..<count {
                let numbers = PlantedNumbers.units(seed + voice, [index], count: 32)
                rows.append(numbers.enumerated().map { ($0 == voice ? 1 : 0) + noise * Float($1 - 0.5) * 2 })
                labels.append(voice)
            }
        }
        return (vectors(rows), labels)
    }

    /// The same labels, numbered in the order of their first vectors.
    private static func ordered(_ labels: [Int]) -> [Int] {
        var numbers: [Int: Int] = [:]
        return labels.map { label in
            let number = numbers[label] ?? numbers.count
            numbers[label] = number
            return number
        }
    }

    private static func golden() throws -> (points: VoiceVectors, golden: SpeakerFixture.Golden) {
        let golden = try SpeakerFixture.Golden("conversation"), numbers = try golden.numbers("points")
        var points = VoiceVectors(size: 192)
        for row in stride(from: 0, to: numbers.count, by: 192) { points.append(Array(numbers[row..<(row + 192)])) }
        return (points, golden)
    }

    @Test("the reference's vectors get the reference's labels")
    func reference() throws {
        let (points, golden) = try Self.golden()
        #expect(
            try SpeakerClustering(limits: SpeakerLimits()).labels(of: points) == golden.integers("labels"))
        for count in [2, 5] {
            #expect(
                try SpeakerClustering(limits: SpeakerLimits(exactly: count)).labels(of: points)
                    == golden.integers("exactly\(count)"), "\(count)")
        }
    }

    @Test("average linkage merges the closest clusters first, at the mean of their distances")
    func linkage() {
        // Distances 0.1 (0–1), 0.2 (2–3), else 0.9, except 0.7 between 0 and 2.
        var cosines = [Float](repeating: 0.1, count: 16)
        func set(_ i: Int, _ j: Int, _ distance: Float) {
            cosines[i * 4 + j] = 1 - distance
            cosines[j * 4 + i] = 1 - distance
        }
        set(0, 1, 0.1)
        set(2, 3, 0.2)
        set(0, 2, 0.7)
        let tree = LinkageTree(cosines: cosines, count: 4)
        #expect(tree.merges.map(\.first) == [0, 2, 4] && tree.merges.map(\.second) == [1, 3, 5])
        for (merge, distance) in zip(tree.merges, [0.1, 0.2, (3 * 0.9 + 0.7) / 4]) {
            #expect(abs(Double(merge.distance) - distance) < 1e-6)
        }
        #expect(tree.labels(distance: 0.15) == [2, 2, 0, 1])
        #expect(tree.labels(clusters: 2) == [0, 0, 1, 1])
        #expect(tree.labels(clusters: 1) == [0, 0, 0, 0])
    }

    @Test(
        "clear voices are found, as many as there are",
        arguments: [[40], [30, 30], [20, 50, 25], [9, 9, 9, 9, 9, 9]])
    func clear(counts: [Int]) throws {
        let (vectors, expected) = Self.voices(counts)
        #expect(Self.ordered(try SpeakerClustering(limits: SpeakerLimits()).labels(of: vectors)) == expected)
    }

    @Test("twenty voices are found")
    func many() throws {
        let (vectors, expected) = Self.voices(Array(repeating: 30, count: 20))
        #expect(Self.ordered(try SpeakerClustering(limits: SpeakerLimits()).labels(of: vectors)) == expected)
    }

    @Test("a stray vector joins a voice instead of being one")
    func stray() throws {
        let (voices, expected) = Self.voices([40, 40])
        var vectors = voices
        vectors.append([Float](repeating: 0, count: 31) + [1])
        let labels = try SpeakerClustering(limits: SpeakerLimits()).labels(of: vectors)
        #expect(Self.ordered(labels.dropLast()) == expected && Set(labels) == [0, 1])
    }

    @Test(
        "exact, minimum and maximum numbers of speakers are respected",
        arguments: [
            (SpeakerLimits(exactly: 2), 2), (SpeakerLimits(exactly: 1), 1), (SpeakerLimits(exactly: 5), 5),
            (SpeakerLimits(minimum: 4), 4), (SpeakerLimits(maximum: 2), 2), (SpeakerLimits(minimum: 2, maximum: 6), 3),
        ])
    func limits(limits: SpeakerLimits, expected: Int) throws {
        let (vectors, _) = Self.voices([30, 30, 30], noise: 0.3)
        let labels = try SpeakerClustering(limits: limits).labels(of: vectors)
        #expect(Set(labels).count == expected && Set(labels) == Set(0..<expected))
    }

    @Test("a minimum above the number of vectors is not an error")
    func tooMany() throws {
        let (vectors, _) = Self.voices([2, 1])
        let labels = try SpeakerClustering(limits: SpeakerLimits(exactly: 50)).labels(of: vectors)
        #expect(labels.count == 3 && Set(labels).count <= 3)
        #expect(try SpeakerClustering(limits: SpeakerLimits(exactly: 2)).labels(of: Self.voices([1]).0) == [0])
        #expect(try SpeakerClustering(limits: SpeakerLimits()).labels(of: VoiceVectors(size: 4)).isEmpty)
    }

    @Test("equal vectors are one voice")
    func equal() throws {
        let (vectors, _) = Self.voices([50], noise: 0)
        #expect(Set(try SpeakerClustering(limits: SpeakerLimits()).labels(of: vectors)) == [0])
        let forced = try SpeakerClustering(limits: SpeakerLimits(exactly: 2)).labels(of: vectors)
        #expect(forced.count == 50)
    }

    @Test("more vectors than the tree holds are all labeled")
    func long() throws {
        let (vectors, expected) = Self.voices([2000, 1500, 700])
        #expect(Self.ordered(try SpeakerClustering(limits: SpeakerLimits()).labels(of: vectors)) == expected)
    }
}
