import Dispatch
import Synchronization

/// A value that is computed on a separate thread while its owner does something else.
package final class Deferred<Value: Sendable>: Sendable {
    private let result = Mutex<Value?>(nil)
    private let group = DispatchGroup()

    /// Starts computing the value.
    package init(_ compute: @escaping @Sendable () -> Value) {
        // Dispatch starts threads for serial queues even if all cores are busy.
        DispatchQueue(label: "whisper-local.deferred").async(group: group) { [self] in
            let value = compute()
            result.withLock { $0 = value }
        }
    }

    /// The value; waits until it has been computed.
    package var value: Value {
        group.wait()
        guard let value = result.withLock({ $0 }) else { preconditionFailure("not computed") }
        return value
    }
}
