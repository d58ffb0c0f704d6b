/// A transducer whose scores are a function of frame and text.
final class ScriptedTransducer: Transducer {
    let compute: (_ frame: Int, _ text: [Int]) -> [Float]
    /// Of the states.
    var texts: [[Int]] = []
    /// In this order.
    private(set) var predicted: [[Int]] = []

    init(_ compute: @escaping (_ frame: Int, _ text: [Int]) -> [Float]) { self.compute = compute }

    func addState() -> Int {
        texts.append([])
        return texts.count - 1
    }

    func predict(_ token: Int, after state: Int?, into next: Int) {
        texts[next] = state.map { texts[$0] + [token] } ?? []
        predicted.append(texts[next])
    }

    func scores(at frame: Int, after states: [Int], into scores: inout [Float]) {
        scores = states.flatMap { compute(frame, texts[$0]) }
    }

    /// Planted scores that depend on the frame, the number of tokens before and the last two of them.
    static func planted(_ dimensions: ParakeetDimensions, seed: Int = 7) -> ScriptedTransducer {
        ScriptedTransducer { frame, text in
            let blank = dimensions.blank, place = [frame, text.count] + ([blank, blank] + text).suffix(2)
            return PlantedNumbers.units(seed, place, count: dimensions.jointOutputs).map { Float(8 * $0) }
        }
    }
}

extension ParakeetDimensions {
    /// Those of a fixture with another decoder.
    static func decoder(durations: [Int]?, vocabulary: Int, maxSymbols: Int) throws -> ParakeetDimensions {
        var dimensions = try ParakeetFolder(ParakeetFixture(name: "rnnt").folder).dimensions
        dimensions.head = durations.map { .tdt(durations: $0) } ?? .rnnt
        dimensions.vocabulary = vocabulary
        dimensions.maxSymbols = maxSymbols
        return dimensions
    }
}
