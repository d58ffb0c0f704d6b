import EngineBasics

/// Which words of a text are which of those that were heard.
///
/// Long texts are divided by runs of words that are rare in both; between them, dynamic programming finds the cheapest edits,
/// in which similar words count as misheard ones. Memory and time grow with the length of the texts, not with its square.
struct WordMatching {
    /// The most cells of a table in which words are compared by their letters, and of one in which only equal words match.
    private static let smallTable = 1 << 18
    private static let largeTable = 1 << 24
    /// Words match from this share of equal letters on.
    static let leastSimilarity = 0.6
    /// A match of fewer words and letters is chance if the `lonely` words before and after it all differ.
    private static let (strongWords, strongLetters, lonely) = (3, 10, 4)

    /// For each word of the text the one that was heard, in order; `nil` without one.
    private(set) var partners: [Int?]
    /// How many words of the text are in runs that cannot be chance.
    private(set) var strongCount = 0

    /// Whether a sentence begins with each word of the text, and whether a pause precedes each word that was heard.
    private let (begins, pauses): ([Bool], [Bool])
    private let text: [Int]
    private let heard: [Int]
    /// By the numbers of the words.
    private let letters: [[Character]]
    private let signatures: [UInt64]
    private var similarities: [Int: Double] = [:]

    init(_ text: [ScriptUnit], _ heard: [HeardUnit]) {
        var numbers: [String: Int] = [:]
        var letters: [[Character]] = []
        func number(_ word: [Character]) -> Int {
            let key = String(word)
            if let known = numbers[key] { return known }
            numbers[key] = letters.count
            letters.append(word)
            return letters.count - 1
        }
        self.text = text.map { number($0.letters) }
        self.heard = heard.map { number($0.letters) }
        begins = text.indices.map { $0 == 0 || text[$0 - 1].sentence != text[$0].sentence }
        pauses = heard.indices.map { $0 == 0 || heard[$0].follows(heard[$0 - 1]) }
        self.letters = letters
        signatures = letters.map { $0.reduce(0) { $0 | 1 << UInt64(UInt(bitPattern: $1.hashValue) % 64) } }
        partners = Array(repeating: nil, count: text.count)
        matchAll()
        dropChance()
    }

    /// How similar two words are, 0…1.
    static func similarity(_ a: [Character], _ b: [Character]) -> Double {
        let longer = max(a.count, b.count)
        return longer == 0 ? 0 : 1 - Double(EditDistance(a, b).value) / Double(longer)
    }

    private mutating func matchAll() {
        var blocks = [(text: text.indices, heard: heard.indices)]
        while let (a, b) = blocks.popLast() {
            if a.isEmpty || b.isEmpty { continue }
            if a.count * b.count <= Self.smallTable {
                align(a, b, comparesLetters: true)
                continue
            }
            let runs = CommonRuns(text, a, heard, b).runs
            if runs.isEmpty {
                if a.count * b.count <= Self.largeTable {
                    align(a, b, comparesLetters: false)
                } else {
                    // Hours of nothing but repetitions: what is nearest to the diagonal.
                    let (i, j) = (a.lowerBound + a.count / 2, b.lowerBound + b.count / 2)
                    blocks += [(a.lowerBound..<i, b.lowerBound..<j), (i..<a.upperBound, j..<b.upperBound)]
                }
                continue
            }
            var (i, j) = (a.lowerBound, b.lowerBound)
            for run in runs {
                blocks.append((i..<run.text, j..<run.heard))
                for index in 0..<run.count { partners[run.text + index] = run.heard + index }
                (i, j) = (run.textEnd, run.heardEnd)
            }
            blocks.append((i..<a.upperBound, j..<b.upperBound))
        }
    }

    private enum Step: UInt8 {
        case both, text, heard
    }

    /// Costs in hundredths of a word left out or added; two that have nothing in common cost less than both.
    private static let (edit, replacement): (Int32, Int32) = (100, 150)
    /// What it costs more to add words inside a sentence, or to leave them out where there is no pause: texts and talks
    /// differ by whole sentences. A pause inside a sentence is as improbable as a word too many.
    private static let (inside, pause): (Int32, Int32) = (20, 100)

