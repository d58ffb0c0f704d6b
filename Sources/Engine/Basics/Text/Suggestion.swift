/// Suggests the name that a misspelled one probably stands for.
package enum Suggestion {
    /// Returns the candidate nearest to `word`: at most two edits away, or with four or more leading characters in
    /// common. The first one wins a tie.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let word = bare(word)
        var best: (candidate: String, rank: Int)?
        for candidate in candidates {
            let name = bare(candidate)
            let length = max(word.count, name.count)
            // An argument may be of any length; only one as short as a name can be close to it.
            let edits = length <= 64 ? EditDistance(word, name, countsSwaps: true).value : length
            let common = zip(word, name).prefix { $0 == $1 }.count
            let isClose = edits <= 2 && edits < length / 2 + 1
            guard isClose || common >= 4 else { continue }
            let rank = isClose ? edits : 100 - min(common, 90)
            if best.map({ rank < $0.rank }) ?? true { best = (candidate, rank) }
        }
        return best?.candidate
    }

    /// The word in lower case (ASCII only), without leading dashes.
    private static func bare(_ word: String) -> [UInt8] {
        word.utf8.drop { $0 == UInt8(ascii: "-") }.map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 }
    }
}
