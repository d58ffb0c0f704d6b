import EngineCompute

/// Estimates the memory that a model needs from its sizes.
enum ParakeetMemory {
    /// What the program, its libraries, the vocabulary and buffers for audio need besides the network, in bytes.
    private static let base = 50_000_000

    /// The bytes needed by the weights, the packed positions, one encoder, and `base`. While weights are loaded, the
    /// largest one is present once more as float32.
    static func bytes(for file: any ParakeetFile, computeType: ComputeType) -> Int {
        let d = file.dimensions
        let size = MemoryLayout<Float>.stride
        var weights = 0, largest = 0
        for (name, shape) in ParakeetShapes.all(d, file.recurrence) {
            let count = shape.reduce(1, *)
            // Its product with the positions is kept instead.
            if !name.hasSuffix("relative_k_proj.weight") {
                weights += count * (shape.count > 1 ? bytesPerWeight(name, shape, computeType) : size)
            }
            largest = max(largest, count)
        }
        let kind = TileKind(computeType)
        let table = (2 * d.reach + 1) * d.width
        let positions = d.layers * table * size / (kind?.fine.numbers ?? 1)
        let working = ParakeetEncoder.numbers(for: d) + EncoderStream.numbers(for: d)
        return base + weights + positions + (2 * table + max(largest, working)) * size
    }

    private static func bytesPerWeight(_ name: String, _ shape: [Int], _ type: ComputeType) -> Int {
        let size = MemoryLayout<Float>.stride
        guard type != .float32 else { return size }
        let isDecoder = ["decoder.", "joint."].contains { name.hasPrefix($0) }
        // Float16; a table has an approximation in 8 bits, too.
        if isDecoder { return name.contains("embedding") || name.contains("joint.head") ? 3 : type == .int8 ? 1 : 2 }
        let kind = TileKind(type)
        return size / ((name.hasPrefix("encoder.subsampling.") ? kind?.fine : kind)?.numbers ?? 1)
    }
}
