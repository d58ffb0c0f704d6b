import Testing

@Suite("Live metrics")
struct LiveMetricsTests {
    @Test("the metrics match a worked example")
    func example() {
        let reference = [("a", 1.0), ("b", 2), ("c", 3)].map {
            LiveMetrics.ReferenceWord(text: $0.0, start: $0.1 - 0.5, end: $0.1)
        }
        let moments = [
            LiveMetrics.Moment(time: 1.3, finals: [], volatile: ["a"]),
            LiveMetrics.Moment(time: 2.2, finals: [], volatile: ["a", "x"]),
            LiveMetrics.Moment(time: 2.8, finals: ["a"], volatile: ["b"]),
            LiveMetrics.Moment(time: 3.6, finals: ["b", "c"], volatile: []),
        ]
        let metrics = LiveMetrics(moments, reference: reference, duration: 3.2)
        #expect(abs(metrics.finalLatency.mean - 1.333) < 5e-4)
        #expect(abs(metrics.volatileLatency.mean - 0.567) < 5e-4)
        #expect(abs(metrics.flicker - 1.0 / 3) < 1e-9)
        #expect(abs(metrics.averageLagging - 2.667) < 5e-4)
        #expect(metrics.accuracy.errorRate == 0 && metrics.accuracy.words == 3)
        #expect(metrics.firstText.map { abs($0 - 0.8) < 1e-9 } == true)
    }

    @Test("doubled, lost and changed words are counted")
    func differences() {
        func metrics(_ live: String, _ file: String) -> LiveMetrics {
            let words = file.split(separator: " ").enumerated().map {
                LiveMetrics.ReferenceWord(text: String($0.1), start: Double($0.0), end: Double($0.0) + 0.5)
            }
            let moment = LiveMetrics.Moment(
                time: 10, finals: live.split(separator: " ").map(String.init), volatile: [])
            return LiveMetrics([moment], reference: words, duration: 10)
        }
        let one = metrics("the cat cat sat on mat", "the cat sat on the mat")
        #expect(one.accuracy.doubled == 1_000.0 / 6 && one.accuracy.lost == 1_000.0 / 6 && one.accuracy.changed == 0)
        #expect(abs(one.accuracy.errorRate - 2.0 / 6) < 1e-12)
        let two = metrics("a b a b c", "a b c")
        #expect(two.accuracy.doubled == 2_000.0 / 3 && two.accuracy.lost == 0 && two.accuracy.changed == 0)
        let three = metrics("A, x c!", "a b c")
        #expect(three.accuracy.doubled == 0 && three.accuracy.lost == 0 && three.accuracy.changed == 1_000.0 / 3)
    }

    @Test("an alignment prefers matches, then substitutions, deletions, insertions")
    func alignment() {
        #expect(
            WordAlignment(["a", "b"], to: ["a", "c", "b"]).steps == [.match(0, 0), .deletion(1), .match(1, 2)])
        #expect(WordAlignment(["x"], to: ["a", "b"]).steps == [.deletion(0), .substitution(0, 1)])
        #expect(WordAlignment([], to: ["a"]).steps == [.deletion(0)])
        #expect(WordAlignment(["a"], to: []).steps == [.insertion(0)])
    }
}
