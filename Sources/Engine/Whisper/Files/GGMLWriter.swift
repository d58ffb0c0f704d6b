package import EngineWeights

/// Makes the header of a ggml file, whose layout `GGMLFile` describes.
package enum GGMLWriter {
    /// Everything before the first tensor record.
    ///
    /// - Parameters:
    ///   - matrices: a format that ggml files can store.
    ///   - filters: one row of 201 weights per mel band.
    package static func header(
        _ dimensions: ModelDimensions, matrices: ElementType, filters: [[Float]], vocabulary: [[UInt8]]
    ) -> [UInt8] {
        let d = dimensions
        let numbers = [
            d.nVocab, d.nAudioCtx, d.nAudioState, d.nAudioHead, d.nAudioLayer, d.nTextCtx, d.nTextState, d.nTextHead,
            d.nTextLayer, d.nMels, matrices.ggmlFile ?? 0, d.nMels, 201,
        ]
        var bytes = Array("lmgg".utf8)
        for number in numbers { bytes.appendGGML(number) }
        for weight in filters.joined() { bytes.appendGGML(Int(weight.bitPattern)) }
        bytes.appendGGML(vocabulary.count)
        for piece in vocabulary {
            bytes.appendGGML(piece.count)
            bytes += piece
        }
        return bytes
    }
}
