package import EngineCompute

/// What the prediction network knows of the tokens so far.
package final class PredictionState {
    /// Hidden and cell states, `[layers, n]`.
    fileprivate let hidden: Tensor
    fileprivate let cell: Tensor
    /// The projected output, `[n]`.
    package let output: Tensor

    fileprivate init(width: Int, layers: Int) throws {
        hidden = try Tensor(count: layers * width)
        cell = try Tensor(count: layers * width)
        output = try Tensor(count: width)
    }
}

/// A transducer's prediction network and joint, for one piece of audio after another.
package final class TransducerNetwork {
    /// The most frames of a piece with which the next one may begin.
    package static let mostKept = 40

    private let model: ParakeetModel
    private let layers: TransducerLayers
    /// The projected frames of the piece.
    private let frames: Tensor
    private var frameCount = 0
    private let input: Tensor
    private let gates: Tensor
    private let sums: Tensor
    /// Those that a search knows by their numbers.
    private var states: [PredictionState] = []
    private let scores: Tensor
    /// What a search with as many beams as there are states looks at. The errors of 8 bits would often make one of
    /// thousands of tokens seem more probable than the blank.
    private var needs: ScoreNeeds

    private var width: Int { model.dimensions.prediction }

    /// - Parameter states: after which `scores` can be computed at a time.
    package init?(_ model: ParakeetModel, states: Int = 1) throws {
        guard case .transducer(let layers) = model.decoder else { return nil }
        self.model = model
        self.layers = layers
        let n = model.dimensions.prediction
        frames = try Tensor(count: (model.dimensions.mostFrames + Self.mostKept) * n)
        input = try Tensor(count: n)
        gates = try Tensor(count: 4 * n)
        sums = try Tensor(count: states * n)
        scores = try Tensor(count: states * model.dimensions.jointOutputs)
        needs = ScoreNeeds(best: states, never: [], exactFrom: model.dimensions.blank)
    }

    /// Begins a piece.
    ///
    /// - Parameters:
    ///   - encoded: the encoder's output.
    ///   - kept: how many frames of the last piece come first, those at its end; at most `mostKept`.
    /// - Returns: the projected frames.
    @discardableResult
    package func hear(_ encoded: TensorView, after kept: Int = 0) -> TensorView {
        frames.copy(frames, from: (frameCount - kept) * width, count: kept * width, at: 0)
        frameCount = kept + encoded.rows
        let projected = frames.rows(encoded.rows, columns: width, from: kept * width)
        layers.encoderProjection.apply(encoded, into: projected)
        return projected
    }

    /// What is added at most to the scores of tokens before a search compares them.
    package func prefer(_ bonuses: [(token: Int, bonus: Float)]) {
        needs.preferred = bonuses.map { ScoreNeeds.Preferred(column: $0.token, bonus: $0.bonus) }
    }

    /// Memory for a state.
    package func makeState() throws -> PredictionState {
        try PredictionState(width: width, layers: layers.recurrent.count)
    }

    /// Appends a token to those that the network knows; the blank begins a text.
    ///
    /// - Parameters:
    ///   - state: may be the same as `next`; `nil` if the token is the first.
    ///   - next: receives the state after the token.
    package func predict(_ token: Int, after state: PredictionState?, into next: PredictionState) {
        let n = width
        layers.embedding.copyRow(token, to: input, at: 0)
        var x = input.rows(1, columns: n)
        for (index, layer) in layers.recurrent.enumerated() {
            let sums = gates.rows(1, columns: 4 * n), out = next.hidden.rows(1, columns: n, from: index * n)
            if let state {
                if state !== next { next.cell.copy(state.cell, from: index * n, count: n, at: index * n) }
            } else {
                next.cell.fill((index * n)..<((index + 1) * n), with: 0)
            }
            layer.project(x, into: sums)
            layer.step(
                gates: sums, last: state.map { $0.hidden.rows(1, columns: n, from: index * n) },
                cell: next.cell.rows(1, columns: n, from: index * n), out: out)
            x = out
        }
        layers.predictionProjection.apply(x, into: next.output.rows(1, columns: n))
    }

    /// Computes the scores of all tokens, the blank and the durations at a frame.
    ///
    /// - Parameter scores: replaced.
    package func scores(at frame: Int, after state: PredictionState, into scores: inout [Float]) {
        self.scores(at: frame, after: [state], into: &scores)
    }

    private func scores(at frame: Int, after states: [PredictionState], into scores: inout [Float]) {
        let n = width, rows = sums.rows(states.count, columns: n), outputs = model.dimensions.jointOutputs
        for (row, state) in states.enumerated() {
            sums.copy(frames, from: frame * n, count: n, at: row * n)
            sums.add(state.output, from: 0, count: n, at: row * n)
        }
        LayerKernels.leaky(rows)
        layers.joint.weight.scores(
            rows, bias: layers.joint.bias, needs: needs, into: self.scores.rows(states.count, columns: outputs))
        self.scores.copy(0..<(states.count * outputs), into: &scores)
    }
}

extension TransducerNetwork: Transducer {
    package func addState() throws -> Int {
        states.append(try makeState())
        return states.count - 1
    }

    package func predict(_ token: Int, after state: Int?, into next: Int) {
        predict(token, after: state.map { states[$0] }, into: states[next])
    }

    package func scores(at frame: Int, after states: [Int], into scores: inout [Float]) {
        self.scores(at: frame, after: states.map { self.states[$0] }, into: &scores)
    }
}
