import EngineBasics
package import EngineCompute
import EngineWeights

/// Estimates the memory that a transcription needs from a network's dimensions.
package enum MemoryEstimate {
    /// What the program, its libraries, the vocabulary and buffers for audio need besides the network, in bytes; measured
    /// with the smallest models.
    package static let base = 40_000_000

    /// The bytes needed by the weights, one encoder, one decoder with the caches of its windows, and `base`. While the
    /// weights are loaded, the largest one is present once more as float32, from which it is converted.
    ///
    /// - Parameters:
    ///   - strided: the bytes of strided tensors, which are read as a whole before they are converted.
    ///   - isHalf: whether the numbers of a tensor, by name, are float16; decoding in float32 keeps them so.
    package static func bytes(
        for dimensions: ModelDimensions, decoding: DecodingCapacity = DecodingCapacity(),
        computeType: ComputeType = .float32, strided: Int = 0, isHalf: (String) -> Bool = { _ in false }
    ) -> Int {
        var weights = 0, largest = 0
        for (name, shape) in TensorShapes.all(dimensions) {
            let count = shape.reduce(1, *)
            weights += count * bytesPerWeight(name, shape, computeType.resolved, isHalf)
            largest = max(largest, count)
        }
        let floats = encoder(dimensions) + decoder(dimensions, decoding)
        // Keys and values of windows are cached in the precision of the weights.
        let cache = 2 * decoding.windows * dimensions.nTextLayer * dimensions.nAudioCtx * dimensions.nTextState
        let precision = computeType.resolved == .float32 ? MemoryLayout<Float>.stride : MemoryLayout<UInt16>.stride
        let running = floats * MemoryLayout<Float>.stride + cache * precision
        return base + weights + max(largest * MemoryLayout<Float>.stride + strided, running)
    }

    /// The same for a file, whose tensors show which numbers are float16.
    ///
    /// - Parameter keepsHalves: whether the backend keeps weights in float16.
    package static func bytes(
        for file: any WhisperFile, decoding: DecodingCapacity = DecodingCapacity(),
        computeType: ComputeType = .float32, keepsHalves: Bool = true
    ) -> Int {
        let singlesAreHalves = keepsHalves && computeType.resolved == .float32 && areHalves(singlesOf: file)
        return bytes(
            for: file.dimensions, decoding: decoding, computeType: computeType, strided: stridedBytes(of: file)
        ) { name in
            let type = (try? file.tensor(name))?.type
            return keepsHalves && (type == .f16 || type == .f32 && singlesAreHalves)
        }
    }

    /// The maximum bytes of strided tensors in memory at once: those of one tensor, or of three stacked projections.
    private static func stridedBytes(of file: any WhisperFile) -> Int {
        TensorShapes.all(file.dimensions).reduce(0) { largest, tensor in
            guard let tensor = try? file.tensor(tensor.name), tensor.strides != nil else { return largest }
            let isStacked = [".query.weight", ".key.weight", ".value.weight"].contains { tensor.name.hasSuffix($0) }
            return max(largest, (isStacked ? 3 : 1) * tensor.bytes.count)
        }
    }

    /// Whether the decoder's float32 matrices contain only float16 numbers, as after a conversion from a published model,
    /// judged by the first row of each. Strided ones count as float32, because their first row may be spread over most of
    /// the file.
    private static func areHalves(singlesOf file: any WhisperFile) -> Bool {
        TensorShapes.all(file.dimensions).allSatisfy { name, shape in
            guard name.hasPrefix("decoder."), shape.count > 1, !name.hasSuffix("positional_embedding"),
                let tensor = try? file.tensor(name), tensor.type == .f32
            else { return true }
            guard tensor.strides == nil, let row = try? tensor.rows(0..<1, named: name).floats() else { return false }
            return row.values(0..<row.count).allSatisfy { Float(Float16($0)) == $0 }
        }
    }

    /// The bytes per number of a tensor in the layouts of `KernelBackend`.
    private static func bytesPerWeight(
        _ name: String, _ shape: [Int], _ type: ComputeType, _ isHalf: (String) -> Bool
    ) -> Int {
        guard shape.count > 1, !name.hasSuffix("positional_embedding") else { return 4 }
        let hasManyRows =
            name.hasPrefix("encoder.") || name.hasSuffix("cross_attn.key.weight")
            || name.hasSuffix("cross_attn.value.weight")
        guard !hasManyRows else {
            guard type != .float32, let tiles = TileKind(type) else { return 4 }
            return 4 / tiles.numbers
        }
        if type == .float32 { return isHalf(name) ? 2 : 4 }
        // Float16, and an approximation in 8 bits.
        if name == "decoder.token_embedding.weight" { return 3 }
        return type == .int8 ? 1 : 2
    }

    /// The number of floats in an `AudioEncoder`.
    private static func encoder(_ d: ModelDimensions) -> Int {
        (2 * d.nAudioCtx + 2) * d.nMels + 6 * d.nAudioCtx * d.nAudioState
    }

    /// The number of floats in a `TextDecoder`: keys and values of text and, until they are cached, of one layer and
    /// window, and the activations.
    private static func decoder(_ d: ModelDimensions, _ decoding: DecodingCapacity) -> Int {
        let rows = decoding.windows * decoding.rowsPerWindow, states = max(d.nTextCtx, rows)
        let window = 2 * d.nAudioCtx * d.nTextState
        let text = 2 * d.nTextLayer * d.nTextCtx * rows * d.nTextState
        return window + text + 11 * states * d.nTextState + 2 * rows * d.nVocab
    }
}
