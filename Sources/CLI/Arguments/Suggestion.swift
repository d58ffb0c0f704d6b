/// The known word that somebody may have meant.
package enum Suggestion {
    /// The nearest of `candidates`: at most two edits away, or alike in the first four characters and more; the
    /// first one on ties.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let word = bare(word)
        var best: (candidate: String, rank: Int)?
        for candidate in candidates {
            let name = bare(candidate)
            let edits = distance(word, name)
            let common = zip(word, name).prefix { $0 == $1 }.count
            let isClose = edits <= 2 && edits < max(word.count, name.count) / 2 + 1
            guard isClose || common >= 4 else { continue }
            let rank = isClose ? edits : 100 - min(common, 90)
            if best.map({ rank < $0.rank }) ?? true { best = (candidate, rank) }
        }
        return best?.candidate
    }

    /// Fewest insertions, deletions, replacements and swaps of neighbours that turn one into the other.
    package static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        guard a.count <= 64, b.count <= 64 else { return max(a.count, b.count) }
        var before: [Int] = []
        var previous = Array(0...b.count)
        for i in 1..<max(a.count + 1, 1) {
            var row = [i] + [Int](repeating: 0, count: b.count)
            for j in 1..<max(b.count + 1, 1) {
                let replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                row[j] = min(replaced, previous[j] + 1, row[j - 1] + 1)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], before[j - 2] + 1) }
            }
            before = previous
            previous = row
        }
        return previous[b.count]
    }

    /// Without dashes in front, in lower-case ASCII.
    private static func bare(_ word: String) -> [UInt8] {
        word.utf8.drop { $0 == UInt8(ascii: "-") }.map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 }
    }
}
