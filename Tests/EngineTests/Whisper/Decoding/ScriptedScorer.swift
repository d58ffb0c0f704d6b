/// A scorer whose logits are an arbitrary function of a row's tokens.
final class ScriptedScorer: TokenScorer {
    let vocabularySize: Int
    let contextLength: Int
    private let score: ([Int]) -> [Float]
    private(set) var rows: [[Int]] = []
    private(set) var positions: [Int] = []
    private(set) var advanceCount = 0
    private(set) var truncations: [Int] = []

    init(vocabularySize: Int, contextLength: Int = 448, score: @escaping ([Int]) -> [Float]) {
        self.vocabularySize = vocabularySize
        self.contextLength = contextLength
        self.score = score
    }

    func start(_ tokens: [Int], logitsAt positions: [Int]) -> [[Float]] {
        rows = [tokens]
        self.positions = positions
        return positions.map { score(Array(tokens[...$0])) }
    }

    func advance(_ tokens: [Int], from sources: [Int], into logits: inout [[Float]]) {
        rows = zip(tokens, sources).map { rows[$1] + [$0] }
        precondition(rows.allSatisfy { $0.count <= contextLength }, "a row exceeds the context")
        advanceCount += 1
        logits = rows.map(score)
    }

    func truncate(to count: Int) {
        precondition(rows.count == 1 && count <= rows[0].count, "\(count) tokens of \(rows)")
        rows[0].removeLast(rows[0].count - count)
        truncations.append(count)
    }
}
