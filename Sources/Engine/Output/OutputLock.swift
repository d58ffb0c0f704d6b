import Synchronization

/// Keeps other runs from writing the same files: a second lock on any of them fails.
///
/// Each file has a lock file `.NAME.lock` beside it that holds the process's number. The lock itself is the kernel's, so
/// it ends with the process however that ends; a lock file left by a crash locks nothing.
public final class OutputLock: Sendable {
    private let held = Mutex<[LockFile]>([])

    /// - Throws: `OutputError.busy` with the file and the process that writes it; other errors where the folder does not
    ///   allow lock files. Nothing is locked then.
    public init(for outputs: [FilePath]) throws(OutputError) {
        // One order for all, so that of two runs with the same files one gets them all.
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

    /// Ends the locks and removes the lock files.
    public func release() {
        let locks = held.withLock { locks in
            defer { locks = [] }
            return locks
        }
        for lock in locks {
            // First: when the lock has ended another one may take the file and note it.
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
            case .failed(let fault): throw fault.outputError(at: file)
            }
        }
    }

    /// `.NAME.lock`; a long name is cut and told apart by its FNV-1a hash.
    static func lockName(for name: FilePath) -> FilePath {
        if name.bytes.count <= 200 { return FilePath(".").adding(name).adding(".lock") }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return FilePath(".").adding(FilePath(bytes: name.bytes.prefix(200))).adding(
            "." + String(hash, radix: 16) + ".lock")
    }
}
