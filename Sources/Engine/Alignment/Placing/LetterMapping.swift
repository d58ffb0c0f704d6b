import EngineBasics

/// Gives words that were heard differently the times of the letters that are most like theirs.
struct LetterMapping {
    /// With fewer equal letters, as many words have the others' times, and more or fewer share the time by their length.
    private static let leastSimilarity = 0.5
    /// The most letters that are compared with as many others.
    private static let maxLetters = 1000

    /// Times of the beginning and end of each word.
    let times: [(start: Double, end: Double)]
    /// The share of equal letters, 0…1.
    let similarity: Double

    /// - Parameters:
    ///   - words: their letters.
    ///   - heard: at least one.
    init(_ words: [[Character]], _ heard: ArraySlice<HeardUnit>) {
        let letters = words.flatMap(\.self), others = heard.flatMap(\.letters)
        let isShort = letters.count <= Self.maxLetters && others.count <= Self.maxLetters
        let distances = EditDistance(isShort ? letters : [], isShort ? others : [])
        similarity = isShort ? 1 - Double(distances.value) / Double(max(letters.count, others.count, 1)) : 0
        if words.count == heard.count, similarity < Self.leastSimilarity {
            times = heard.map { ($0.start, $0.end) }
            return
        }
        /// For each number of letters of the words, how many of the others precede them.
        var places = (0...letters.count).map { Double($0) * Double(others.count) / Double(max(1, letters.count)) }
        if isShort, similarity >= Self.leastSimilarity {
            var (i, j) = (letters.count, others.count)
            while i > 0, j > 0 {
                places[i] = Double(j)
                let isEqual = letters[i - 1] == others[j - 1]
                if distances[i, j] == distances[i - 1, j - 1] + (isEqual ? 0 : 1) {
                    (i, j) = (i - 1, j - 1)
                } else if distances[i, j] == distances[i - 1, j] + 1 {
                    i -= 1
                } else {
                    j -= 1
                }
            }
            for rest in 0...i { places[rest] = 0 }
            places[letters.count] = Double(others.count)
        }
        var ends: [Double] = []
        for unit in heard { ends.append((ends.last ?? 0) + Double(unit.letters.count)) }
        func time(_ place: Double, isEnd: Bool) -> Double {
            let index = ends.firstIndex { isEnd ? $0 >= place - 1e-9 : $0 > place + 1e-9 } ?? ends.count - 1
            let unit = heard[heard.startIndex + index]
            let share = (place - (ends[index] - Double(unit.letters.count))) / Double(max(1, unit.letters.count))
            return unit.start + (unit.end - unit.start) * min(max(share, 0), 1)
        }
        var count = 0
        times = words.map { word in
            let start = time(places[count], isEnd: false)
            count += word.count
            return (start, max(start, time(places[count], isEnd: true)))
        }
    }
}
