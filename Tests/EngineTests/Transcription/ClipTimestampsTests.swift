import Testing

@Suite("Clip timestamps")
struct ClipTimestampsTests {
    private func pairs(_ seconds: [Double]) -> [[Int]] {
        ClipTimestamps(seconds, contentFrames: 6000).clips.map { [$0.start, $0.end] }
    }

    @Test("starts and ends are paired, and an open end is that of the recording")
    func pairing() {
        #expect(pairs([]) == [[0, 6000]])
        #expect(pairs([0]) == [[0, 6000]])
        #expect(pairs([41.3]) == [[4130, 6000]])
        #expect(pairs([5, 10, 40]) == [[500, 1000], [4000, 6000]])
        #expect(pairs([0.125, 0.375]) == [[12, 38]])
    }

    @Test(
        "clips in order contain the same parts, each once",
        arguments: [
            ([], []), ([5], [5, .infinity]), ([0, 3, 3, 8], [0, 3, 3, 8]), ([5, 8, 0, 3], [0, 3, 5, 8]),
            ([0, 5, 3, 8], [0, 5, 5, 8]), ([0, 9, 2, 4], [0, 9, 9, 9]),
            ([7, 9, 3], [3, .infinity, .infinity, .infinity]),
            ([4, 4], [4, 4]),
        ] as [([Double], [Double])])
    func order(given: [Double], expected: [Double]) {
        #expect(ClipTimestamps.inOrder(given) == expected)
    }

    @Test("clips are limited to the recording")
    func limits() {
        #expect(pairs([-5, 70]) == [[0, 6000]])
        #expect(pairs([70, 80]) == [[6000, 6000]])
        #expect(pairs([.nan, .infinity, -.infinity, 1e300]) == [[0, 6000], [0, 6000]])
    }

    @Test("clips are visited in the given order, skipping empty ones and going backwards")
    func walk() {
        var clips = ClipTimestamps([5, 5, 20, 10, 30, 40, 35, 36], contentFrames: 6000)
        var position = clips.start
        #expect(position == 500)
        #expect(clips.end(from: &position) == 4000)
        #expect(position == 3000)
        position = 3999
        #expect(clips.end(from: &position) == 4000)
        position = 4500
        #expect(clips.end(from: &position) == 3600)
        #expect(position == 3500)
        position = 3600
        #expect(clips.end(from: &position) == nil)
        #expect(clips.end(from: &position) == nil)
    }
}
