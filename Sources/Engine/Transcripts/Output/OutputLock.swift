package import EngineBasics
import Synchronization

/// Locks output files, so that no other run writes them at the same time.
///
/// Each file has a lock file `.NAME.lock` next to it, which contains the process number. The kernel releases the lock when
/// the process ends for any reason; a lock file left by a crash has no effect.
package final class OutputLock: Sendable {
    private let held = Mutex<[LockFile]>([])

    /// Locks all files or none.
    ///
    /// - Throws: `OutputError.busy` with the locked file and the process that writes it, or another `OutputError` if a
    ///   lock file cannot be created.
    package init(for outputs: [FilePath]) throws(OutputError) {
        // A fixed order, so that one of two runs with the same files gets all of them.
        for output in outputs.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            do {
                let lock = try Self.lock(for: output)
                held.withLock { $0.append(lock) }
            } catch {
                release()
                throw error
            }
        }
    }

    deinit { release() }

    /// Releases the locks and removes the lock files.
    package func release() {
        let locks = held.withLock { locks in
            defer { locks = [] }
            return locks
        }
        for lock in locks {
            // First, because after the release another lock may create and register the same file.
            AtomicFile.leftovers.withLock { _ = $0.remove(lock.path) }
            lock.release()
        }
    }

    private static func lock(for output: FilePath) throws(OutputError) -> LockFile {
        let target = try AtomicFile.target(of: output).path
        let file = target.folder.appending(lockName(for: target.name))
        do {
            let lock = try LockFile(file)
            AtomicFile.leftovers.withLock { _ = $0.insert(file) }
            return lock
        } catch {
            switch error {
            case .held(let process): throw .busy(output, process: process)
            case .foreign: throw .notALock(file)
            case .failed(let fault):
                if case .writeFailed(_, let reason) = fault.outputError(at: file) {
                    throw .cannotLock(file, reason: reason)
                }
                throw fault.outputError(at: file)
            }
        }
    }

    /// Returns `.NAME.lock`; a long name is truncated and distinguished by its FNV-1a hash.
    private static func lockName(for name: FilePath) -> FilePath {
        if name.bytes.count <= 200 { return FilePath(".").adding(name).adding(".lock") }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return FilePath(".").adding(FilePath(bytes: name.bytes.prefix(200))).adding(
            "." + String(hash, radix: 16) + ".lock")
    }
}
