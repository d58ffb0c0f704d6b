/// A stretch of speech that is being heard: its window and what of it is final.
struct Utterance {
    /// Counted from 0 in its session.
    let index: Int
    /// Sample it begins with.
    let start: Int
    /// First sample of the window.
    var window: Int
    /// Final words whose sound is still in the window.
    var committed: [LiveWord] = []
    var policy: any CommitPolicy
    /// What the last pass wrote behind the final words; the next one may well write the same.
    var draft: [Int] = []
    /// Where the last pass attended.
    var attended: Int?
    /// Whether anything of it is final.
    var hasFinals = false

    init(index: Int, start: Int, policy: any CommitPolicy) {
        self.index = index
        self.start = start
        window = start
        self.policy = policy
    }

    var forcedTokens: Int { committed.reduce(0) { $0 + $1.tokens.count } }

    /// Where the window may begin later: behind a committed word that leaves `keep` others, does not overlap the next,
    /// and nothing else. `nil` where there is no such word.
    func slide(keeping keep: Int) -> Int? {
        committed.indices.dropLast(max(1, keep)).last { committed[$0].end <= committed[$0 + 1].start }
    }
}
