import EngineModels
import Glibc

/// Monitors a pass while it generates tokens: where each token attends, and whether the text starts to repeat.
final class PassMonitor {
    /// Thrown to abort a pass whose text is useless.
    struct Aborted: Error {}

    private let rule: AttentionRule?
    /// Maximum number of unstable tokens; more of them mean that the text goes on past the end of the audio. `nil` for
    /// no limit.
    private let maxUnstable: Int?
    private let positions: Int
    /// The sample at which the window starts.
    private let start: Int
    /// The number of rows of attention before the text.
    private let initialRows: Int
    private let noGaze: AttentionGaze
    private var gaze: AttentionGaze
    private var rowsSeen = 0
    /// The text so far.
    private(set) var best = Hypothesis()
    /// Number of leading tokens that are stable.
    private(set) var stableCount = 0
    private var isStable = true
    private var lastPosition: Int?
    /// Whether the attention jumped back, which makes the whole pass worthless.
    private(set) var isInvalid = false
    private(set) var isRepetitive = false
    /// Whether the text went on past the end of the audio.
    private(set) var isEndless = false

    private static let repetitionSpan = 60

    init(heads: Int, positions: Int, rule: AttentionRule?, start: Int, initialRows: Int, maxUnstable: Int?) {
        self.rule = rule
        self.maxUnstable = maxUnstable
        self.positions = positions
        self.start = start
        self.initialRows = initialRows
        noGaze = AttentionGaze(heads: heads, positions: positions)
        gaze = noGaze
        lastPosition = rule?.last.map { ($0 - start) / 320 }
    }

    /// Where the last stable token attended, in samples on the session clock.
    var attended: Int? { lastPosition.map { start + $0 * 320 } }

    /// The mean log probability of the text so far.
    var meanLogprob: Double {
        Double(best.logprobs.reduce(0, +)) / Double(max(1, best.logprobs.count))
    }

    /// The probability of each token among those that the filters allow.
    var probabilities: [Float] { best.logprobs.map { expf($0) } }

    /// Processes a text that was found without attention, or that replaces the one so far, as if it had been generated
    /// token by token.
    func review(_ tokens: ArraySlice<Int>, _ logprobs: ArraySlice<Float>, attention: AttentionRecord?) throws {
        best = Hypothesis()
        gaze = noGaze
        rowsSeen = 0
        stableCount = 0
        isStable = true
        lastPosition = rule?.last.map { ($0 - start) / 320 }
        for count in 0..<tokens.count {
            best.tokens = Array(tokens[...count])
            best.logprobs = Array(logprobs[...count])
            if let rule, let attention {
                try checkAttention(attention, rows: initialRows + count, rule: rule, isOver: false)
            }
        }
    }

    /// Processes the text after a step. If it has not grown since the previous step, it has ended, unless the search has
    /// taken tokens back.
    ///
    /// - Parameter rows: the number of rows in `attention` that led to these tokens.
    /// - Throws: `Aborted` if the pass is useless.
    func step(_ best: Hypothesis, attention: AttentionRecord?, rows: Int, tokenizer: Tokenizer) throws {
        let tokens = best.tokens
        // The best of several beams, which have no attention, changes all the time.
        if attention != nil, !tokens.starts(with: self.best.tokens) {
            let known = rows - initialRows
            try review(tokens.prefix(known), best.logprobs.prefix(known), attention: attention)
        }
        let isOver = tokens.count == self.best.tokens.count
        self.best = best
        if let rule, let attention { try checkAttention(attention, rows: rows, rule: rule, isOver: isOver) }
        if let limit = maxUnstable, !isStable, tokens.count - stableCount > limit {
            isEndless = true
            throw Aborted()
        }
        guard tokens.count >= Self.repetitionSpan, tokens.count % 10 == 0 else { return }
        let ratio = CompressionRatio.of(tokenizer.decode(Array(tokens.suffix(Self.repetitionSpan))))
        if TextJudge().isRepetitive(ratio) {
            isRepetitive = true
            throw Aborted()
        }
    }

    /// The last of `rows` is the row that generated the newest token.
    private func checkAttention(_ attention: AttentionRecord, rows: Int, rule: AttentionRule, isOver: Bool) throws {
        var position = 0
        while rowsSeen < min(rows, attention.rows) {
            let row = (rowsSeen * attention.columns)..<((rowsSeen + 1) * attention.columns)
            position = gaze.append(attention.scores.map { $0[row] })
            rowsSeen += 1
        }
        guard isStable, !isOver else { return }
        if let rewind = rule.rewind, let last = lastPosition, last - position > rewind, best.tokens.count > 1 {
            isInvalid = true
            throw Aborted()
        }
        if positions - position <= rule.threshold {
            isStable = false
        } else {
            lastPosition = position
            stableCount = best.tokens.count
        }
    }
}
