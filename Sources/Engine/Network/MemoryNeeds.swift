/// Memory that a network takes, known from its dimensions alone.
package enum MemoryNeeds {
    /// Bytes of the weights as float32, of one encoder and of one decoder with the caches of its windows; the greatest
    /// weight counts twice, as it is unpacked before it is put in its place.
    package static func bytes(for dimensions: ModelDimensions, decoding: DecodingRoom = DecodingRoom()) -> Int {
        let sizes = TensorShapes.all(dimensions).map { $0.shape.reduce(1, *) }
        let floats =
            sizes.reduce(0, +) + (sizes.max() ?? 0) + encoder(dimensions) + decoder(dimensions, decoding)
        return floats * MemoryLayout<Float>.stride
    }

    /// Whether a model fits into the memory that this process may take, told before any weight is read: Swift cannot
    /// go on when memory runs out.
    ///
    /// - Parameter memory: bytes that may be taken instead of what the system says.
    package static func check(
        _ file: any WeightFile, decoding: DecodingRoom = DecodingRoom(), threads: Int, memory: Int? = nil
    ) throws(ModelError) {
        let needs = bytes(for: file.dimensions, decoding: decoding)
        if let memory = memory ?? SystemMemory.available(threads: threads), memory < needs {
            throw .notEnoughMemory(path: file.path, needs: needs, available: memory)
        }
    }

    /// Floats of `AudioEncoder`.
    private static func encoder(_ d: ModelDimensions) -> Int {
        (2 * d.nAudioCtx + 2) * d.nMels + (2 * d.nAudioCtx + 1) * d.nAudioState + 10 * d.nAudioCtx * d.nAudioState
    }

    /// Floats of `TextDecoder`: keys and values of the windows and of the text, and one value of each kind.
    private static func decoder(_ d: ModelDimensions, _ decoding: DecodingRoom) -> Int {
        let rows = decoding.windows * decoding.rowsPerWindow, states = max(d.nTextCtx, rows)
        let windows = 2 * (decoding.windows * d.nTextLayer + 1) * d.nAudioCtx * d.nTextState
        let text = 2 * d.nTextLayer * d.nTextCtx * rows * d.nTextState
        return windows + text + 11 * states * d.nTextState + 2 * rows * d.nVocab
    }
}
