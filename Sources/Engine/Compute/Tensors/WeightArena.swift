import Synchronization

/// Memory for the weights of a model: mappings of several weights each, because most weights of a small model are
/// smaller than a huge page. The mappings are private memory, or a file that processes share.
package final class WeightArena: Sendable {
    private struct Slab {
        let pages: PageMapping
        var used = 0
    }

    private struct State {
        var slabs: [Slab] = []
        /// Where mappings come from instead of private memory.
        var file: PackedWeightFile?
        var layout = PackedWeightFile.Layout()
    }

    private let state = Mutex(State())

    package init() {}

    /// Address space; memory is only used as far as weights fill it.
    private static let slabBytes = 16 << 20
    private static let alignment = 64

    /// Whether blocks already contain packed weights, and must not be written.
    package var isFilled: Bool { state.withLock { $0.file?.isFilled ?? false } }

    /// Returns `count` bytes for a weight: zeros, or if `isFilled`, what an earlier process stored in its block. A mapping is
    /// released with the last of its blocks and this arena.
    func block(count: Int) throws(ComputeError) -> MemoryBlock {
        let (rounded, overflow) = max(1, count).addingReportingOverflow(Self.alignment - 1)
        guard count >= 0, !overflow else { throw .outOfMemory(bytes: count) }
        let bytes = rounded / Self.alignment * Self.alignment
        return try state.withLock { state throws(ComputeError) in
            state.layout.add(count)
            // Earlier mappings may have room for a small weight.
            if let index = state.slabs.firstIndex(where: { $0.pages.count - $0.used >= bytes }) {
                defer { state.slabs[index].used += bytes }
                return MemoryBlock(count: count, at: state.slabs[index].used, of: state.slabs[index].pages)
            }
            let size = max(bytes, Self.slabBytes)
            let pages = if let file = state.file { try file.mapping(count: size) } else { try PageMapping(count: size) }
            state.slabs.append(Slab(pages: pages, used: bytes))
            return MemoryBlock(count: count, at: 0, of: pages)
        }
    }

    /// `block` as `count` numbers.
    func tensor(count: Int) throws(ComputeError) -> Tensor {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Float>.stride)
        guard !overflow else { throw .outOfMemory(bytes: Int.max) }
        return Tensor(try block(count: bytes))
    }

    /// A weight that was packed elsewhere: the same block, or its copy in the file.
    func kept(_ other: MemoryBlock) throws(ComputeError) -> MemoryBlock {
        guard usesFile else { return other }
        let block = try block(count: other.count)
        block.copy(other)
        return block
    }

    /// The same for numbers.
    func kept(_ other: Tensor) throws(ComputeError) -> Tensor {
        guard usesFile else { return other }
        let tensor = try tensor(count: other.count)
        tensor.copy(other, at: 0)
        return tensor
    }

    private var usesFile: Bool { state.withLock { $0.file != nil } }

    /// Runs `load` with its weights mapped from a file, or stored in it if the file is new.
    ///
    /// - Parameter load: must request the same blocks in the same order each time.
    /// - Returns: `nil` if the file cannot be used; see `PackedWeightFile.failure`.
    package func with<Model>(_ file: PackedWeightFile, _ load: () throws -> Model) throws -> Model? {
        begin(file)
        defer { begin(nil) }
        do {
            let model = try load()
            let (slabs, layout) = state.withLock { ($0.slabs, $0.layout) }
            for slab in slabs { slab.pages.protect() }
            return file.finish(layout) ? model : nil
        } catch {
            if file.failure != nil { return nil }
            throw error
        }
    }

    private func begin(_ file: PackedWeightFile?) {
        state.withLock { $0 = State(file: file) }
    }
}
