import CSystemCalls
import Dispatch
import Synchronization

/// A promise of the kernel about a file that this process has open for reading: before a program writes to it or truncates
/// it, this process gets a signal, and the program waits, up to 45 seconds (`/proc/sys/fs/lease-break-time`).
///
/// Local file systems have leases. Only the owner of a file can take one.
package enum FileLease {
    /// What to do when a program waits, by descriptor.
    private static let actions = Mutex<[Int32: @Sendable () -> Void]>([:])

    /// Takes a lease.
    ///
    /// - Parameter onBreak: called on a thread of its own when a program waits; must end with `release`.
    /// - Throws: EAGAIN if a program has the file open for writing.
    package static func take(_ descriptor: Int32, onBreak: @escaping @Sendable () -> Void) throws(DiskAccess.Fault) {
        let thread = watcher.thread
        try actions.withLock { actions throws(DiskAccess.Fault) in
            _ = try DiskAccess.checked { cs_take_lease(descriptor, thread) }
            actions[descriptor] = onBreak
        }
    }

    /// Gives the lease back; must be called before the descriptor is closed. Repeated calls do nothing.
    package static func release(_ descriptor: Int32) {
        actions.withLock { actions in
            if actions.removeValue(forKey: descriptor) != nil { _ = cs_release_lease(descriptor) }
        }
    }

    /// The thread that waits for the kernel's signal.
    private static let watcher = Watcher()

    private final class Watcher: Sendable {
        private let number = Mutex<Int32>(0)
        private let hasStarted = DispatchSemaphore(value: 0)

        init() {
            // Dispatch starts threads for serial queues even if all cores are busy.
            DispatchQueue(label: "whisper-local.leases").async { [self] in
                number.withLock { $0 = cs_start_lease_watch() }
                hasStarted.signal()
                while true {
                    cs_wait_for_lease_break()
                    // One signal may stand for several leases.
                    let broken = actions.withLock { $0.filter { cs_has_lease($0.key) == 0 } }
                    for action in broken.values { action() }
                }
            }
            hasStarted.wait()
        }

        var thread: Int32 { number.withLock { $0 } }
    }
}
