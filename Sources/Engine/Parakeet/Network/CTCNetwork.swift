package import EngineCompute

/// The scores of a CTC model, for one piece of audio after another.
package final class CTCNetwork {
    private let model: ParakeetModel
    private let layer: LinearLayer
    private let scores: Tensor

    package init?(_ model: ParakeetModel) throws {
        guard case .ctc(let layer) = model.decoder else { return nil }
        self.model = model
        self.layer = layer
        scores = try Tensor(count: model.dimensions.mostFrames * model.dimensions.choices)
    }

    /// Begins a piece.
    ///
    /// - Parameter encoded: the encoder's output.
    /// - Returns: the scores of tokens and blank at all frames.
    @discardableResult
    package func hear(_ encoded: TensorView) -> TensorView {
        let all = scores.rows(encoded.rows, columns: model.dimensions.choices)
        layer.apply(encoded, into: all)
        return all
    }

    /// The scores of all tokens and the blank at a frame.
    ///
    /// - Parameter scores: replaced.
    package func scores(at frame: Int, into scores: inout [Float]) {
        let count = model.dimensions.choices
        self.scores.copy((frame * count)..<((frame + 1) * count), into: &scores)
    }
}
