import CKernels

/// The keys and values of all positions of a window for one layer, kept for attention that also sees positions of its
/// own. Shared by threads, and written once.
package protocol PackedHeads: Sendable {
    var positions: Int { get }
    var heads: Int { get }
}

/// As they are, for a library's product.
///
/// Invariant: written only by its backend's `store`, before it is shared.
struct PlainHeads: PackedHeads {
    let positions: Int
    let heads: Int
    /// `[positions, heads · d]`
    let keys: TensorView
    let values: TensorView

    init(positions: Int, heads: Int, size: Int, arena: WeightArena) throws(ComputeError) {
        self.positions = positions
        self.heads = heads
        let n = heads * size
        keys = try arena.tensor(count: positions * n).rows(positions, columns: n)
        values = try arena.tensor(count: positions * n).rows(positions, columns: n)
    }
}

/// Packed for the kernels, one head after another.
///
/// Invariant: as for `PlainHeads`.
@safe
struct HeadTiles: PackedHeads, @unchecked Sendable {
    let positions: Int
    let heads: Int
    let kernels: TileKernels
    private let words: MemoryBlock
    private let headBytes: Int

    init(positions: Int, heads: Int, size: Int, kernels: TileKernels, arena: WeightArena) throws(ComputeError) {
        self.positions = positions
        self.heads = heads
        self.kernels = kernels
        headBytes = unsafe 4 * ck_tile_head_words(kernels.functions, positions, size)
        words = try arena.block(count: heads * headBytes)
    }

    /// The packed keys and values of a head.
    func head(_ head: Int) -> UnsafeMutableRawPointer { unsafe words.base + head * headBytes }
}

extension KernelBackend {
    package func heads(positions: Int, heads: Int, size: Int, in arena: WeightArena) throws -> any PackedHeads {
        guard let kernels = attentionKernels else {
            return try PlainHeads(positions: positions, heads: heads, size: size, arena: arena)
        }
        return try HeadTiles(positions: positions, heads: heads, size: size, kernels: kernels, arena: arena)
    }

    package func store(keys: TensorView, values: TensorView, in packed: any PackedHeads) {
        precondition(
            keys.rows == packed.positions && values.rows == keys.rows && keys.columns == values.columns,
            "\(keys.rows) × \(keys.columns) for \(packed.positions) positions")
        let size = keys.columns / packed.heads
        switch packed {
        case let tiles as HeadTiles:
            pool.run(parts: tiles.heads) { head in
                unsafe tiles.kernels.functions.pointee.pack_head(
                    keys.base + head * size, keys.stride, values.base + head * size, values.stride, keys.rows, size,
                    tiles.head(head))
            }
        case let plain as PlainHeads:
            keys.copy(into: plain.keys)
            values.copy(into: plain.values)
        default: preconditionFailure("heads of another backend")
        }
    }
}

extension ReferenceBackend {
    package func heads(positions: Int, heads: Int, size: Int, in arena: WeightArena) throws -> any PackedHeads {
        try PlainHeads(positions: positions, heads: heads, size: size, arena: arena)
    }

    package func store(keys: TensorView, values: TensorView, in packed: any PackedHeads) {
        guard let plain = packed as? PlainHeads else { preconditionFailure("heads of another backend") }
        keys.copy(into: plain.keys)
        values.copy(into: plain.values)
    }
}
