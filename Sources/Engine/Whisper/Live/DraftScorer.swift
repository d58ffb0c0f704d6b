package import EngineCompute

/// A token scorer for speculative decoding: feeds several tokens of a draft to the decoder at once and returns their
/// scores one by one as long as the search chooses the draft's tokens.
///
/// Every score is the network's score after the tokens actually chosen, so a draft never changes the result, however
/// wrong it is.
package final class DraftScorer: TokenScorer {
    private let decoder: TextDecoder
    /// The part of the draft that may still follow.
    private var draft: ArraySlice<Int>
    /// Number of draft tokens already fed to the decoder; their scores are the last ones in `pending`.
    private var fed = 0
    private var pending: [[Float]] = []
    /// Number of tokens in the decoder's cache, without draft tokens that have not been chosen so far.
    package private(set) var cachedCount = 0
    /// Number of chosen tokens whose scores came from the draft.
    package private(set) var acceptedCount = 0

    /// - Parameter draft: any number of tokens, used up to the first one outside the vocabulary.
    package init(_ decoder: TextDecoder, draft: [Int]) {
        self.decoder = decoder
        self.draft = draft.prefix { (0..<decoder.vocabularySize).contains($0) }
    }

    package var vocabularySize: Int { decoder.vocabularySize }
    package var contextLength: Int { decoder.contextLength }

    package func expect(_ needs: ScoreNeeds?) { decoder.expect(needs) }

    package func start(_ tokens: [Int], logitsAt positions: [Int]) throws -> [[Float]] {
        cachedCount = tokens.count
        return try decoder.start(tokens, logitsAt: positions)
    }

    package func advance(_ tokens: [Int], from sources: [Int], into logits: inout [[Float]]) throws {
        precondition(tokens.count == 1, "a draft supports one row, not \(tokens.count)")
        if fed > 0, draft.first == tokens[0] {
            acceptedCount += 1
        } else {
            finish()
            // Resume the draft after a word that was replaced, inserted or removed.
            draft = draft.firstIndex(of: tokens[0]).map { draft[$0...] } ?? draft
            let group = draft.prefix(min(TextDecoder.maxScoredTokens, contextLength - cachedCount))
            if group.first == tokens[0], group.count > 1 {
                try decoder.score(Array(group), into: &pending)
                fed = group.count
            }
        }
        if fed > 0 {
            swap(&logits[0], &pending[pending.count - fed])
            fed -= 1
        } else {
            try decoder.advance(tokens, from: sources, into: &logits)
        }
        if draft.first == tokens[0] { draft.removeFirst() }
        cachedCount += 1
    }

    package func truncate(to count: Int) {
        finish()
        decoder.truncate(to: count)
        cachedCount = count
    }

    /// Removes draft tokens that were fed but not chosen from the decoder's cache.
    package func finish() {
        guard fed > 0 else { return }
        decoder.truncate(to: cachedCount)
        fed = 0
    }
}
