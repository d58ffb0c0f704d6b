/// A language model defined by a formula: the logits are a function of all tokens of a row.
///
/// x[i] = f32(sharp · unit(seed, tokens…, i)); the end of text grows by eotGain per token and is impossible for rows of at
/// most `begin` tokens. Records the calls made to it.
final class FormulaScorer: TokenScorer {
    struct Advance: Equatable {
        let tokens: [Int]
        let sources: [Int]
    }

    static let endOfText = 23

    let vocabularySize = 24
    let contextLength: Int
    private let seed: Int
    private let sharp: Double
    private let eotGain: Double
    private let begin: Int
    private var rows: [[Int]] = []

    private(set) var started: [Int] = []
    private(set) var positions: [Int] = []
    private(set) var advances: [Advance] = []

    init(seed: Int, sharp: Double, eotGain: Double, begin: Int, contextLength: Int = 1000) {
        self.seed = seed
        self.sharp = sharp
        self.eotGain = eotGain
        self.begin = begin
        self.contextLength = contextLength
    }

    func start(_ tokens: [Int], logitsAt positions: [Int]) -> [[Float]] {
        started = tokens
        self.positions = positions
        rows = [tokens]
        return positions.map { logits(after: Array(tokens[...$0])) }
    }

    func advance(_ tokens: [Int], from sources: [Int], into logits: inout [[Float]]) {
        advances.append(Advance(tokens: tokens, sources: sources))
        precondition(tokens.count == sources.count)
        rows = zip(tokens, sources).map { rows[$1] + [$0] }
        precondition(rows.allSatisfy { $0.count <= contextLength }, "a row exceeds the context")
        precondition(rows.allSatisfy { !$0.contains(Self.endOfText) }, "a row continues after its end")
        logits = rows.map { self.logits(after: $0) }
    }

    func truncate(to count: Int) {
        precondition(rows.count == 1 && count <= rows[0].count, "\(count) tokens of \(rows)")
        rows[0].removeLast(rows[0].count - count)
    }

    func logits(after prefix: [Int]) -> [Float] {
        var x = PlantedNumbers.units(seed, prefix, count: vocabularySize).map { Float(sharp * $0) }
        x[Self.endOfText] += Float(eotGain * Double(prefix.count))
        if prefix.count <= begin { x[Self.endOfText] = -.infinity }
        return x
    }
}
