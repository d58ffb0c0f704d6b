import Synchronization

/// A file that holds its process's number and keeps others out for as long as that holds the file's lock.
///
/// The lock is the kernel's, so it ends with the process however that ends; a file left by a crash locks nothing.
final class LockFile: Sendable {
    enum Refusal: Error, Equatable {
        /// By the process of that number, where it is known.
        case held(by: Int?)
        case failed(DiskAccess.Fault)
    }

    let path: FilePath
    private let descriptor: Mutex<Int32?>

    /// - Parameter mode: of the file, where it is created.
    init(_ path: FilePath, mode: UInt32 = 0o666) throws(Refusal) {
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
            // Where a file never has the same number twice, as on some network mounts, the lock must do as it is.
            if Self.isInPlace(path, descriptor) || attempts == 100 {
                Self.note(descriptor)
                self.descriptor = Mutex(descriptor)
                return
            }
            try? DiskAccess.close(descriptor)
        }
    }

    deinit { release() }

    /// Ends the lock and removes the file; a second time does nothing.
    func release() {
        let last = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let last else { return }
        // Removed while it is still locked: who opened it before sees that it is gone and starts anew.
        try? DiskAccess.remove(file: path)
        try? DiskAccess.close(last)
    }

    /// False when the file was removed between our opening and locking it.
    private static func isInPlace(_ path: FilePath, _ descriptor: Int32) -> Bool {
        guard let named = try? DiskAccess.status(of: path, followingLinks: false),
            let locked = try? DiskAccess.status(of: descriptor)
        else { return false }
        return named.isSameFile(as: locked)
    }

    /// Our number, for the other process's message; without it the message is shorter.
    private static func note(_ descriptor: Int32) {
        try? DiskAccess.empty(descriptor)
        try? DiskAccess.write(Array("\(DiskAccess.processID)\n".utf8), to: descriptor)
    }

    private static func process(in descriptor: Int32) -> Int? {
        let digits = DiskAccess.prefix(of: descriptor, count: 20).prefix { $0 >= 48 && $0 <= 57 }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
