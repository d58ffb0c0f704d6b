/// The cross-attention heads of the official models that are aligned with the audio.
package enum AlignmentHeads {
    /// The heads used for word timestamps, ordered by layer and head.
    ///
    /// Model files contain no names, so models are identified by their dimensions. large-v1 and large-v2 share theirs;
    /// they get the heads of large-v2, by far the more common of the two. A model that is not in the list gets all heads
    /// of the second half of the decoder's layers, as in openai-whisper.
    package static func heads(of dimensions: ModelDimensions) -> [AlignmentHead] {
        if let layers = officialHeads(of: dimensions) {
            return layers.flatMap { layer, heads in heads.map { AlignmentHead(layer: layer, head: $0) } }
        }
        let (layers, heads) = (max(0, dimensions.nTextLayer), max(0, dimensions.nTextHead))
        return ((layers / 2)..<layers).flatMap { layer in
            (0..<heads).map { AlignmentHead(layer: layer, head: $0) }
        }
    }

    /// Whether the heads of a model with these dimensions have been published.
    package static func areKnown(for dimensions: ModelDimensions) -> Bool { officialHeads(of: dimensions) != nil }

    private static func officialHeads(of dimensions: ModelDimensions) -> KeyValuePairs<Int, [Int]>? {
        // Official models have 64 channels per head; with any other number it is a different model.
        guard dimensions.nTextHead * 64 == dimensions.nTextState else { return nil }
        return official[
            Shape(
                bands: dimensions.nMels, vocabulary: dimensions.nVocab, state: dimensions.nTextState,
                encoderLayers: dimensions.nAudioLayer, decoderLayers: dimensions.nTextLayer)]
    }

    private struct Shape: Hashable {
        let bands: Int
        let vocabulary: Int
        let state: Int
        let encoderLayers: Int
        let decoderLayers: Int
    }

    /// Heads by layer, as published with the models in openai-whisper 20250625.
    private static let official: [Shape: KeyValuePairs<Int, [Int]>] = [
        // tiny.en
        Shape(bands: 80, vocabulary: 51_864, state: 384, encoderLayers: 4, decoderLayers: 4): [
            1: [0], 2: [0, 5], 3: [0, 1, 2, 3, 4],
        ],
        // tiny
        Shape(bands: 80, vocabulary: 51_865, state: 384, encoderLayers: 4, decoderLayers: 4): [
            2: [2], 3: [0, 2, 3, 4, 5],
        ],
        // base.en
        Shape(bands: 80, vocabulary: 51_864, state: 512, encoderLayers: 6, decoderLayers: 6): [
            3: [3], 4: [7], 5: [1, 5, 7],
        ],
        // base
        Shape(bands: 80, vocabulary: 51_865, state: 512, encoderLayers: 6, decoderLayers: 6): [
            3: [1], 4: [2, 3, 7], 5: [1, 2, 4, 6],
        ],
        // small.en
        Shape(bands: 80, vocabulary: 51_864, state: 768, encoderLayers: 12, decoderLayers: 12): [
            6: [6], 7: [0, 3, 8], 8: [2, 5, 7], 9: [0, 4, 8, 10], 10: [0, 1, 2, 3, 6, 11], 11: [2, 4],
        ],
        // small
        Shape(bands: 80, vocabulary: 51_865, state: 768, encoderLayers: 12, decoderLayers: 12): [
            5: [3, 9], 8: [0, 4, 7, 8], 9: [0, 7, 9], 10: [5],
        ],
        // medium.en
        Shape(bands: 80, vocabulary: 51_864, state: 1024, encoderLayers: 24, decoderLayers: 24): [
            11: [4], 14: [1, 12, 14], 15: [4], 16: [0, 4, 9], 17: [12, 14], 18: [7, 10, 15], 20: [0, 3, 9, 14],
            21: [12],
        ],
        // medium
        Shape(bands: 80, vocabulary: 51_865, state: 1024, encoderLayers: 24, decoderLayers: 24): [
            13: [15], 15: [4, 15], 16: [1], 20: [0], 23: [4],
        ],
        // large-v2
        Shape(bands: 80, vocabulary: 51_865, state: 1280, encoderLayers: 32, decoderLayers: 32): [
            10: [12], 13: [17], 16: [11, 12, 13], 17: [15, 16], 18: [4, 11, 19], 19: [11], 21: [2, 3], 22: [3, 9, 12],
            23: [5, 7, 13], 25: [5], 26: [1, 12], 27: [15],
        ],
        // large-v3
        Shape(bands: 128, vocabulary: 51_866, state: 1280, encoderLayers: 32, decoderLayers: 32): [
            7: [0], 10: [17], 12: [18], 13: [12], 16: [1], 17: [14], 19: [11], 21: [4], 24: [1], 25: [6],
        ],
        // large-v3-turbo
        Shape(bands: 128, vocabulary: 51_866, state: 1280, encoderLayers: 32, decoderLayers: 4): [
            2: [4, 11], 3: [3, 6, 11, 14],
        ],
    ]
}
