import EngineModels

/// An open utterance: its window and the words of it that are already final.
struct Utterance {
    /// Number of the utterance in its session, from 0.
    let index: Int
    /// The sample at which the utterance starts.
    let start: Int
    /// First sample of the window.
    var window: Int
    /// First sample after the audio that is only carried over from the previous window.
    var fresh: Int
    /// Final words whose audio is in the window.
    var committed: [LiveWord] = []
    var policy: any CommitPolicy
    /// Tokens that the last pass generated after the final words: a draft for the next pass.
    var draft: [Int] = []
    /// Where the last pass attended.
    var attended: Int?
    /// Of a decoder that hears each sample once: complete words that are not final yet, and those shown as volatile.
    var waiting: [LiveWord] = []
    var shown: [LiveWord] = []
    /// Whether any of its text is final.
    var hasFinals = false

    init(index: Int, start: Int, policy: any CommitPolicy) {
        self.index = index
        self.start = start
        window = start
        fresh = start
        self.policy = policy
    }

    /// First sample of the window that is not carried over.
    var firstFresh: Int { max(window, fresh) }

    var forcedTokens: Int { committed.reduce(0) { $0 + $1.tokens.count } }

    /// Returns the index of the last committed word after which the window may start: one that keeps at least `keep`
    /// committed words, does not overlap the next word and ends at or before `limit`. `nil` if there is none.
    func lastRemovableWord(keeping keep: Int, endingBy limit: Int) -> Int? {
        committed.indices.dropLast(max(1, keep)).last {
            committed[$0].end <= min(limit, committed[$0 + 1].start)
        }
    }
}

/// Final text that has left the window and prompts the next passes.
struct PromptContext: Sendable {
    private var words: [String] = []
    private var characters = 0
    private let maxCharacters: Int
    /// Whether the next pass goes without a prompt, because the last one hallucinated.
    var isSuspended = false

    /// - Parameter maxCharacters: the limit; only whole words are kept.
    init(maxCharacters: Int, text: String = "") {
        self.maxCharacters = maxCharacters
        append(text.split(separator: " ").map { " " + $0 })
    }

    var text: String { isSuspended ? "" : words.joined() }

    mutating func append(_ new: [String]) {
        words += new
        characters += new.reduce(0) { $0 + $1.count }
        while characters > maxCharacters, let first = words.first {
            characters -= first.count
            words.removeFirst()
        }
    }

    mutating func clear() {
        words = []
        characters = 0
    }
}
