/// Chooses the speakers of consecutive words together. Word times help to separate overlapped speech: a speaker says one
/// word at a time, and usually the next one as soon as the last one has ended.
struct WordSpeakers {
    /// A speaker who talks during a word, and for how many seconds of it.
    typealias Share = (speaker: String, seconds: Double)

    /// The words so far, with their speakers.
    private struct Path {
        var cost = 0.0
        /// When each speaker's last word ended; those that no longer matter are left out.
        var ends: [String: Double] = [:]
        var speakers: [String] = []
    }

    /// The cost of a word that overlaps its speaker's last one entirely; a word in which its speaker does not talk costs 1.
    private static let overlapCost = 2.0
    /// The cost of each second since the speaker's last word, up to `maxGap`. Less than for silence in the word, so that
    /// short answers keep their speaker. All three were chosen on conversations with other seeds; half or twice as much
    /// makes little difference (docs/speakers.md).
    private static let gapCost = 0.3
    private static let maxGap = 1.0
    /// The paths that are kept.
    private static let width = 8
    /// Shorter words count as this long, seconds.
    private static let minLength = 0.02

    private var paths = [Path()]

    /// Adds the next word.
    ///
    /// - Parameter shares: the speakers among whom to choose, at least one.
    mutating func add(from start: Double, to end: Double, shares: [Share]) {
        let length = max(Self.minLength, end - start)
        var next: [Path] = []
        for path in paths {
            for share in shares {
                var path = path
                path.cost += 1 - min(1, share.seconds / length)
                var gap = Self.maxGap
                if let last = path.ends[share.speaker] {
                    path.cost += Self.overlapCost * max(0, min(last, end) - start) / length
                    gap = min(gap, abs(start - last))
                }
                path.cost += Self.gapCost * gap
                path.ends = path.ends.filter { $0.value > start - Self.maxGap }
                path.ends[share.speaker] = max(path.ends[share.speaker] ?? end, end)
                path.speakers.append(share.speaker)
                next.append(path)
            }
        }
        // `sort` is stable: of equal costs, the speaker who comes first among the shares.
        next.sort { $0.cost < $1.cost }
        paths = []
        for path in next where paths.count < Self.width && !paths.contains(where: { $0.ends == path.ends }) {
            paths.append(path)
        }
    }

    /// The speakers of all words.
    var speakers: [String] { paths[0].speakers }
}