    /// The cheapest edits between two parts. Among equal ones, words go with what follows them.
    private mutating func align(_ a: Range<Int>, _ b: Range<Int>, comparesLetters: Bool) {
        let width = b.count + 1
        var steps = [UInt8](repeating: Step.heard.rawValue, count: (a.count + 1) * width)
        var last = (0..<width).map { Int32($0) * Self.edit }
        for (row, i) in a.enumerated() {
            var costs = [Int32](repeating: 0, count: width)
            costs[0] = Int32(row + 1) * Self.edit
            steps[(row + 1) * width] = Step.text.rawValue
            let isLast = row + 1 == a.count || begins[i + 1]
            for (column, j) in b.enumerated() {
                let pause = pauses[j] ? Self.pause : 0
                let both = last[column] + cost(text[i], heard[j], comparesLetters) + (begins[i] ? 0 : pause)
                let text = last[column + 1] + Self.edit + (column + 1 == b.count || pauses[j + 1] ? 0 : Self.inside)
                let heard = costs[column] + Self.edit + (isLast ? 0 : Self.inside + pause)
                let least = min(both, text, heard)
                costs[column + 1] = least
                let step: Step = both == least ? .both : text == least ? .text : .heard
                steps[(row + 1) * width + column + 1] = step.rawValue
            }
            last = costs
        }
        var (row, column) = (a.count, b.count)
        while row > 0, column > 0 {
            switch Step(rawValue: steps[row * width + column]) {
            case .text: row -= 1
            case .heard: column -= 1
            default:
                (row, column) = (row - 1, column - 1)
                let (i, j) = (a.lowerBound + row, b.lowerBound + column)
                if cost(text[i], heard[j], comparesLetters) < Self.edit { partners[i] = j }
            }
        }
    }

    private mutating func cost(_ a: Int, _ b: Int, _ comparesLetters: Bool) -> Int32 {
        if a == b { return 0 }
        guard comparesLetters else { return Self.replacement }
        let similar = similarity(a, b)
        return similar < Self.leastSimilarity ? Self.replacement : Int32(100 * (1 - similar))
    }

    private mutating func similarity(_ a: Int, _ b: Int) -> Double {
        let common = (signatures[a] & signatures[b]).nonzeroBitCount
        let all = max(signatures[a].nonzeroBitCount, signatures[b].nonzeroBitCount)
        // Most pairs have hardly a letter in common.
        if common * 5 < all * 2 { return 0 }
        let key = min(a, b) * letters.count + max(a, b)
        if let known = similarities[key] { return known }
        let value = Self.similarity(letters[a], letters[b])
        similarities[key] = value
        return value
    }

    /// Takes back matches of few words where everything around them differs, and counts the strong ones.
    private mutating func dropChance() {
        var runs: [(text: Range<Int>, heard: Range<Int>)] = []
        for (i, partner) in partners.enumerated() {
            guard let j = partner else { continue }
            if let run = runs.last, run.text.upperBound == i, run.heard.upperBound == j {
                runs[runs.count - 1] = (run.text.lowerBound..<i + 1, run.heard.lowerBound..<j + 1)
            } else {
                runs.append((i..<i + 1, j..<j + 1))
            }
        }
        for (index, run) in runs.enumerated() {
            let size = run.text.reduce(0) { $0 + letters[text[$1]].count }
            if run.text.count >= Self.strongWords || run.text.count > 1 && size >= Self.strongLetters {
                strongCount += run.text.count
                continue
            }
            let before = index > 0 ? runs[index - 1] : (text: -1..<0, heard: -1..<0)
            let after =
                index + 1 < runs.count
                ? runs[index + 1] : (text: text.count..<text.count, heard: heard.count..<heard.count)
            func distance(_ a: (text: Range<Int>, heard: Range<Int>), _ b: (text: Range<Int>, heard: Range<Int>)) -> Int
            {
                max(b.text.lowerBound - a.text.upperBound, b.heard.lowerBound - a.heard.upperBound)
            }
            if min(distance(before, run), distance(run, after)) >= Self.lonely {
                for i in run.text { partners[i] = nil }
            }
        }
    }
}
