import Synchronization

/// Keeps other runs from writing the same files: a second lock on any of them fails.
///
/// Each file has a lock file `.NAME.lock` beside it that holds the process's number. The lock itself is the kernel's, so
/// it ends with the process however that ends; a lock file left by a crash locks nothing.
public final class OutputLock: Sendable {
    private struct Held {
        let file: FilePath
        let descriptor: Int32
    }

    private let held = Mutex<[Held]>([])

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
            // Removed while it is still locked: who opened it before sees that it is gone and starts anew.
            AtomicFile.remove(lock.file)
            AtomicFile.leftovers.withLock { _ = $0.remove(lock.file) }
            try? DiskAccess.close(lock.descriptor)
        }
    }

    private static func lock(for output: FilePath) throws(OutputError) -> Held {
        let target = try AtomicFile.target(of: output).path
        let file = target.folder.appending(lockName(for: target.name))
        var attempts = 0
        while true {
            attempts += 1
            let descriptor: Int32
            do { descriptor = try DiskAccess.openLock(file) } catch { throw error.outputError(at: file) }
            do {
                guard try DiskAccess.tryLock(descriptor) else {
                    let owner = process(in: descriptor)
                    try? DiskAccess.close(descriptor)
                    throw OutputError.busy(output, process: owner)
                }
                // Where a file never has the same number twice, as on some network mounts, the lock must do as it is.
                if isInPlace(file, descriptor) || attempts == 100 {
                    note(descriptor)
                    AtomicFile.leftovers.withLock { _ = $0.insert(file) }
                    return Held(file: file, descriptor: descriptor)
                }
                try? DiskAccess.close(descriptor)
            } catch let error as OutputError {
                throw error
            } catch let error as DiskAccess.Fault {
                try? DiskAccess.close(descriptor)
                throw error.outputError(at: file)
            } catch {
                throw .busy(output, process: nil)
            }
        }
    }

    /// False when the file was removed between our opening and locking it.
    private static func isInPlace(_ file: FilePath, _ descriptor: Int32) -> Bool {
        guard let named = try? DiskAccess.status(of: file, followingLinks: false),
            let locked = try? DiskAccess.status(of: descriptor)
        else { return false }
        return named.isSameFile(as: locked)
    }

    /// Our number, for the other run's message; without it the message is shorter.
    private static func note(_ descriptor: Int32) {
        try? DiskAccess.empty(descriptor)
        try? DiskAccess.write(Array("\(DiskAccess.processID)\n".utf8), to: descriptor)
    }

    private static func process(in descriptor: Int32) -> Int? {
        let digits = DiskAccess.prefix(of: descriptor, count: 20).prefix { $0 >= 48 && $0 <= 57 }
        return Int(String(decoding: digits, as: UTF8.self))
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
