/// The network's decoder for a text that is partly foretold: tokens of a draft are fed several at a time, and their
/// scores handed out one by one for as long as the search chooses the same tokens.
///
/// Every score is that of the network after the tokens chosen, so a draft changes no result, however wrong it is.
package final class DraftScorer: TokenScorer {
    private let decoder: TextDecoder
    /// What may still come.
    private var draft: ArraySlice<Int>
    /// How many tokens of the draft's beginning the decoder was fed; their scores are the last of `ahead`.
    private var fed = 0
    private var ahead: [[Float]] = []
    /// Tokens that the decoder was fed, without those of the draft that were not chosen so far.
    package private(set) var taken = 0
    /// Tokens chosen whose scores were there already.
    package private(set) var foretold = 0

    /// - Parameter draft: of any length; from a token on that the vocabulary does not have it is not used.
    package init(_ decoder: TextDecoder, draft: [Int]) {
        self.decoder = decoder
        self.draft = draft.prefix { (0..<decoder.vocabularySize).contains($0) }
    }

    package var vocabularySize: Int { decoder.vocabularySize }
    package var contextLength: Int { decoder.contextLength }

    package func expect(_ needs: ScoreNeeds?) { decoder.expect(needs) }

    package func start(_ tokens: [Int], logitsAt positions: [Int]) throws -> [[Float]] {
        taken = tokens.count
        return try decoder.start(tokens, logitsAt: positions)
    }

    package func advance(_ tokens: [Int], from sources: [Int], into logits: inout [[Float]]) throws {
        precondition(tokens.count == 1, "\(tokens.count) rows with a draft for one")
        if fed > 0, draft.first == tokens[0] {
            foretold += 1
        } else {
            finish()
            // The draft goes on behind a word that is another now, or that one of the two texts does not have.
            draft = draft.firstIndex(of: tokens[0]).map { draft[$0...] } ?? draft
            let group = draft.prefix(min(TextDecoder.maxScoredTokens, contextLength - taken))
            if group.first == tokens[0], group.count > 1 {
                try decoder.score(Array(group), into: &ahead)
                fed = group.count
            }
        }
        if fed > 0 {
            swap(&logits[0], &ahead[ahead.count - fed])
            fed -= 1
        } else {
            try decoder.advance(tokens, from: sources, into: &logits)
        }
        if draft.first == tokens[0] { draft.removeFirst() }
        taken += 1
    }

    /// Takes back what was fed and not chosen.
    package func finish() {
        guard fed > 0 else { return }
        decoder.truncate(to: taken)
        fed = 0
    }
}
