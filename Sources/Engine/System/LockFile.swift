import Synchronization

/// A lock file that contains the ID of the process holding it.
///
/// The kernel releases the lock when the process ends, however it ends; a file left behind by a crash locks nothing.
package final class LockFile: Sendable {
    package enum Failure: Error, Equatable {
        /// Another process holds the lock; its ID, if known.
        case held(by: Int?)
        case failed(DiskAccess.Fault)
    }

    package let path: FilePath
    private let descriptor: Mutex<Int32?>

    /// Acquires the lock without waiting.
    ///
    /// - Parameter mode: the permissions of the file if it is created.
    package init(_ path: FilePath, mode: UInt32 = 0o666) throws(Failure) {
        self.path = path
        var attempts = 0
        while true {
            attempts += 1
            let descriptor: Int32
            do { descriptor = try DiskAccess.openLock(path, mode: mode) } catch { throw .failed(error) }
            let isOurs: Bool
            do { isOurs = try DiskAccess.tryLock(descriptor) } catch {
                try? DiskAccess.close(descriptor)
                throw .failed(error)
            }
            guard isOurs else {
                let owner = Self.process(in: descriptor)
                try? DiskAccess.close(descriptor)
                throw .held(by: owner)
            }
            // On some network mounts a file's inode number is never the same twice; give up checking there.
            if Self.isInPlace(path, descriptor) || attempts == 100 {
                Self.writeProcessID(to: descriptor)
                self.descriptor = Mutex(descriptor)
                return
            }
            try? DiskAccess.close(descriptor)
        }
    }

    deinit { release() }

    /// Releases the lock and removes the file; repeated calls do nothing.
    package func release() {
        let last = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let last else { return }
        // Removed while still locked: a process that has already opened it notices and starts over.
        try? DiskAccess.remove(file: path)
        try? DiskAccess.close(last)
    }

    /// False if the file was removed between opening and locking it.
    private static func isInPlace(_ path: FilePath, _ descriptor: Int32) -> Bool {
        guard let named = try? DiskAccess.status(of: path, followingLinks: false),
            let locked = try? DiskAccess.status(of: descriptor)
        else { return false }
        return named.isSameFile(as: locked)
    }

    /// Writes our process ID for other processes' messages; failing only makes those less specific.
    private static func writeProcessID(to descriptor: Int32) {
        try? DiskAccess.empty(descriptor)
        try? DiskAccess.write(Array("\(DiskAccess.processID)\n".utf8), to: descriptor)
    }

    private static func process(in descriptor: Int32) -> Int? {
        let digits = DiskAccess.prefix(of: descriptor, count: 20).prefix { $0 >= 48 && $0 <= 57 }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
