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

    /// - Parameter heard: at least one.
    init(_ words: [ScriptUnit], _ heard: ArraySlice<HeardUnit>) {
        let letters = words.flatMap(\.letters), others = heard.flatMap(\.letters)
        let isShort = letters.count <= Self.maxLetters && others.count <= Self.maxLetters
        let distances = EditDistance(isShort ? letters : [], isShort ? others : [])
        similarity = isShort ? 1 - Double(distances.value) / Double(max(letters.count, others.count, 1)) : 0
        if words.count == heard.count, similarity < Self.leastSimilarity {
            times = heard.map { ($0.start, $0.end) }
            return
        }
        let isLike = isShort && similarity >= Self.leastSimilarity
        let lengths = heard.map { isLike ? $0.letters.count : $0.spokenLength }
        /// Where each word begins, and the last one ends, on the line of what was heard.
        let places =
            isLike
            ? Self.places(of: words, letters, others, distances) : Self.shares(words.map(\.spokenLength), lengths)
        var ends: [Int] = []
        for length in lengths { ends.append((ends.last ?? 0) + length) }
        func time(_ place: Double, isEnd: Bool) -> Double {
            let index = ends.firstIndex { isEnd ? Double($0) >= place - 1e-9 : Double($0) > place + 1e-9 }
            let number = index ?? ends.count - 1
            let unit = heard[heard.startIndex + number]
            let share = (place - Double(ends[number] - lengths[number])) / Double(max(1, lengths[number]))
            return unit.start + (unit.end - unit.start) * min(max(share, 0), 1)
        }
        times = zip(places, places.dropFirst()).map { first, last in
            let start = time(first, isEnd: false)
            return (start, max(start, time(last, isEnd: true)))
        }
    }

    /// Where words begin among the letters that were heard, by those that are equal.
    private static func places(
        of words: [ScriptUnit], _ letters: [Character], _ others: [Character], _ distances: EditDistance<Character>
    ) -> [Double] {
        var places = [Double](repeating: 0, count: letters.count + 1)
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
        var count = 0
        return [places[0]]
            + words.map { word in
                count += word.letters.count
                return places[count]
            }
    }

    /// How many letters were heard before and after those of a word.
    static func lettersAround(_ word: [Character], in heard: [Character]) -> (before: Int, after: Int) {
        let distances = EditDistance(word, heard)
        var (i, j) = (word.count, heard.count)
        var after: Int?
        while i > 0, j > 0 {
            let isEqual = word[i - 1] == heard[j - 1]
            if distances[i, j] == distances[i - 1, j - 1] + (isEqual ? 0 : 1) {
                after = after ?? heard.count - j
                (i, j) = (i - 1, j - 1)
            } else if distances[i, j] == distances[i - 1, j] + 1 {
                i -= 1
            } else {
                j -= 1
            }
        }
        return (j, after ?? heard.count)
    }

    /// Divides what was heard among words by their length. Of the two, the one with more words is divided between words.
    private static func shares(_ words: [Int], _ heard: [Int]) -> [Double] {
        func ends(_ lengths: [Int]) -> [Double] {
            let all = Double(max(1, lengths.reduce(0, +)))
            var sum = 0
            return [0]
                + lengths.map { length in
                    sum += length
                    return Double(sum) / all
                }
        }
        let text = ends(words), other = ends(heard)
        let (few, many) = text.count <= other.count ? (text, other) : (other, text)
        var chosen = [0]
        for place in few.indices.dropFirst().dropLast() {
            let free = (chosen[place - 1] + 1)...(many.count - few.count + place)
            chosen.append(free.min { abs(many[$0] - few[place]) < abs(many[$1] - few[place]) } ?? free.lowerBound)
        }
        chosen.append(many.count - 1)
        let total = Double(max(1, heard.reduce(0, +)))
        if text.count <= other.count { return chosen.map { many[$0] * total } }
        var places = text
        for part in 1..<few.count {
            let (first, last) = (chosen[part - 1], chosen[part])
            let (start, end) = (few[part - 1], few[part])
            for index in first...last {
                places[index] =
                    start + (end - start) * (text[index] - text[first]) / max(1e-9, text[last] - text[first])
            }
        }
        return places.map { $0 * total }
    }
}
