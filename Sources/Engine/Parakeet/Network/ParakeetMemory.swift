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
            if !name.hasSuffix("relative_k_proj.weight") { weights += bytes(name, shape, computeType) }
            largest = max(largest, count)
        }
        let table = (2 * d.reach + 1) * d.width
        let positions =
            d.layers * d.heads
            * kind(computeType).fine.bytes(outputs: 2 * d.reach + 1, inputs: d.width / d.heads, for: .manyRows)
        let working = ParakeetEncoder.numbers(for: d) + EncoderStream.numbers(for: d)
        return base + weights + positions + (2 * table + max(largest, working)) * size
    }

    /// The bytes of a tensor in the layouts of `KernelBackend`.
    private static func bytes(_ name: String, _ shape: [Int], _ type: ComputeType) -> Int {
        let count = shape.reduce(1, *), size = MemoryLayout<Float>.stride
        // Vectors, the biases of attention heads, and convolutions of each channel by itself.
        if shape.count == 1 || shape[1] == 1 || name.contains(".bias_") { return count * size }
        if ["decoder.", "joint."].contains(where: name.hasPrefix) {
            if type == .float32 { return count * size }
            // Float16; a table has an approximation in 8 bits, too.
            let isTable = ["embedding", "joint.head"].contains(where: name.contains)
            return count * (isTable ? 3 : type == .int8 ? 1 : 2)
        }
        let isFirst = name.hasPrefix("encoder.subsampling.")
        let isActivated = ["linear2.weight", "linear_2.weight"].contains(where: name.hasSuffix)
        return kind(type).bytes(
            outputs: shape[0], inputs: count / shape[0],
            for: isFirst ? .firstRows : isActivated ? .activatedRows : .manyRows)
    }

    /// The format of many-row weights; a library multiplies them in float32.
    private static func kind(_ type: ComputeType) -> TileKind { TileKind(type) ?? .float32 }
}
