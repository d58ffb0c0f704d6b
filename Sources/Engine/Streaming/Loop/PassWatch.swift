/// Watches a pass while it writes: where each token attends, and whether the text begins to repeat itself.
final class PassWatch {
    /// Thrown to end a pass whose text is of no use.
    struct BrokenOff: Error {}

    private let rule: AttentionRule?
    private let positions: Int
    /// Sample of the session at which the window starts.
    private let start: Int
    private var gaze: AttentionGaze
    private var rowsSeen = 0
    private(set) var tokens: [Int] = []
    /// Of each token and of the end, among those that the filters let through.
    private(set) var probabilities: [Float] = []
    /// Tokens at the beginning that are certain.
    private(set) var stableCount = 0
    private var isStable = true
    private var lastPosition: Int?
    private(set) var isVoid = false
    private(set) var isRepetitive = false

    private static let repetitionSpan = 60
    private static let repetitionRatio = 2.4

    init(heads: Int, positions: Int, rule: AttentionRule?, start: Int) {
        self.rule = rule
        self.positions = positions
        self.start = start
        gaze = AttentionGaze(heads: heads, positions: positions)
        lastPosition = rule?.last.map { ($0 - start) / 320 }
    }

    /// Where the last certain token attended, in samples on the session's clock.
    var attended: Int? { lastPosition.map { start + $0 * 320 } }

    /// Hears of a token just chosen.
    func choose(_ token: Int?, from logits: [Float]) {
        probabilities.append(token.map { Float(LogProbabilities(logits).probability(logits[$0])) } ?? 0)
    }

    /// Takes the tokens after a step; a text that has ended is as long as after the step before.
    ///
    /// - Parameter rows: of the record that led to these tokens.
    func step(_ tokens: [Int], attention: AttentionRecord?, rows: Int, tokenizer: Tokenizer) throws {
        let isOver = tokens.count == self.tokens.count
        self.tokens = tokens
        if let rule, let attention { try look(attention, rows: rows, rule: rule, isOver: isOver) }
        guard tokens.count >= Self.repetitionSpan, tokens.count % 10 == 0 else { return }
        if CompressionRatio.of(tokenizer.decode(Array(tokens.suffix(Self.repetitionSpan)))) > Self.repetitionRatio {
            isRepetitive = true
            throw BrokenOff()
        }
    }

    /// The row that wrote the newest token is the last of `rows`.
    private func look(_ attention: AttentionRecord, rows: Int, rule: AttentionRule, isOver: Bool) throws {
        var position = 0
        while rowsSeen < min(rows, attention.rows) {
            let row = (rowsSeen * attention.columns)..<((rowsSeen + 1) * attention.columns)
            position = gaze.append(attention.scores.map { $0[row] })
            rowsSeen += 1
        }
        guard isStable, !isOver else { return }
        if let rewind = rule.rewind, let last = lastPosition, last - position > rewind, tokens.count > 1 {
            isVoid = true
            throw BrokenOff()
        }
        if positions - position <= rule.threshold {
            isStable = false
        } else {
            lastPosition = position
            stableCount = tokens.count
        }
    }
}
