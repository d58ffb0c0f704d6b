import Synchronization

/// Reusable tensors for intermediate results, so that the steady state allocates nothing.
package final class ScratchPool: Sendable {
    private let free = Mutex<[Tensor]>([])

    package init() {
    }

    /// Removes a tensor of at least `count` elements with arbitrary content from the pool, or allocates one; `nil` if
    /// out of memory.
    private func acquire(_ count: Int) -> Tensor? {
        let pooled = free.withLock { free -> Tensor? in
            // The smallest that is large enough, so that the large ones are free for whole windows.
            var best: Int?
            for index in free.indices where free[index].count >= count {
                if best.map({ free[index].count < free[$0].count }) ?? true { best = index }
            }
            guard let index = best else { return nil }
            return free.remove(at: index)
        }
        return pooled ?? (try? Tensor(count: count))
    }

    private func release(_ tensor: Tensor) {
        free.withLock { free in
            free.append(tensor)
            // The largest few are kept, because shapes repeat from layer to layer.
            if free.count > 8, let smallest = free.indices.min(by: { free[$0].count < free[$1].count }) {
                free.remove(at: smallest)
            }
        }
    }

    /// Calls `body` with a tensor of at least `count` elements with arbitrary content.
    package func with(_ count: Int, _ body: (Tensor) -> Void) {
        guard let tensor = acquire(count) else {
            preconditionFailure("no memory for \(count) intermediate values")
        }
        body(tensor)
        release(tensor)
    }
}
