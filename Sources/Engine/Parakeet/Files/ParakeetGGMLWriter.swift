import EngineBasics
package import EngineWeights

/// The parts of whisper.cpp's file of a model, as its converter writes them.
package struct ParakeetGGMLWriter {
    private let file: any ParakeetFile
    /// The storage format of matrices.
    private let matrices: ElementType
    private var d: ParakeetDimensions { file.dimensions }

    /// - Returns: `nil` if whisper.cpp's format has no room for the model: it holds only TDT decoders, and encoders
    ///   without biases and without a scaled input.
    package init?(_ file: any ParakeetFile, matrices: ElementType) {
        let d = file.dimensions
        guard case .tdt = d.head, !d.hasLinearBias, !d.hasConvolutionBias, !d.scalesInput, d.feedForward == 4 * d.width
        else { return nil }
        (self.file, self.matrices) = (file, matrices)
    }

    /// Everything before the first tensor record.
    package var header: [UInt8] {
        var durations: [Int] = []
        if case .tdt(let all) = d.head { durations = all }
        let filters = ParakeetFeatures.Table.filters, window = ParakeetFeatures.Table.window
        var bytes = Array("lmgg".utf8)
        for number in [
            d.vocabulary, Self.positions, d.width, d.heads, d.layers, d.bands, matrices.ggmlFile ?? 0, 512, 8,
            d.channels,
            d.taps, d.prediction, d.predictionLayers, durations.count, d.maxSymbols,
        ] + filters.shape(bands: d.bands) { bytes.appendGGML(number) }
        for weight in filters.values(bands: d.bands) { bytes.appendGGML(Int(weight.bitPattern)) }
        for number in window.shape(bands: d.bands) { bytes.appendGGML(number) }
        for weight in window.values(bands: d.bands) { bytes.appendGGML(Int(weight.bitPattern)) }
        for number in durations + [d.vocabulary] { bytes.appendGGML(number) }
        for piece in file.vocabulary.pieces {
            bytes.appendGGML(piece.utf8.count)
            bytes += Array(piece.utf8)
        }
        return bytes
    }

    /// The number of positions that NeMo prepares, which no weight depends on.
    private static let positions = 5000

    /// The records with what they contain: the sum of these, each the rows of several tensors. The counters of the
    /// batch normalizations, which nothing reads, are zero, and have no tensors.
    package var records: [(record: GGMLRecord, terms: [[WeightTensor]])] {
        get throws(ModelError) {
            var records: [(GGMLRecord, [[WeightTensor]])] = []
            for (name, shape) in ParakeetShapes.all(d, ParakeetGGMLFile.layout) {
                records.append((record(name, shape), try terms(name)))
            }
            return records + (0..<d.layers).map { (ParakeetGGMLFile.counter(layer: $0), []) }
        }
    }

    private func record(_ name: String, _ shape: [Int]) -> GGMLRecord {
        let own = NeMoNames.own(name)
        switch shape.count {
        case 1 where name.hasPrefix("encoder.subsampling.layers."):
            return GGMLRecord(name: own, shape: [1, shape[0], 1, 1], type: .f32)
        case 1, 4: return GGMLRecord(name: own, shape: shape, type: .f32)
        default:
            let isVector = name.contains(".bias_") || name.contains("depthwise_conv")
            return GGMLRecord(name: own, shape: shape.filter { $0 != 1 }, type: isVector ? .f32 : matrices)
        }
    }

    private func terms(_ name: String) throws(ModelError) -> [[WeightTensor]] {
        let prefix = "decoder.lstm."
        guard name.hasPrefix(prefix) else { return [[try file.tensor(name)]] }
        let stored =
            if name.hasPrefix(prefix + "bias"), let layer = Int(name.split(separator: "l").last ?? "") {
                file.recurrence.biases(layer: layer)
            } else {
                [name]
            }
        var terms: [[WeightTensor]] = []
        for name in stored {
            let tensor = try file.tensor(name), size = d.prediction
            // Where each gate is here, in the order in which they are there.
            let gates = (0..<4).sorted { ParakeetGGMLFile.layout.gates[$0] < ParakeetGGMLFile.layout.gates[$1] }
            terms.append(
                gates.map { gate in
                    let start = file.recurrence.gates[gate] * size
                    return tensor.rows(start..<(start + size), named: name)
                })
        }
        return terms
    }
}
