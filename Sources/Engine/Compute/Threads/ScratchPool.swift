import Synchronization

/// Tensors for intermediate results that are given back after use, so that a steady state allocates nothing.
final class ScratchPool: Sendable {
    private let free = Mutex<[Tensor]>([])

    /// A tensor of at least `count` elements with any content; `nil` where there is no memory.
    func take(_ count: Int) -> Tensor? {
        let found = free.withLock { free -> Tensor? in
            guard let index = free.firstIndex(where: { $0.count >= count }) else { return nil }
            return free.remove(at: index)
        }
        return found ?? (try? Tensor(count: count))
    }

    func giveBack(_ tensor: Tensor) {
        free.withLock { free in
            free.append(tensor)
            // The largest few are kept: shapes repeat from layer to layer.
            if free.count > 8, let smallest = free.indices.min(by: { free[$0].count < free[$1].count }) {
                free.remove(at: smallest)
            }
        }
    }

    /// Runs `body` with a tensor of at least `count` elements.
    func with(_ count: Int, _ body: (Tensor) -> Void) {
        guard let tensor = take(count) else {
            preconditionFailure("no memory for \(count) intermediate values")
        }
        body(tensor)
        giveBack(tensor)
    }
}
