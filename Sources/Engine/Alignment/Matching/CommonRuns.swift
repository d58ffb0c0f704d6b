/// Runs of words that two texts have in common, which divide them into parts small enough for edit distance.
struct CommonRuns {
    struct Run: Hashable {
        let text: Int
        let heard: Int
        let count: Int

        var textEnd: Int { text + count }
        var heardEnd: Int { heard + count }
    }

    /// Runs are found by this many words, or fewer if there are none, that occur at most `repetitions` times in each part.
    private static let (length, repetitions) = (3, 4)
    /// Next to a place where one text has extra words, up to this many words of a run are uncertain: an unspoken sentence often
    /// begins or ends like its neighbour.
    private static let edge = 12
    /// As many words in both texts, up to this number, are taken to be the same ones heard differently.
    private static let replaced = 3

    /// In order and disjoint.
    let runs: [Run]

    /// - Parameters:
    ///   - text: the numbers of the words.
    ///   - a: the part of the text that is compared.
    init(_ text: [Int], _ a: Range<Int>, _ heard: [Int], _ b: Range<Int>) {
        var pairs: [(text: Int, heard: Int)] = []
        var count = Self.length
        while pairs.isEmpty, count > 0 {
            pairs = Self.longestSequence(Self.pairs(of: count, text, a, heard, b))
            if pairs.isEmpty { count -= 1 }
        }
        var runs: [Run] = []
        for pair in pairs {
            guard let last = runs.last, pair.text < last.textEnd || pair.heard < last.heardEnd else {
                runs.append(Run(text: pair.text, heard: pair.heard, count: count))
                continue
            }
            // Runs may overlap.
            guard pair.text - last.text == pair.heard - last.heard else { continue }
            runs[runs.count - 1] = Run(text: last.text, heard: last.heard, count: pair.text + count - last.text)
        }
        let sure = Self.withoutEdges(runs, a, b)
        self.runs = sure.isEmpty ? runs : sure
    }

    /// Where the same words are in both parts, if they occur a few times in each: of a passage that is repeated, damage may
    /// leave one in each text, but not the same one.
    private static func pairs(
        of count: Int, _ text: [Int], _ a: Range<Int>, _ heard: [Int], _ b: Range<Int>
    ) -> [(text: Int, heard: Int)] {
        guard a.count >= count, b.count >= count else { return [] }
        func places(_ words: [Int], _ range: Range<Int>) -> [ArraySlice<Int>: [Int]] {
            var places: [ArraySlice<Int>: [Int]] = [:]
            for index in range.lowerBound...(range.upperBound - count) {
                let key = words[index..<index + count]
                if places[key, default: []].count <= repetitions { places[key, default: []].append(index) }
            }
            return places.filter { $0.value.count <= repetitions }
        }
        let others = places(heard, b)
        return places(text, a).flatMap { key, places in
            places.flatMap { place in (others[key] ?? []).map { (place, $0) } }
        }
    }

    /// The most pairs that are in order in both texts.
    private static func longestSequence(_ pairs: [(text: Int, heard: Int)]) -> [(text: Int, heard: Int)] {
        let pairs = pairs.sorted { ($0.text, $1.heard) < ($1.text, $0.heard) }
        // Patience sorting: the smallest end of a sequence of each length.
        var ends: [Int] = [], before = [Int](repeating: -1, count: pairs.count)
        for (index, pair) in pairs.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if pairs[ends[middle]].heard < pair.heard { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var sequence: [(text: Int, heard: Int)] = []
        var index = ends.last ?? -1
        while index >= 0 {
            sequence.append(pairs[index])
            index = before[index]
        }
        return sequence.reversed()
    }

    /// What is left of runs without the words near those that only one text has.
    private static func withoutEdges(_ runs: [Run], _ a: Range<Int>, _ b: Range<Int>) -> [Run] {
        let ends = Run(text: a.upperBound, heard: b.upperBound, count: 0)
        var bounds = runs.map { $0.text..<$0.textEnd }
        func differs(_ before: Run?, _ after: Run?) -> Bool {
            let after = after ?? ends
            let words = after.text - (before?.textEnd ?? a.lowerBound)
            return words > replaced || words != after.heard - (before?.heardEnd ?? b.lowerBound)
        }
        var first = a.lowerBound
        for (index, run) in runs.enumerated() {
            if differs(index > 0 ? runs[index - 1] : nil, run) { first = run.text + edge }
            bounds[index] = min(max(run.text, first), run.textEnd)..<run.textEnd
        }
        var last = a.upperBound
        for (index, run) in runs.enumerated().reversed() {
            if differs(run, index + 1 < runs.count ? runs[index + 1] : nil) { last = run.textEnd - edge }
            let start = bounds[index].lowerBound
            bounds[index] = start..<max(start, min(run.textEnd, last))
        }
        return zip(runs, bounds).compactMap { run, words in
            words.isEmpty
                ? nil : Run(text: words.lowerBound, heard: run.heard + words.lowerBound - run.text, count: words.count)
        }
    }
}
