/// The network is what the searches ask for scores.
extension TextDecoder: TokenScorer {}
