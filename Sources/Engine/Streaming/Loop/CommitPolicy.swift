package import EngineModels

/// Decides which words of a pass become final while their utterance is still open.
package protocol CommitPolicy: Sendable {
    /// Returns how many leading `words` become final now. Called once per pass, in order.
    ///
    /// - Parameter head: the sample at which the pass's audio ends.
    mutating func finalCount(of words: [LiveWord], head: Int) -> Int

    /// Whether a word of this pass waits because it is improbable.
    func holdsBack(_ word: LiveWord, head: Int) -> Bool

    /// Forgets earlier passes, because the last one was rejected or a new window starts.
    mutating func reset()
}

/// Commits nothing before the utterance ends.
package struct UtteranceOnly: CommitPolicy {
    package mutating func finalCount(of words: [LiveWord], head: Int) -> Int { 0 }
    package func holdsBack(_ word: LiveWord, head: Int) -> Bool { true }
    package mutating func reset() {}
}

/// Commits words once several successive passes agree on them (LocalAgreement-n, Liu et al. 2020).
package struct LocalAgreement: CommitPolicy {
    private let passes: Int
    private let guardSamples: Int
    private let confidence: ConfidenceThreshold
    /// The words of the last passes that are not final yet, oldest pass first.
    private var history: [[LiveWord]] = []

    /// - Parameters:
    ///   - passes: the number of passes that must agree, including the current one.
    ///   - guardSamples: words that end closer than this to the end of the audio wait.
    ///   - confidence: words below this threshold in any of the passes wait.
    package init(passes: Int, guardSamples: Int, confidence: ConfidenceThreshold = .none) {
        self.confidence = confidence
        self.passes = max(1, passes)
        self.guardSamples = guardSamples
    }

    package mutating func finalCount(of words: [LiveWord], head: Int) -> Int {
        var count = 0
        if history.count == passes - 1 {
            let limit = history.map(\.count).reduce(words.count, min)
            while count < limit, words[count].end <= head - guardSamples,
                !confidence.holdsBack(words[count], head: head),
                history.allSatisfy({
                    $0[count].key == words[count].key && !confidence.holdsBack($0[count], head: head)
                })
            {
                count += 1
            }
        }
        history = (history + [words]).suffix(passes - 1).map { Array($0.dropFirst(count)) }
        return count
    }

    package func holdsBack(_ word: LiveWord, head: Int) -> Bool { confidence.holdsBack(word, head: head) }

    package mutating func reset() { history = [] }
}

/// Commits words immediately while the attention stays well before the end of the audio (AlignAtt, Papi et al. 2023).
///
/// The decoder inspects the attention and marks the words as stable; see `AttentionRule`.
package struct AlignAtt: CommitPolicy {
    private let confidence: ConfidenceThreshold
    /// Where the audio of the last pass ended.
    private var heard = 0

    /// - Parameter confidence: words below this threshold wait.
    package init(confidence: ConfidenceThreshold = .none) { self.confidence = confidence }

    package mutating func finalCount(of words: [LiveWord], head: Int) -> Int {
        defer { heard = head }
        return words.firstIndex { !$0.isStable || holdsBack($0, head: head) } ?? words.count
    }

    /// A second look often finds the right word, so one that is old when the first pass hears it waits for the next: on a
    /// busy machine, a pass may hear several seconds at once.
    package func holdsBack(_ word: LiveWord, head: Int) -> Bool {
        confidence.holdsBack(word, head: head) || confidence.isImprobable(word) && word.end > heard
    }

    package mutating func reset() {}
}

/// Holds back improbable words that a policy would otherwise commit: more audio may still change them, and a wrong final
/// word misleads every later pass.
package struct ConfidenceThreshold: Sendable, Hashable {
    /// Words with a lower probability wait.
    package var minimumProbability: Double
    /// Words that end this long before the newest audio no longer wait.
    package var patienceSamples: Int

    /// Holds back nothing.
    package static let none = ConfidenceThreshold(minimumProbability: 0, patienceSamples: 0)

    package init(minimumProbability: Double, patienceSamples: Int) {
        self.minimumProbability = minimumProbability
        self.patienceSamples = patienceSamples
    }

    func isImprobable(_ word: LiveWord) -> Bool { word.probability < minimumProbability }

    func holdsBack(_ word: LiveWord, head: Int) -> Bool { isImprobable(word) && word.end > head - patienceSamples }
}
